// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { csvLimits, readRows } from "../../src/features/lists/csv.ts";
import { Findings } from "../../src/features/paperwork/findings.ts";
import { documentOf, names, problemsOf, readList, readTruncated, refusalOf, warningsOf } from "../support/lists.ts";
import { inProportion, isThorough } from "../support/proportion.ts";

const rowsOf = (text: string) => readRows(Buffer.from(text), ",", new Findings());
const lines = (text: string) => rowsOf(text).map(({ line }) => line);
const vendorsOf = (file: string | Uint8Array) => documentOf("vendors", file).vendors;

const csv = suite("rows of CSV");

csv("have the number of the line on which they begin, with any kind of line end", () => {
  assert.equal(lines("a\nb\nc"), [1, 2, 3]);
  assert.equal(lines("a\r\nb\r\nc\r\n"), [1, 2, 3]);
  assert.equal(lines("a\rb\rc\r"), [1, 2, 3]);
});

csv("count the lines inside cells", () => {
  assert.equal(lines('"a\nb",1\nc\n"d\r\ne\r\n\r\nf",2\r\ng'), [1, 3, 4, 8]);
});

csv("are skipped if they are empty, and still counted", () => {
  assert.equal(lines("\n\na,b\n,\n  , \nc,d\n\n"), [3, 6]);
});

csv("keep delimiters, quotes and line ends inside quotes", () => {
  assert.equal(rowsOf('"a, b","say ""no""","x\ny"')[0]?.cells, ["a, b", 'say "no"', "x\ny"]);
});

csv("keep stray quotes, with a warning", () => {
  const findings = new Findings();
  const [, row] = readRows(Buffer.from('Item,Size\nPipe,6" steel\n'), ",", findings);
  assert.equal(row?.cells, ["Pipe", '6" steel']);
  assert.is(findings.warnings[0]?.line, 2);
});

csv("end before a million empty rows", () => {
  assert.is(rowsOf(`a,b\nc,d\n${",,,,,,\r\n".repeat(isThorough ? 1_000_000 : csvLimits.rows + 10)}`).length, 2);
});

csv.run();

const notLists = suite("a file that is not a list");

notLists("is refused with advice to save it as CSV if it is a workbook", () => {
  const xlsx = Buffer.from("504b0304140006000800", "hex");
  const xls = Buffer.from("d0cf11e0a1b11ae10000", "hex");
  for (const bytes of [xlsx, xls]) assert.match(problemsOf("people", bytes)[0] as string, /save it as CSV$/);
});

notLists("is refused if only a row of values below other headings has a word that is a heading", () => {
  const text = "Type,Description,Contractor\nProp,Storm lamp of brass,North\nProp,Net,North\n";
  assert.match(
    problemsOf("assets", text)[0] as string,
    /^no row has the headers of a list of assets: .*line 1 has "Type"/,
  );
});

notLists("is refused with the content of its first row if the headers are missing", () => {
  const [sentence] = problemsOf("people", "Fruit;Colour\nApple;red\n");
  assert.is(
    sentence,
    'no row has the headers of a crew list: they must name "Name", "First Name" and "Last Name" or "First Name"; line 1 has "Fruit" and "Colour"',
  );
  assert.match(problemsOf("people", "")[0] as string, /the file is empty$/);
});

notLists("is refused with the line on which the row begins if a quote is not closed", () => {
  assert.equal(problemsOf("vendors", 'Vendor\nA\n"B\nC\n'), [
    "line 3: a quote in the row that begins here is not closed",
  ]);
});

notLists("is refused if it has binary data or invalid UTF-16", () => {
  assert.match(problemsOf("vendors", Buffer.from("Vendor\nA\0B\n"))[0] as string, /binary data/);
  assert.match(problemsOf("vendors", Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]))[0] as string, /UTF-16/);
});

notLists("reports 100 of its 150 problems and the number of the others", () => {
  const read = () =>
    readList("people", `Name,Role,HOD\n${Array.from({ length: 150 }, (_, at) => `P${at},Grip,?\n`).join("")}`);
  assert.is(refusalOf(read).length, 100);
  assert.throws(read, ({ more }: { more: number }) => more === 50);
});

notLists.run();

const encodings = suite("the encoding of a list");

encodings("may have a byte order mark", () => {
  assert.equal(vendorsOf("\ufeffVendor\nFærøy Båt\n"), ["Færøy Båt"]);
});

encodings("may be UTF-16, as Excel's Unicode text is", () => {
  const text = "\ufeffVendor\tPhone\r\nFærøy Båt\t1\r\n";
  assert.equal(vendorsOf(Buffer.from(text, "utf16le")), ["Færøy Båt"]);
  assert.equal(vendorsOf(Buffer.from(text, "utf16le").swap16()), ["Færøy Båt"]);
});

encodings("is Windows-1252 if the file is not UTF-8, with a warning", () => {
  const bytes = Buffer.from("Vendor\nCaf\xe9 O\x92Neill \x80\n", "latin1");
  assert.equal(vendorsOf(bytes), ["Café O’Neill €"]);
  assert.match(warningsOf("vendors", bytes)[0] as string, /Windows-1252/);
});

encodings.run();

const headers = suite("the headers of a list");

headers("decide the delimiter", () => {
  for (const delimiter of [",", ";", "\t", "|"]) {
    const text = `Name${delimiter}Position\nAnn Lee${delimiter}Gaffer\n`;
    assert.equal(documentOf("people", text).people, [{ name: "Ann Lee", role: "Gaffer" }]);
  }
});

headers("may be below titles and empty rows, and be repeated on every page", () => {
  const text =
    "The Film, Inc.;;\n\nCrew list, 3 May;;\nName;Job Title;Dept\nAnn Lee;Gaffer;camera\nName;Job Title;Dept\nBo Ek;Grip;\n";
  assert.equal(documentOf("people", text).people, [
    { name: "Ann Lee", role: "Gaffer", department: "camera" },
    { name: "Bo Ek", role: "Grip" },
  ]);
});

headers("match in any case, with any punctuation and accents", () => {
  for (const header of [
    "scene",
    "SCENE #",
    "Sc.",
    "sc #",
    "Scène",
    "Scene(s)",
    "scene_number",
    "Scene No.",
    "Sc Nrs",
    "Sc. Numbers",
  ]) {
    const known = names({ scenes: ["1"], schedule: [{ day_number: 1, date: "2026-01-01" }] });
    assert.equal(documentOf("schedule", `Day,${header}\n1,1\n`, { known }).schedule, [
      { day_number: 1, scenes: ["1"] },
    ]);
  }
});

headers("that are unknown are named in a warning", () => {
  assert.equal(warningsOf("people", "Name,Role,Shoe size,Star sign\nAnn Lee,Gaffer,41,Leo\n"), [
    'the columns "Shoe size" and "Star sign" were ignored: the header is not known; --map says what it means',
  ]);
});

headers("may be mapped; a map to an unknown column is refused with the known ones", () => {
  const text = "Who,Does\nAnn Lee,Gaffer\n";
  assert.equal(documentOf("people", text, { map: { Who: "name", does: "role" } }).people, [
    { name: "Ann Lee", role: "Gaffer" },
  ]);
  assert.match(
    problemsOf("people", text, { map: { Who: "nam" } })[0] as string,
    /^"nam" is not a column of a crew list; the columns are name, first_name, /,
  );
});

headers("that --map names and the file does not have cause a warning", () => {
  assert.equal(warningsOf("people", "Name,Role\nAnn Lee,Grip\n", { map: { Who: "name" } }), [
    '--map names "Who", which the file does not have',
  ]);
});

headers("with the same meaning count once, with a warning", () => {
  assert.match(
    warningsOf("people", "Name,Role,Position\nAnn Lee,Gaffer,Grip\n")[0] as string,
    /"Role" and "Position" mean the same/,
  );
});

headers.run();

const hostile = suite("a hostile list");

hostile("with an unclosed quote is refused, above and below the size limit, in linear time", async () => {
  const unclosed = (size: number) => Buffer.concat([Buffer.from('Name,Role\n"'), Buffer.alloc(size, "x")]);
  const [small, large] = [15 * 2 ** 20, 17 * 2 ** 20].map(unclosed);
  assert.match(problemsOf("people", small as Buffer)[0] as string, /^line 2: .* perhaps a quote is not closed$/);
  assert.match(problemsOf("people", large as Buffer)[0] as string, /larger than 16 MiB/);
  await inProportion("an unclosed quote", (scale) => {
    const file = unclosed(Math.floor(scale * 2 ** 21));
    refusalOf(() => readList("people", file));
  });
});

hostile("of only commas, line ends, quotes or rows is refused in linear time", async () => {
  for (const piece of [",", "\n,x", '"', 'a,"b"c\n', "x\n", '"",'])
    await inProportion(JSON.stringify(piece), (scale) => {
      const file = Buffer.alloc(scale * 2 ** 20, piece);
      refusalOf(() => readList("people", file));
    });
});

hostile("with many stray quotes is refused in linear time", async () => {
  const wide = `${'"a"b,'.repeat(190)}\n`;
  await inProportion("stray quotes", (scale) => {
    const file = Buffer.from(`Name,Role\n"${"y".repeat(Math.max(1, scale) * 125_000)}"\n${wide.repeat(scale * 5000)}`);
    assert.match(problemsOf("people", file)[0] as string, /more than 5,000 cells with stray quotes/);
  });
});

hostile("with too many columns, rows or cells is refused with the limit", () => {
  assert.match(
    problemsOf("vendors", `Vendor\n${"x,".repeat(300)}\n`)[0] as string,
    /^line 2: this row has more than 200 columns/,
  );
  const rows = `Vendor\n${"x\n".repeat(csvLimits.rows + 10)}`;
  assert.match(problemsOf("vendors", rows)[0] as string, /more than 100,000 rows/);
  const cells = `Vendor\n${`${"x,".repeat(150)}\n`.repeat(7000)}`;
  assert.match(problemsOf("vendors", cells)[0] as string, /more than 1,000,000 cells/);
});

hostile("with control characters in a cell is refused with line and column", () => {
  assert.equal(problemsOf("people", "Name,Role\nAnn\u0007 Lee,Grip\n"), [
    "line 2, column Name: the text has control characters",
  ]);
});

hostile("that is cut off anywhere gives a document or a message", () => {
  const text = '\ufeffName,Role,HOD\r\n"Lee, Ann",Gaffer,Y\r\n"Ek ""Bo""","Grip\nand driver",N\r\n';
  assert.ok(readTruncated(Buffer.from(text), (bytes) => readList("people", bytes)) > 0);
});

hostile.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { csvLimits, readRows } from "../../src/formats/csv.ts";
import { Findings } from "../../src/formats/findings.ts";
import { documentOf, names, problemsOf, readList, readTruncated, refusalOf, warningsOf } from "../support/lists.ts";

const rowsOf = (text: string) => readRows(Buffer.from(text), ",", new Findings());
const lines = (text: string) => rowsOf(text).map(({ line }) => line);
const vendorsOf = (file: string | Uint8Array) => documentOf("vendors", file).vendors;

const csv = suite("rows of CSV");

csv("know the line on which they begin, whatever line ends there are", () => {
  assert.equal(lines("a\nb\nc"), [1, 2, 3]);
  assert.equal(lines("a\r\nb\r\nc\r\n"), [1, 2, 3]);
  assert.equal(lines("a\rb\rc\r"), [1, 2, 3]);
});

csv("count the lines inside of cells", () => {
  assert.equal(lines('"a\nb",1\nc\n"d\r\ne\r\n\r\nf",2\r\ng'), [1, 3, 4, 8]);
});

csv("are left out where they are empty, and counted", () => {
  assert.equal(lines("\n\na,b\n,\n  , \nc,d\n\n"), [3, 6]);
});

csv("keep delimiters, quotes and line ends that stand in quotes", () => {
  assert.equal(rowsOf('"a, b","say ""no""","x\ny"')[0]?.cells, ["a, b", 'say "no"', "x\ny"]);
});

csv("keep stray quotes as they stand, with a warning", () => {
  const findings = new Findings();
  const [, row] = readRows(Buffer.from('Item,Size\nPipe,6" steel\n'), ",", findings);
  assert.equal(row?.cells, ["Pipe", '6" steel']);
  assert.is(findings.warnings[0]?.line, 2);
});

csv("end where a million empty ones begin", () => {
  assert.is(rowsOf(`a,b\nc,d\n${",,,,,,\r\n".repeat(1_000_000)}`).length, 2);
});

csv.run();

const refusals = suite("a file that is no list");

refusals("is told to be saved as CSV if it is a workbook", () => {
  const xlsx = Buffer.from("504b0304140006000800", "hex");
  const xls = Buffer.from("d0cf11e0a1b11ae10000", "hex");
  for (const bytes of [xlsx, xls]) assert.match(problemsOf("people", bytes)[0] as string, /save it as CSV$/);
});

refusals("says what its first row has if the headers are missing", () => {
  const [sentence] = problemsOf("people", "Fruit;Colour\nApple;red\n");
  assert.is(
    sentence,
    'no row has the headers of a crew list: they must name "Name" or "First Name" and "Last Name"; line 1 has "Fruit" and "Colour"',
  );
  assert.match(problemsOf("people", "")[0] as string, /the file has no rows$/);
});

refusals("is told of a quote that is not closed, by the line on which its row begins", () => {
  assert.equal(problemsOf("vendors", 'Vendor\nA\n"B\nC\n'), [
    "line 3: a quote in the row that begins here is not closed",
  ]);
});

refusals("is told of binary data, and of UTF-16 that is none", () => {
  assert.match(problemsOf("vendors", Buffer.from("Vendor\nA\0B\n"))[0] as string, /binary data/);
  assert.match(problemsOf("vendors", Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]))[0] as string, /UTF-16/);
});

refusals("has each of its 150 problems counted, and 100 of them kept", () => {
  const read = () =>
    readList("people", `Name,Role,HOD\n${Array.from({ length: 150 }, (_, at) => `P${at},Grip,?\n`).join("")}`);
  assert.is(refusalOf(read).length, 100);
  assert.throws(read, ({ more }: { more: number }) => more === 50);
});

refusals.run();

const encodings = suite("the encoding of a list");

encodings("may have a byte order mark", () => {
  assert.equal(vendorsOf("\ufeffVendor\nFærøy Båt\n"), ["Færøy Båt"]);
});

encodings("may be UTF-16, as Excel's Unicode text is", () => {
  const text = "\ufeffVendor\tPhone\r\nFærøy Båt\t1\r\n";
  assert.equal(vendorsOf(Buffer.from(text, "utf16le")), ["Færøy Båt"]);
  assert.equal(vendorsOf(Buffer.from(text, "utf16le").swap16()), ["Færøy Båt"]);
});

encodings("is Windows-1252 where it is not UTF-8, which is a warning", () => {
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

headers("may stand below titles and empty rows, and stand again on every page", () => {
  const text =
    "The Film, Inc.;;\n\nCrew list, 3 May;;\nName;Job Title;Dept\nAnn Lee;Gaffer;camera\nName;Job Title;Dept\nBo Ek;Grip;\n";
  assert.equal(documentOf("people", text).people, [
    { name: "Ann Lee", role: "Gaffer", department: "camera" },
    { name: "Bo Ek", role: "Grip" },
  ]);
});

headers("are the same in any case, with any punctuation and accent", () => {
  for (const header of ["scene", "SCENE #", "Sc.", "sc #", "Scène", "Scene(s)", "scene_number", "Scene No."]) {
    const known = names({ scenes: ["1"], shoot_days: [{ day_number: 1, date: "2026-01-01" }] });
    assert.equal(documentOf("schedule", `Day,${header}\n1,1\n`, { known }).schedule, [
      { day_number: 1, scenes: ["1"] },
    ]);
  }
});

headers("that are not known are named in a warning", () => {
  assert.equal(warningsOf("people", "Name,Role,Shoe size,Star sign\nAnn Lee,Gaffer,41,Leo\n"), [
    'the columns "Shoe size" and "Star sign" were left out: the header is not known; --map says what it means',
  ]);
});

headers("may be mapped, and a map to no column names those there are", () => {
  const text = "Who,Does\nAnn Lee,Gaffer\n";
  assert.equal(documentOf("people", text, { map: { Who: "name", does: "role" } }).people, [
    { name: "Ann Lee", role: "Gaffer" },
  ]);
  assert.match(
    problemsOf("people", text, { map: { Who: "nam" } })[0] as string,
    /^"nam" is not a column of a crew list; the columns are name, first_name, /,
  );
});

headers("that --map names and the file does not have are a warning", () => {
  assert.equal(warningsOf("people", "Name,Role\nAnn Lee,Grip\n", { map: { Who: "name" } }), [
    '--map names "Who", which the file does not have',
  ]);
});

headers("that mean the same twice count once", () => {
  assert.match(
    warningsOf("people", "Name,Role,Position\nAnn Lee,Gaffer,Grip\n")[0] as string,
    /"Role" and "Position" mean the same/,
  );
});

headers.run();

const hostile = suite("a hostile list");

/** Milliseconds that a refusal takes. */
function refusedWithin(read: () => unknown): number {
  const started = performance.now();
  refusalOf(read);
  return performance.now() - started;
}

hostile("of one unclosed quote is refused at once, at 100 MB and below the limit of size", () => {
  const [small, large] = [15 * 2 ** 20, 100 * 2 ** 20].map((size) =>
    Buffer.concat([Buffer.from('Name,Role\n"'), Buffer.alloc(size, "x")]),
  );
  assert.match(problemsOf("people", small as Buffer)[0] as string, /^line 2: .* perhaps a quote is not closed$/);
  assert.match(problemsOf("people", large as Buffer)[0] as string, /larger than 16 MiB/);
  assert.ok(refusedWithin(() => readList("people", small as Buffer)) < 2000);
});

hostile("of commas, line ends, quotes or rows is refused in linear time", () => {
  for (const piece of [",", "\n,x", '"', 'a,"b"c\n', "x\n", '"",'])
    assert.ok(
      refusedWithin(() => readList("people", Buffer.alloc(8 * 2 ** 20, piece))) < 10_000,
      JSON.stringify(piece),
    );
});

hostile("of stray quotes is refused before they cost time", () => {
  const wide = `${'"a"b,'.repeat(190)}\n`;
  const file = Buffer.from(`Name,Role\n"${"y".repeat(500_000)}"\n${wide.repeat(5000)}`);
  const started = performance.now();
  assert.match(problemsOf("people", file)[0] as string, /more than 5,000 cells with stray quotes/);
  assert.ok(performance.now() - started < 10_000);
});

hostile("with too many columns, rows or cells is refused by what is too much", () => {
  assert.match(
    problemsOf("vendors", `Vendor\n${"x,".repeat(300)}\n`)[0] as string,
    /^line 2: this row has more than 200 columns/,
  );
  const rows = `Vendor\n${"x\n".repeat(csvLimits.rows + 10)}`;
  assert.match(problemsOf("vendors", rows)[0] as string, /more than 100,000 rows/);
  const cells = `Vendor\n${`${"x,".repeat(150)}\n`.repeat(7000)}`;
  assert.match(problemsOf("vendors", cells)[0] as string, /more than 1,000,000 cells/);
});

hostile("with control characters in a cell is refused by line and column", () => {
  assert.equal(problemsOf("people", "Name,Role\nAnn\u0007 Lee,Grip\n"), [
    "line 2, column Name: the text has control characters",
  ]);
});

hostile("cut off anywhere is a document or a sentence", () => {
  const text = '\ufeffName,Role,HOD\r\n"Lee, Ann",Gaffer,Y\r\n"Ek ""Bo""","Grip\nand driver",N\r\n';
  assert.ok(readTruncated(Buffer.from(text), (bytes) => readList("people", bytes)) > 0);
});

hostile.run();

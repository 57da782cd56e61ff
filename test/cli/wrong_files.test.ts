// What `import` says of files that it cannot read.
// Thorough: only --all runs it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { answerOf, tallylight } from "../support/command.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";

const folder = scratch();
const data = join(scratch(), "data");
await answerOf("import", writeDocument(smallDocument()), "--data", data);

const written = (name: string, bytes: string | Buffer): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};
const bytes = (hex: string): Buffer => Buffer.concat([Buffer.from(hex, "hex"), Buffer.from("\0\0rest")]);
const [pdf, zip] = [Buffer.from("%PDF-1.7\n1 0 obj\n"), bytes("504b0304")];
const scene = "INT. KITCHEN - DAY\n\nMira waits.\n";
const finalDraft = '<?xml version="1.0"?>\n<FinalDraft DocumentType="Script" Version="5"></FinalDraft>';

const files = suite("import of a file of another kind");

files("says what it is and what to do, for a new production and for a stored one", async () => {
  const cases: [name: string, content: string | Buffer, sentence: RegExp][] = [
    ["a.pdf", pdf, /is a PDF; export a script as \.fdx or \.fountain/],
    ["none", pdf, /is a PDF; export a script/],
    ["a.json", pdf, /is a PDF; export a script/],
    ["a.fdx", pdf, /the file is a PDF; export the script as \.fdx or \.fountain/],
    ["a.fountain", pdf, /the file is a PDF; export the script/],
    ["a.docx", zip, /is a Word document; /],
    ["a.pages", zip, /is a Pages document; /],
    ["b.fdx", zip, /the file is a ZIP archive, as of Word/],
    ["a.doc", bytes("d0cf11e0a1b11ae1"), /is a Word document; /],
    ["a.rtf", "{\\rtf1 Mira}", /is an RTF document; /],
    ["a.png", bytes("89504e470d0a1a0a"), /is a picture \(PNG\); /],
    ["a.jpg", bytes("ffd8ffe0"), /is a picture \(JPEG\); /],
    ["a.mov", Buffer.from("\0\0\0\x14ftypqt  "), /is a video or a picture /],
    ["a.celtx", "any", /is a Celtx script; /],
    ["a.db", "SQLite format 3\0", /is a database \(SQLite\)/],
    ["bin", bytes("0102"), /is a binary file; /],
    ["bin.fountain", bytes("0102"), /the file holds binary data, not text; /],
    ["a.txt", scene, /is text, and no production document; for a script, add --as fountain or name it \.fountain/],
    ["a.md", scene, /add --as fountain/],
    ["b.txt", finalDraft, /is a script of Final Draft; name it \.fdx, or add --as fdx/],
    ["c.fountain", finalDraft, /the file is XML; name a script of Final Draft \.fdx/],
  ];
  for (const [name, content, sentence] of cases)
    for (const flags of [[], ["--production", "1", "--episode", "E1"]]) {
      const { status, out, err } = await tallylight("import", written(name, content), ...flags, "--data", data);
      assert.equal([status, out], [1, ""], name);
      assert.match(err, sentence, name);
    }
});

files("says what a list is", async () => {
  for (const [name, content, sentence] of [
    ["a.csv", pdf, /the file is a PDF; export or save it as CSV/],
    ["a.xlsx", zip, /the file is a ZIP archive, as of Word, Pages, Excel or Numbers; export or save it as CSV/],
    ["a.xls", bytes("d0cf11e0a1b11ae1"), /the file is an old Office file \(DOC or XLS\); export or save it as CSV/],
    ["a.msd", pdf, /the file is a PDF; export or save it as CSV/],
    ["a.sex", zip, /the file is a ZIP archive, .*; export or save it as CSV/],
    ["a.uss", pdf, /the file is a PDF; export or save it as CSV/],
  ] as const) {
    const flags = ["--production", "1", "--as", "people"];
    const { status, err } = await tallylight("import", written(name, content), ...flags, "--data", data);
    assert.is(status, 1, name);
    assert.match(err, sentence, name);
  }
});

files("says that it is empty, in every format", async () => {
  const extensions = ["json", "fdx", "fountain", "csv", "tsv", "xlsx", "uss", "sex", "msd", "txt", "pdf", "docx"];
  for (const extension of extensions)
    for (const content of ["", " \r\n\t\n", "\ufeff"])
      for (const flags of [[], ["--production", "1"], ["--production", "1", "--as", "people"]]) {
        const name = written(`empty.${extension}`, content);
        const { status, err } = await tallylight("import", name, ...flags, "--data", data);
        assert.is(status, 1, extension);
        assert.match(err, /is empty/, `${extension} ${JSON.stringify(content)} ${flags.join(" ")}`);
      }
});

files("reads a script of another name that --as says", async () => {
  const text = written("draft.txt", scene);
  const flags = ["--as", "fountain", "--title", "Text", "--data", join(scratch(), "data")];
  assert.is((await answerOf("import", text, ...flags)).scenes, 1);
  const { status, err } = await tallylight("import", text, "--as", "people", "--data", data);
  assert.is(status, 2);
  assert.match(err, /^--as needs --production/);
  const document = writeDocument({ ...smallDocument(), production: { title: "As", format: "episodic" } });
  assert.is(
    (await tallylight("import", document, "--as", "fountain", "--dry-run", "--data", data)).err.includes("fountain"),
    false,
  );
});

files("says that a folder is not a file", async () => {
  mkdirSync(join(folder, "script.scriv"));
  const { err } = await tallylight("import", join(folder, "script.scriv"), "--data", data);
  assert.match(err, /script\.scriv is not a file/);
});

files.run();

// Properties of all scripts and all bytes: the formats agree, and every input gives a script or a message.
// Thorough: only --all runs it.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { breakDown } from "../../src/features/scripts/breakdown.ts";
import { draftOf } from "../../src/features/scripts/compare/drafts.ts";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import { normalized, type Paragraph, type Script, type ScriptScene } from "../../src/features/scripts/script.ts";
import { fdxText, fountainText } from "../../src/features/scripts/script_text.ts";
import { writeFdx } from "../support/fdx_writer.ts";
import { writeFountain } from "../support/fountain_writer.ts";
import { paperwork } from "../support/paperwork.ts";
import { inProportion } from "../support/proportion.ts";
import { assertProperty, sampling } from "../support/sampling.ts";
import { readFdx } from "../support/script_readers.ts";
import { refusal } from "./scripts.ts";

/** The script or the message of the FormatError; any other error is thrown. */
function readOrRefuse(read: (bytes: Uint8Array) => Script, bytes: Uint8Array): Script | string {
  try {
    const script = read(bytes);
    if (script.problems.length === 0) breakDown(draftOf(script));
    return script;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    assert.match(error.message, /^[^\n]{10,}/);
    return error.message;
  }
}

const agreement = suite("both formats");

const word = fc.stringMatching(/^[a-zA-Zäé',.?&<>"-]{1,9}$/);
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => `x${words.join(" ")}.`);
const name = fc.constantFrom("ANNA", "BEN", "MR. FOX", "McAVOY", "R2D2");
const speech = fc
  .tuple(name, fc.constantFrom("", " (V.O.)"), text, fc.boolean())
  .map(([who, extension, said, aside]): Paragraph[] => [
    { type: "character", text: `${who}${extension}`.toUpperCase() },
    ...(aside ? [{ type: "parenthetical" as const, text: "(low)" }] : []),
    { type: "dialogue", text: said },
  ]);
const block = fc.oneof(
  text.map((said): Paragraph[] => [{ type: "action", text: said }]),
  speech,
  fc.tuple(speech, speech).map(([one, other]): Paragraph[] => [...one, { type: "dual", text: "" }, ...other]),
  text.map((said): Paragraph[] => [{ type: "transition", text: said.toUpperCase() }]),
);
const scene = fc
  .record({
    slugline: text,
    synopsis: fc.option(text),
    omitted: fc.boolean(),
    blocks: fc.array(block, { maxLength: 5 }),
  })
  .map(({ slugline, synopsis, omitted, blocks }) => ({
    slugline: omitted ? "INT. YARD - DAY" : slugline.toUpperCase(),
    synopsis: omitted ? null : synopsis,
    omitted,
    paragraphs: blocks.flat(),
  }));
const script = fc.array(scene, { minLength: 1, maxLength: 6 }).map(
  (scenes) =>
    ({
      title: "A Title",
      title_page: new Map([["title", "A Title"]]),
      scenes: scenes.map((each, at) => ({ ...each, number: String(at + 1) })),
    }) as unknown as Script,
);
const contentOf = ({ title, scenes }: Script) => [
  title,
  scenes.map(({ number, slugline, synopsis, omitted, paragraphs }: ScriptScene) => ({
    number,
    slugline,
    synopsis,
    omitted,
    paragraphs,
  })),
];

agreement("of any script contain the same script, which is the one that was written", () => {
  assertProperty(
    fc.property(script, (given) => {
      const plain = contentOf({
        ...given,
        scenes: given.scenes.map((each) => ({ ...each, slugline: normalized(each.slugline) })),
      });
      const [one, other] = [readFountain(Buffer.from(writeFountain(given))), readFdx(Buffer.from(writeFdx(given)))];
      assert.equal(contentOf(other), plain);
      assert.equal(contentOf(one), plain);
      assert.equal(
        one.scenes.map(({ characters }) => characters),
        other.scenes.map(({ characters }) => characters),
      );
    }),
    sampling(35, 1),
  );
});

agreement("that the program writes are read back with the same text", () => {
  assertProperty(
    fc.property(script, (given) => {
      const scenes = given.scenes.map(({ number, ...one }) => ({ ...one, number: String(number) }));
      const compared = (read: Script) =>
        draftOf(read).scenes.map(({ number, omitted, cast, text }) => [number, omitted, omitted ? null : [cast, text]]);
      const wanted = compared(readFountain(Buffer.from(writeFountain(given))));
      assert.equal(compared(readFountain(Buffer.from(fountainText({ title: "A Title", scenes })))), wanted);
      assert.equal(compared(readFdx(Buffer.from(fdxText({ title: "A Title", scenes })))), wanted);
    }),
    sampling(70, 1),
  );
});

agreement("give the same if they are read twice", () => {
  for (const [read, file] of [
    [readFountain, "the-silver-button.fountain"],
    [readFdx, "the-silver-button.fdx"],
  ] as const)
    assert.equal(read(paperwork(file)), read(paperwork(file)));
});

agreement.run();

const damage = suite("damaged files");

damage("that are cut off anywhere give a script or a message", () => {
  for (const [read, file] of [
    [readFountain, "the-lighthouse.fountain"],
    [readFdx, "the-silver-button.fdx"],
  ] as const) {
    const bytes = paperwork(file).subarray(0, 20_000);
    for (let end = 0; end < bytes.length; end += 101) readOrRefuse(read, bytes.subarray(0, end));
  }
});

damage("in Final Draft's format are refused wherever they are cut off", () => {
  const bytes = paperwork("the-silver-button.fdx");
  assertProperty(
    fc.property(fc.nat(bytes.length - 20), (end) => {
      assert.type(readOrRefuse(readFdx, bytes.subarray(0, end)), "string");
    }),
    sampling(17, 1),
  );
});

damage("with any changed bytes, and any bytes at all, give a script or a message", () => {
  const good = [
    paperwork("the-lighthouse.fountain"),
    paperwork("the-silver-button.fdx").subarray(-9000),
    paperwork("the-silver-button.fdx").subarray(0, 3000),
  ];
  const markup = fc.constantFrom(
    "/*",
    "*/",
    "[[",
    "]]",
    "\n\n",
    "INT. ",
    "#",
    "^",
    "(",
    ")",
    "<Text>",
    "</Text>",
    "&amp;",
    "<!DOCTYPE",
    "<![CDATA[",
    "\0",
    "\xff",
  );
  assertProperty(
    fc.property(
      fc.constantFrom(...good),
      fc.nat(3000),
      fc.array(markup, { maxLength: 8 }),
      fc.uint8Array({ maxLength: 20 }),
      (file, at, marks, bytes) => {
        const damaged = Buffer.concat([
          file.subarray(0, at),
          Buffer.from(marks.join(""), "latin1"),
          bytes,
          file.subarray(at),
        ]);
        for (const read of [readFountain, readFdx]) for (const given of [damaged, bytes]) readOrRefuse(read, given);
      },
    ),
    sampling(85, 1),
  );
});

damage.run();

const hostile = suite("hostile files");

hostile("that repeat one mark are read in linear time", async () => {
  const marks = [
    "*",
    "_",
    "/*",
    "*/",
    "/*/",
    "[[",
    "]]",
    "[[\n\n",
    "/**/",
    "#",
    "(",
    ")",
    "() ",
    " ",
    "\t",
    "\n",
    "\r",
    "a\n",
    "A\n",
    "^",
    ">",
    "<",
    "= ",
    "~",
    "!",
    "@",
    ".",
    ".A\n\n",
    "A (",
    "INT. A #1#\n\n",
    "TO:",
    "Title:",
    "\u00e9 ",
  ];
  for (const mark of marks) {
    for (const start of ["Title: x\n\nINT. A\n\n", "Title: x\n", ""]) {
      const times = Math.ceil((1 << 19) / mark.length);
      await inProportion(JSON.stringify(mark), (scale) =>
        readOrRefuse(readFountain, Buffer.from(start + mark.repeat(scale * times))),
      );
    }
  }
});

hostile("of XML without an end, or within one element, are refused or read in linear time", async () => {
  const open = '<FinalDraft Version="6"><Content>';
  const pieces = [
    "<Paragraph>",
    "<x>",
    "<x/>",
    "<Text/>",
    "<!-- -->",
    "&amp;",
    "<![CDATA[]]>",
    "<?x?>",
    "x",
    " ",
    "<",
    "&",
    "<Paragraph Type='Character'><Text>((((</Text></Paragraph>",
    `<x a="${"b".repeat(1000)}"/>`,
  ];
  for (const piece of pieces) {
    const filled = (scale: number) => piece.repeat(Math.ceil((scale * (1 << 20)) / piece.length));
    await inProportion(piece.slice(0, 20), (scale) => readOrRefuse(readFdx, Buffer.from(open + filled(scale))));
    await inProportion(piece.slice(0, 20), (scale) =>
      readOrRefuse(
        readFdx,
        Buffer.from(
          `${open}<Paragraph Type="Scene Heading"><Text>INT. A</Text></Paragraph><Paragraph Type="Action"><Text>${filled(scale)}</Text></Paragraph></Content></FinalDraft>`,
        ),
      ),
    );
  }
});

hostile("with more bytes than a script has are refused before they are read", () => {
  const bytes = Buffer.alloc((64 << 20) + 1, "*");
  for (const read of [readFountain, readFdx])
    assert.match(
      refusal(() => read(bytes)),
      /larger than 64 MiB/,
    );
});

hostile("with endless scenes, lines or problems give a bounded number of messages", () => {
  const { problems } = readFountain(Buffer.from("INT. A #1#\n\n".repeat(15_000)));
  const { problems: kept, more, message } = new FormatError(problems);
  assert.equal([kept.length, more], [100, 14_899]);
  assert.match(message, /^line 3: scene number 1 appears twice, first on line 1\n/);
  assert.match(message, /\nand 14899 more$/);
  assert.match(
    refusal(() => readFountain(Buffer.from("INT. A\n\n".repeat(20_001)))),
    /^line 40001: there are more than 20,000 scenes/,
  );
  assert.match(
    refusal(() => readFountain(Buffer.from(`A${"\n".repeat(500_001)}`))),
    /more than 500,000 lines/,
  );
});

hostile.run();

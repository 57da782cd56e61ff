// Whatever a reader of scripts sees is taken or named: on scripts of many kinds, on random text, and on damaged files.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import type { Script } from "../../src/features/scripts/script.ts";
import { assertCounted } from "../support/counted.ts";
import { paperwork } from "../support/paperwork.ts";
import { assertProperty, sampling } from "../support/sampling.ts";
import { readFdx } from "../support/script_readers.ts";
import { fdx, heading, paragraph } from "./scripts.ts";

/** Asserts the rule of a file that is not refused. */
function assertRead(read: (bytes: Uint8Array) => Script, bytes: Uint8Array): Script | undefined {
  let script: Script;
  try {
    script = read(bytes);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
  assertCounted({ ...script, warnings: [...script.warnings, ...script.problems] });
  return script;
}

/** The lines that a script has as headings, and those that its warnings name. */
const linesOf = ({ scenes, warnings }: Script) => new Set([...scenes, ...warnings].map(({ line }) => line));
/** Everything that a script says. */
const textOf = ({ scenes, title_page, warnings }: Script): string =>
  JSON.stringify([
    [...title_page],
    scenes.map(({ slugline, number, synopsis, paragraphs }) => [slugline, number, synopsis, paragraphs]),
    warnings,
  ]).toUpperCase();

const openings = [
  "INT. ",
  "Ext. ",
  "I/E ",
  "EST. ",
  "INNEN. ",
  "ИНТ. ",
  "WN. ",
  "○",
  "内景 ",
  "12 INT. ",
  "A12 EXT. ",
  ".",
];
const endings = ["", " - DAY", " - NACHT", " – НОЧЬ", " #4#", " # #", " #5# *", "**", "  ", "\t", " ^"];
const fronts = ["", "", "", "**", "_", "!", ">", "@", "# ", "= ", "~", "* ", "\t", "\u200f", "(", "/* ", "[["];
const others = [
  "",
  "",
  "",
  "ANNA",
  "ANNA (V.O.)",
  "Anna walks.",
  "CUT TO:",
  "===",
  "# Act",
  "= A synopsis",
  "[[note]]",
  "/*",
  "*/",
  "FADE IN:",
];
/** Each line has a word of its own, by which it is found again. */
const line = fc.oneof(
  fc.tuple(fc.constantFrom(...fronts), fc.constantFrom(...openings), fc.constantFrom(...endings)).map(
    ([front, opening, ending]) =>
      (at: number) =>
        `${front}${opening}PLACE${at}X${ending}`,
  ),
  fc
    .constantFrom(...others)
    .map((text) => (at: number) => (/^[A-Z][A-Za-z ]+\.?$/.test(text) ? `${text} Q${at}X` : text)),
);
const lineBreak = fc.constantFrom("\n", "\r\n", "\r", "\u2028");
const randomScript = fc
  .tuple(fc.array(line, { maxLength: 30 }), lineBreak)
  .map(([lines, end]) => ({ lines: lines.map((make, at) => make(at)), end }));

const fountains = suite("a script in Fountain");

fountains("has every heading among its scenes or its warnings, however it stands", () => {
  assertProperty(
    fc.property(randomScript, ({ lines, end }) => {
      const text = ["INT. FIRST - DAY", "", ...lines].join(end);
      const script = assertRead(readFountain, Buffer.from(text)) as Script;
      if (/\/\*|\[\[/.test(text)) return;
      const found = linesOf(script);
      const named = script.warnings.map(({ sentence }) => sentence).join("\n");
      for (const [at, one] of lines.entries()) {
        if (!/^[*_\s\u200f]*(?:INT|EXT|EST|I\/E)[. ]/i.test(one)) continue;
        // Of two that follow each other the first is named, for both.
        const isNamed = found.has(at + 3) || (found.has(at + 2) && named.includes("follow each other"));
        assert.ok(isNamed, `line ${at + 3} is lost: ${JSON.stringify(lines)}`);
      }
    }),
    sampling(600, 3),
  );
});

fountains("has the text of every line that is printed, or names it", () => {
  assertProperty(
    fc.property(randomScript, ({ lines, end }) => {
      if (/\/\*|\[\[/.test(lines.join(""))) return;
      const script = assertRead(readFountain, Buffer.from(["INT. FIRST - DAY", "", ...lines].join(end))) as Script;
      const text = textOf(script);
      for (const one of lines) {
        const [word] = /(?:PLACE|Q)\d+X/.exec(one) ?? [];
        if (word !== undefined && !/^[#=]/.test(one))
          assert.ok(text.includes(word), `${one} is lost: ${JSON.stringify(lines)}`);
      }
    }),
    sampling(600, 3),
  );
});

fountains("is counted although it is damaged or cut off", () => {
  const file = paperwork("the-silver-button.fountain").subarray(0, 30_000);
  assertProperty(
    fc.property(
      fc.nat(file.length),
      fc.nat(200),
      fc.constantFrom("", "\n", "INT. ", "/*", "]]", "\n\n#", "@"),
      (at, cut, mark) => {
        assertRead(readFountain, Buffer.concat([file.subarray(0, at), Buffer.from(mark), file.subarray(at + cut)]));
        assertRead(readFountain, file.subarray(at));
      },
    ),
    sampling(60, 2),
  );
});

fountains("counts what it sees", () => {
  const script = readFountain(
    Buffer.from(
      "INT. A - DAY\n\nANNA\nYes.\n\nINT. B # #\n\nInt. of the house is dark,\nas ever.\n\n(V.O.)\nNo.\n\n@(V.O.)\nNo.\n",
    ),
  );
  assert.equal(script.counts, {
    cue: { seen: 2, taken: 1, named: 1 },
    "scene heading": { seen: 3, taken: 1, named: 2 },
    "line of text": { seen: 8, taken: 8, named: 0 },
  });
});

fountains.run();

const finalDraft = suite("a Final Draft file");

const types = [
  "Scene Heading",
  "scene heading",
  "Action",
  "Character",
  "Dialogue",
  "General",
  "Shot",
  "Transition",
  "Note",
  "Own Type",
];
const texts = ["INT. HOUSE - DAY", "", "ANNA", "(V.O.)", "Anna walks.", "AUSSEN. HOF - TAG", "OMITTED"];
const piece = fc
  .record({
    type: fc.constantFrom(...types),
    text: fc.constantFrom(...texts),
    number: fc.option(fc.nat(99)),
    tag: fc.option(fc.constantFrom("1", "2", "3", "9", "1,2")),
    length: fc.option(fc.constantFrom("1 3/8", "0", "2", "one", "1.375")),
    inner: fc.constantFrom("", "omitted", "dual"),
  })
  .map(({ type, text, number, tag, length, inner }) => {
    const own = `${length === null ? "" : `<SceneProperties Length="${length}"/>`}<Text${tag === null ? "" : ` TagNumber="${tag}"`}>${text}</Text>`;
    const nested = `${heading("INT. FORMER - DAY")}${heading("INT. SECOND - DAY")}${paragraph("Action", "Text.")}`;
    const wrapped =
      inner === "omitted"
        ? `<OmittedScene>${nested}</OmittedScene>`
        : inner === "dual"
          ? `<DualDialogue>${paragraph("Character", "BEN")}${paragraph("Dialogue", "Ja.")}${heading("INT. C")}</DualDialogue>`
          : "";
    return `<Paragraph Type="${type}"${number === null ? "" : ` Number="${number}"`}>${own}${wrapped}</Paragraph>`;
  });
const tagData = `<TagData><TagCategories><TagCategory Id="c" Name="Props"/></TagCategories>
<TagDefinitions><TagDefinition Id="k" CatId="c" Label="Key"/><TagDefinition Id="l" CatId="none" Label="Lamp"/></TagDefinitions>
<Tags><Tag Number="1"><DefId>k</DefId></Tag><Tag Number="2"><DefId>l</DefId></Tag><Tag Number="3"/></Tags></TagData>`;
const xmlOf = (content: string): Buffer =>
  Buffer.from(
    `<?xml version="1.0"?>\n<FinalDraft Version="6"><Content>\n${content}\n</Content>${tagData}</FinalDraft>\n`,
  );

finalDraft("of any paragraphs has each among its scenes or its warnings", () => {
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const script = assertRead(readFdx, xmlOf(pieces.join("\n"))) as Script;
      const found = linesOf(script);
      for (const [at, one] of pieces.entries())
        if (/^<Paragraph Type="scene heading"/i.test(one))
          assert.ok(found.has(at + 3), `line ${at + 3} is lost: ${pieces}`);
    }),
    sampling(400, 3),
  );
});

finalDraft(
  "names tags without a definition, headings of no scene, lengths that are none, and tags that no text has",
  () => {
    const sentences = (content: string) => readFdx(xmlOf(content)).warnings.map(({ sentence }) => sentence);
    assert.equal(
      sentences(
        `${heading("INT. A - DAY")}<Paragraph Type="Action"><Text TagNumber="1">Key</Text><Text TagNumber="2">Lamp</Text><Text TagNumber="9">Hat</Text></Paragraph>`,
      ),
      ['2 tags, first "2", were ignored: without a label, a category or a scene'],
    );
    assert.equal(sentences(heading("INT. A - DAY")), ["the file defines 2 tags, and no text of a scene has one"]);
    const unread = fdx(`${heading("INT. A - DAY")}${paragraph("General", "AUSSEN. HOF - TAG")}`).warnings;
    assert.equal(
      unread.map(({ sentence }) => sentence),
      ['"AUSSEN. HOF - TAG" looks like a scene heading and is action'],
    );
    const length = `<Paragraph Type="Scene Heading"><SceneProperties Length="about 2"/><Text>INT. A - DAY</Text></Paragraph>`;
    assert.match(fdx(length).warnings[0]?.sentence ?? "", 'the length "about 2" is not a number of eighths');
  },
);

finalDraft("may write its types in small letters, and text without runs", () => {
  const { scenes } = fdx(
    '<Paragraph Type="scene heading">INT. A - DAY</Paragraph><Paragraph Type="CHARACTER">ANNA</Paragraph>',
  );
  assert.equal([scenes[0]?.slugline, scenes[0]?.characters], ["INT. A - DAY", ["ANNA"]]);
});

finalDraft("has the text beside its runs and under its headings, and names text that no script has there", () => {
  const { scenes, warnings } = fdx(
    `${heading("INT. A - DAY")}<Paragraph Type="Action">One <Text>two</Text> three</Paragraph>` +
      `<Paragraph Type="Scene Heading"><Text>INT. B</Text><DualDialogue>${paragraph("Character", "ANNA")}</DualDialogue></Paragraph>` +
      `<Paragraph Type="Action"><Text>Four <b>five</b></Text><ScriptNote>Six</ScriptNote></Paragraph>` +
      `<Act>${paragraph("Action", "Seven")}${heading("INT. C - DAY")}</Act>eight`,
  );
  assert.equal(
    scenes.map(({ slugline, paragraphs }) => [slugline, ...paragraphs.map(({ text }) => text)]),
    [
      ["INT. A - DAY", "One two three"],
      ["INT. B", "ANNA", "Four"],
    ],
  );
  assert.equal(
    warnings.map(({ sentence }) => sentence),
    [
      'text in "b" was not read, once: a script has none there',
      'text in "Act" was not read, 2 times: a script has none there',
      'text in "Content" was not read, once: a script has none there',
    ],
  );
});

finalDraft("is counted although it is damaged", () => {
  const file = paperwork("the-silver-button.fdx").toString().split("\n");
  assertProperty(
    fc.property(fc.nat(file.length), fc.nat(3), (at, cut) => {
      assertRead(readFdx, Buffer.from(file.toSpliced(at, cut).join("\n")));
    }),
    sampling(12, 2),
  );
  for (const name of ["the-silver-button-blue.fdx", "the-saknussemm-cipher-101.fdx"])
    assert.ok(assertRead(readFdx, paperwork(name)) !== undefined, name);
});

finalDraft.run();

// Final Draft files: what is read, and a case for each peculiarity of real files.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { colorOf, titledColor } from "../../src/features/scripts/script.ts";
import { isThorough } from "../support/proportion.ts";
import { readFdx } from "../support/script_readers.ts";
import { fdx, fountain, heading, names, paragraph, printed, refusal, sluglines } from "./scripts.ts";

const test = suite("Final Draft: paragraphs");

test("scene headings are scenes, with number, length and synopsis", () => {
  const properties =
    '<SceneProperties Length="1 2/8" Page="14A" Title="x"><Summary><Paragraph><Text>She </Text><Text>waits.</Text></Paragraph></Summary></SceneProperties>';
  const { scenes } = fdx(
    `<Paragraph Number="12A" Type="Scene Heading">${properties}<Text>Int. House - Day</Text></Paragraph>`,
  );
  const [{ number, slugline, eighths, synopsis, line } = scenes[0]!] = scenes;
  assert.equal([number, slugline, eighths, synopsis, line], ["12A", "INT. HOUSE - DAY", 10, "She waits.", 3]);
});

test("the number of a scene may be in its properties, and what else they say is named", () => {
  const inner = (attributes: string) => `<SceneProperties ${attributes}/><Text>INT. HOUSE - DAY</Text>`;
  const { scenes, warnings } = fdx(
    `<Paragraph Type="Scene Heading">${inner('Number="4" Title="The ford" Color="#FF0000" Page="1"')}</Paragraph>` +
      `<Paragraph Number="5" Type="Scene Heading" Bookmark="Storm">${inner('Number="5A" Title=""')}</Paragraph>` +
      `<Paragraph Number="6" Type="Shot"><Text>On the boat.</Text></Paragraph>`,
  );
  assert.equal(
    scenes.map(({ number }) => number),
    ["4", "5"],
  );
  assert.equal(
    warnings.map(({ sentence }) => sentence),
    [
      'what the file says in these fields was not read: Title of SceneProperties ("The ford"), Color of SceneProperties ("#FF0000"), a second number of a scene ("5A"), Bookmark of Paragraph ("Storm"), the number of what is no heading ("6")',
    ],
  );
});

test("a type of the file's own is what it is paginated as, and one that nothing explains is named", () => {
  const own = [
    ["Szenenüberschrift", "Scene Heading"],
    ["Figur", "Character"],
    ["Sprache", "Dialogue"],
  ].map(([type, as]) => `<ElementSettings Type="${type}"><Behavior PaginateAs="${as}"/></ElementSettings>`);
  const { scenes, warnings } = fdx(
    [
      paragraph("Szenenüberschrift", "INNEN. KÜCHE - TAG"),
      paragraph("Figur", "HANS"),
      paragraph("Sprache", "Hallo."),
      paragraph("Personaje", "JOSE"),
      paragraph("Personaje", "EVA"),
      paragraph("Shot", "ON HANS"),
    ].join(""),
    own.join(""),
  );
  assert.equal(
    scenes.map(({ slugline, characters }) => [slugline, ...characters]),
    [["INNEN. KÜCHE - TAG", "HANS"]],
  );
  assert.equal(
    warnings.map(({ sentence }) => sentence),
    ['the type "Personaje" (2 paragraphs) is unknown and read as action'],
  );
});

test("a number in the text of a numbered heading is taken off, and named if it is another one", () => {
  const { scenes, warnings } = fdx(heading("9 INT. A - DAY 9", "9") + heading("10 INT. B - DAY 10", "9A"));
  assert.equal(
    scenes.map(({ number, slugline }) => [number, slugline]),
    [
      ["9", "INT. A - DAY"],
      ["9A", "INT. B - DAY"],
    ],
  );
  assert.match(warnings[0]?.sentence ?? "", 'a second number of a scene ("10")');
  const marked = fdx(heading("INT. A - DAY #9#"));
  assert.equal([marked.scenes[0]?.number, ...sluglines(marked)], ["9", "INT. A - DAY"]);
});

test("a heading that is action, or the second line of another one, is named in any case and script", () => {
  const lines = ["Int. Pantry - day", "Innen. Küche - Tag", "内景 咖啡馆 夜", "EXT. YARD", "Ext. Yard"];
  const prose = ["Int he goes.", "Innen brennt Licht.", "INT. is written on it."];
  const content = [
    heading("INT. A - DAY&#10;EXT. B - DAY"),
    ...[...lines, ...prose].map((one) => paragraph("Action", one)),
  ];
  assert.equal(
    fdx(content.join("")).warnings.map(({ sentence }) => sentence),
    [
      '"EXT. B - DAY" is a further line of a heading and no scene of its own',
      ...lines.map((one) => `${JSON.stringify(one)} looks like a scene heading and is action`),
    ],
  );
});

test("the known paragraph types are kept, and other printed types are action", () => {
  const types = ["Action", "Shot", "General", "End of Act", "My Own", "Transition", "Parenthetical", "Dialogue"];
  const { scenes } = fdx(heading("INT. A") + types.map((type) => paragraph(type, "x y")).join(""));
  const kinds = scenes[0]?.paragraphs.map(({ type }) => type);
  assert.equal(kinds, ["action", "action", "action", "action", "action", "transition", "parenthetical", "dialogue"]);
});

test("the runs of one paragraph are joined without a space", () => {
  const runs = '<Text RevisionID="1">S</Text><Text>omeone </Text><Text Style="Bold">waits</Text><Text>.</Text>';
  assert.equal(printed(fdx(`${heading("INT. A")}<Paragraph Type="Action">${runs}</Paragraph>`).scenes[0]), [
    "action: Someone waits.",
  ]);
});

test("white space of a pretty printer becomes one space", () => {
  assert.equal(printed(fdx(heading("INT. A") + paragraph("Action", "He\n\t\t\twaits.")).scenes[0]), [
    "action: He waits.",
  ]);
});

test("text in the style AllCaps is in capitals, and so are types whose settings say AllCaps", () => {
  const settings = '<ElementSettings Type="Character"><FontSpec Style="Bold+AllCaps"/></ElementSettings>';
  const cue = paragraph("Character", "McAvoy") + paragraph("Dialogue", "Yes.");
  assert.equal(names(fdx(heading("INT. A") + cue).scenes[0]), ["McAvoy"]);
  assert.equal(names(fdx(heading("INT. A") + cue, settings).scenes[0]), ["MCAVOY"]);
  const shouted = '<Paragraph Type="Action"><Text Style="Italic+AllCaps">bAng</Text><Text> it goes.</Text></Paragraph>';
  assert.equal(printed(fdx(heading("INT. A") + shouted).scenes[0]), ["action: BANG it goes."]);
});

test("two speeches in a DualDialogue block are simultaneous", () => {
  const speech = (name: string) => paragraph("Character", name) + paragraph("Dialogue", "Yes.");
  const dual = `<Paragraph Type="General"><DualDialogue><SpellCheckIgnoreLists/>${speech("ANNA")}${speech("BEN (CONT'D)")}</DualDialogue></Paragraph>`;
  const { scenes } = fdx(heading("INT. A") + dual);
  assert.equal(printed(scenes[0]), ["character: ANNA", "dialogue: Yes.", "dual", "character: BEN", "dialogue: Yes."]);
  assert.equal(names(scenes[0]), ["ANNA", "BEN"]);
});

test("the title is the first centred line of the title page", () => {
  const line = (text: string, alignment: string) =>
    `<Paragraph Alignment="${alignment}"><Text>${text}</Text></Paragraph>`;
  const lines =
    line("Draft 3", "Left") +
    line("The Red Fox", "Center") +
    line("Written by", "Center") +
    line("A. Writer", "Center");
  const header = "<HeaderAndFooter><Header><Paragraph><Text>.</Text></Paragraph></Header></HeaderAndFooter>";
  const script = fdx(heading("INT. A"), `<TitlePage>${header}<Content>${lines}</Content></TitlePage>`);
  assert.is(script.title, "The Red Fox");
});

test.run();

const peculiarities = suite("Final Draft: peculiarities of real files");

peculiarities("headings in script notes are alternates and are ignored", () => {
  const note = `<ScriptNotes><ScriptNote Type="Alt Scenes">${heading("INT. NOT ONE")}</ScriptNote></ScriptNotes>`;
  assert.equal(sluglines(fdx(heading("INT. A"), note)), ["INT. A"]);
});

peculiarities(
  "paragraphs in beat boards, alternates and other lists are ignored, even inside a Content element",
  () => {
    const list = `<ListItems><ListItem><Content>${heading("INT. BEAT")}</Content></ListItem></ListItems>`;
    const alternates = `<AltCollection><Alt Id="4">${heading("INT. ALT")}</Alt></AltCollection>`;
    assert.equal(sluglines(fdx(heading("INT. A"), list + alternates)), ["INT. A"]);
  },
);

peculiarities("summaries and arc beats inside headings are ignored", () => {
  const beats =
    "<SceneArcBeats><CharacterArcBeat Name='X'><Paragraph><Text>He doubts.</Text></Paragraph></CharacterArcBeat></SceneArcBeats>";
  const title = "<AttributedTitle><Paragraph><Text>The ford</Text></Paragraph></AttributedTitle>";
  const { scenes } = fdx(
    `<Paragraph Type="Scene Heading"><SceneProperties>${beats}${title}</SceneProperties><Text>INT. A</Text></Paragraph>`,
  );
  assert.equal([scenes[0]?.slugline, scenes[0]?.synopsis, printed(scenes[0])], ["INT. A", null, []]);
});

peculiarities("an OMITTED card has the number, and the scene inside it has none", () => {
  const inside = heading("EXT. GREEN ROAD - DAY") + paragraph("Action", "He walks.");
  const card = `<Paragraph Number="2" Type="Scene Heading"><Text>OMITTED</Text><OmittedScene>${inside}</OmittedScene></Paragraph>`;
  const { scenes } = fdx(heading("INT. A", "1") + card + heading("INT. B", "3"));
  assert.equal(
    scenes.map(({ number, omitted }) => [number, omitted]),
    [
      ["1", false],
      ["2", true],
      ["3", false],
    ],
  );
  assert.equal([scenes[1]?.slugline, printed(scenes[1])], ["EXT. GREEN ROAD - DAY", ["action: He walks."]]);
});

peculiarities("an OMITTED card of an older version contains no scene", () => {
  const [scene] = fdx(heading("OMITTED", "7")).scenes;
  assert.equal([scene?.number, scene?.omitted, scene?.slugline], ["7", true, "OMITTED"]);
});

peculiarities("REVERSE ON and other inserts are numbered headings and are scenes", () => {
  assert.equal(sluglines(fdx(heading("INT. A", "1") + heading("REVERSE ON DAVID", "2"))), [
    "INT. A",
    "REVERSE ON DAVID",
  ]);
});

peculiarities("outlines, notes, beats and summaries between scenes are not printed", () => {
  const hidden = ["Outline 1", "Outline Body", "Note", "Summary", "Beat"]
    .map((type) => paragraph(type, "Hidden"))
    .join("");
  const { scenes } = fdx(heading("INT. A") + paragraph("Action", "He waits.") + hidden + heading("INT. B"));
  assert.equal(printed(scenes[0]), ["action: He waits."]);
});

peculiarities("a summary directly below a heading is the scene's synopsis", () => {
  assert.is(fdx(heading("INT. A") + paragraph("Summary", "He waits.")).scenes[0]?.synopsis, "He waits.");
});

peculiarities("an empty heading is not a scene, and a warning names its line", () => {
  const script = fdx(`${heading("INT. A")}\n<Paragraph Type="Scene Heading"/>`);
  assert.is(script.scenes.length, 1);
  assert.equal(script.warnings[0], { line: 4, sentence: "this scene heading is empty and is not read as a scene" });
});

peculiarities("a repeated number is a problem with both lines", () => {
  const { problems } = fdx(
    `${heading("INT. A", "71F")}\n<Paragraph\n Number="71F" Type="Scene Heading"><Text>INT. B</Text></Paragraph>`,
  );
  assert.equal(problems, [{ line: 4, sentence: "scene number 71F appears twice, first on line 3" }]);
});

peculiarities("element names and types that are JavaScript's own property names have no effect", () => {
  assert.match(
    refusal(() => readFdx(Buffer.from("<constructor/>"))),
    /root element is constructor/,
  );
  const own = paragraph("constructor", "x") + paragraph("__proto__", "y");
  assert.equal(printed(fdx(`${heading("INT. A")}${own}<toString><Paragraph/></toString>`).scenes[0]), [
    "action: x",
    "action: y",
  ]);
});

peculiarities("a card for several scenes is omitted too", () => {
  for (const text of ["OMITTED", "Omitted.", "SCENE OMITTED", "SCENES 12-14 OMITTED", "[OMIT]"])
    assert.is(fdx(heading(text, "12")).scenes[0]?.omitted, true, text);
  assert.is(fdx(heading("INT. THE OMITTED ROOM", "12")).scenes[0]?.omitted, false);
});

peculiarities("a card has its number in its text, and a heading may say that its scene is omitted", () => {
  for (const [text, number, slugline] of [
    ["16 OMITTED", "16", "16 OMITTED"],
    ["BILD 16 ENTFÄLLT", "16", "BILD 16 ENTFÄLLT"],
    ["S#16. 삭제", "16", "삭제"],
    ["16 INT. KITCHEN - DAY - OMITTED", "16", "INT. KITCHEN - DAY"],
    ["INT. KITCHEN - DAY (OMITTED)", null, "INT. KITCHEN - DAY"],
  ] as const) {
    const [scene] = fdx(heading(text)).scenes;
    assert.equal([scene?.number, scene?.slugline, scene?.omitted], [number, slugline, true], text);
  }
});

peculiarities("invalid lengths are ignored", () => {
  for (const length of ["", "0", "1 9/8", "x"]) {
    const properties = `<SceneProperties Length="${length}"/>`;
    assert.is(
      fdx(`<Paragraph Type="Scene Heading">${properties}<Text>INT. A</Text></Paragraph>`).scenes[0]?.eighths,
      null,
    );
  }
});

peculiarities.run();

const marks = suite("Final Draft: tags and revisions");

const tagData = `<TagData>
  <TagCategories><TagCategory Id="c1" Name="Props"><TagCategory></TagCategory></TagCategory><TagCategory Id="c2" Name="Script Day"/>
  <TagCategory Id="c3" Name="Synopsis"/></TagCategories>
  <TagDefinitions><TagDefinition CatId="c1" Id="d1" Label="Hodden-grey bundle"/><TagDefinition CatId="c2" Id="d2" Label="(D1)"/>
  <TagDefinition CatId="c3" Id="d3" Label="He leaves."/><TagDefinition CatId="none" Id="d4" Label="Lost"/></TagDefinitions>
  <Tags><Tag Number="4"><DefId>d1</DefId></Tag><Tag Number="5"><DefId>d2</DefId></Tag><Tag Number="6"><DefId>d3</DefId><DefId>d4</DefId></Tag></Tags>
</TagData>`;

marks("a tagged run adds its definition's label under its category's name", () => {
  const run =
    '<Paragraph Type="Action"><Text>A </Text><Text TagNumber="4">bundle</Text><Text> and a </Text><Text TagNumber="4">bundle</Text></Paragraph>';
  const { scenes } = fdx(heading("INT. A") + run + heading("INT. B"), tagData);
  assert.equal([...(scenes[0]?.tags ?? [])], [["Props", ["Hodden-grey bundle"]]]);
  assert.is(scenes[1]?.tags.size, 0);
});

marks("the label of a tag is cut, and named, if an asset cannot have it", () => {
  const [label, text] = [`ROPE ${"x".repeat(200)}`, `He leaves. ${"x".repeat(200)}`];
  const run = '<Paragraph Type="Action"><Text TagNumber="4">A bundle</Text><Text TagNumber="6">goes</Text></Paragraph>';
  const long = tagData.replace("Hodden-grey bundle", label).replace("He leaves.", text);
  const { scenes, warnings } = fdx(heading("INT. A") + run, long);
  assert.equal([...(scenes[0]?.tags ?? [])].slice(0, 1), [["Props", [label.slice(0, 200)]]]);
  assert.is(scenes[0]?.synopsis, text);
  assert.equal(
    warnings.slice(0, 1).map(({ sentence }) => sentence),
    [`"${label.slice(0, 57)}..." has more than 200 characters and was cut`],
  );
});

marks("script day and synopsis come from tags, also in headings", () => {
  const { scenes } = fdx(
    '<Paragraph Type="Scene Heading"><Text>EXT. A - DAWN </Text><Text TagNumber="5">(D1)</Text></Paragraph>' +
      '<Paragraph Type="Action"><Text TagNumber="6">He leaves!</Text><Text TagNumber="99">x</Text></Paragraph>',
    tagData,
  );
  assert.equal([scenes[0]?.script_day, scenes[0]?.synopsis], ["D1", "He leaves."]);
});

const revisions =
  '<Revisions ActiveSet="2"><Revision ID="1" Name="Blue Rev. (03/30/20)"/><Revision ID="2" Name="Pink Rev. (mm/dd/yy)"/></Revisions>';

marks("a scene has the highest revision of its paragraphs", () => {
  const marked = (id: string) => `<Paragraph Type="Action"><Text RevisionID="${id}">x</Text></Paragraph>`;
  const { scenes } = fdx(
    heading("INT. A") + marked("1") + marked("2") + marked("0") + heading("INT. B") + marked("7"),
    revisions,
  );
  assert.equal(scenes[0]?.revision, { id: 2, color: "pink" });
  assert.is(scenes[1]?.revision, null);
});

marks("colours come from the names of the revision sets", () => {
  const given = [
    "Blue Rev. (mm/dd/yy)",
    "Goldenrod",
    "2nd White (mm/dd/yyyy)",
    "Double Blue Revision",
    "Pink Revised Pages",
    "Rev.",
  ];
  assert.equal(given.map(colorOf), ["blue", "goldenrod", "2nd white", "double blue", "pink", "rev."]);
});

marks("colours have their English name, in whatever language a revision set or a title page names them", () => {
  const given = [
    "Blau",
    "Blaue Seiten",
    "2. Rosa",
    "Révision bleue",
    "3ª azul",
    "Żółta",
    "Синяя редакция",
    "蓝色",
    "Mavi",
  ];
  const english = ["blue", "blue", "2nd pink", "blue", "3rd blue", "yellow", "blue", "blue", "blue"];
  assert.equal(given.map(colorOf), english);
  assert.equal(
    given.map((one) => titledColor([one])),
    english,
  );
  // Names of persons and of sets stay as they are.
  assert.equal(["Rosa Klein", "Version 3"].map(colorOf), ["rosa klein", "version 3"]);
  assert.is(titledColor(["Rosa Klein, 3. Mai"]), null);
  assert.is(fountain("Titel: Salz", "Fassung: Grün, 3. Mai 2026", "", "INT. A - TAG", "", "Text.").color, "green");
  const page = ["Salz", "Blaue Seiten vom 3. Mai"].map((one) => paragraph("", one)).join("");
  assert.is(fdx(heading("INT. A - TAG"), `<TitlePage><Content>${page}</Content></TitlePage>`).color, "blue");
});

marks.run();

const refused = suite("Final Draft: refused files");

refused("another root element or version is refused", () => {
  assert.match(
    refusal(() => readFdx(Buffer.from("<html><body/></html>"))),
    /line 1: the file's root element is html, not FinalDraft/,
  );
  for (const version of ["1", "6"]) assert.is(fdx(heading("INT. A"), "", version).scenes.length, 1);
  for (const version of ["0", "7", "12"])
    assert.match(
      refusal(() => fdx(heading("INT. A"), "", version)),
      /version \d+ of Final Draft's format/,
    );
});

refused("mismatched and truncated XML is refused with its line", () => {
  assert.match(
    refusal(() => fdx("<Paragraph>\n</Text>")),
    /^line 4: this is not well-formed XML: unexpected close tag/,
  );
  assert.match(
    refusal(() => readFdx(Buffer.from('<FinalDraft Version="6">\n<Content>'))),
    /unclosed tag: Content/,
  );
  assert.match(
    refusal(() => readFdx(Buffer.from("INT. HOUSE - DAY"))),
    /not well-formed XML/,
  );
});

refused("document types and entities are refused", () => {
  const bomb =
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><FinalDraft Version="6">&b;</FinalDraft>';
  assert.match(
    refusal(() => readFdx(Buffer.from(bomb))),
    /a document type declaration is not read/,
  );
  assert.match(
    refusal(() => fdx(heading("INT. &b;"))),
    /undefined entity/,
  );
});

refused("too deep nesting and too many elements are refused", () => {
  assert.match(
    refusal(() => fdx("<x>".repeat(200))),
    /nested deeper than 100 levels/,
  );
  assert.match(
    refusal(() => fdx('<Paragraph Type="Action"/>'.repeat(200_001))),
    /more than 200,000 paragraphs/,
  );
  if (!isThorough) return; // to read them takes a second
  assert.match(
    refusal(() => fdx("<x/>".repeat(1_000_001))),
    /more than 1,000,000 elements/,
  );
});

refused.run();

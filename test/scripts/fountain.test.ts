// Fountain: each suite is a part of the syntax, each case is one of its rules.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import { fountain, names, printed, refusal, sluglines } from "./scripts.ts";

const headings = suite("Fountain: scene headings");

headings("begin with INT, EXT, EST, INT/EXT or I/E, with or without full stops", () => {
  const lines = [
    "INT. A - DAY",
    "EXT. B - DAY",
    "INT C DAY",
    "EST. D",
    "INT/EXT. E",
    "INT./EXT. F",
    "I/E. G",
    "I./E. H",
    "I/E I",
  ];
  assert.equal(sluglines(fountain(lines.join("\n\n"))), lines);
});

headings("are found in any case and are printed in capitals", () => {
  assert.equal(sluglines(fountain("int. house - day", "", "Ext. Garden - Night", "")), [
    "INT. HOUSE - DAY",
    "EXT. GARDEN - NIGHT",
  ]);
});

headings("need more than a word that begins with INT, EXT or EST", () => {
  assert.equal(sluglines(fountain("INT. A", "", "ESTABLISHING", "", "INTERIOR", "", "EXTRA LARGE")), ["INT. A"]);
});

headings("are forced only by a full stop before a letter or a digit", () => {
  const { scenes } = fountain(".KITCHEN", "", "... and then", "", ". NOT ONE", "", ".1979");
  assert.equal(
    scenes.map(({ slugline }) => slugline),
    ["KITCHEN", "1979"],
  );
  assert.equal(printed(scenes[0]), ["action: ... and then", "action: . NOT ONE"]);
});

headings("need a blank line before them", () => {
  const { scenes } = fountain("INT. A", "", "He looks at the", "EXT. sign.", "", "EXT. B", "");
  assert.equal(printed(scenes[0]), ["action: He looks at the EXT. sign."]);
});

headings("may have text directly below them if they are in capitals", () => {
  const { scenes } = fountain("INT. A - DAY", "He enters.", "", "Int. of the house is dark,", "as ever.");
  assert.equal(scenes.length, 1);
  assert.equal(printed(scenes[0]), ["action: He enters.", "action: Int. of the house is dark, as ever."]);
});

headings("without a blank line after them are action if another heading follows, with a warning", () => {
  const script = fountain("INT. A - DAY", "", "INT. B - DAY", "EXT. C - DAY", "", "INT. D", "");
  assert.equal(sluglines(script), ["INT. A - DAY", "INT. D"]);
  assert.is(script.warnings[0]?.line, 3);
});

headings("keep their line number, also after a removed comment or note", () => {
  const { scenes } = fountain("/* one", "two */", "", "INT. A", "", "[[a note", "on two lines]]", "", "EXT. B");
  assert.equal(
    scenes.map(({ line }) => line),
    [4, 9],
  );
});

headings.run();

const numbers = suite("Fountain: scene numbers");

numbers("are between # at the end of a heading: letters, digits, dashes, full stops", () => {
  const given = ["1", "1A", "1a", "A1", "I-1-A", "1.", "110A"];
  const { scenes } = fountain(given.map((number) => `INT. HOUSE - DAY #${number}#`).join("\n\n"));
  assert.equal(
    scenes.map(({ number }) => number),
    given,
  );
  assert.equal(new Set(scenes.map(({ slugline }) => slugline)).size, 1);
});

numbers("may be followed by a note, and the heading may contain another #", () => {
  const { scenes } = fountain("INT. FLAT #4 - DAY #12A# [[COLOR BLUE]]", "", ".AT A DISTANCE ##");
  assert.equal(
    scenes.map(({ number, slugline }) => [number, slugline]),
    [
      ["12A", "INT. FLAT #4 - DAY"],
      [null, "AT A DISTANCE"],
    ],
  );
});

numbers("that are repeated are a problem that names both lines", () => {
  const { problems } = fountain("INT. A #71F#", "", "INT. B #71F#");
  assert.equal(problems, [{ line: 3, sentence: "scene number 71F appears twice, first on line 1" }]);
});

numbers("of an omitted scene are on its card, which may have the former heading in a note", () => {
  const { scenes } = fountain(".OMITTED #12# [[EXT. YARD - DAY]]", "", "OMITTED #13#", "", "INT. A #14#");
  assert.equal(
    scenes.map(({ number, slugline, omitted }) => [number, slugline, omitted]),
    [
      ["12", "EXT. YARD - DAY", true],
      ["13", "OMITTED", true],
      ["14", "INT. A", false],
    ],
  );
});

numbers.run();

const asides = suite("Fountain: boneyards and notes");

asides("a boneyard is ignored, also across blank lines and headings", () => {
  const { scenes } = fountain("INT. A", "", "One /* two", "", "INT. B", "", "three */ four.", "", "/* EXT. C */", "");
  assert.is(scenes.length, 1);
  assert.equal(printed(scenes[0]), ["action: One four."]);
});

asides("a boneyard on its own line does not end the paragraph around it", () => {
  const { scenes } = fountain("INT. A", "", "ANNA", "One.", "/* cut */", "Two.");
  assert.equal(printed(scenes[0]), ["character: ANNA", "dialogue: One. Two."]);
});

asides("a boneyard that is never closed is read as text, with a warning", () => {
  const script = fountain("INT. A", "", "One /* two.", "", "EXT. B");
  assert.is(script.scenes.length, 2);
  assert.equal(script.warnings[0], {
    line: 3,
    sentence: "the boneyard that /* opens here is never closed; its text is read",
  });
});

asides("Beat's settings at the end of the file are a boneyard", () => {
  const settings = '{"Revision Level":2,"Page Size":0,"x":"a [[b \\/* c"}';
  const { scenes } = fountain(
    "INT. A",
    "",
    "One.",
    "",
    `/* If you're seeing this, you can remove the following stuff - BEAT:`,
    settings,
    "END_BEAT */",
  );
  assert.equal(printed(scenes[0]), ["action: One."]);
});

asides("a note is ignored anywhere, also in a heading and across lines", () => {
  const { scenes } = fountain("INT. A [[which?]] - DAY", "", "He [[or", "she]] waits.[[why", "  ", "though]]");
  assert.is(scenes[0]?.slugline, "INT. A - DAY");
  assert.equal(printed(scenes[0]), ["action: He waits."]);
});

asides("a blank line ends a note that is not closed before it", () => {
  const { scenes } = fountain("INT. A", "", "He [[waits.", "", "Long]] ago.");
  assert.equal(printed(scenes[0]), ["action: He [[waits.", "action: Long]] ago."]);
});

asides.run();

const speeches = suite("Fountain: speeches");

speeches("a cue is in capitals, with a blank line before it and none after it", () => {
  const { scenes } = fountain(
    "INT. A",
    "",
    "ANNA",
    "Yes.",
    "",
    "THE END IS NEAR",
    "",
    "Bob",
    "Yes.",
    "",
    "R2D2",
    "(beep)",
    "23",
    "",
  );
  assert.equal(names(scenes[0]), ["ANNA", "R2D2"]);
});

speeches("a cue's extensions do not change the character, and (CONT'D) is removed", () => {
  const { scenes } = fountain(
    "INT. A",
    "",
    "ANNA (V.O.)",
    "One.",
    "",
    "ANNA (O.S.) (CONT’D)",
    "Two.",
    "",
    "ANNA (on the radio)",
    "Three.",
  );
  assert.equal(names(scenes[0]), ["ANNA"]);
  assert.equal(
    printed(scenes[0]).filter((line) => line.startsWith("character")),
    ["character: ANNA (V.O.)", "character: ANNA (O.S.)", "character: ANNA (ON THE RADIO)"],
  );
});

speeches("a forced cue keeps its case, and is the same character as the name in capitals", () => {
  const { scenes } = fountain("INT. A", "", "@McAVOY", "One.", "", "MCAVOY", "Two.");
  assert.equal(scenes[0]?.characters, ["McAVOY"]);
});

speeches("a caret makes two speeches dual dialogue, and is not part of the name", () => {
  const { scenes } = fountain("INT. A", "", "ANNA", "Yes.", "", "BEN ^", "No.", "", "CARA", "Well.");
  assert.equal(printed(scenes[0]), [
    "character: ANNA",
    "dialogue: Yes.",
    "dual",
    "character: BEN",
    "dialogue: No.",
    "character: CARA",
    "dialogue: Well.",
  ]);
});

speeches("contain parentheticals and lyrics, and continue after a line of two spaces", () => {
  const { scenes } = fountain("INT. A", "", "ANNA", "(low)", "One.", "  ", "Two.", "~La la", "", "Then.");
  assert.equal(printed(scenes[0]), [
    "character: ANNA",
    "parenthetical: (low)",
    "dialogue: One. Two.",
    "lyrics: La la",
    "action: Then.",
  ]);
});

speeches("may be indented by spaces or tabs", () => {
  const { scenes } = fountain("INT. A", "", "\t\tANNA", "\t(low)", "    One.");
  assert.equal(printed(scenes[0]), ["character: ANNA", "parenthetical: (low)", "dialogue: One."]);
});

speeches.run();

const others = suite("Fountain: action, transitions, sections, synopses");

others("! and two spaces after capitals force action", () => {
  const { scenes } = fountain("INT. A", "", "!BANG", "It falls.", "", "THE DOOR  ", "It opens.");
  assert.equal(printed(scenes[0]), ["action: BANG It falls.", "action: THE DOOR It opens."]);
});

others("capitals that end in TO: are a transition, and > forces one", () => {
  const { scenes } = fountain(
    "INT. A",
    "",
    "SMASH CUT TO:",
    "",
    "> Fade to black.",
    "",
    "> THE END <",
    "",
    "Welcome to:",
    "",
  );
  assert.equal(printed(scenes[0]), [
    "transition: SMASH CUT TO:",
    "transition: FADE TO BLACK.",
    "action: THE END",
    "action: Welcome to:",
  ]);
});

others("a heading may directly follow a transition", () => {
  assert.equal(sluglines(fountain("INT. A", "", "CUT TO:", "INT. B", "")), ["INT. A", "INT. B"]);
});

others("sections and page breaks are not printed", () => {
  const { scenes } = fountain("# Act one", "", "INT. A", "", "## Two", "===", "He waits.");
  assert.equal(printed(scenes[0]), ["action: He waits."]);
});

others("synopses belong to the heading or the section above them", () => {
  const { scenes } = fountain(
    "= Of nothing",
    "",
    "INT. A",
    "= One.",
    "",
    "= Two.",
    "",
    "# Act two",
    "= Of the act",
    "",
    "INT. B",
    "",
  );
  assert.equal(
    scenes.map(({ synopsis }) => synopsis),
    ["One. Two.", null],
  );
});

others("emphasis marks are removed from texts, names and headings", () => {
  const { scenes } = fountain(".**KITCHEN**", "", "He _waits_ and *waits*.", "", "**ANNA**", "***No.***");
  assert.is(scenes[0]?.slugline, "KITCHEN");
  assert.equal(printed(scenes[0]), ["action: He waits and waits.", "character: ANNA", "dialogue: No."]);
});

others("text before the first heading belongs to no scene, with a warning", () => {
  assert.is(fountain("FADE IN:", "", "INT. A").warnings.length, 0);
  assert.is(fountain("A long time ago.", "", "INT. A").warnings[0]?.line, 1);
});

others.run();

const files = suite("Fountain: files");

files("a title page has keys with values on the same line or below it", () => {
  const { title, title_page, scenes } = fountain(
    "Title:",
    "    _**THE RED FOX**_",
    "    a tale",
    "Author: A. Writer",
    "",
    "INT. A",
  );
  assert.is(title, "THE RED FOX a tale");
  assert.equal([...title_page.keys()], ["title", "author"]);
  assert.is(scenes[0]?.line, 6);
});

files("a card of an omitted scene may have its number in its text, in each language", () => {
  for (const text of [
    "2 OMITTED",
    "SCENE 2 - DELETED",
    "SCENE 2 CUT",
    "2 SCENE OMITTED 2",
    "BILD 2 ENTFÄLLT",
    "SÉQUENCE 2 SUPPRIMEE",
    "ESCENA 2 OMITIDA",
    "CENA 2 - CORTADA",
    "2 TAGLIATA",
    "SCENA 2 USUNIĘTA",
    "OBRAZ 2 VYPUŠTĚN",
    "2. СЦЕНА УДАЛЕНА",
    "SAHNE 2 İPTAL",
    "ΣΚΗΝΗ 2 ΔΙΑΓΡΑΜΜΕΝΗ",
    "مشهد 2 محذوف",
    "סצנה 2 הושמטה",
    "第2场 删除",
    "S#2. 삭제",
  ]) {
    const { scenes, warnings } = fountain("INT. A #1#", "", "Text.", "", text, "", "INT. B #3#");
    const cards = scenes.map(({ number, omitted }) => [number, omitted]);
    assert.equal(
      [...cards, ...warnings],
      [
        ["1", false],
        ["2", true],
        ["3", false],
      ],
      text,
    );
  }
});

files("a title page may have its keys in another language", () => {
  for (const [title, episode] of [
    ["Titel: Ebbe", "Folge: 101 - Das Seil"],
    ["Titre : Ebbe", "Épisode : 101 - Das Seil"],
    ["Tytuł: Ebbe", "Odcinek: 101 - Das Seil"],
    ["Название: Ebbe", "Серия: 101 - Das Seil"],
    ["标题：Ebbe", "集：101 - Das Seil"],
  ] as const) {
    const script = fountain(title, episode, "Titel: Low Tide", "", "INT. A #1#");
    assert.is(script.title, "Ebbe");
    assert.is(script.title_page.get("episode"), "101 - Das Seil");
    assert.match(script.warnings.map(({ sentence }) => sentence).join(), "Low Tide", "a second title is named");
  }
});

files("a title page needs no indents, and ends at a heading", () => {
  const given = fountain(
    "Title: **A**",
    "Contact:",
    "a@b.example",
    "+358 50",
    "Notes:",
    "FINAL DRAFT",
    "INT. B - DAY",
    "",
    "He waits.",
  );
  assert.equal(
    [...given.title_page],
    [
      ["title", "**A**"],
      ["contact", "a@b.example\n+358 50"],
      ["notes", "FINAL DRAFT"],
    ],
  );
  assert.equal([given.title, sluglines(given)], ["A", ["INT. B - DAY"]]);
});

files("a script whose first line ends in a colon has no title page", () => {
  for (const first of ["FADE IN:", "NOTE: this is true.", "INT. A: THE KITCHEN"])
    assert.is(fountain(first, "", "INT. B").title, null);
});

files("byte order marks, CRLF and lone CR make no difference", () => {
  const text = "Title: A\n\nINT. B #1#\n\nANNA\nYes.\n";
  const plain = readFountain(Buffer.from(text));
  for (const other of [`\ufeff${text}`, text.replaceAll("\n", "\r\n"), text.replaceAll("\n", "\r")])
    assert.equal(readFountain(Buffer.from(other)), plain);
  assert.equal(readFountain(Buffer.from(`\ufeff${text}`, "utf16le")), plain);
});

files(
  "are read as Windows-1252 if they are not UTF-8, and refused if a character is damaged, and if they are empty",
  () => {
    const latin = readFountain(Buffer.from("INT. A\n\nCaf\xe9.\n", "latin1"));
    assert.is(latin.scenes[0]?.paragraphs[0]?.text, "Café.");
    assert.match(latin.warnings[0]?.sentence ?? "", /was read as Windows-1252/);
    const damaged = Buffer.concat([Buffer.from("INT. CAFÉ À CÔTÉ\n\n"), Buffer.of(0x43, 0x61, 0x66, 0xc3, 0x0a)]);
    assert.is(
      refusal(() => readFountain(damaged)),
      "line 3: this is not UTF-8 text; save the file as UTF-8",
    );
    assert.is(
      refusal(() => readFountain(Buffer.alloc(0))),
      "the file is empty",
    );
  },
);

files("without a heading have one problem", () => {
  assert.equal(fountain("He waits.").problems, [{ sentence: "there is no scene heading in the file" }]);
});

files.run();

// Scripts of a series: the episode on the title page, numbers with the code of their episode, and several scripts in
// one import.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { titledEpisode } from "../../src/features/paperwork/episodes.ts";
import { episodeCode, episodeParts } from "../../src/features/scripts/episode_parts.ts";
import { openImports, type PaperFile } from "../support/import.ts";
import { heading, paragraph } from "./scripts.ts";

type Row = Record<string, any>;

const episode = (line: string | undefined, scenes: readonly string[], name = "draft.fountain"): PaperFile => ({
  name,
  text: [
    "Title: Low Tide",
    ...(line === undefined ? [] : [`Episode: ${line}`]),
    "",
    ...scenes.flatMap((scene) => [scene, ""]),
  ].join("\n"),
});
const one = ["INT. CHANDLERY - DAY #1#\n\nNORA counts.\n\nNORA\nForty-one.", "EXT. SLIPWAY - DUSK #2#\n\nA dinghy."];
const two = ["INT. CHANDLERY - NIGHT #1#\n\nNORA again.\n\nNORA\nForty-two.", "EXT. MOLE - DAY #2#\n\nWind."];

const test = suite("scripts of episodes");

test("the line Episode has a code, a title, or both", () => {
  assert.equal(titledEpisode([], "101"), { code: "101" });
  assert.equal(titledEpisode([], "101 - The Rope"), { code: "101", title: "The Rope" });
  assert.equal(titledEpisode([], "Episode #101 The Rope"), { code: "101", title: "The Rope" });
  assert.equal(titledEpisode([], "The Rope"), { title: "The Rope" });
  assert.equal(titledEpisode(["E1"], "E1 – Pilot"), { code: "E1", title: "Pilot" });
  assert.equal(titledEpisode([], undefined), {});
});

test("a script whose title page has a code begins a series", async () => {
  const made = await openImports(episode("101 - The Rope", one));
  const { production, episodes, scenes } = (await made.export()) as Row;
  assert.equal([production.format, production.season_number, production.current_episode], ["episodic", 1, "101"]);
  assert.equal(episodes, [{ code: "101", title: "The Rope" }]);
  assert.equal(
    scenes.map(({ episode: code, number }: Row) => `${code}/${number}`),
    ["101/1", "101/2"],
  );
});

test("two that disagree are refused, and an unknown one with those that exist", async () => {
  const made = await openImports(episode("101", one));
  assert.match(
    (await made.problems(episode("102", two), { episode: "101" })).join(),
    /the title page is of episode 102, and --episode says 101/,
  );
  assert.match(
    (await made.problems(episode("102", two))).join(),
    /the title page says 102: there is no episode 102; episodes are 101; --new-episode adds it/,
  );
  assert.match(
    (await made.problems(episode(undefined, two))).join(),
    /--episode must name the episode of the script: 101/,
  );
  const broken = { name: "broken.fdx", text: "<FinalDraft><Content>" };
  const [problem, ...others] = await made.problems(broken);
  assert.match(problem ?? "", /^broken\.fdx/);
  assert.not.match([problem, ...others].join(), /--episode/);
});

test("several scripts come in one plan, each of its episode, and an undo of one set takes both back", async () => {
  const made = await openImports(episode("101", one));
  const plan = await made.import(
    [episode("102 - The Mole", two, "102.fountain"), episode("103", one, "103.fountain")],
    { new_episode: true },
  );
  assert.equal(
    plan.changes.filter(({ section }) => section === "scenes").map(({ key }) => key),
    ["102/1", "102/2", "103/1", "103/2"],
  );
  const { episodes } = (await made.export()) as Row;
  assert.equal(
    episodes.map(({ code, title }: Row) => [code, title]),
    [
      ["101", "101"],
      ["102", "The Mole"],
      ["103", "103"],
    ],
  );
  const again = await made.import([episode("102", two, "102.fountain"), episode("103", one, "103.fountain")]);
  assert.equal(again.changes, []);
  const begun = await openImports([
    episode("102 - The Mole", two, "102.fountain"),
    episode("101", one, "101.fountain"),
  ]);
  const whole = (await begun.export()) as Row;
  assert.equal(
    whole.episodes.map(({ code, title }: Row) => `${code} ${title}`),
    ["101 101", "102 The Mole"],
  );
  assert.is(whole.scenes.length, 4);
  const drafts = begun.rows("SELECT file FROM script_drafts ORDER BY id");
  assert.equal(
    drafts.map(({ file }) => file),
    ["101.fountain", "102.fountain"],
  );
  assert.equal((await begun.import([episode("102", two, "102.fountain")])).changes, []);
  const refused = [
    [
      [episode("101", one, "a.fountain"), episode("101", two, "b.fountain")],
      "of episode 101: a.fountain and b.fountain",
    ],
    [
      [episode("101", one, "a.fountain"), episode(undefined, two, "b.fountain")],
      "title page of b.fountain names no episode",
    ],
  ] as const;
  for (const [files, why] of refused) {
    const { message, problems } = (await openImports([...files]).catch((error) => error)) as Row;
    assert.ok(problems?.[0]?.sentence.includes(why), `${message}: ${why}`);
  }
  const same = [episode("102", two, "a.fountain"), episode("102", one, "b.fountain")];
  assert.match((await made.problems(same)).join(), /a\.fountain is a script of episode 102, too/);
});

const fountainBlock = (codes: readonly string[], before: readonly string[] = []): PaperFile => ({
  name: "block.fountain",
  text: [
    "Title: Low Tide",
    "",
    ...before,
    ...codes.flatMap((code, at) => [
      `# EPISODE ${code}`,
      "",
      ...(at === 0 ? one : two).flatMap((scene) => [scene, ""]),
    ]),
  ].join("\n"),
});

/** The same scripts as Final Draft has them, each under a heading of this type. */
const fdxBlock = (type: string) => {
  const paragraphsOf = (scene: string): string[] => {
    const [, slugline = "", number = "", text = ""] = /^(.*) #(.*)#\n\n([\s\S]*)$/.exec(scene) ?? [];
    const spoken = text.split("\n").map((line, at, lines) => {
      if (line === "NORA") return paragraph("Character", line);
      return line === "" ? "" : paragraph(lines[at - 1] === "NORA" ? "Dialogue" : "Action", line);
    });
    return [heading(slugline, number), ...spoken];
  };
  return (codes: readonly string[], before: readonly string[] = []): PaperFile => ({
    name: "block.fdx",
    text: [
      '<?xml version="1.0"?>\n<FinalDraft Version="6"><Content>',
      paragraph("Note", "Not printed."),
      ...before.filter((line) => line !== "").map((line) => paragraph("Action", line)),
      ...codes.flatMap((code, at) => [
        paragraph(type, `Episode ${code}`),
        ...(at === 0 ? one : two).flatMap(paragraphsOf),
      ]),
      "</Content><TitlePage><Content>",
      '<Paragraph Alignment="Center"><Text>Low Tide</Text></Paragraph>',
      "</Content></TitlePage></FinalDraft>",
    ].join("\n"),
  });
};

for (const [format, block] of [
  ["Fountain", fountainBlock],
  ["Final Draft, under headings", fdxBlock("Scene Heading")],
  ["Final Draft, under new acts", fdxBlock("New Act")],
  ["Final Draft, under outlines", fdxBlock("Outline 1")],
] as const) {
  test(`a file is cut at the headings that name an episode alone, for a new production and for a stored series: ${format}`, async () => {
    const made = await openImports(block(["101", "102"]));
    const { production, episodes, scenes, assets } = (await made.export()) as Row;
    assert.is(production.title, "Low Tide");
    assert.equal(
      episodes.map(({ code }: Row) => code),
      ["101", "102"],
    );
    assert.equal(
      scenes.map(({ episode: code, number, slugline }: Row) => `${code}/${number} ${slugline}`),
      [
        "101/1 INT. CHANDLERY - DAY",
        "101/2 EXT. SLIPWAY - DUSK",
        "102/1 INT. CHANDLERY - NIGHT",
        "102/2 EXT. MOLE - DAY",
      ],
    );
    assert.equal(assets.filter(({ label }: Row) => label === "NORA").length, 1);
    const again = await made.import(block(["101", "102"]));
    assert.equal([again.changes, again.warnings], [[], []]);
    const more = await made.import(block(["103", "104"]), { new_episode: true });
    assert.equal(
      more.changes.filter(({ section }) => section === "scenes").map(({ key }) => key),
      ["103/1", "103/2", "104/1", "104/2"],
    );
  });

  test(`a file of several episodes is refused where one of its scripts would be: ${format}`, async () => {
    const made = await openImports(block(["101", "102"]));
    const said = async (given: PaperFile, flags = {}) => (await made.problems(given, flags)).join("\n");
    assert.match(await said(block(["101", "101"])), /is a script of episode 101, too/);
    assert.match(
      await said(block(["102", "103"])),
      /the title page says 103: there is no episode 103; episodes are 101 and 102;/,
    );
    const unread = await said(block(["101", "102"], ["Rain on the mole.", ""]));
    assert.match(unread, /scene number 1 appears twice/);
    assert.not.match(unread, /--episode/);
    const many = Array.from({ length: 201 }, (_, at) => String(101 + at));
    assert.match(await said(block(many), { episode: "101" }), /the file has more than 200 headings of episodes/);
  });
}

test("a file is cut at headings of other languages, too, and needs no title page for it", async () => {
  const blockOf = (heading: (code: string) => string, title = ["Title: Low Tide", ""]) => ({
    name: "block.fountain",
    text: [
      ...title,
      ...["101", "102"].flatMap((code) => [heading(code), "", "INT. HUT - DAY #1#", "", "Wind.", ""]),
    ].join("\n"),
  });
  const words = ["Folge", "ÉPISODE", "Episodio", "CAPÍTULO", "СЕРИЯ", "Bölüm", "EPISODE"];
  const headings = [...words.map((word) => (code: string) => `# ${word} ${code}`), (code: string) => `第${code}集`];
  for (const heading of headings) {
    const { scenes } = (await (await openImports(blockOf(heading))).export()) as Row;
    assert.equal(
      scenes.map(({ episode: code, number }: Row) => `${code}/${number}`),
      ["101/1", "102/1"],
      heading("1"),
    );
  }
  const untitled = blockOf((code) => `FOLGE ${code}`, []).text;
  assert.equal(
    episodeParts(Buffer.from(`\ufeff${untitled}`)).map(({ code }) => code),
    ["101", "102"],
  );
  assert.equal([episodeCode("FOLGE MIR"), episodeCode("Folge 101 beginnt")], [undefined, undefined]);
});

test("numbers lose the code of their episode if every number has it", async () => {
  const coded = one.map((scene) => scene.replace(/#(\d)#/, "#101-$1#"));
  const made = await openImports(episode("101", coded));
  const numbers = async () => ((await made.export()) as Row).scenes.map(({ number }: Row) => number);
  assert.equal(await numbers(), ["1", "2"]);
  assert.equal((await made.import(episode("101", coded))).changes, []);
});

test("in a single production, a code on the title page is a warning that names the command", async () => {
  const made = await openImports(episode(undefined, one));
  const plan = await made.import(episode("101", one), { dry_run: true });
  assert.match(
    plan.warnings.join("\n"),
    /the title page is of episode 101, and the production is no series; `tallylight episodes begin 101 --production 1` makes it one/,
  );
});

test.run();

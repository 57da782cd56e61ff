// Drafts of a script in a production: the first one as scenes, later ones as script changes that are decided.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports, script } from "../support/import.ts";
import { paperwork } from "../support/paperwork.ts";
import { silverButton } from "../support/update.ts";

const test = suite("drafts of a script");

const kitchen = "INT. KITCHEN - DAY #1#\n\nAda pours the tea and waits for the bell.\n\nADA\nHe is late again.";
const yard = "EXT. YARD - NIGHT #2#\n\nRain falls on the handcart.\n\nBEN\nLeave it there.";
const attic = "INT. ATTIC - DAWN #3#\n\nDust, trunks, and a window that will not open.";
const bridge = "EXT. BRIDGE - DAY #2A#\n\nA horse crosses, riderless.\n\nCLEM\nWhose horse is that?";
const first = script([kitchen, yard, attic]);
const yardAgain = yard.replace("Leave it there.", "Take it away, quickly, before the rain stops.");
const later = script([kitchen, yardAgain, bridge, attic.replace("DAWN", "DUSK")], "blue.fountain");
const numbers = async ({ export: exported }: Awaited<ReturnType<typeof openImports>>) =>
  (await exported()).scenes.map(({ number }: { number: string }) => number);

test("a script creates a production with its scenes, characters and links", async () => {
  const production = await openImports(first);
  const { production: own, scenes, assets } = await production.export();
  assert.is(own.title, "The Test");
  assert.equal(
    scenes.map(({ number, slugline, elements, assets }: any) => [
      number,
      slugline,
      elements.cast,
      elements.pages,
      assets,
    ]),
    [
      ["1", "INT. KITCHEN - DAY", ["ADA"], "1/8", ["ADA"]],
      ["2", "EXT. YARD - NIGHT", ["BEN"], "1/8", ["BEN"]],
      ["3", "INT. ATTIC - DAWN", undefined, "1/8", undefined],
    ],
  );
  assert.equal(
    assets.map(({ label, kind }: any) => [label, kind]),
    [
      ["ADA", "character"],
      ["BEN", "character"],
    ],
  );
});

test("importing a draft twice plans nothing, also while its changes wait", async () => {
  const production = await openImports(first);
  assert.equal((await production.import(first)).changes, []);
  await production.import(later);
  const waiting = production.changes().map(({ id }) => id);
  assert.equal((await production.import(later)).changes, []);
  assert.equal(
    production.changes().map(({ id }) => id),
    waiting,
  );
});

test("a later draft becomes pending changes with fields and draft, and alters no scene", async () => {
  const production = await openImports(first);
  const before = await production.export();
  const plan = await production.import(later, { color: "blue" });
  assert.equal(
    plan.changes.map(({ section, action }) => `${action} ${section}`),
    Array(3).fill("add script_changes"),
  );
  assert.equal((await production.export()).scenes, before.scenes);
  const [second, added, third] = production.changes();
  assert.equal(second?.fields, { text: { from: null, to: "changed" } });
  assert.equal(added?.fields.slugline, { from: null, to: "EXT. BRIDGE - DAY" });
  assert.equal(third?.fields.slugline, { from: "INT. ATTIC - DAWN", to: "INT. ATTIC - DUSK" });
  const { id, ...draft } = third?.draft ?? {};
  assert.equal(draft, { file: "blue.fountain", color: "blue", imported_at: third?.detected_at });
  assert.is(second?.superseded_by, null);
});

test("no answer has the script's text, and neither has an export", async () => {
  const production = await openImports(first);
  await production.import(later);
  const text = JSON.stringify([
    await production.export(),
    production.changes("all"),
    production.rows("SELECT * FROM events"),
  ]);
  assert.not.match(text, /handcart|riderless|quickly/);
});

test("approving everything makes the scenes those of the draft, in its order", async () => {
  const production = await openImports(first);
  const before = (await production.export()).scenes;
  await production.import(later, { color: "blue" });
  await production.approve();
  const { scenes } = await production.export();
  const whole = (await (await openImports(later)).export()).scenes;
  const shown = ({ number, slugline, elements, assets }: any) => ({ number, slugline, elements, assets });
  assert.equal(scenes.map(shown), whole.map(shown));
  assert.equal(
    scenes.map(({ revision_color }: any) => revision_color),
    [undefined, "blue", "blue", "blue"].map((color) => color ?? "white"),
  );
  assert.equal(scenes[0], before[0], "an unchanged scene stays as it is");
  assert.equal(
    production.changes("approved").map(({ node_id }) => node_id !== null),
    [true, true, true],
  );
  assert.equal((await production.import(later)).changes, []);
});

test("dismissing everything alters nothing, and the same draft raises nothing again", async () => {
  const production = await openImports(first);
  const before = await production.export();
  await production.import(later);
  await production.dismiss();
  assert.equal((await production.export()).scenes, before.scenes);
  assert.equal((await production.import(later)).changes, []);
});

test("a dismissed change is raised again only if that scene changes once more", async () => {
  const production = await openImports(first);
  await production.import(later);
  await production.dismiss();
  const third = script([kitchen.replace("waits", "listens"), yardAgain, bridge, attic.replace("DAWN", "DUSK")]);
  await production.import(third);
  assert.equal(
    production.changes().map(({ scene_number }) => scene_number),
    ["1"],
  );
  const fourth = script([kitchen, yardAgain, bridge.replace("riderless", "saddled"), attic.replace("DAWN", "DUSK")]);
  await production.import(fourth);
  assert.equal(
    production.changes().map(({ scene_number, kind }) => [scene_number, kind]),
    [["2A", "added"]],
  );
});

test("a newer draft supersedes the pending changes that it does not ask, and what it asks again stays the same change", async () => {
  const production = await openImports(first);
  await production.import(later);
  const old = production.changes();
  await production.import(script([kitchen, yard, bridge, attic.replace("DAWN", "DUSK")], "pink.fountain"));
  const superseded = production.changes("dismissed");
  assert.equal(
    superseded.map(({ id, scene_number }) => [id, scene_number]),
    [[old[0]?.id, "2"]],
    "2 is as it was at first",
  );
  assert.equal(production.changes(), old.slice(1));
  const [newer] = production.rows("SELECT max(id) AS id FROM script_drafts");
  assert.equal(
    superseded.map(({ superseded_by }) => superseded_by),
    [newer.id],
  );
  const error = await production.approve([old[0]?.id as number]).catch((error) => error);
  assert.is(error.status, 409);
});

for (const episode of [undefined, "101"])
  test(`a pending change of a document stays until a draft changes its scene, ${episode ? "in a series" : "in one film"}`, async () => {
    const of = episode === undefined ? {} : { episode };
    const change = (scene: string, kind: string) => ({
      ...{ ...of, scene: episode === undefined ? scene : `${episode}/${scene}`, scene_number: scene },
      ...{ kind, status: "pending", revision_color: "blue", summary: `${scene} is otherwise` },
      detected_at: `2026-11-01T08:0${scene}:00.000Z`,
    });
    const sluglines = ["INT. KITCHEN - DAY", "EXT. YARD - NIGHT", "INT. ATTIC - DAWN"];
    const production = await openImports({
      document: "tallylight production",
      document_version: 1,
      production: {
        title: "The Test",
        ...(episode !== undefined && { format: "episodic", season_number: 1, current_episode: episode }),
      },
      ...(episode !== undefined && { episodes: [{ code: episode, title: "One" }] }),
      scenes: sluglines.map((slugline, at) => ({ ...of, number: `${at + 1}`, slugline })),
      script_changes: [change("1", "changed"), change("2", "changed"), change("3", "omitted")],
    });
    const waiting = () => production.changes().map(({ summary }) => summary);
    assert.equal((await production.import(first, of)).warnings.length, 1, "the text is stored");
    assert.equal(waiting(), ["1 is otherwise", "2 is otherwise", "3 is otherwise"]);
    const { warnings } = await production.import(script([kitchen, yardAgain, attic]), of);
    assert.equal(
      [warnings, waiting()],
      [
        ["1 pending script change is superseded"],
        ["1 is otherwise", "3 is otherwise", `${episode === undefined ? "" : "101/"}2: text changed`],
      ],
    );
    const { plan } = await production.approve();
    assert.equal(
      plan?.warnings.filter((one) => /approving it changes no scene/.test(one)).length,
      1,
      "that of scene 1, of which no text is known",
    );
    assert.is((await production.export()).scenes[2].status, "omitted");
  });

test("who was in the cast of a scene already keeps the spelling there, and becomes no asset", async () => {
  const cast = (...names: string[]) => ({ elements: { cast: names } });
  const production = await openImports({
    document: "tallylight production",
    document_version: 1,
    production: { title: "The Test" },
    scenes: [
      { number: "1", slugline: "INT. KITCHEN - DAY", ...cast("Ada", "Ben", "Dora"), assets: ["DORA"] },
      { number: "2", slugline: "EXT. YARD - NIGHT", ...cast("Ben") },
    ],
    assets: [{ label: "DORA", kind: "character" }],
  });
  const speech = (name: string) => `${name}\nHe is late again.`;
  const scene = (...names: string[]) => [kitchen.split("\n\nADA")[0], ...names.map(speech)].join("\n\n");
  await production.import(script([scene("ADA", "BEN", "DORA"), yard]));
  await production.import(script([scene("DORA", "CLEM", "ADA"), yard]));
  await production.approve();
  const { scenes, assets } = await production.export();
  assert.equal(
    [scenes[0].elements.cast, scenes[0].assets],
    [
      ["Dora", "CLEM", "Ada"],
      ["DORA", "CLEM"],
    ],
  );
  assert.equal(assets.map(({ label }: { label: string }) => label).sort(), ["CLEM", "DORA"]);
  const again = await production.import(script([scene("DORA", "CLEM", "ADA"), yard]));
  assert.equal([again.changes, again.warnings], [[], []]);
});

test("a change whose scene has changed since is 409, and nothing is written", async () => {
  const production = await openImports(first);
  await production.import(later);
  await production.import({
    name: "a.json",
    text: JSON.stringify({ scenes: [{ number: "3", slugline: "INT. LOFT - DAWN" }] }),
  });
  const before = await production.export();
  const error = await production.approve().catch((error) => error);
  assert.is(error.status, 409);
  assert.match(error.message, /^scene 3 has changed since script change \d+ was detected: slugline/);
  assert.equal(await production.export(), before);
});

test("an omitted scene keeps its place, its id and its strips", async () => {
  const production = await openImports(first);
  const schedule = [{ day_number: 1, date: "2026-05-04", scenes: ["2", "3"] }];
  await production.import({ name: "days.json", text: JSON.stringify({ schedule }) });
  const [{ id }] = production.rows("SELECT node_id AS id FROM scenes WHERE number = '2'");
  await production.import(script([kitchen, attic]));
  await production.approve();
  const { scenes, schedule: days } = await production.export();
  assert.equal(
    scenes.map(({ number, status }: any) => `${number} ${status}`),
    ["1 planned", "2 omitted", "3 planned"],
  );
  assert.equal(days[0].scenes, ["2", "3"]);
  assert.is(production.rows("SELECT node_id AS id FROM scenes WHERE number = '2'")[0].id, id);
});

test("a moved and a renumbered scene are approved one by one", async () => {
  const production = await openImports(first);
  await production.import(script([attic.replace("#3#", "#1A#"), kitchen, yard]));
  for (const { id } of production.changes()) await production.approve([id]);
  assert.equal(await numbers(production), ["1A", "1", "2"]);
});

test("revised pages change only what they have", async () => {
  const production = await openImports(first);
  await production.import(script([yardAgain, bridge]), { pages: true });
  assert.equal(
    production.changes().map(({ scene_number, kind }) => `${kind} ${scene_number}`),
    ["changed 2", "added 2A"],
  );
  await production.approve();
  assert.equal(await numbers(production), ["1", "2", "2A", "3"]);
});

test("what waits keeps its place when revised pages come", async () => {
  const production = await openImports(first);
  await production.import(later);
  await production.import(script([kitchen.replace("waits", "listens")], "pages.fountain"), { pages: true });
  assert.equal(
    production.changes().map(({ scene_number }) => scene_number),
    ["2", "2A", "3", "1"],
  );
  await production.approve();
  assert.equal(await numbers(production), ["1", "2", "2A", "3"]);
});

test("a production with scenes takes the text of what agrees, and asks about the rest", async () => {
  const production = await openImports(silverButton);
  const before = (await production.export()).scenes;
  const fdx = { name: "the-silver-button.fdx", text: paperwork("the-silver-button.fdx") };
  const plan = await production.import(fdx);
  assert.equal(
    plan.changes.filter(({ section }) => section === "script_changes"),
    [],
  );
  const kept = ({ number, slugline, status, synopsis }: any) => [number, slugline, status, synopsis];
  assert.equal((await production.export()).scenes.map(kept), before.map(kept));
  assert.equal((await production.import(fdx)).changes, []);
  await production.import({ name: "blue.fdx", text: paperwork("the-silver-button-blue.fdx") });
  assert.is(production.changes().filter(({ draft }) => draft?.file === "blue.fdx").length, 7);
});

test("Fountain and Final Draft of one script are the same draft", async () => {
  const production = await openImports({ name: "a.fdx", text: paperwork("the-silver-button.fdx") });
  const read = { name: "a.fountain", text: paperwork("the-silver-button.fountain") };
  assert.equal((await production.import(read)).changes, []);
});

test("a series needs --episode, and each episode has its own drafts", async () => {
  const production = await openImports(first, { episode: "101" });
  assert.match((await production.problems(first))[0] as string, /^draft\.fountain: --episode must name the episode/);
  await production.import({ name: "a.json", text: JSON.stringify({ episodes: [{ code: "102", title: "Two" }] }) });
  await production.import(later, { episode: "102" });
  assert.equal(production.changes(), []);
  assert.equal(await numbers(production), ["1", "2", "3", "1", "2", "2A", "3"]);
  await production.import(later, { episode: "101" });
  assert.equal(
    production.changes().map(({ episode_code }) => episode_code),
    ["101", "101", "101"],
  );
});

test("a dry run of a draft writes nothing", async () => {
  const production = await openImports(first);
  assert.is((await production.import(later, { dry_run: true })).changes.length, 3);
  assert.equal(production.changes(), []);
  assert.is(production.rows("SELECT * FROM script_drafts").length, 1);
});

test("decisions record who decided, and leave events", async () => {
  const production = await openImports(first);
  await production.import({
    name: "a.json",
    text: JSON.stringify({ people: [{ name: "Ada Lovell", role: "Editor" }] }),
  });
  await production.import(later);
  const [one, two] = production.changes();
  await production.approve([one?.id as number], { decided_by: "ada lovell", note: "Agreed" });
  await production.dismiss([two?.id as number]);
  const decided = production.changes("approved")[0];
  assert.equal([decided?.decided_by, decided?.note], ["Ada Lovell", "Agreed"]);
  const types = production.rows("SELECT type FROM events WHERE type LIKE 's%' ORDER BY id").map(({ type }) => type);
  assert.equal(types.slice(0, 3), Array(3).fill("script_change.detected"));
  assert.ok(types.includes("script_change.approved") && types.includes("script_change.dismissed"));
});

test("the changes of a draft have the time at which it was compared, and the draft that of the commit", async () => {
  const production = await openImports(first);
  const [asked, committed] = ["2027-01-02T03:04:01.000Z", "2027-01-02T03:04:05.678Z"];
  const { changes } = await production.import(later, { now: asked, committed });
  assert.ok(changes.length > 0);
  for (const { section, key, fields } of changes) {
    assert.is(section, "script_changes");
    assert.is(fields.detected_at?.to, asked);
    assert.ok(key.endsWith(asked), key);
  }
  assert.equal(production.rows("SELECT DISTINCT detected_at AS at FROM script_changes"), [{ at: asked }]);
  assert.equal(production.rows("SELECT max(imported_at) AS at FROM script_drafts"), [{ at: committed }]);
  await production.import(script([yard]), { now: asked, committed: "2027-01-02T03:04:09.000Z" });
  assert.equal(production.rows("SELECT max(detected_at) AS at FROM script_changes"), [
    { at: "2027-01-02T03:04:05.679Z" },
  ]);
});

test.run();

// The text of the script as it was last approved: read by scene, on its page, by search, and written again in both
// formats.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { paragraphsOf } from "../../src/features/scripts/compare/scene_text.ts";
import { scriptOfProduction } from "../../src/features/scripts/exporters.ts";
import { mint, openTestServer } from "../support/app.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";
import { openAsAdmin } from "../support/pages.ts";
import { callTool, resultOf } from "../support/rpc.ts";

const test = suite("the text of the script");

const scenes = [
  "INT. KITCHEN - DAY #1#\n\n= They wait.\n\nTea on the table. Rain.\n\nSmoke.\n\nADA (V.O.)\n(low)\nHe is late.\n~La la\n\nBEN ^\nWho?\n\nShe goes.\n\nCUT TO:",
  "EXT. YARD - NIGHT #2#\n\n!INT. is written on the wall.\n\n@23\nLeave the xylophone there.\n\n!ALL CAPS STAYS ACTION",
  ".OMITTED #3# [[INT. ATTIC - DAWN]]",
];
const elements = [
  { type: "action", text: "Tea on the table. Rain." },
  { type: "action", text: "Smoke." },
  { type: "character", text: "ADA (V.O.)" },
  { type: "parenthetical", text: "(low)" },
  { type: "dialogue", text: "He is late." },
  { type: "lyrics", text: "La la" },
  { type: "dual", text: "" },
  { type: "character", text: "BEN" },
  { type: "dialogue", text: "Who?" },
  { type: "action", text: "She goes." },
  { type: "transition", text: "CUT TO:" },
];
const white = script(scenes, "white.fountain");
const blue = script(
  scenes.map((one) => one.replace("late", "early")),
  "blue.fountain",
);

async function open(later?: PaperFile) {
  const production = await openImports(white);
  if (later !== undefined) await production.import(later);
  const server = await openTestServer({ data: dirname(production.store.file) });
  const key = mint(server.store, { production_id: production.production_id, scopes: ["read"] });
  const get = async (path: string): Promise<any> => (await server.ask(key, `/api/v1${path}`)).json();
  return { production, server, get };
}

test("moves updated_at of the scene in the list that has it, when the text alone is approved", async () => {
  const { production, server, get } = await open(blue);
  const edit = mint(server.store, { production_id: production.production_id, scopes: ["edit"] });
  const [pending] = await get("/script-changes");
  const since = new Date().toISOString();
  assert.equal(await get(`/scenes?include=script&updated_since=${since}`), []);
  const decided = await server.ask(edit, `/api/v1/script-changes/${pending.id}/decide`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"decision":"approved"}',
  });
  assert.is(decided.status, 200);
  const changed = await get(`/scenes?include=script&updated_since=${since}`);
  assert.equal(
    changed.map(({ number, script }: any) => [number, script.elements[4]?.text]),
    [["1", "He is early."]],
  );
  await server.stop();
});

test("stands in the list of scenes as the scene's own answer has it, null where that is empty, also over MCP", async () => {
  const { server, production, get } = await open();
  const key = mint(server.store, { production_id: production.production_id, scopes: ["read"] });
  const text = await (await server.ask(key, "/api/v1/scenes?include=script&limit=500")).text();
  const rows: any[] = JSON.parse(text);
  assert.equal(
    rows.map(({ script }) => script === null),
    [false, false, true],
  );
  for (const { node_id, script } of rows) {
    const alone = await get(`/scenes/${node_id}/script`);
    assert.equal(script ?? [], script === null ? alone.elements : alone);
    const { content } = await resultOf(
      await callTool(server, key, "get_scene_script", { node_id }, "/mcp?tools=assistant"),
    );
    assert.equal(JSON.parse(content[0].text), alone);
  }
  const { content } = await resultOf(
    await callTool(server, key, "list_scenes", { include: "script", limit: 500 }, "/mcp?tools=all"),
  );
  assert.is(content[0].text, text);
  await server.stop();
});

test("of a scene that a model knows by its number is two calls", async () => {
  const { server, production } = await open();
  const key = mint(server.store, { production_id: production.production_id, scopes: ["read"] });
  const ask = async (name: string, given: object) =>
    JSON.parse((await resultOf(await callTool(server, key, name, given, "/mcp?tools=assistant"))).content[0].text);
  const [found] = await ask("search", { q: "scene 1", kinds: "scene", limit: 1 });
  assert.match(found.label, /^1 INT\. KITCHEN/);
  assert.equal((await ask("get_scene_script", { node_id: found.id })).elements, elements);
  await server.stop();
});

test("of a scene is answered as it was last approved, with its draft", async () => {
  const { production, server, get } = await open(blue);
  const before = await get("/scenes/1/script");
  assert.equal(before.elements, elements);
  assert.is(before.draft.file, "white.fountain");
  await production.approve();
  const after = await get("/scenes/1/script");
  assert.is(after.elements[4].text, "He is early.");
  assert.equal(Object.keys(after.draft), ["id", "file", "color", "imported_at"]);
  assert.is(after.draft.file, "blue.fountain");
  assert.is((await get("/scenes/2/script")).draft.file, "white.fountain");
  assert.ok("detail" in (await get("/scenes/99/script")));
  await server.stop();
});

test("of a scene that no draft has is empty", async () => {
  const { production, server, get } = await open();
  await production.import({ name: "a.json", text: '{"scenes":[{"number":"9","slugline":"INT. HALL - DAY"}]}' });
  const added = (await get("/scenes")).find(({ number }: { number: string }) => number === "9");
  assert.equal(await get(`/scenes/${added.node_id}/script`), { draft: null, elements: [] });
  await server.stop();
});

test("is on the page of the scene, and its words are found as they were last approved", async () => {
  const { production, server, get } = await open(blue);
  const admin = await openAsAdmin(server, production.production_id);
  assert.match(
    await admin.text("/scenes/1"),
    /<p class="parenthetical">\(low\)<\/p>[\s\S]*As approved, white\.fountain/,
  );
  const found = async (q: string) => (await get(`/search?q=${q}`)).map(({ label, rank }: any) => `${rank} ${label}`);
  assert.equal(await found("xylophone leave"), ["3 2 EXT. YARD - NIGHT"]);
  assert.match((await get("/search?q=xylophone"))[0].excerpt, /Leave the xylophone there/);
  assert.equal(await found("early"), []);
  await production.approve();
  assert.equal([await found("early"), await found("late")], [["3 1 INT. KITCHEN - DAY"], []]);
  assert.equal(await found("kitchen"), ["1 1 INT. KITCHEN - DAY"]);
  await server.stop();
});

const written = ({ store, production_id }: Awaited<ReturnType<typeof openImports>>, format: string, code?: string) => ({
  name: `again.${format}`,
  text: scriptOfProduction(store, { id: production_id, title: "The Test" }, format, code),
});

for (const format of ["fountain", "fdx"])
  test(`is written as ${format}, and plans nothing when it is read again`, async () => {
    const production = await openImports(white);
    await production.import(blue);
    await production.approve();
    const again = await production.import(written(production, format));
    assert.equal([again.changes, again.warnings], [[], []]);
    for (const name of [
      "the-silver-button.fdx",
      "the-silver-button.fountain",
      "the-saknussemm-cipher-101.fdx",
      "the-lighthouse.fountain",
    ]) {
      const text = readFileSync(new URL(`../../fixtures/paperwork/${name}`, import.meta.url));
      const fixture = await openImports({ name, text });
      const plan = await fixture.import(written(fixture, format));
      assert.equal([plan.changes, plan.warnings], [[], []], name);
    }
  });

test("that was dismissed is not written, and a draft that is as approved asks nothing", async () => {
  const production = await openImports(white);
  await production.import(blue);
  await production.dismiss();
  const file = written(production, "fountain");
  assert.match(file.text, /He is late/);
  assert.equal((await production.import(file)).changes, []);
});

test("of an episode is written by its code, and of a production without a script refused", async () => {
  const production = await openImports(white, { episode: "101" });
  assert.equal((await production.import(written(production, "fountain", "101"), { episode: "101" })).changes, []);
  assert.throws(() => written(production, "fountain"), /name the script with --episode CODE/);
  assert.throws(() => written(production, "fountain", "107"), /there is no episode 107/);
});

test("that an older version stored has a paragraph for each cue and for what is between two", () => {
  const of = (text: string) => paragraphsOf({ text }).map(({ type, text }) => `${type}: ${text}`);
  assert.equal(of("Rain. Smoke.\nADA\nHe is late. She goes.\nBEN\nWho?"), [
    "action: Rain. Smoke.",
    ...["character: ADA", "dialogue: He is late. She goes.", "character: BEN", "dialogue: Who?"],
  ]);
  assert.equal(of("ADA\nHello."), ["character: ADA", "dialogue: Hello."]);
  assert.equal(of(""), []);
});

test.run();

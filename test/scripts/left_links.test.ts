// A character that an approved change takes out of a scene: the link of an import goes, and about that of a person, a
// person is asked.
// Thorough: only --all runs it.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { mint, openTestServer } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { openImports, script } from "../support/import.ts";
import { openAsAdmin } from "../support/pages.ts";
import { now } from "../support/small_document.ts";

const test = suite("a character that a draft takes out of a scene");

const scenes = [
  "INT. KITCHEN - DAY #1#\n\nTea.\n\nADA\nHe is late.\n\nBEN\nWho?",
  "EXT. YARD - NIGHT #2#\n\nRain.\n\nADA\nLeave it there.",
];
const without = (scene: string): string => scene.replace(/\n\nADA\n.*(?=\n|$)/, "");

/**
 * A production whose drafts had ADA in both scenes; in scene 2 only CLEM, whom a person put there, in the cast and
 * among the assets.
 */
async function open() {
  const production = await openImports(script(scenes, "white.fountain"));
  await production.import({
    name: "by_hand.json",
    text: JSON.stringify({
      assets: [{ label: "CLEM", kind: "character" }],
      scenes: [{ number: "2", assets: ["ADA", "CLEM"], elements: { cast: ["ADA", "CLEM"] } }],
    }),
  });
  await production.import(script([without(scenes[0] as string), without(scenes[1] as string)], "blue.fountain"));
  return production;
}
const linksOf = async ({ export: exported }: Awaited<ReturnType<typeof open>>) => {
  const { scenes } = await exported();
  return scenes.map(({ assets = [] }: { assets: string[] }) => assets);
};

test("loses the links of imports, and keeps that of a person, with a question on the page", async () => {
  const production = await open();
  const server = await openTestServer({ data: dirname(production.store.file) });
  const admin = await openAsAdmin(server, production.production_id);
  const path = "/settings/script-changes";
  assert.not.match(await admin.text(path), /Still linked/);
  const ids = production.changes().map(({ id }) => id);
  assert.is((await admin.send(path, { ids: ids.map(String), decision: "approved" })).status, 303);
  assert.equal(await linksOf(production), [["BEN"], ["CLEM"]]);
  assert.match(await admin.text(path), /Still linked[\s\S]*>CLEM<\/a> is no longer in the cast of [^>]*>scene 2<\/a>/);
  assert.not.match(await admin.text(path), />ADA<\/a> is no longer/);
  const [, link] = /name="unlink" value="(\d+:\d+)"/.exec(await admin.text(path)) ?? [];
  assert.is((await admin.send(path, { unlink: link as string })).status, 303);
  assert.equal(await linksOf(production), [["BEN"], []]);
  assert.not.match(await admin.text(path), /Still linked/);
  await server.stop();
});

test("loses the link of a person where the approval answers about it", async () => {
  const production = await open();
  const { plan } = await production.approve(undefined, { unlink: ["Clem"] });
  assert.equal(plan?.warnings, []);
  assert.equal(await linksOf(production), [["BEN"], []]);
});

test("stays linked where somebody keeps it, which the history shows and an undo takes back, and no later draft asks again", async () => {
  const production = await open();
  const server = await openTestServer({ data: dirname(production.store.file) });
  const admin = await openAsAdmin(server, production.production_id);
  const path = "/settings/script-changes";
  await production.approve();
  const [, keep] = /name="keep" value="(\d+:CLEM)"/.exec(await admin.text(path)) ?? [];
  assert.is((await admin.send(path, { keep: keep as string })).status, 303);
  assert.not.match(await admin.text(path), /Still linked/);
  assert.match(await admin.text("/settings/history"), /Kept CLEM in scene 2/);
  assert.equal(await linksOf(production), [["BEN"], ["CLEM"]]);
  await server.stop();

  // A person writes him into the cast again; the next draft has a cast without him.
  const cast = { number: "2", elements: { cast: ["CLEM"] } };
  await production.import({ name: "by_hand.json", text: JSON.stringify({ scenes: [cast] }) });
  const later = [without(scenes[0] as string), `${without(scenes[1] as string)}\n\nBEN\nWho?`];
  await production.import(script(later, "pink.fountain"));
  const { plan } = await production.approve(undefined, { follow: true });
  assert.equal(plan?.warnings, []);
  assert.equal((await linksOf(production))[1]?.toSorted(), ["BEN", "CLEM"]);

  const [{ id }] = production.rows("SELECT id FROM change_sets WHERE summary = 'Kept CLEM in scene 2'");
  const kept = () => production.rows("SELECT kept FROM script_scenes WHERE kept <> '[]'").length;
  assert.is(kept(), 1);
  const { store, blobs } = production;
  await undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, async (work) => store.writeSync(work));
  assert.is(kept(), 0);
});

for (const order of ["before the draft", "while its change waits", "and wrote the name into the cast"])
  test(`whom a person linked to it ${order} stays linked when the next draft cuts the name, with a question`, async () => {
    const alone = [without(scenes[0] as string), scenes[1] as string];
    const production = await openImports(script(alone, "white.fountain"));
    const link = (scene: object) =>
      production.import({ name: "by_hand.json", text: JSON.stringify({ scenes: [{ number: "2", ...scene }] }) });
    const brought = [alone[0] as string, `${alone[1]}\n\nBEN\nWho?`];
    if (order === "while its change waits") await production.import(script(brought, "blue.fountain"));
    const cast = order.startsWith("and") ? { elements: { cast: ["ADA", "BEN"] } } : {};
    await link({ assets: ["ADA", "BEN"], ...cast });
    if (order !== "while its change waits") await production.import(script(brought, "blue.fountain"));
    if (production.changes().some(({ status }) => status === "pending")) await production.approve();
    assert.equal((await linksOf(production))[1]?.toSorted(), ["ADA", "BEN"]);
    assert.is(production.rows("SELECT 1 FROM script_scenes WHERE by_hand <> '[]'").length, 1);
    const again = await production.import(script(brought, "blue2.fountain"));
    assert.equal(again.changes, [], "the same draft again changes nothing");
    await production.import(script([alone[0] as string, alone[1] as string], "pink.fountain"));
    const { plan } = await production.approve();
    assert.match(plan?.warnings.join() ?? "", /^BEN is no longer in the cast of scene 2, but a person made the link/);
    assert.equal((await linksOf(production))[1]?.toSorted(), ["ADA", "BEN"]);
    const { store, blobs } = production;
    const sets = production.rows("SELECT id FROM change_sets ORDER BY id DESC LIMIT 2") as { id: number }[];
    for (const { id } of sets)
      await undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, async (work) => store.writeSync(work));
    assert.is(
      production.rows("SELECT 1 FROM script_scenes WHERE by_hand <> '[]'").length,
      1,
      "the undo gives the mark back",
    );
  });

test("whom a draft brought, and nobody else linked, leaves with the draft that cuts the name", async () => {
  const alone = [without(scenes[0] as string), scenes[1] as string];
  const production = await openImports(script(alone, "white.fountain"));
  await production.import(script([alone[0] as string, `${alone[1]}\n\nBEN\nWho?`], "blue.fountain"));
  await production.approve();
  await production.import(script(alone as string[], "pink.fountain"));
  const { plan } = await production.approve();
  assert.equal(plan?.warnings, []);
  assert.equal((await linksOf(production))[1], ["ADA"]);
});

test("is kept by the approval itself, and a name that is not linked is refused", async () => {
  const production = await open();
  const { plan, ids } = await production.approve(undefined, { keep: ["clem"] });
  assert.equal(plan?.warnings, []);
  assert.equal(await linksOf(production), [["BEN"], ["CLEM"]]);
  const refused = await production.approve(ids, { keep: ["DORA"] }).catch((error) => error);
  assert.is(refused.status, 422);
  assert.match(refused.message, /, and not DORA;/);
  const before = production.rows("SELECT count(*) AS sets FROM change_sets");
  const again = await production.approve(ids.slice(-1), { keep: ["CLEM"] }).catch((error) => error);
  assert.is(again.message, "scene 2 keeps CLEM already; nothing was changed");
  assert.equal(production.rows("SELECT count(*) AS sets FROM change_sets"), before);
  assert.is((await production.approve(ids).catch((error) => error)).status, 409);
});

test("is not asked about by a name that nobody linked has: a warning says so", async () => {
  const production = await open();
  const { plan } = await production.approve(undefined, { unlink: ["Dora"], keep: ["CLEM", "EVE"] });
  assert.equal(plan?.warnings, ["no change asks about a link of Dora and EVE: unlink and keep did nothing there"]);
  assert.equal(await linksOf(production), [["BEN"], ["CLEM"]]);
});

test("is told in the answer of both operations, and by the command", async () => {
  for (const path of ["decide", "one"]) {
    const production = await open();
    const server = await openTestServer({ data: dirname(production.store.file) });
    const key = mint(server.store, { production_id: production.production_id, scopes: ["read", "edit"] });
    const second = production.changes().find(({ scene_number }) => scene_number === "2")?.id as number;
    const [address, body] =
      path === "one"
        ? [`/api/v1/script-changes/${second}/decide`, { decision: "approved" }]
        : ["/api/v1/script-changes/decide", { ids: [second], decision: "approved" }];
    const headers = { "content-type": "application/json" };
    const answer = await server.ask(key, address, { method: "POST", headers, body: JSON.stringify(body) });
    const { id, warnings } = (await answer.json()) as { id: number; warnings: string[] };
    assert.is(id, second);
    assert.match(warnings[0] as string, /^CLEM is no longer in the cast of scene 2, but a person made the link/);
    const first = production.changes()[0]?.id as number;
    const other = await server.ask(key, `/api/v1/script-changes/${first}/decide`, {
      method: "POST",
      headers,
      body: '{"decision":"approved"}',
    });
    assert.not.ok("warnings" in ((await other.json()) as object));
    await server.stop();
  }
  const production = await open();
  const data = dirname(production.store.file);
  production.store.close();
  const { err, status } = await tallylight("script-changes", "approve", "--all", "--production", "1", "--data", data);
  assert.is(status, 0, err);
  assert.match(err, /warning: CLEM is no longer in the cast of scene 2, but a person made the link/);
});

test.run();

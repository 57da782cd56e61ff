// The page of script changes of a series: the two answers to a rename, and a scene that goes to another episode, with
// the vendors who see it.
// Thorough: only --all runs it.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { openImports, type PaperFile } from "../support/import.ts";
import { openAsAdmin } from "../support/pages.ts";

const draft = (episode: string, scenes: readonly string[]): PaperFile => ({
  name: `${episode}.fountain`,
  text: ["Title: Low Tide", `Episode: ${episode}`, "", ...scenes.flatMap((scene) => [scene, ""])].join("\n"),
});
const slipway = (number: string) =>
  `EXT. SLIPWAY - DAY #${number}#\n\nPIET hauls the dinghy up alone.\n\nPIET\nNobody ever looks at the knots.`;
const first = [
  "INT. CHANDLERY - DAY #1#\n\nRope on every hook.\n\nNORA\nForty-one.",
  "EXT. PIER - DUSK #2#\n\nA dinghy.\n\nNORA\nThere it is.",
];
const second = [
  "INT. CHANDLERY - MORNING #1#\n\nNORA\nForty-two.",
  slipway("2"),
  "EXT. MOLE - DAY #3#\n\nWind.\n\nNORA\nI looked.",
];
const plain = (text: string) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const path = "/settings/script-changes";

async function open() {
  const production = await openImports(draft("101", first));
  await production.import(draft("102", second), { new_episode: true });
  const server = await openTestServer({ data: dirname(production.store.file) });
  return { production, server, admin: await openAsAdmin(server, production.production_id) };
}

const test = suite("the script changes of a series");

for (const answer of ["everywhere", "episode"])
  test(`ask how a rename is meant, and one of the two buttons says ${answer}`, async () => {
    const { production, server, admin } = await open();
    await production.import(
      draft(
        "102",
        second.map((scene) => scene.replaceAll("NORA", "NORAH")),
      ),
    );
    const page = plain(await admin.text(path));
    assert.match(page, /NORA is in 2 scenes of 101, too\. How is it meant\?/);
    assert.match(page, /NORAH in every episode ?NORAH is a new character of 102/);
    const [change] = production.changes();
    const refused = await admin.send(path, { one: `approved:${change?.id}` });
    assert.is(refused.status, 422);
    assert.match(plain(await refused.text()), /renames NORA to NORAH in 102, and NORA is in 2 scenes of 101, too/);
    assert.is((await admin.send(path, { one: `${answer}:${change?.id}` })).status, 303);
    const labels = production
      .rows("SELECT label FROM nodes WHERE kind = 'character' ORDER BY label")
      .map(({ label }) => label);
    assert.equal(labels, answer === "everywhere" ? ["NORAH", "PIET"] : ["NORA", "NORAH", "PIET"]);
    await server.stop();
  });

test("show a scene that goes to another episode, and the vendors who see it", async () => {
  const { production, server, admin } = await open();
  const scene = one<number>(production.store, "SELECT node_id FROM scenes WHERE number = '2' AND episode_id = 2");
  await production.import({
    name: "v.json",
    text: JSON.stringify({
      vendors: [{ name: "Harbour VFX" }],
      engagements: [
        {
          title: "Slipway",
          vendor: "Harbour VFX",
          grants: [{ verb: "read", scene: "102/2", created_at: "2026-11-01T00:00:00.000Z" }],
        },
      ],
    }),
  });
  await production.import(draft("102", [second[0] as string, "OMITTED #2#", second[2] as string]));
  await production.import(draft("101", [...first, slipway("2A")]));
  const page = plain(await admin.text(path));
  assert.match(page, /Scene 101\/2A moved/);
  assert.match(page, /episode 102 → 101|102 101/);
  assert.match(page, /Harbour VFX/);
  const token = mint(production.store, { production_id: production.production_id, scopes: ["read"] });
  const [change] = await server.get<any[]>(token, "/script-changes?all_episodes=true&include=concerns");
  assert.equal([change.kind, change.concerns.vendors], ["moved", ["Harbour VFX"]]);
  assert.is((await admin.send(path, { one: `approved:${change.id}` })).status, 303);
  assert.is(one(production.store, "SELECT node_id FROM scenes WHERE number = '2A'"), scene);
  assert.is(one(production.store, "SELECT count(*) FROM grants WHERE node_id = ?", scene), 1);
  await server.stop();
});

for (const chosen of ["every", "waiting"])
  test(`decide all (${chosen}) but a rename that other episodes have, and say so; of one episode, its own alone`, async () => {
    const { production, server, admin } = await open();
    const norah = second.map((scene) => scene.replaceAll("NORA", "NORAH"));
    await production.import(draft("102", [...norah.slice(0, 2), ...norah.slice(2).map((text) => `${text} Twice.`)]));
    await production.import(draft("101", [...first.slice(0, 1), `${first[1]} At last.`]));
    const kinds = () =>
      production
        .changes()
        .map(({ fields, episode_code }) => `${episode_code} ${fields.character ? "rename" : "scene"}`);
    assert.equal(kinds().toSorted(), ["101 scene", "102 rename", "102 scene"]);
    const all = production.changes();
    const newest = String(Math.max(...all.map(({ id }) => id)));
    const sentOf = (episode?: string) => {
      const shown = all.filter(({ episode_code }) => episode === undefined || episode_code === episode);
      return {
        decision: "approved",
        shown: shown.map(({ id }) => id).join(" "),
        ...(chosen === "every" ? { every: "1" } : { waiting: newest }),
      };
    };
    const of101 = one<number>(production.store, "SELECT id FROM episodes WHERE code = '101'");
    assert.is((await admin.send(`${path}?episode_id=${of101}`, sentOf("101"))).status, 303);
    assert.equal(kinds().toSorted(), ["102 rename", "102 scene"]);
    const sent = sentOf("102");
    const done = await admin.send(path, sent);
    assert.is(done.status, 303);
    assert.equal(kinds(), ["102 rename"]);
    const said = plain(await admin.text(done.headers.get("location") as string));
    assert.match(
      said,
      /left to decide: NORA is NORAH in 102, and NORA is in 2 scenes of 101, too; its two buttons say/i,
    );
    const [rename] = production.changes();
    const alone = { ...sent, shown: String(rename?.id) };
    const refused = await admin.send(path, alone);
    assert.is(refused.status, 422);
    assert.match(plain(await refused.text()), /renames NORA to NORAH in 102/);
    assert.is((await admin.send(path, { ...alone, decision: "dismissed" })).status, 303);
    assert.equal(kinds(), []);
    await server.stop();
  });

test.run();

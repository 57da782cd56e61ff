// The page of script changes of a series: the two answers to a rename, and a scene that goes to another episode, with
// the vendors who see it.
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

test.run();

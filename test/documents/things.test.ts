// A thing that an edit form shows: it is read alone, and it is the same that reading its whole section gives.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { editableSections } from "../../src/features/documents/edit_scope.ts";
import { lastChange } from "../../src/features/documents/recording.ts";
import type { Raw } from "../../src/features/documents/sections/form.ts";
import { sceneName } from "../../src/features/documents/sections/sections.ts";
import { StoredProduction } from "../../src/features/documents/stored.ts";
import { storedSection, storedThing } from "../../src/features/documents/things.ts";
import { textsIn } from "../../src/features/names/sluglines.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { mint, openTestServer } from "../support/app.ts";

const server = await openTestServer();
const { store } = server;
const adminOf = (production_id: number) => ({ ...localAdmin(store, new Date().toISOString()), production_id });

/** The names of the scenes that list an asset, which are stored with the scenes. */
const scenesOf = (whole: StoredProduction, { ref, label }: Raw): string[] =>
  whole.items("scenes").flatMap(({ raw }) => {
    const isIn = textsIn(raw.assets).includes(String(ref ?? label));
    return isIn ? sceneName(String(raw.number), raw.episode as string | undefined) : []; // as the schema has it
  });

const things = suite("a stored thing");
things.after(() => server.stop());

const productions = store.database.prepare("SELECT id FROM productions ORDER BY id").pluck().all() as number[];

things("is the same as in its section, for every thing of every section that has a form", () => {
  for (const production_id of productions)
    for (const section of editableSections) {
      const whole = new StoredProduction(store, production_id);
      const items = whole.items(section);
      assert.equal(storedSection(adminOf(production_id), section).items, items);
      for (const { id, raw } of items) {
        const thing = storedThing(adminOf(production_id), section, id);
        const { scenes, ...own } = thing.raw;
        assert.equal(section === "assets" ? own : thing.raw, raw, `${section} ${id}`);
        if (section === "assets") assert.equal(scenes ?? [], scenesOf(whole, raw), `the scenes of asset ${id}`);
        for (const noun of ["scene", "asset", "person"] as const)
          assert.equal(thing.names(noun), [...whole.ids(noun).keys()]);
      }
    }
});

things("does not exist in another production or section", () => {
  const [first = 0, second = 0] = productions;
  const refused = (production_id: number, section: (typeof editableSections)[number], id: number) =>
    assert.throws(() => storedThing(adminOf(production_id), section, id), "not found");
  const ids = (production_id: number) => storedSection(adminOf(production_id), "scenes").items.map(({ id }) => id);
  for (const id of ids(first)) {
    refused(second, "scenes", id);
    refused(first, "assets", id);
  }
  assert.equal(storedThing(adminOf(first), "scenes", undefined).raw, {});
});

things("names who changed a field last, unless a change set since then is too large to be searched", async () => {
  const [production_id = 0] = productions;
  const key = mint(store, { production_id, scopes: ["read", "admin"], label: "the office" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const imported = async (people: object[]) => {
    const body = JSON.stringify({ people });
    const answer = await fetch(`${server.url}/api/v1/admin/import`, { method: "POST", headers, body });
    assert.is(answer.status, 200, await answer.text());
  };
  await imported([{ name: "Kim Lind", role: "runner" }]);
  await imported([{ name: "Kim Lind", role: "driver" }]);
  const { items } = storedSection(adminOf(production_id), "people");
  const id = items.find(({ raw }) => raw.name === "Kim Lind")?.id as number;
  const actorOf = async () => (await lastChange(adminOf(production_id), "people", id, "role"))?.actor;
  assert.match((await actorOf()) ?? "", /the office/);
  await imported(Array.from({ length: 5_001 }, (_, at) => ({ name: `Extra ${at}`, role: "extra" })));
  assert.is(await actorOf(), undefined);
});
things.run();

// Properties of updates over random edits: the plan is what happens, ids stay, and an edit can be taken back.
// Thorough: only --all runs it.
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listTurnovers } from "../../src/graph/turnovers.ts";
import { sampling } from "../support/sampling.ts";
import { documentOf, type Json, openProduction, silverButton } from "../support/update.ts";

const document = documentOf(silverButton);
const properties = suite("updates by random documents");

const text = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme-ascii" }).map((value) => `x${value.trim()}`);
const oneOf = <T>(list: readonly T[]) => fc.integer({ min: 0, max: list.length - 1 }).map((at) => list[at] as T);
const named = ({ ref, label, title }: Json) => ref ?? label ?? title;
const refsOf = (item: Json) => (item.ref === undefined ? {} : { ref: item.ref });

/** Partial documents, each with one section. None of them names a thing twice. */
const edit: fc.Arbitrary<Json> = fc.oneof(
  fc
    .tuple(oneOf(document.scenes as Json[]), oneOf(["planned", "active", "done", "omitted"]), text)
    .map(([{ number }, status, synopsis]) => ({ scenes: [{ number, status, synopsis }] })),
  fc
    .tuple(oneOf(document.scenes as Json[]), oneOf(document.assets as Json[]))
    .map(([{ number }, asset]) => ({ scenes: [{ number, assets: [named(asset)] }] })),
  fc
    .tuple(oneOf(document.scenes as Json[]), text)
    .map(([{ number }, slugline]) => ({ scenes: [{ number }, { number: `${number}ZZ`, slugline }] })),
  fc
    .tuple(oneOf(document.assets as Json[]), text, oneOf(["planned", "active", "done"]))
    .map(([asset, label, status]) => ({
      assets: [
        { ...refsOf(asset), label: asset.label, status },
        { label: `new ${label}`, kind: "prop" },
      ],
    })),
  fc.tuple(oneOf(document.schedule as Json[]), oneOf(document.scenes as Json[]), text).map(([day, scene, status]) => ({
    schedule: [{ day_number: day.day_number, scenes: [scene.number], status }],
  })),
  fc.tuple(oneOf(document.people as Json[]), text, fc.boolean()).map(([{ name }, role, active]) => ({
    people: [{ name, role, active }],
  })),
  fc.tuple(oneOf(document.deliveries as Json[]), oneOf(["draft", "ready", "sent"])).map(([delivery, status]) => ({
    deliveries: [
      {
        ...refsOf(delivery),
        title: delivery.title,
        status,
        sent_at: status === "sent" ? "2026-01-01T00:00:00.000Z" : null,
      },
    ],
  })),
  fc
    .tuple(oneOf(document.departments as Json[]), text)
    .map(([{ slug }, mission]) => ({ departments: [{ slug, mission }] })),
  fc.tuple(oneOf(document.scenes as Json[]), text).map(([{ number }, other]) => ({
    scenes: [{ number: `${number}${other.replace(/[^a-z]/g, "")}Q`, was: number }],
  })),
);

const ids = (production: Json): Set<string> =>
  new Set(
    ["nodes", "people", "deliveries", "shoot_days", "versions", "engagements", "grants", "submissions"].flatMap(
      (table) => production.rows(`SELECT '${table} ' || id AS id FROM ${table}`).map(({ id }: Json) => id as string),
    ),
  );

/** A document without what an update always leaves. */
const lasting = (document: Json): Json =>
  JSON.parse(JSON.stringify({ ...document, activity: [] }, (key, value) => (key === "updated_at" ? undefined : value)));

const bundles = ({ store, production_id }: Json): string[] =>
  store.database
    .prepare("SELECT node_id FROM scenes ORDER BY node_id")
    .pluck()
    .all()
    .map((node_id: number) =>
      store
        .plucked("get_scene_bundle")
        .get({ production_id, engagement_id: null, now: "2030-01-01T00:00:00.000Z", node_id }),
    );

properties("the plan is what the import does, ids stay, and a second import changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
      const production = await openProduction();
      const before = ids(production);
      for (const one of edits) {
        const planned = await production.update(one, { dry_run: true }).catch(() => undefined);
        if (planned === undefined) continue; // a former edit renamed what this one names
        const applied = await production.update(one);
        const known = (changes: Json[]) => changes.map(({ id: _, ...change }) => change);
        assert.equal(known(applied.changes as Json[]), known(planned.changes as Json[]));
        assert.equal(applied.counts, planned.counts);
        assert.equal((await production.update(one)).changes, [], JSON.stringify(one));
      }
      assert.equal([...before.difference(ids(production))], []);
      assert.equal((await production.update(await production.export(), { exact: true })).changes, []);
      assert.equal(production.store.database.pragma("foreign_key_check"), []);
    }),
    sampling(8),
  );
});

properties(
  "an exact import of the former document takes an edit back: every former bundle has its former text",
  async () => {
    await fc.assert(
      fc.asyncProperty(edit, async (one) => {
        const production = await openProduction();
        const before = await production.export();
        const former = bundles(production);
        await production.update(one);
        const [renamed] = one.scenes ?? [];
        const back =
          renamed?.was === undefined
            ? before
            : {
                ...before,
                scenes: before.scenes.map((scene: Json) =>
                  scene.number === renamed.was ? { ...scene, was: renamed.number } : scene,
                ),
              };
        await production.update(back, { exact: true });
        const after = await production.export();
        const added = new Set(after.scenes.map(({ number }: Json) => number));
        for (const { number } of before.scenes) added.delete(number); // a scene never goes
        after.scenes = after.scenes.filter(({ number }: Json) => !added.has(number));
        assert.equal(lasting(after), lasting(before));
        assert.equal(bundles(production).slice(0, former.length), former);
      }),
      sampling(8),
    );
  },
);

/** Edits that reach nothing that a vendor was granted. */
const elsewhere: fc.Arbitrary<Json> = fc.oneof(
  fc.tuple(oneOf(document.people as Json[]), text).map(([{ name }, role]) => ({ people: [{ name, role }] })),
  fc
    .tuple(oneOf(document.departments as Json[]), text)
    .map(([{ slug }, mission]) => ({ departments: [{ slug, mission }] })),
  text.map((label) => ({
    assets: [{ label: `new ${label}`, kind: "prop" }],
    scenes: [{ number: "999", slugline: label }],
  })),
  text.map((description) => ({
    vendors: ["Another Vendor"],
    purchase_orders: [{ account: "9999", vendor: "Another Vendor", description, amount: 1, date: "2026-11-01" }],
  })),
);

properties(
  "a vendor's answers stay byte for byte the same if an edit reaches nothing that it was granted",
  async () => {
    const production = await openProduction();
    const { store, production_id } = production;
    const now = "2026-11-01T00:00:00.000Z";
    const engagements = store.database.prepare("SELECT id FROM engagements ORDER BY id").pluck().all() as number[];
    const nodes = store.database.prepare("SELECT node_id FROM scenes ORDER BY node_id").pluck().all() as number[];
    const answers = () =>
      engagements.flatMap((engagement_id) => {
        const reach = { production_id, engagement_id, now };
        return [
          ...nodes.map((node_id) => store.plucked("get_scene_bundle").get({ ...reach, node_id })),
          listTurnovers.statement(store, reach).text,
          store.plucked("get_purchase_orders").get(reach),
        ];
      });
    const before = answers();
    assert.ok(before.filter((answer) => answer !== undefined).length > 10, "the vendors reach something");
    await fc.assert(
      fc.asyncProperty(elsewhere, async (one) => {
        await production.update(one);
        assert.equal(answers(), before, JSON.stringify(one));
      }),
      sampling(12),
    );
  },
);

properties.run();

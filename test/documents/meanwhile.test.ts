// What others change between the moment at which an update is compared and that at which it is applied: their changes
// stay, nothing is added twice, and what cannot be applied is refused by name.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Plan } from "../../src/features/documents/planned.ts";
import { updateFrom } from "../../src/features/documents/production_update.ts";
import { partialDocument } from "../../src/features/documents/read/read.ts";
import type { WritePlan } from "../../src/features/documents/update_input.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { now } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const test = suite("an update beside other writers");

/** A production, and an update of it before whose transactions something else is written. */
async function openContested() {
  const production = await openProduction();
  const { store, blobs, folder, production_id } = production;
  async function update(document: Json, meanwhile: (attempt: number) => Promise<unknown>): Promise<[Plan, number]> {
    const given = await partialDocument(document, "given.json", folder);
    let attempts = 0;
    const write: WritePlan = async (work) => {
      await meanwhile(++attempts);
      return store.writeSync(work);
    };
    const request = { production_id, exact: false, dry_run: false };
    return [await updateFrom(localAdmin(store, now), blobs, [given], request, write), attempts];
  }
  return { ...production, beside: production.update, update };
}

const scene = (number: string, fields: Json) => ({ scenes: [{ number, ...fields }] });

test("is applied at once where others change other things, also other rows of the same table", async () => {
  const { update, beside, rows } = await openContested();
  const [plan, attempts] = await update(scene("1", { synopsis: "She waits." }), () =>
    beside({ ...scene("2", { synopsis: "He leaves." }), assets: [{ label: "Lamp", kind: "prop" }] }),
  );
  assert.is(attempts, 1);
  assert.is(plan.counts.changed, 1);
  const synopses = rows("SELECT synopsis FROM scenes WHERE number IN ('1', '2') ORDER BY number");
  assert.equal(synopses, [{ synopsis: "She waits." }, { synopsis: "He leaves." }]);
});

test("is compared again where others change the same thing, whose other fields stay as they are then", async () => {
  const { update, beside, rows } = await openContested();
  const [plan, attempts] = await update(scene("1", { synopsis: "She waits." }), async (attempt) => {
    if (attempt === 1) await beside(scene("1", { synopsis: "He leaves.", slugline: "INT. ROOM - NIGHT" }));
  });
  assert.is(attempts, 2);
  assert.equal(plan.changes[0]?.fields, { synopsis: { from: "He leaves.", to: "She waits." } });
  assert.equal(rows("SELECT synopsis, slugline FROM scenes WHERE number = '1'"), [
    { synopsis: "She waits.", slugline: "INT. ROOM - NIGHT" },
  ]);
});

test("adds nothing that somebody else has added meanwhile", async () => {
  const { update, beside, rows } = await openContested();
  for (const [document, count] of [
    [{ assets: [{ label: "Lamp", kind: "prop" }] }, "SELECT count(*) AS count FROM nodes WHERE label = 'Lamp'"],
    [{ people: [{ name: "Zoë Ray", role: "Grip" }] }, "SELECT count(*) AS count FROM people WHERE name = 'Zoë Ray'"],
    [
      {
        purchase_orders: [{ account: "1", vendor: "Torran", description: "Rope", amount: 1, date: "2026-01-01" }],
        vendors: ["Torran"],
      },
      "SELECT count(*) AS count FROM purchase_orders WHERE description = 'Rope'",
    ],
  ] as [Json, string][]) {
    const [plan] = await update(structuredClone(document), async (attempt) => {
      if (attempt === 1) await beside(document);
    });
    assert.equal(plan.changes, []);
    assert.equal(rows(count), [{ count: 1 }]);
  }
});

test("puts a scene where it stands in its document, though all scenes get other places meanwhile", async () => {
  const { update, beside, export: exported } = await openContested();
  const numbers = async () => (await exported()).scenes.map(({ number }: Json) => number);
  const before = await numbers();
  const after = (number: string, added: string) => ({
    scenes: [{ number }, { number: added, slugline: "INT. NEW - DAY" }],
  });
  // Each goes between the first two scenes, until no number is left there.
  const moved = before.slice(-12);
  const ordered = [before[0], ...moved.toReversed(), ...before.slice(1, -12)];
  const [, attempts] = await update(after(before[19], "HERE"), async (attempt) => {
    if (attempt > 1) return;
    for (const at of moved.keys()) {
      const own = moved.slice(0, at + 1).toReversed();
      const rest = before.slice(1).filter((number: string) => !own.includes(number));
      await beside({ scenes: [before[0], ...own, ...rest].map((number) => ({ number })) });
    }
  });
  assert.is(attempts, 2);
  const place = ordered.indexOf(before[19]) + 1;
  assert.equal(await numbers(), [...ordered.slice(0, place), "HERE", ...ordered.slice(place)]);
});

test("is compared again where what it refers to is gone", async () => {
  const { update, beside } = await openContested();
  await beside({ people: [{ name: "Zoë Ray", role: "Grip" }] });
  const given = { approvals: [{ title: "The rope", steps: [{ person: "Zoë Ray" }] }] };
  const refused = await update(given, async (attempt) => {
    if (attempt === 1) await beside({ people: [{ name: "Zoe Ray", was: "Zoë Ray" }] });
  }).catch(String);
  assert.ok(Array.isArray(refused), "another name of the same person is no reason");
});

test("is refused where others change the same field before each try, and may be tried again later", async () => {
  const { update, beside, rows } = await openContested();
  const refusal = await update(scene("1", { synopsis: "She waits." }), (attempt) =>
    beside(scene("1", { synopsis: `Round ${attempt}.` })),
  ).catch((error: { status: number; message: string }) => error);
  const { status, message, headers } = refusal as { status: number; message: string; headers: Record<string, string> };
  assert.is(status, 503);
  assert.is(headers["retry-after"], "5");
  assert.match(message, /^the production changed each time it was compared; nothing was changed; try again in 5 s$/);
  assert.match(rows("SELECT synopsis FROM scenes WHERE number = '1'")[0].synopsis, /^Round \d+\.$/);
});

test("has the time of its commit, not that of its request, in rows, events, activity and history", async () => {
  const { store, blobs, folder, production_id, rows } = await openProduction();
  const commit = "2027-01-02T03:04:05.678Z";
  const given = await partialDocument(scene("1", { synopsis: "She waits." }), "given.json", folder);
  const request = { production_id, exact: false, dry_run: false };
  await updateFrom(localAdmin(store, now), blobs, [given], request, async (work) =>
    store.writeSync(() => work(commit)),
  );
  const newest = (column: string, table: string) =>
    rows(`SELECT ${column} AS at FROM ${table} ORDER BY id DESC LIMIT 1`);
  const scenes = rows("SELECT n.updated_at AS at FROM nodes n JOIN scenes s ON s.node_id = n.id WHERE s.number = '1'");
  const found = [scenes, ...["events", "activity", "change_sets"].map((table) => newest("created_at", table))];
  assert.equal(
    found.flat(),
    Array.from({ length: 4 }, () => ({ at: commit })),
  );
});

test.run();

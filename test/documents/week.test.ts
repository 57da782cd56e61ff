// A week of a shoot: what happens to a production, as documents say it.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Json, openProduction } from "../support/update.ts";

const week = suite("a week of a shoot");
const production = await openProduction();
const before: Json = await production.export();
const idsBefore = production.rows("SELECT id, label FROM nodes ORDER BY id");
const changesOf = (plan: Json) => plan.changes.map(({ section, key, action }: Json) => `${action} ${section} ${key}`);

week("adds a scene after the one before it, and omits another", async () => {
  const [first, second, third] = before.scenes;
  const plan = await production.update({
    scenes: [
      { number: first.number },
      { number: "1A", slugline: "EXT. HARBOUR - DAWN", assets: first.assets ?? [] },
      { number: third.number, status: "omitted" },
    ],
  });
  assert.equal(changesOf(plan), [`change scenes ${third.number}`, "add scenes 1A"]);
  const numbers = (await production.export()).scenes.map(({ number }: Json) => number);
  assert.equal(numbers.slice(0, 4), [first.number, "1A", second.number, third.number]);
});

week("renumbers a scene, and everything that refers to it follows", async () => {
  const scheduled = before.schedule[0].scenes[0];
  const plan = await production.update({ scenes: [{ number: "99Z", was: scheduled }] });
  assert.equal(
    plan.changes.map(({ key, fields }) => [key, fields]),
    [["99Z", { number: { from: scheduled, to: "99Z" } }]],
  );
  assert.is((await production.export()).schedule[0].scenes[0], "99Z");
  assert.equal(
    (await production.update({ scenes: [{ number: "99Z", was: scheduled }] })).changes,
    [],
    "a second time changes nothing",
  );
  await production.update({ scenes: [{ number: scheduled, was: "99Z" }] });
});

week("swaps two shoot days", async () => {
  const [one, other] = before.schedule;
  const plan = await production.update({
    schedule: [
      { day_number: one.day_number, date: other.date },
      { day_number: other.day_number, date: one.date, general_call: "06:30" },
    ],
  });
  assert.is(plan.counts.changed, 2);
  assert.equal(plan.warnings, []);
  const [{ summary }] = production.rows("SELECT summary FROM activity ORDER BY id DESC LIMIT 1");
  assert.match(summary, /^Schedule: day \d+ and day \d+ swapped; day \d+: crew call .+ -> 06:30$/);
});

week("adds a person, and keeps one who left in the history", async () => {
  const [gone] = before.people;
  await production.update({
    people: [
      { name: "Isla Rae", role: "Script supervisor" },
      { name: gone.name, active: false },
    ],
  });
  const [approval] = before.approvals.filter(({ status }: Json) => status === "pending");
  const problems = await production.problems({
    approvals: [{ title: "New approval", steps: [{ person: gone.name }] }],
  });
  assert.equal(problems, [
    `approvals[0] (approval New approval).steps[0] (step of ${gone.name}).person must not name "${gone.name}", who left the production`,
  ]);
  assert.ok(approval !== undefined);
});

week("sends a delivery, which stamps the time, and takes it back", async () => {
  const [delivery] = before.deliveries.filter(({ status }: Json) => status !== "sent" && status !== "accepted");
  const title = delivery.ref ?? delivery.title;
  const plan = await production.update(
    { deliveries: [{ title, status: "sent" }] },
    { now: "2026-11-21T10:00:00.000Z" },
  );
  assert.equal((plan.changes[0] as Json).fields.sent_at, { from: null, to: "2026-11-21T10:00:00.000Z" });
  const back = await production.update({ deliveries: [{ title, status: "draft" }] });
  assert.equal((back.changes[0] as Json).fields.sent_at, { from: "2026-11-21T10:00:00.000Z", to: null });
});

week("closes a purchase order and starts a cost report", async () => {
  const [order] = before.purchase_orders;
  const { account, vendor, description, date } = order;
  const plan = await production.update({
    purchase_orders: [{ account, vendor, description, date, status: "closed" }],
    cost_reports: [
      { week_of: "2030-01-07", active: true, lines: [{ account, department: before.departments[0].slug, budget: 10 }] },
    ],
  });
  assert.is(plan.counts.added, 1);
  const reports = (await production.export()).cost_reports;
  assert.equal(
    reports.filter(({ active }: Json) => active).map(({ week_of }: Json) => week_of),
    ["2030-01-07"],
  );
});

week("keeps every id", () => {
  const after = production.rows("SELECT id, label FROM nodes ORDER BY id");
  assert.equal(after.slice(0, idsBefore.length), idsBefore);
});

week("takes everything back with the first document, but for what was recorded", async () => {
  await production.update(before, { exact: true, now: "2026-11-22T10:00:00.000Z" }).catch((error) => {
    throw new Error(`${error.message}\n${error.lines?.join("\n")}`);
  });
  const after = await production.export();
  const untimed = (document: Json) =>
    JSON.parse(
      JSON.stringify({ ...document, activity: [] }, (key, value) => (key === "updated_at" ? undefined : value)),
    );
  after.scenes = after.scenes.filter(({ number }: Json) => number !== "1A");
  assert.equal(untimed(after), untimed(before));
});

week.run();

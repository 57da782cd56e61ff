// The time zone of a production and of a shoot day: documents, answers, today, ends of dates, and the pages.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ProductionId } from "../../src/core/ids.ts";
import type { ListKind } from "../../src/features/documents/kinds.ts";
import { StoredProduction } from "../../src/features/documents/stored.ts";
import { listOfProduction } from "../../src/features/lists/exporters.ts";
import { listOfKind } from "../../src/features/lists/lists.ts";
import { storedNames } from "../../src/features/paperwork/names.ts";
import { mint, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Row = Record<string, any>;

let now = Date.parse("2026-05-03T03:00:00Z");
const server = await openTestServer({ clock: () => now });
const { store, get, ask } = server;
const { feature } = seedDataOf(store);
const key = mint(store, { production_id: feature, scopes: ["read", "write", "admin"], label: "AD" });

const send = async (path: string, body: object): Promise<{ status: number; answer: Row }> => {
  const headers = { "content-type": "application/json" };
  const response = await ask(key, `/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, answer: (await response.json()) as Row };
};
const change = (document: object) => send("/admin/import", document);

const zones = suite("the time zone of a production");

zones("is absent at first, is set by a document, spelled as usual, and taken away by null", async () => {
  assert.not.ok("time_zone" in (await get(key, "/production")));
  assert.is((await change({ production: { time_zone: "america/los_angeles" } })).status, 200);
  assert.is((await get(key, "/production")).time_zone, "America/Los_Angeles");
  assert.is((await get(key, "/admin/export")).production.time_zone, "America/Los_Angeles");
  assert.is((await change({ production: { time_zone: null } })).status, 200);
  assert.not.ok("time_zone" in (await get(key, "/production")));
});

zones("an offset and an unknown name are 422 by their place, of a shoot day too", async () => {
  for (const time_zone of ["+02:00", "Europe/Atlantis", "GMT+2"]) {
    const { status, answer } = await change({ production: { time_zone } });
    assert.is(status, 422);
    assert.match(answer.detail, "production.time_zone must be the name of a time zone such as Europe/Budapest");
  }
  const { status, answer } = await change({ schedule: [{ day_number: 1, time_zone: "-08:00" }] });
  assert.is(status, 422);
  assert.match(answer.detail, "time_zone must be the name of a time zone");
});

zones("decides what today is, and when a date of a key or a grant ends; later changes move nothing", async () => {
  const on = async () => (await get(key, "/progress")).on;
  await change({ production: { time_zone: "America/Los_Angeles" } });
  assert.is(await on(), "2026-05-02");
  const minted = await send("/admin/keys", { label: "Short", scopes: ["read"], expires: "2026-05-05" });
  assert.is(minted.status, 200);
  await change({ production: { time_zone: "Asia/Seoul" } });
  assert.is(await on(), "2026-05-03");
  const listed = (await get(key, "/admin/keys")).find(({ label }: Row) => label === "Short");
  assert.is(listed.expires_at, "2026-05-06T06:59:59.999Z");
});

zones("a shoot day has its own in /schedule and in its bundle; others are as before", async () => {
  const number = (await get(key, "/schedule"))[0].day_number;
  await change({
    production: { time_zone: "Asia/Seoul" },
    schedule: [{ day_number: number, time_zone: "Europe/Budapest" }],
  });
  const [first, second] = await get(key, "/schedule");
  assert.is(first.time_zone, "Europe/Budapest");
  assert.not.ok("time_zone" in second);
  assert.is((await get(key, `/bundles/day/${first.id}`)).day.time_zone, "Europe/Budapest");
});

zones("the pages name the year of what is not of this year by the server's clock", async () => {
  const admin = await signIn(server, key);
  assert.match(await admin.text("/activity"), />Sun 3 May</);
  const before = now;
  now = Date.parse("2031-05-03T03:00:00Z");
  const later = await signIn(server, key);
  assert.match(await later.text("/activity"), />Sun 3 May 2026</);
  now = before;
});

zones("the pages name it, and show its times", async () => {
  const admin = await signIn(server, key);
  const [first, second] = await get(key, "/schedule");
  assert.match(await admin.text(`/days/${first.id}`), "times of Budapest");
  assert.match(await admin.text(`/days/${first.id}/sheet`), "times of Budapest");
  assert.match(await admin.text(`/days/${second.id}`), "times of Seoul");
  const activity = await admin.text("/activity");
  assert.match(activity, "Times of Seoul");
  assert.match(activity, />Sun 3 May<[^§]*>12:00</);
  const saved = await admin.send("/settings/time-zone", { time_zone: "Asia/Kolkata" });
  assert.is(saved.status, 303);
  assert.match(await admin.text("/activity"), />Sun 3 May<[^§]*>08:30</);
  for (const time_zone of ["+02:00", "Europe/Londn"]) {
    const refused = await admin.send("/settings/time-zone", { time_zone });
    assert.is(refused.status, 422);
    assert.match(await refused.text(), ">Time zone must be the name of a time zone such as Europe/Budapest.<");
  }
  assert.is((await get(key, "/production")).time_zone, "Asia/Kolkata");
});

zones(
  "lists are exported with its times, and a date in them is the date there; a day's own zone is a column",
  async () => {
    await change({
      production: { time_zone: "Asia/Kolkata" },
      deliveries: [{ title: "Plates", status: "sent", sent_at: "2026-05-01T20:00:00.000Z" }],
      schedule: [{ day_number: 905, date: "2026-05-09", time_zone: "Europe/Budapest" }],
    });
    const exported = (as: ListKind) => listOfProduction(store, feature as ProductionId, as);
    assert.match(exported("deliveries"), /^Plates,.*2026-05-02T01:30:00\.000\+05:30/m);
    assert.match(exported("schedule"), /^905,2026-05-09,.*Europe\/Budapest/m);
    const names = storedNames(new StoredProduction(store, feature)).known;
    const read = (kind: ListKind, text: string) => listOfKind(kind).read(Buffer.from(text), { known: names }).document;
    assert.is(
      read("deliveries", "Title,Sent\nPlates,2026-05-02\n").deliveries?.[0]?.sent_at,
      "2026-05-01T18:30:00.000Z",
    );
    const again = read("deliveries", exported("deliveries")).deliveries ?? [];
    assert.is(
      Date.parse(again.find(({ title }) => title === "Plates")?.sent_at ?? ""),
      Date.parse("2026-05-01T20:00Z"),
    );
    assert.is(
      read("schedule", exported("schedule")).schedule?.find((one) => one.day_number === 905)?.time_zone,
      "Europe/Budapest",
    );
  },
);

zones("a sheet names the date of a pick-up before midnight, and an invitation the zone of its times", async () => {
  await change({
    people: [{ name: "Night Grip", role: "Grip" }],
    schedule: [
      {
        ...{ day_number: 906, date: "2026-05-10", general_call: "01:00", wrap: "12:00" },
        calls: [{ who: "Night Grip", time: "01:00", pickup: "23:30", makeup: "00:15" }],
      },
    ],
  });
  const admin = await signIn(server, key);
  const { id } = (await get(key, "/schedule")).find((one: Row) => one.day_number === 906);
  assert.match(await admin.text(`/days/${id}/sheet`), "Pick-up 23:30, Sat 9 May, Make-up 00:15<");
  const invited = await (await admin.send("/settings/keys", { action: "invite", label: "Guest", role: "read" })).text();
  const [link = ""] = /\/invitation\?code=[\w-]+/.exec(invited) ?? [];
  assert.match(await (await fetch(server.url + link)).text(), /Until 4 May, \d\d:30, time of Kolkata/);
});

zones("Today stays on the night that runs, on its page and on the board", async () => {
  await change({
    production: { time_zone: "UTC" },
    schedule: [
      { day_number: 901, date: "2026-05-01", general_call: "08:00", wrap: "20:00" },
      { day_number: 902, date: "2026-05-02", general_call: "18:00", wrap: "05:30" },
      { day_number: 903, date: "2026-05-03", general_call: "10:00", wrap: "19:00" },
    ],
  });
  const admin = await signIn(server, key);
  assert.match(await admin.text("/"), /<h1>Day 902 /);
  assert.match(await admin.text("/schedule"), />Day 902<\/a> [^<]* is today/);
  now = Date.parse("2026-05-03T05:30:00Z");
  assert.match(await admin.text("/"), /<h1>Day 903 /);
});

zones.after(() => server.close());
zones.run();

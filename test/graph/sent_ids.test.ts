// The ids of submissions and media tell a vendor nothing of what others send: two of them tell the time between them,
// whatever was sent then.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

let now = Date.parse("2026-11-20T09:00:00.250Z");
const server = await openTestServer({ clock: () => now });
const { store } = server;
const { production, delivery, submitter, reader, submitterKey, asset } = seedDataOf(store);
store.writeSync(() =>
  store.database
    .prepare("UPDATE grants SET verb = 'submit' WHERE engagement_id = ? AND delivery_id = ?")
    .run(reader, delivery),
);
const key = mint(store, submitterKey);
const other = mint(store, { ...submitterKey, engagement_id: reader });
const member = mint(store, { production_id: production });

interface Sent {
  id: number;
  media: { id: number }[];
}

async function submit(token: string, files = 1): Promise<Sent> {
  const body = new FormData();
  for (let at = 0; at < files; at++) body.append("files", new Blob([`${at} of ${now}`]), `${at}.exr`);
  const sent = await server.ask(token, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body });
  assert.is(sent.status, 200, await sent.clone().text());
  return (await sent.json()) as Sent;
}
async function still(): Promise<number> {
  const body = new FormData();
  body.append("file", new Blob([String(now)]), "still.jpg");
  const sent = await server.ask(member, `/api/v1/assets/${asset}/versions`, { method: "POST", body });
  assert.is(sent.status, 200, await sent.clone().text());
  return one(store, "SELECT max(id) FROM media");
}
const mediaOf = ({ media }: Sent): number[] => media.map(({ id }) => id);

const ids = suite("the ids of what vendors send");

ids("differ by the time between them, whatever others sent meanwhile", async () => {
  const steps: number[][] = [];
  for (const others of [0, 1, 7]) {
    now += 3_600_000;
    const first = await submit(key, 2);
    for (let at = 0; at < others; at++) {
      now += 10;
      await submit(other, 3);
      await still();
    }
    now += 60_000 - others * 10;
    const second = await submit(key, 2);
    steps.push([second.id - first.id, ...mediaOf(second).map((id, at) => id - (mediaOf(first)[at] ?? 0))]);
  }
  for (const step of steps) assert.equal(step, [60_000_000, 60_000_000, 60_000_000]);
});

ids("grow in the order of sending, also within a millisecond and while the clock is set back", async () => {
  const sent: Sent[] = [];
  for (const step of [0, 0, 1, -86_400_000, 0, 5]) {
    now += step;
    sent.push(await submit(key, 2));
  }
  const all = [sent.map(({ id }) => id), sent.flatMap(mediaOf)];
  for (const list of all)
    assert.equal(
      list,
      list.toSorted((a, b) => a - b),
    );
  for (const list of all) assert.is(new Set(list).size, list.length);
  const listed = await server.get<{ id: number }[]>(key, `/turnovers/${delivery}/submissions`);
  const own = listed.map(({ id }) => id).filter((id) => sent.some((one) => one.id === id));
  assert.is(own.length, sent.length);
  for (const { id, media } of sent) {
    const content = await server.ask(key, `/api/v1/media/${media[0]?.id}/content`);
    assert.is(content.status, 200, String(id));
  }
});

ids("are whole numbers that JSON keeps, also if the clock is centuries ahead", async () => {
  now = Date.parse("2500-01-01T00:00:00Z");
  for (const token of [
    mint(store, submitterKey),
    mint(store, { production_id: production, engagement_id: submitter, scopes: ["submit:turnover"] }),
  ]) {
    const { id, media } = await submit(token, 3);
    for (const one of [id, ...media.map((medium) => medium.id)])
      assert.ok(Number.isSafeInteger(one + 1_000_000_000), String(one));
  }
});

ids.after(() => server.stop());
ids.run();

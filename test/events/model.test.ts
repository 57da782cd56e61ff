// A model of the feed: writers of every kind beside readers that poll, wait, stream and disconnect at random. Each
// reader ends with exactly the log of its production, in order, each event once. WRITES=n makes it longer.
// Thorough: only --all runs it.
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { answerOf } from "../support/command.ts";
import { openStream, recordEvents } from "../support/event_log.ts";
import { isThorough } from "../support/proportion.ts";
import { randomOf, seed } from "../support/random.ts";
import { smallDocument, writeDocument } from "../support/small_document.ts";

const writes = Number(process.env.WRITES ?? (isThorough ? 60 : 40));
const readers = 12;

const server = await openTestServer();
const { store, folder } = server;
const productions = [1, 2];
const tokens = new Map(productions.map((production_id) => [production_id, mint(store, { production_id })]));
const tokenOf = (production: number): string => tokens.get(production) as string;

const post = (production: number, path: string, body: object): Promise<Response> =>
  server.ask(tokenOf(production), `/api/v1${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

/** Every kind of writer: the API, the command line, imports, and many events in one transaction. */
const writers: readonly ((production: number, at: number, random: () => number) => Promise<unknown>)[] = [
  (production, at) => post(production, "/assets", { label: `asset ${at}` }),
  async (production, at) => {
    const { node_id } = (await (await post(production, "/assets", { label: `noted ${at}` })).json()) as {
      node_id: number;
    };
    await post(production, `/assets/${node_id}/notes`, { text: "a note" });
  },
  (production, at) =>
    answerOf("engagements", "add", "--production", String(production), "--vendor", `vendor ${at}`, "--data", folder),
  async (production, at) => {
    const { id } = await answerOf(
      "keys",
      "mint",
      "--production",
      String(production),
      "--label",
      `k${at}`,
      "--data",
      folder,
    );
    await answerOf("keys", "revoke", String(id), "--data", folder);
  },
  (_, at) => {
    const document = smallDocument();
    document.production.title = `Imported ${at} of ${seed}`;
    return answerOf("import", writeDocument(document), "--data", folder);
  },
  async (production, _, random) => recordEvents(store, production, { count: Math.floor(random() * 700) }),
];

let isDone = false;

interface Cursor {
  cursor: string;
  ids: number[];
  types: Set<string> | undefined;
}

/** Reads one stream for a while, and remembers where it was cut. */
async function streamFor(production: number, state: Cursor, time: number): Promise<void> {
  const query = state.types === undefined ? "" : `&types=${[...state.types].join(",")}`;
  const url = `${server.url}/api/v1/events?after=${state.cursor}${query}`;
  const stream = await openStream(url, tokenOf(production));
  await pause(time);
  stream.close();
  await stream.ended;
  for (const { id, data } of stream.blocks) {
    if (data !== undefined) state.ids.push(JSON.parse(data).id);
    state.cursor = id ?? state.cursor;
  }
}

/** Reads pages until one has no more. Returns whether nothing came. */
async function poll(production: number, state: Cursor, random: () => number, wait: number): Promise<boolean> {
  const types = state.types === undefined ? "" : `&types=${[...state.types].join(",")}`;
  const limit = 1 + Math.floor(random() * 200);
  const page = await server.get(
    tokenOf(production),
    `/events?after=${state.cursor}&limit=${limit}&wait=${wait}${types}`,
  );
  state.ids.push(...page.events.map(({ id }: { id: number }) => id));
  state.cursor = page.next;
  return page.events.length === 0 && !page.more;
}

async function read(at: number): Promise<void> {
  const random = randomOf(seed + 1000 + at);
  const production = productions[at % 2] as number;
  const types = at % 3 === 2 ? new Set(["asset.created", "key.revoked", "note.created"]) : undefined;
  const { next } = await server.get(tokenOf(production), "/events?after=start&limit=1");
  const state: Cursor = { cursor: next.replace(/\d+$/, "0"), ids: [], types };
  while (!isDone) {
    if (random() < 0.5) await streamFor(production, state, random() * 300);
    else await poll(production, state, random, random() < 0.3 ? 1 : 0);
    if (random() < 0.3) await pause(random() * 100);
  }
  while (!(await poll(production, state, random, 0)));
  const stored = store.database
    .prepare("SELECT id, type FROM events WHERE production_id = ? ORDER BY id")
    .all(production) as { id: number; type: string }[];
  const expected = stored.filter(({ type }) => types?.has(type) !== false).map(({ id }) => id);
  assert.equal(state.ids, expected, `reader ${at} of seed ${seed}`);
}

const model = suite("the model of the feed");

model(`${readers} readers end with exactly the log (seed ${seed})`, async () => {
  const random = randomOf(seed);
  const reading = Array.from({ length: readers }, (_, at) => read(at));
  for (let at = 0; at < writes; at++) {
    const kind = writers[Math.floor(random() * writers.length)] as (typeof writers)[number];
    await kind(productions[Math.floor(random() * 2)] as number, at, random);
    if (random() < 0.1) await pause(random() * 200);
  }
  isDone = true;
  await Promise.all(reading);
});
model.after(() => server.stop());
model.run();

// Lists that are newest first, while the clock goes back: what was written last comes first, and a page repeats and
// skips nothing.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { answersOf } from "../support/list_pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Json = any; // answers are taken apart field by field

const time = { now: Date.parse("2027-03-01T12:00:00.000Z") };
const server = await openTestServer({ clock: () => time.now });
const { store } = server;
const { production: production_id, submitter: engagement_id, delivery } = seedDataOf(store);
const token = mint(store, { production_id, scopes: ["read", "write"] });
const vendor = mint(store, { production_id, engagement_id, scopes: ["read", "submit:turnover"] });
const [asset] = await server.get(token, "/assets");
const day = 86_400_000;

const lists: Record<string, { path: string; write(name: string): Promise<Response>; nameOf(row: Json): string }> = {
  "/activity": {
    path: "/activity?verb=asset.created",
    write: (name) => post(token, "/assets", { label: name, kind: "prop" }),
    nameOf: ({ summary }) => /Thing \d+/.exec(summary)?.[0] ?? "",
  },
  "/assets/{node_id}/notes": {
    path: `/assets/${asset.node_id}/notes`,
    write: (name) => post(token, `/assets/${asset.node_id}/notes`, { text: name }),
    nameOf: ({ text }) => text,
  },
  "/turnovers/{id}/submissions": {
    path: `/turnovers/${delivery}/submissions`,
    write(name) {
      const body = new FormData();
      body.append("title", name);
      body.append("files", new Blob([name]), "file.txt");
      return server.ask(vendor, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body });
    },
    nameOf: ({ title }) => title,
  },
};
const post = (key: string, path: string, body: object) =>
  server.ask(key, `/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const test = suite("a list that is newest first, after the clock went back");

for (const [name, { path, write, nameOf }] of Object.entries(lists))
  test(`${name} begins with what was written last, in whole and in pages`, async () => {
    const key = name.startsWith("/turnovers") ? vendor : token;
    const written: string[] = [];
    for (const [at, jump] of [0, 365 * day, -365 * day, 1_000, -2 * day, 3 * day].entries()) {
      time.now += jump;
      written.unshift(`Thing ${at}`);
      const response = await write(`Thing ${at}`);
      assert.is(response.status, 200, await response.text());
    }
    const whole = await server.get(key, path);
    assert.equal(whole.slice(0, written.length).map(nameOf), written);
    const paged: Json[] = [];
    const first = `/api/v1${path}${path.includes("?") ? "&" : "?"}limit=2`;
    for await (const response of answersOf((page) => server.ask(key, page), first)) {
      paged.push(...((await response.json()) as Json[]));
      time.now -= day;
      if (paged.length === 2) assert.is((await write("Thing 99")).status, 200);
    }
    assert.equal(paged, whole);
  });

test.after(() => server.close());
test.run();

// Imports that end before they are done: nothing of them stays, and the queue goes on.
// Thorough: only --all runs it.
import { readdirSync } from "node:fs";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const server = await openTestServer();
const { feature: production_id } = seedDataOf(server.store);
const key = mint(server.store, { production_id, scopes: ["read", "admin"] });

function send(name: string, text: string, query = "", signal: AbortSignal | null = null): Promise<Response> {
  const body = new FormData();
  body.append("files", new Blob([text]), name);
  return server.ask(key, `/api/v1/admin/import${query}`, { method: "POST", body, signal });
}
const person = (name: string) => JSON.stringify({ people: [{ name, role: "Stand-in" }] });
const staged = () => readdirSync(server.blobs.staging);
const media = () => readdirSync(`${server.folder}/media`, { recursive: true }).map(String).sort();

const test = suite("an import that ends early");

test("is 413 with a sentence if its documents have too many values, also in several files", async () => {
  const half = JSON.stringify({ $comment: Array.from({ length: 160_000 }, () => 0) });
  assert.is((await send("half.json", half, "?dry_run=1")).status, 200);
  const body = new FormData();
  for (const name of ["a.json", "b.json"]) body.append("files", new Blob([half]), name);
  const both = await server.ask(key, "/api/v1/admin/import?dry_run=1", { method: "POST", body });
  await assertRefused(both, 413, "the documents of an import must have at most 300,000 values");
});

// Deno ignores the limits of a thread.
if (!("Deno" in globalThis))
  test("is 413 with a sentence if it needs more memory than its thread has, and the next one runs", async () => {
    const vendors = JSON.stringify({ vendors: Array.from({ length: 280_000 }, (_, at) => `Looms ${at}`) });
    const [large, next] = [send("large.json", vendors), send("next.json", person("Nia Rae"))];
    await assertRefused(await large, 413, "the import needs more than 256 MiB of memory; nothing was changed");
    assert.is((await next).status, 200);
    assert.is((await fetch(`${server.url}/healthz`)).status, 200);
    assert.ok((await server.get(key, "/people")).some(({ name }: any) => name === "Nia Rae"));
    await until(() => staged().length === 0);
  });

test("leaves no media that it had staged", async () => {
  const before = media();
  const base64 = Buffer.concat([jpeg(8, 8), Buffer.from("of an import that ends")]).toString("base64");
  const versions = [{ version: 1, status: "new", media: { label: "still", kind: "still", base64 } }];
  const text = JSON.stringify({ assets: [{ label: "Lantern", kind: "prop", versions }] });
  const other = new Database(`${server.folder}/tallylight.db`);
  other.exec("BEGIN IMMEDIATE"); // the import has staged its media and waits for the lock
  const client = new AbortController();
  const gone = send("lantern.json", text, "", client.signal).catch(() => "gone");
  await until(() => media().length > before.length + 2);
  client.abort();
  assert.is(await gone, "gone");
  await until(() => staged().length === 0); // the server has noticed it: with the lock, the import could still end well
  other.exec("ROLLBACK");
  other.close();
  await until(() => media().join() === before.join());
  assert.is((await send("lantern.json", text)).status, 200);
  assert.ok(media().length > before.length, "the next one stores them");
});

test.after(() => server.stop());
test.run();

// Calls that are made again: the same call, the next one, the reverse, after a rename, after a removal. A table says
// what each use gives; what changes nothing records nothing.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { updateFrom } from "../../src/features/documents/production_update.ts";
import { partialDocument } from "../../src/features/documents/read/read.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { mint, one, type openTestServer } from "./app.ts";
import { tallylight } from "./command.ts";
import { jpeg } from "./jpeg.ts";
import { isThorough } from "./proportion.ts";

export type Json = any; // answers are taken apart field by field
/** What is done, and what that gives: an expression matches the text. */
export type Use = [that: string, does: () => Promise<unknown>, gives: unknown, records?: typeof quiet];
/** No audit entry, no activity and no event. */
export const quiet = "nothing";

type Server = Awaited<ReturnType<typeof openTestServer>>;

/**
 * What the table of one production is made with: requests, commands and updates of it, and `s` for what a later use
 * needs.
 */
export type Calls = ReturnType<typeof callsOn>;

function callsOn(server: Server, production_id: number, title: string) {
  const { store, folder } = server;
  /** What a request answers: its JSON, or the status and the sentence of the refusal. */
  async function send(token: string, method: string, path: string, body?: object, headers: object = {}): Promise<Json> {
    const init =
      body === undefined
        ? { headers: { ...headers } }
        : { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } };
    const response = await server.ask(token, `/api/v1${path}`, { method, ...init });
    const text = await response.text();
    if (response.status === 304) return "304";
    const answer = JSON.parse(text);
    return response.status === 200 ? answer : `${response.status} ${answer.detail}`;
  }

  /** What a command prints, or its refusal. */
  async function command(...argv: string[]): Promise<string> {
    const { out, err } = await tallylight(...argv, "--data", folder);
    return (out + err).trim();
  }
  const key = (given: object) => mint(store, { production_id, ...given });
  const admin = key({ scopes });
  const get = (path: string, token = admin) => send(token, "GET", path);
  const post = (path: string, body: object = {}, token = admin, headers = {}) =>
    send(token, "POST", path, body, headers);
  const update = async (document: object) => {
    const given = [await partialDocument(document, "a.json", undefined)];
    const request = { production_id, exact: false, dry_run: false };
    const desk = localAdmin(store, new Date().toISOString());
    return updateFrom(desk, server.blobs, given, request, async (work) => store.writeSync(work));
  };
  const changes = async (document: object) => (await update(document)).changes.length;
  const first = (sql: string): Json => one(store, sql, production_id);
  const picked = async (answer: Promise<Json>, ...fields: string[]) => {
    const found = await answer;
    return typeof found === "string" ? found : fields.map((field) => found[field]);
  };
  const s: Record<string, Json> = {};
  const keep = async (name: string, answer: Promise<Json>) => {
    s[name] = await answer;
    return s[name];
  };
  const scene = first("SELECT node_id FROM scenes WHERE production_id = ? ORDER BY script_order");
  const sceneKey = (): Json => {
    const [number, episode] = store.database
      .prepare("SELECT number, code FROM scenes s LEFT JOIN episodes e ON e.id = s.episode_id WHERE node_id = ?")
      .raw()
      .get(scene) as [string, string | null];
    return { number, ...(episode !== null && { episode }) };
  };
  const upload = async (path: string, shade: number): Promise<Json> => {
    const body = new FormData();
    body.append("file", new Blob([jpeg(16, 16, shade) as Uint8Array<ArrayBuffer>]), "lamp.jpg");
    return (await server.ask(admin, `/api/v1${path}`, { method: "POST", body })).json();
  };
  /** A vendor who may submit work on a delivery of its own. */
  const vendorOf = async (vendor = "Reelers", title = "First reel") => {
    await update({ deliveries: [{ title, kind: "internal" }] });
    const delivery = first("SELECT max(id) FROM deliveries WHERE production_id = ?");
    const { id: engagement } = await post("/admin/engagements", { vendor });
    await post("/admin/grants", { engagement_id: engagement, verb: "submit", delivery_id: delivery });
    const token = key({ engagement_id: engagement, scopes: ["read", "submit:turnover"] });
    return { engagement, delivery, token };
  };
  const submitForm = async ({ token, delivery }: Json, texts: readonly string[], headers = {}): Promise<Json> => {
    const body = new FormData();
    for (const text of texts) body.append("files", new Blob([text]), "work.txt");
    const path = `/api/v1/turnovers/${delivery}/submissions`;
    const response = await server.ask(token, path, { method: "POST", body, headers });
    const answer: Json = await response.json();
    return response.status === 200 ? answer : `${response.status} ${answer.detail}`;
  };
  return {
    store,
    production_id,
    title,
    send,
    command,
    key,
    get,
    post,
    update,
    changes,
    first,
    picked,
    s,
    keep,
    scene,
    sceneKey,
    admin,
    upload,
    vendorOf,
    submitForm,
  };
}

/** Runs the table of each production: the series and, with --all, the feature. The server stops after the last one. */
export function testRepeatedCalls(
  server: Server,
  what: string,
  usesOf: (calls: Calls) => Record<string, Use[]>,
  end: () => Promise<void> = async () => {},
): void {
  const { store } = server;
  const records = () => ["audit", "activity", "events"].map((table) => one(store, `SELECT count(*) FROM ${table}`));
  const shows = store.database
    .prepare("SELECT id, title FROM productions WHERE format = 'episodic' OR ? ORDER BY id")
    .raw()
    .all(isThorough ? 1 : 0) as [number, string][];
  for (const [id, title] of shows) {
    const test = suite(`${what} on ${title}`);
    for (const [capability, uses] of Object.entries(usesOf(callsOn(server, id, title))))
      test(capability, async () => {
        for (const [that, does, gives, recorded] of uses) {
          const before = records();
          const given = await does();
          const place = `${capability}: ${that}`;
          if (gives instanceof RegExp)
            assert.match(typeof given === "string" ? given : JSON.stringify(given), gives, place);
          else assert.equal(given, gives, place);
          if (recorded === quiet) assert.equal(records(), before, `${place} records nothing`);
        }
      });
    if (id === shows.at(-1)?.[0])
      test.after(async () => {
        await server.stop();
        await end();
      });
    test.run();
  }
}

// Opens the application for tests: a real server over a fresh copy of the imported demo productions, API keys, and the
// one assertion that checks every error response.
import "../../src/features.ts";
import { randomBytes } from "node:crypto";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import * as assert from "uvu/assert";
import type { Scope } from "../../src/core/access/callers.ts";
import { tokenHash } from "../../src/core/access/callers.ts";
import { type RunningServer, type ServerOptions, startServer } from "../../src/core/server.ts";
import type { Store } from "../../src/core/store/store.ts";
import { temporaryFolder } from "./folder.ts";
import { folderWith, type Opened, openData } from "./template.ts";
import { validated } from "./validated_fetch.ts";

export { temporaryFolder };

const root = fileURLToPath(new URL("../..", import.meta.url));
export const fixtureFiles = globSync("fixtures/*.json", { cwd: root })
  .sort()
  .map((file) => join(root, file));

/** The time at which the demo is imported into test databases. */
export const importedAt = "2026-11-20T08:00:00.000Z";

/** A data directory with the demo in it. */
export const demoFolder = (): Promise<string> => folderWith(fixtureFiles, importedAt);

/** A server and the test's own connection: it may wait for a lock, which the server's connection never does. */
export interface TestServer extends RunningServer, Opened {
  lines: string[];
  /** Sends a request with a token; `path` starts at the root, such as /api/v1/production. */
  ask(token: string | undefined, path: string, init?: RequestInit): Promise<Response>;
  /** Sends a GET below /api/v1 and parses the JSON response. Fails if the status is not 200. */
  get<T = any>(token: string, path: string): Promise<T>;
  /** Stops the server and removes its directory. */
  stop(): Promise<void>;
}

/** Starts a server on a fresh copy of the demo. `options` override the defaults. */
export async function openTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const folder = options.data ?? (await demoFolder());
  const lines: string[] = [];
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    log: (text) => void lines.push(text),
    // The environment of the test run must not change the result. Webhooks may go to this machine.
    environment: { TALLYLIGHT_WEBHOOK_HOSTS: "127.0.0.1" },
    ...options,
    data: folder,
  });
  const ask = async (token: string | undefined, path: string, init: RequestInit = {}) => {
    const headers = {
      // to compress and read answers takes as long as to make them; test/core/compression asks for it
      "accept-encoding": "identity",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(init.headers as object),
    };
    return validated(path, init, await fetch(server.url + path, { ...init, headers }));
  };
  const { store, blobs } = openData(folder);
  const close = async () => {
    store.close();
    await server.close();
  };
  return {
    ...server,
    folder,
    lines,
    store,
    blobs,
    ask,
    async get(token, path) {
      const response = await ask(token, `/api/v1${path}`);
      const text = await response.text();
      assert.is(response.status, 200, `${path}: ${text}`);
      return JSON.parse(text);
    },
    close,
    async stop() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Inserts a key into the database and returns its token. Production-wide with the scopes read and write by default. */
export function mint(
  store: Store,
  given: {
    production_id?: number;
    engagement_id?: number | null;
    person_id?: number | null;
    scopes?: readonly Scope[];
    label?: string;
    expires_at?: string | null;
    token?: string;
  } = {},
): string {
  const { token = `tl_${randomBytes(32).toString("base64url")}` } = given;
  store.writeSync(() =>
    store.database
      .prepare(
        `INSERT INTO api_keys (production_id, engagement_id, person_id, label, prefix, token_sha256, scopes, created_at, expires_at)
         VALUES (:production_id, :engagement_id, :person_id, :label, :prefix, :token_sha256, :scopes, :created_at, :expires_at)`,
      )
      .run({
        production_id: given.production_id ?? 1,
        engagement_id: given.engagement_id ?? null,
        person_id: given.person_id ?? null,
        label: given.label ?? "test key",
        prefix: token.slice(0, 11),
        token_sha256: tokenHash(token),
        scopes: JSON.stringify(given.scopes ?? ["read", "write"]),
        created_at: importedAt,
        expires_at: given.expires_at ?? null,
      }),
  );
  return token;
}

/**
 * Waits until the first use of a key is recorded, which happens after the answer; `use` asks again. Gives up if it was
 * not within 1,000 turns.
 */
export async function untilUsed(
  store: Store,
  token: string,
  use: () => Promise<unknown> = async () => {},
): Promise<void> {
  const used = store.database.prepare("SELECT 1 FROM api_keys WHERE token_sha256 = ? AND last_used_at IS NOT NULL");
  for (let turns = 0; turns < 1_000 && used.get(tokenHash(token)) === undefined; turns++) {
    await use();
    await turn();
  }
}

/** Revokes every key with a label from another connection, as another process does. */
export function revoke(store: Store, label: string): void {
  const other = new Database(store.database.name);
  other.prepare("UPDATE api_keys SET revoked_at = '2026-01-01' WHERE label = ?").run(label);
  other.close();
}

/** Checks an error response of any transport: status, JSON shape, and `detail` if it is given. Returns the detail. */
export async function assertRefused(response: Response, status: number, detail?: string | RegExp): Promise<string> {
  const text = await response.text();
  assert.is(response.status, status, text);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  const body = JSON.parse(text);
  assert.type(body.detail, "string");
  assert.is(Object.keys(body).includes("detail") && body.detail.length > 0, true);
  assert.not.match(body.detail, /\bat \/|node_modules|\.ts\b|SQLITE/);
  if (typeof detail === "string") assert.is(body.detail, detail);
  else if (detail !== undefined) assert.match(body.detail, detail);
  return body.detail;
}

/** The first column of a query's first row. For arranging tests only; assertions read the API. */
export const one = <T = number>(store: Store, sql: string, ...parameters: unknown[]): T =>
  store.database
    .prepare(sql)
    .pluck()
    .get(...parameters) as T;

/** The headers of a response without those that differ in every response: the time, and the name of the request. */
export const comparableHeaders = (response: Response): [string, string][] =>
  [...response.headers].filter(([name]) => name !== "date" && name !== "tallylight-request");

// Makes the kept data directory of a released version: `node test/upgrade/record.ts CHECKOUT VERSION FILE.tar.gz`, and
// DAYS behind it for a third production, of that many days (year.ts).
// CHECKOUT is a checkout of the released commit with its packages. That version imports the demos, mints keys of every
// kind, takes sign-ins, submissions, storage events and tickets, and answers every read for every key; its answers are
// recorded beside its data.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import { signIn } from "../support/consent_page.ts";
import { temporaryFolder } from "../support/folder.ts";
import { jpeg } from "../support/jpeg.ts";
import type { KeptKey, KeptSignIn, Recording } from "./kept.ts";
import { plainReads, type Read, readsOfEach } from "./reads.ts";
import { addYear } from "./year.ts";

const [checkout = ".", version = "", target = "", days = "0"] = process.argv.slice(2);
const launcher = resolve(checkout, "bin/tallylight.js");
const draft = temporaryFolder();
const folder = join(draft, "data");
const redirect_uri = "http://127.0.0.1:33418/callback";

const tallylight = (...argv: string[]): any =>
  JSON.parse(
    execFileSync(process.execPath, [launcher, ...argv, "--data", folder, "--json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, TALLYLIGHT_WEBHOOK_HOSTS: "127.0.0.1" },
    }) || "{}",
  );

/** The demos with small pictures: the file stays small, and every picture keeps its own hash. */
function importDemos(): void {
  const fixtures = join(draft, "fixtures");
  for (const document of globSync("fixtures/*.json", { cwd: checkout })) {
    mkdirSync(fixtures, { recursive: true });
    writeFileSync(join(fixtures, basename(document)), readFileSync(join(checkout, document)));
  }
  for (const picture of globSync("fixtures/media/**/*.jpg", { cwd: checkout })) {
    mkdirSync(dirname(join(draft, picture)), { recursive: true });
    writeFileSync(join(draft, picture), Buffer.concat([jpeg(8, 8), Buffer.from(picture)]));
  }
  tallylight(
    "import",
    ...globSync("*.json", { cwd: fixtures })
      .sort()
      .map((name) => join(fixtures, name)),
  );
}

/** Keys of every kind, for both productions. */
function mintKeys(): { keys: Record<string, KeptKey>; refused: string[]; ending: Recording["ending"] } {
  const keys: Record<string, KeptKey> = {};
  const mint = (name: string, production: number, scopes: readonly string[], ...further: string[]): void => {
    const flags = scopes.flatMap((scope) => ["--scope", scope]);
    keys[name] = tallylight("keys", "mint", "--production", String(production), "--label", name, ...flags, ...further);
  };
  const at = Date.parse("2036-01-01T00:00:00Z");
  for (const production of [1, 2]) {
    mint(`${production} default`, production, []);
    for (const scope of ["read", "write", "submit:turnover", "read:money"])
      mint(`${production} ${scope}`, production, [scope]);
    for (const { id, active } of tallylight("engagements", "list", "--production", String(production)))
      if (active)
        mint(
          `${production} engagement ${id}`,
          production,
          ["read", "submit:turnover", "read:money"],
          "--engagement",
          String(id),
        );
  }
  mint("1 of a person", 1, ["read"], "--person", "1");
  mint("1 ending", 1, ["read"], "--expires", new Date(at).toISOString());
  mint("1 revoked", 1, ["read"]);
  tallylight("keys", "revoke", (keys["1 revoked"] as KeptKey).token);
  const added = tallylight("engagements", "add", "--production", "1", "--vendor", "Kept Vendor");
  const ended = String(added.id ?? added.engagement_id);
  mint("1 of an ended engagement", 1, ["read"], "--engagement", ended);
  tallylight("engagements", "end", ended);
  if (Number(days) > 0) mint("3 read", 3, ["read"]);
  return { keys, refused: ["1 revoked"], ending: { key: "1 ending", at } };
}

async function serve(): Promise<{ url: string; child: ChildProcess }> {
  const args = [launcher, "serve", "--data", folder, "--port", "0", "--log", join(draft, "log")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const url of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return { url, child };
  throw new Error("the server did not start");
}

const failing = async (response: Response): Promise<string> => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
  return text;
};

type Ask = (key: string, path: string, init?: RequestInit) => Promise<Response>;

/** Signs in twice, rotates one of the two, and leaves one authorization code unused. */
async function takeSignIns(url: string, keys: Record<string, KeptKey>) {
  const post = async (path: string, fields: Record<string, string>): Promise<any> =>
    JSON.parse(await failing(await fetch(url + path, { method: "POST", body: new URLSearchParams(fields) })));
  const registration = { client_name: "A kept app", redirect_uris: [redirect_uri] };
  const { client_id } = JSON.parse(
    await failing(
      await fetch(`${url}/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(registration),
      }),
    ),
  );
  const resource = `${url}/mcp`;
  const code = async (key: string): Promise<Recording["code"]> => {
    const verifier = randomBytes(32).toString("base64url");
    const code_challenge = hash("sha256", verifier, "base64url");
    const parameters = {
      client_id,
      redirect_uri,
      response_type: "code",
      code_challenge,
      code_challenge_method: "S256",
      resource,
    };
    const back = await signIn(`${url}/authorize?${new URLSearchParams(parameters)}`, (keys[key] as KeptKey).token);
    return { client_id, code: back.searchParams.get("code") as string, verifier, resource };
  };
  const exchange = async (key: string): Promise<KeptSignIn> => {
    const given = await code(key);
    const fields = {
      grant_type: "authorization_code",
      redirect_uri,
      client_id,
      code: given.code,
      code_verifier: given.verifier,
      resource,
    };
    return { client_id, ...(await post("/token", fields)) };
  };
  const kept = await exchange("1 default");
  const first = await exchange("2 read");
  const fields = { grant_type: "refresh_token", client_id, refresh_token: first.refresh_token };
  const rotated: KeptSignIn = { client_id, ...(await post("/token", fields)) };
  return { signins: { kept, rotated }, used_refresh_token: first.refresh_token, code: await code("1 default") };
}

/** Writes of every kind: assets, notes, versions, decisions, submissions, storage events, stand-ins and moves. */
async function write(ask: Ask, keys: Record<string, KeptKey>): Promise<Recording["idempotent"]> {
  const json = (body: unknown, headers = {}): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const form = (name: string, at: number): RequestInit => {
    const body = new FormData();
    body.append(name, new Blob([jpeg(8, 8), `kept ${at}`]), `kept ${at}.jpg`);
    return { method: "POST", body };
  };
  const send = async (key: string, path: string, init?: RequestInit) =>
    JSON.parse(await failing(await ask(key, `/api/v1${path}`, init)));
  const asset = { label: "A kept asset", kind: "prop", status: "active" };
  const path = "/api/v1/assets";
  const idempotent = { key: "1 default", idempotency_key: "kept-1", path, body: asset };
  const text = await failing(await ask("1 default", path, json(asset, { "idempotency-key": "kept-1" })));
  const { node_id } = JSON.parse(text);
  await send("1 default", `/assets/${node_id}/notes`, json({ text: "A note before any version" }));
  await send("1 default", `/assets/${node_id}/versions`, form("file", 1));
  await send("1 default", `/assets/${node_id}/notes`, json({ text: "A note on the version", author: "Recorder" }));
  const [round, ...others] = await send("1 default", "/approvals?status=pending");
  const decide = async ({ id, steps }: any, decision: string): Promise<void> => {
    const { person } = steps.find(({ status }: any) => status === "pending");
    await send("1 default", `/approvals/${id}/decide`, json({ decision, decided_by: person }));
  };
  for (const approval of others) await decide(approval, "approved");
  await decide(round, "changes");
  if (version !== "1.0.0") tallylight("approvals", "reopen", String(round.id)); // 1.0.0 has no rounds
  for (const key of Object.keys(keys).filter((name) => name.includes(" engagement "))) {
    const response = await ask(key, "/api/v1/turnovers");
    const turnovers: any = response.ok ? await response.json() : [];
    for (const { id, can_submit } of turnovers)
      if (can_submit) await send(key, `/turnovers/${id}/submissions`, form("files", id));
  }
  for (const production of [1, 2]) {
    const key = `${production} default`;
    const filespace = `kept-${production}`;
    tallylight("storage", "install", "--production", String(production), "--filespace", filespace);
    const events = Array.from({ length: 200 }, (_, at) => ({
      event_type: at % 7 === 6 ? "delete" : "create",
      path: `day ${at % 9}/take ${at % 40}.mov`,
      source: at % 2 === 0 ? "audit_tail" : "reconciler",
      dedupe_key: `kept ${at}`,
      detected_at: `2026-11-01T10:00:00.${String(at).padStart(3, "0")}Z`,
      size: at * 1000,
      mtime_ns: 1_700_000_000_000_000_000 + at,
    }));
    await send(key, "/storage/events", json({ filespace, events }));
    for (const at of [0, 1, 2])
      tallylight(
        "storage",
        "moves",
        "add",
        "--production",
        String(production),
        "--src",
        `day ${at}/take ${at}.mov`,
        "--dst",
        `archive/${at}.mov`,
      );
    const { tasks } = await send(key, "/storage/tasks");
    await send(key, "/storage/tasks/ack", json({ task_id: tasks[0].task_id, ok: true }));
    await send(key, "/storage/tasks/ack", json({ task_id: tasks[1].task_id, src_sha256: "ab".repeat(32) }));
  }
  return { ...idempotent, text };
}

/** Sends every read with every key and records the answers; a text that several answers share is recorded once. */
async function recordAnswers(
  ask: Ask,
  keys: readonly string[],
  refused: readonly string[],
): Promise<Pick<Recording, "answers" | "texts">> {
  const texts = new Map<string, number>();
  const answers: Recording["answers"] = [];
  for (const key of keys) {
    const wide = async (path: string) => JSON.parse(await failing(await ask(`${key[0]} read`, `/api/v1${path}`)));
    const reads: Read[] = [...plainReads(), ...(refused.includes(key) ? [] : await readsOfEach(wide))];
    for (const { method, path, body } of reads) {
      const init =
        body === undefined
          ? {}
          : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const response = await ask(key, path, init);
      const bytes = Buffer.from(await response.arrayBuffer());
      const text = bytes.toString();
      const isText = /json/.test(response.headers.get("content-type") ?? "");
      if (isText && !texts.has(text)) texts.set(text, texts.size);
      answers.push({
        key,
        method,
        path,
        ...(body !== undefined && { body }),
        status: response.status,
        etag: response.headers.get("etag"),
        text: isText ? (texts.get(text) as number) : `sha256:${hash("sha256", bytes)}`,
      });
    }
  }
  return { answers, texts: [...texts.keys()] };
}

function countRows(): Record<string, number> {
  const database = new Database(join(folder, "tallylight.db"), { readonly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .pluck()
    .all();
  const rows = tables.map((name) => [name, database.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()]);
  database.close();
  return Object.fromEntries(rows);
}

importDemos();
if (Number(days) > 0)
  addYear(tallylight, version, folder, join(draft, "fixtures", "the-silver-button.json"), Number(days));
const { keys, refused, ending } = mintKeys();
const { url, child } = await serve();
try {
  const ask: Ask = (key, path, init = {}) =>
    fetch(url + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${(keys[key] as KeptKey).token}` },
    });
  const idempotent = await write(ask, keys);
  const { answers, texts } = await recordAnswers(ask, Object.keys(keys), refused);
  // Last, because a code holds for a minute.
  const signing = await takeSignIns(url, keys);
  const { ticket } = JSON.parse(await failing(await ask("1 read", "/api/v1/media-ticket")));
  const path = /"media_path":"([^"]+)"/.exec(texts.find((text) => /"media_path":"/.test(text)) ?? "")?.[1] as string;
  await failing(await fetch(`${url}/media/${path}?t=${ticket}`));
  const commit = execFileSync("git", ["-C", checkout, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
  const recording: Recording = {
    version,
    commit,
    recorded_at: Date.now(),
    redirect_uri,
    keys,
    refused,
    ending,
    ...signing,
    ticket: { ticket, key: "1 read", path },
    idempotent,
    rows: countRows(),
    answers,
    texts,
  };
  writeFileSync(join(draft, "recording.json"), JSON.stringify(recording));
  execFileSync("tar", [
    "--sort=name",
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "-I",
    "gzip -9n",
    "-cf",
    resolve(target),
    "-C",
    draft,
    "data",
    "recording.json",
  ]);
  console.log(`${target}: ${answers.length} answers of ${Object.keys(keys).length} keys, ${texts.length} texts`);
} finally {
  child.kill("SIGTERM");
  rmSync(draft, { recursive: true, force: true });
}

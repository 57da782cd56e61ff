// A data directory that a released version made is upgraded: every read answers each key what that version answered,
// but for additional fields; each row keeps its values; keys, tickets, sign-ins, ETags and stored answers hold; and the
// documented way back works. The version is 1.0.0, or UPGRADE_FROM (.ci/upgrades).
// Thorough: only --all runs it.
import { hash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrateData } from "../../src/core/directory_migration.ts";
import { release } from "../../src/core/program.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { assertRefused, openTestServer } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { type Answer, differences, type KeptKey, unpackKept, upgradedVersion } from "./kept.ts";
import { type Program, programOf } from "./program.ts";

const from = upgradedVersion;
const kept = unpackKept(from);
let now = kept.recorded_at;
const backup = `${join(kept.folder, "backups")}@before-${release}`;
// the code is for this address, as if the upgraded server had the same port
const origin = new URL(kept.code.resource).origin;
const addresses = { base_url: origin, mcp_url: origin, media_url: origin, auth_url: origin };
const server = await openTestServer({ data: kept.folder, clock: () => now, addresses });
const tokenOf = (name: string): string => (kept.keys[name] as KeptKey).token;

/** Reads that answer something else on purpose, and why. */
const corrected = (answer: Answer): boolean =>
  // a bound key gets no ticket: it is not on its surface
  answer.path.endsWith("/media-ticket") && answer.key.includes(" engagement ");

const sent = ({ key, method, path, body }: Answer, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${tokenOf(key)}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** Calls `work` for each item, 16 at a time, and returns the results in order. */
async function forEach<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += 16)
    results.push(...(await Promise.all(items.slice(at, at + 16).map(work))));
  return results;
}

/** The methods whose answers are descriptions for a model: their wording may improve. */
const describing = new Set(["initialize", "tools/list", "resources/list", "prompts/list", "prompts/get"]);
const wordings = new Set(["description", "text", "instructions"]);

/**
 * The JSON of an answer, without wordings, ETags, tickets and times of issue. The document in a text of MCP is parsed
 * too.
 */
function parsed({ path, body }: Answer, json: string): unknown {
  const words = describing.has((body as { method?: string } | undefined)?.method ?? "");
  const reviver = (name: string, value: unknown): unknown => {
    if (words && wordings.has(name)) return "words";
    if (name === "etag") return "tag"; // a further field gives a bundle another tag; the case about ETags compares them
    if (path.endsWith("/media-ticket") && (name === "ticket" || name === "expires_at")) return "differs";
    if (name === "tallylight/release") return "differs";
    return name === "text" && typeof value === "string" && /^[[{]/.test(value) ? JSON.parse(value, reviver) : value;
  };
  return JSON.parse(json, reviver);
}

/**
 * What of an answer is not what the version answered. The text of an error is not promised, only its status and that it
 * has a detail.
 */
async function changesOf(answer: Answer): Promise<string[]> {
  const response = await sent(answer);
  const bytes = Buffer.from(await response.arrayBuffer());
  const place = `${answer.key}: ${answer.path} ${JSON.stringify(answer.body ?? "")}`;
  if (response.status !== answer.status) return [`${place}: ${response.status}, not ${answer.status}: ${bytes}`];
  if (typeof answer.text === "string")
    return answer.text === `sha256:${hash("sha256", bytes)}` ? [] : [`${place}: other bytes`];
  const now = parsed(answer, bytes.toString());
  if (answer.status >= 400)
    return typeof (now as { detail?: unknown }).detail === "string" ? [] : [`${place}: no detail`];
  return differences(parsed(answer, kept.texts[answer.text] as string), now).map((where) => `${place}: ${where}`);
}

const reads = suite(`a data directory of ${from}: reads`);

for (const key of Object.keys(kept.keys))
  reads(`every read answers the key "${key}" what ${from} answered, but for additional fields`, async () => {
    const answers = kept.answers.filter((answer) => answer.key === key && !corrected(answer));
    const changes = (await forEach(answers, changesOf)).flat();
    assert.ok(answers.length >= 40, `${answers.length} answers`);
    assert.equal(changes.slice(0, 5), [], `${changes.length} changes`);
  });

reads(
  `an ETag of ${from} is 304 if the bytes are the same, and otherwise 200 with a new ETag that is 304`,
  async () => {
    const tagged = kept.answers.filter(
      ({ etag, status, key }) => etag !== null && status === 200 && key.startsWith("1 "),
    );
    let unchanged = 0;
    await forEach(tagged, async (answer) => {
      const response = await sent(answer, { "if-none-match": answer.etag as string });
      const text = await response.text();
      if (response.status === 304) unchanged++;
      else
        assert.not(
          typeof answer.text === "number" && text === kept.texts[answer.text],
          `${answer.path}: the same text`,
        );
      const etag = response.headers.get("etag") as string;
      assert.is(etag === answer.etag, response.status === 304, answer.path);
      assert.is((await sent(answer, { "if-none-match": etag })).status, 304, answer.path);
      if (response.status === 200 && answer.path.includes("/bundles/")) assert.is(JSON.parse(text).etag, etag);
    });
    assert.ok(unchanged > 0 && tagged.length > 500, `${unchanged} of ${tagged.length}`);
  },
);
reads.run();

const access = suite(`a data directory of ${from}: keys, tickets and sign-ins`);

const mcp = (token: string) =>
  server.ask(token, "/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_production", arguments: {} },
    }),
  });
const token = (fields: Record<string, string>) =>
  server.ask(undefined, "/token", { method: "POST", body: new URLSearchParams(fields) });

/** Tables that derive from others, and are made anew. */
const derived = /^(search|search_.*|migrations)$/;
/** Tables and columns that a migration changes or removes on purpose, and why. The reads above hold their answers. */
const changed: Record<string, string> = {
  "scenes.script_order": "wider, so that a scene fits between two (0006)",
  "idempotent_answers.status": "a part of the stored answer (0005)",
  revisions: "nothing counts revisions (0036)",
  table_revisions: "nothing counts revisions (0036)",
  "script_changes.fields": "a new scene says after which one it comes (0020)",
  "script_scenes.position": "place alone (0061)",
  "script_scenes.place": "of the newest draft (0061)",
  "script_scenes.scene": "of the newest draft (0061)",
  "script_scenes.approved": "what was approved, where a change waits (0061)",
  "script_scenes.stands": "dismissed (0075)",
  script_proposals: "in script_scenes (0061)",
  "epochs.secret": "secrets.json",
  "change_sets.inverse": "change sets of former versions are read and no longer undone",
  "change_sets.ids": "change sets of former versions are read and no longer undone",
  "change_sets.script": "change sets of former versions are read and no longer undone",
};

access(`every row of ${from} keeps its values`, async () => {
  const [before, after] = [unpackKept(from), unpackKept(from)];
  await migrateData(after.folder, { notice: () => {} });
  const database = new Database(join(after.folder, "tallylight.db"));
  database.prepare("ATTACH ? AS former").run(join(before.folder, "tallylight.db"));
  const namesIn = (schema: string): string[] =>
    database
      .prepare(`SELECT name FROM "${schema}".sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
      .pluck()
      .all() as string[]; // a column of names
  const columnsIn = (schema: string, table: string): string[] =>
    database.prepare("SELECT name FROM pragma_table_info(?, ?)").pluck().all(table, schema) as string[]; // of names
  const lost: string[] = [];
  for (const table of namesIn("former").filter((name) => !derived.test(name))) {
    if (!namesIn("main").includes(table)) {
      if (changed[table] === undefined) lost.push(`${table}: gone`);
      continue;
    }
    const kept = columnsIn("main", table);
    const keys = database.prepare("SELECT name FROM pragma_table_info(?, 'former') WHERE pk > 0").pluck().all(table);
    for (const column of columnsIn("former", table).filter((name) => changed[`${table}.${name}`] === undefined)) {
      if (!kept.includes(column)) lost.push(`${table}.${column}: gone`);
      else {
        const values = [...(keys.length > 0 ? keys : ["rowid"]), column].map((name) => `"${name}"`).join(", ");
        const missing = `SELECT ${values} FROM former."${table}" EXCEPT SELECT ${values} FROM main."${table}"`;
        const count = database.prepare(`SELECT count(*) FROM (${missing})`).pluck().get() as number; // a count
        if (count > 0)
          lost.push(`${table}.${column}: ${count} values, such as ${JSON.stringify(database.prepare(missing).get())}`);
      }
    }
  }
  database.close();
  for (const { folder } of [before, after]) rmSync(dirname(folder), { recursive: true });
  assert.equal(lost, []);
});

access("a stored answer is replayed to the same Idempotency-Key, and nothing is created", async () => {
  const { key, idempotency_key, path, body, text } = kept.idempotent;
  const headers = { "idempotency-key": idempotency_key, "content-type": "application/json" };
  const response = await server.ask(tokenOf(key), path, { method: "POST", headers, body: JSON.stringify(body) });
  assert.is(response.headers.get("idempotency-replayed"), "true", await response.clone().text());
  assert.is(await response.text(), text);
});

access(`a media ticket of ${from} opens its file until it expires`, async () => {
  const { ticket, path } = kept.ticket;
  assert.is((await server.ask(undefined, `/media/${path}?t=${ticket}`)).status, 200);
  now += 16 * 60_000;
  await assertRefused(await server.ask(undefined, `/media/${path}?t=${ticket}`), 401);
  now = kept.recorded_at;
});

access("an OAuth access token works, its refresh token gives the next one, and a code is exchanged", async () => {
  const { client_id, access_token, refresh_token } = kept.signins.kept;
  assert.is((await mcp(access_token)).status, 200);
  const next = await token({ grant_type: "refresh_token", client_id, refresh_token });
  assert.is(next.status, 200, await next.clone().text());
  assert.is((await mcp(((await next.json()) as { access_token: string }).access_token)).status, 200);
  const { code, verifier, resource } = kept.code;
  const fields = { client_id, code, code_verifier: verifier, redirect_uri: kept.redirect_uri, resource };
  const exchanged = await token({ grant_type: "authorization_code", ...fields });
  assert.is(exchanged.status, 200, await exchanged.clone().text());
});

access(`a refresh token that ${from} had rotated ends its sign-in if it is used again a minute later`, async () => {
  const { client_id, access_token } = kept.signins.rotated;
  const reuse = () => token({ grant_type: "refresh_token", client_id, refresh_token: kept.used_refresh_token });
  assert.is((await mcp(access_token)).status, 200);
  assert.is((await reuse()).status, 400);
  assert.is((await mcp(access_token)).status, 200, "within a minute, as by a second window, it ends nothing");
  now += 61_000;
  assert.is((await reuse()).status, 400);
  await assertRefused(await mcp(access_token), 401);
  now = kept.recorded_at;
});

access("a key ends at its time, and a revoked key ends with its ticket and its sign-in", async () => {
  const production = (name: string) => server.ask(tokenOf(name), "/api/v1/production");
  const { key, at } = kept.ending;
  now = at - 1;
  assert.is((await production(key)).status, 200);
  now = at;
  await assertRefused(await production(key), 401);
  now = kept.recorded_at;
  for (const name of kept.refused) await assertRefused(await production(name), 401);
  for (const name of ["1 read", "1 default"])
    server.store.writeSync(() =>
      server.store.database.prepare("UPDATE api_keys SET revoked_at = '2026-01-01' WHERE label = ?").run(name),
    );
  await assertRefused(await server.ask(undefined, `/media/${kept.ticket.path}?t=${kept.ticket.ticket}`), 401);
  await assertRefused(await mcp(kept.signins.kept.access_token), 401);
});

access("the upgraded directory passes doctor", async () => {
  const findings = await inspectData(kept.folder, { deep: true, now: kept.ending.at }); // a key was used at that time
  const wrong = findings.filter(({ ok, check }) => !ok && check !== "space").map(({ check }) => check);
  assert.equal(wrong, ["clock"], "the clock of this test jumps by ten years");
});
access.run();

const former = programOf(kept.commit);
const back = suite(
  `a data directory of ${from}: the way back${former ? "" : ` (${from} itself is skipped: this checkout has no history)`}`,
);

/** Everything in a database, table by table. */
function contentOf(path: string): Record<string, unknown> {
  const database = new Database(path, { readonly: true });
  const tables = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as {
    name: string;
  }[];
  const content: [string, unknown][] = tables.map(({ name }) => [
    name,
    database.prepare(`SELECT * FROM "${name}"`).raw().all(),
  ]);
  content.push(["schema", tables], ["version", database.pragma("user_version")]);
  database.close();
  return Object.fromEntries(content);
}

back(`the backup that was made before the migration has the whole database of ${from}`, () => {
  const original = unpackKept(from);
  assert.equal(
    contentOf(join(backup.replace("@", "/"), "tallylight.db")),
    contentOf(join(original.folder, "tallylight.db")),
  );
  rmSync(dirname(original.folder), { recursive: true });
});
/** The one command. */
async function goBack(): Promise<{ replaced: string; err: string }> {
  const { status, err } = await tallylight("restore", backup, "--data", kept.folder);
  assert.is(status, 0, err);
  return { replaced: /the database that it replaced is kept as (\S+)/.exec(err)?.[1] ?? "", err };
}

const onFormer = former === undefined ? back.skip : back;

onFormer(
  `${from} refuses the upgraded directory with a sentence, and serves it again after the documented way back`,
  async () => {
    await server.close();
    const { run, serve } = former as Program; // the case is skipped without it
    const refused = run("doctor", "--data", kept.folder);
    assert.is(refused.status, 1);
    assert.match(refused.out + refused.err, /newer Tallylight/);
    const { replaced, err } = await goBack();
    assert.ok(existsSync(replaced), err);
    const { url, stop } = await serve(kept.folder);
    const wrong: string[] = [];
    const some = kept.answers.filter(
      ({ key, path, body }) =>
        /^2 (read|engagement 4)$/.test(key) && body === undefined && !path.endsWith("/media-ticket"),
    );
    assert.ok(some.length > 500, `${some.length} reads`);
    await forEach(some, async ({ key, path, status, text }) => {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${tokenOf(key)}` } });
      const bytes = Buffer.from(await response.arrayBuffer());
      const same =
        typeof text === "number" ? bytes.toString() === kept.texts[text] : text.endsWith(hash("sha256", bytes));
      if (response.status !== status || !same) wrong.push(`${key}: ${path}`);
    });
    await stop();
    assert.equal(wrong, []);
  },
);

back.after(async () => {
  await server.close();
  if (former !== undefined) rmSync(former.folder, { recursive: true, force: true });
  rmSync(dirname(kept.folder), { recursive: true, force: true });
});
back.run();

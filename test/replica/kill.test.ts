// kill -9 of a primary under load, of its follower and of the replica's server, at random: everything that the replica
// serves was committed by the primary, and what a promotion says about its loss is true. ROUNDS=20 kills 20 times.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { readReplicaRecord } from "../../src/features/replica/record.ts";
import { demoFolder, mint, one, openTestServer } from "../support/app.ts";
import { answerOf } from "../support/command.ts";
import { randomOf, seed } from "../support/random.ts";
import { canCopy, copier, replicaFolder, skipped } from "../support/replication.ts";
import { roundsOf } from "../support/rounds.ts";
import { runtimeOf } from "../support/runtime.ts";
import { until } from "../support/until.ts";

const random = randomOf(seed);
const rounds = roundsOf(6);
const clients = 4;

/** Starts a program of test/support on this runtime; resolves with its first line of output. */
const children = new Set<ChildProcess>();
async function start(name: string, ...args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const file = fileURLToPath(new URL(`../support/${name}.ts`, import.meta.url));
  const words = [...runtimeOf(file), file, ...args];
  const env = { ...process.env, TALLYLIGHT_MAX_STALENESS: "86400" }; // however long a copy takes
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "ignore"], env });
  children.add(child);
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    child.stdout?.resume();
    return { child, line };
  }
  throw new Error(`${name} ended before it was ready`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return; // the follower ends at a promotion
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

interface Written {
  text: string;
  /** When the answer arrived, in milliseconds. */
  answered: number;
}

/** Clients that write numbered notes to a primary, one after the other, also while it is down. */
class Load {
  url = "";
  readonly written: Written[] = [];
  /** The highest number that each client has sent. */
  readonly sent = new Array<number>(clients).fill(0);
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;

  constructor(token: string, node_id: number) {
    const each = async (client: number): Promise<void> => {
      while (!this.#stop.signal.aborted) {
        const text = `note ${client} ${++(this.sent as number[])[client]!}.`;
        await this.#write(token, node_id, text);
      }
    };
    this.#done = Promise.all(this.sent.map((_, client) => each(client)));
  }

  /** Writes a note once, with an Idempotency-Key, until it is answered. */
  async #write(token: string, node_id: number, text: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": text };
    while (!this.#stop.signal.aborted) {
      try {
        const init = { method: "POST", headers, body: JSON.stringify({ text }), signal: this.#stop.signal };
        const { status } = await fetch(`${this.url}/api/v1/assets/${node_id}/notes`, init);
        if (status !== 200) continue;
        this.written.push({ text, answered: Date.now() });
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20)); // the primary is down
      }
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}

/** The numbers of each client's notes among some texts, ascending. */
function numbersIn(texts: readonly string[]): number[][] {
  const numbers = Array.from({ length: clients }, (): number[] => []);
  for (const text of texts)
    for (const [, client, number] of text.matchAll(/note (\d) (\d+)\./g)) numbers[Number(client)]?.push(Number(number));
  return numbers.map((list) => list.sort((a, b) => a - b));
}

/**
 * Checks the activity that a replica serves: a window of the newest entries. Each client's notes follow one another
 * without a gap, because the client sent the next after the answer to the one before; none is served that was not sent.
 */
function checkWindow(texts: readonly string[], sent: readonly number[]): void {
  for (const [client, numbers] of numbersIn(texts).entries()) {
    numbers.forEach((number, at) => {
      assert.is(number, (numbers[0] as number) + at, `client ${client}: a note is missing, or served twice`);
    });
    assert.ok((numbers.at(-1) ?? 0) <= (sent[client] as number), `client ${client}: a note that was never sent`);
  }
}

/**
 * Checks the whole database of a replica: it is sound, and a note and its activity entry are both there or both absent.
 */
function checkDatabase(data: string, node_id: number): void {
  const database = new Database(join(data, "tallylight.db"), { timeout: 120_000 });
  const texts = (sql: string) => database.prepare(sql).pluck().all(node_id) as string[];
  database.exec("BEGIN");
  const notes = numbersIn(texts("SELECT text FROM notes WHERE node_id = ? AND text LIKE 'note %'"));
  const entries = numbersIn(texts("SELECT summary FROM activity WHERE node_id = ? AND summary LIKE '%note %'"));
  assert.equal(notes, entries);
  for (const numbers of notes) assert.is(numbers.at(-1) ?? 0, numbers.length, "a note is missing");
  assert.is(database.pragma("quick_check", { simple: true }), "ok");
  database.close();
}

/**
 * Reads a replica again and again, and checks what it serves. A replica that is down or too old is not read. `read` is
 * the number of states read; it throws what a check has found.
 */
function watch(token: string, urlOf: () => string, load: Load) {
  let reading = true;
  let read = 0;
  let found: unknown;
  const done = (async () => {
    while (reading) {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${urlOf()}/api/v1/activity?limit=200`, { headers }).catch(() => undefined);
      if (response?.status === 200) {
        const rows = (await response.json().catch(() => undefined)) as { summary: string }[] | undefined;
        if (rows !== undefined)
          checkWindow(
            rows.map(({ summary }) => summary),
            load.sent,
          );
        if (rows?.some(({ summary }) => summary.includes("note "))) read++;
      } else await response?.body?.cancel();
      assert.ok([undefined, 200, 503].includes(response?.status), `the replica answered ${response?.status}`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })().catch((error) => {
    found = error;
  });
  const watching = {
    get read() {
      if (found !== undefined) throw found;
      return read;
    },
    async end() {
      reading = false;
      await done;
      return watching.read;
    },
  };
  return watching;
}

const killing = suite(`kill -9 of a primary, its follower and its replica${skipped}`);
const test = canCopy ? killing : killing.skip;

test(`the replica serves only what was committed, and a promotion loses what it says, in ${rounds} rounds`, async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const store = openStore(join(source, "tallylight.db"));
  const token = mint(store, { production_id: 1 });
  const node_id = one(store, "SELECT node_id FROM versions WHERE production_id = 1 LIMIT 1");
  store.close();
  const starters = {
    primary: () => start("server_process", source),
    follower: () => start("follower_process", source, data, copier),
    replica: () => start("server_process", data, "replica"),
  };
  const names = Object.keys(starters) as (keyof typeof starters)[];
  const running = {
    primary: await starters.primary(),
    follower: await starters.follower(),
    replica: await starters.replica(),
  };
  const load = new Load(token, node_id);
  load.url = running.primary.line;
  const watching = watch(token, () => running.replica.line, load);
  for (let round = 0; round < rounds; round++) {
    const [written, read] = [load.written.length + 10, watching.read];
    await until(() => load.written.length > written && watching.read > read);
    await new Promise((resolve) => setTimeout(resolve, random() * 600));
    const name = names[Math.floor(random() * names.length)] as keyof typeof starters;
    await kill(running[name].child);
    if (existsSync(join(data, "tallylight.db"))) checkDatabase(data, node_id);
    running[name] = await starters[name]();
    load.url = running.primary.line;
  }
  const allRestarted = Date.now();
  await until(() => Date.parse(readReplicaRecord(data)?.synced_at ?? "") > allRestarted);
  await kill(running.follower.child); // for the replica, this is the moment at which the primary's box is gone
  const killedAt = Date.now();
  const had = load.written.length;
  await until(() => load.written.length > had + clients);
  await kill(running.primary.child);
  await load.stop();
  const promotion = await answerOf("promote", "--data", data);
  const read = await watching.end();
  for (const { child } of [running.follower, running.replica]) await kill(child);

  const promoted = await openTestServer({ data });
  const texts = promoted.store.database.prepare("SELECT text FROM notes WHERE node_id = ?").pluck().all(node_id);
  const stored = new Set(texts);
  checkDatabase(data, node_id);
  const lost = load.written.filter(({ text }) => !stored.has(text));
  const synced = Date.parse(promotion.synced_at);
  for (const { text, answered } of lost)
    assert.ok(
      answered >= synced,
      `${text} was acknowledged ${synced - answered} ms before the time of the copy, and is lost`,
    );
  assert.ok(synced > allRestarted, "a copy from after the last restart");
  assert.ok(lost.length > 0, "the writes after the last copy are lost");
  const oldest = Math.max(...lost.map(({ answered }) => killedAt - answered));
  console.log(
    `${rounds} kills, ${load.written.length} acknowledged writes, ${read} states read; the promotion lost ${lost.length}, the oldest acknowledged ${oldest} ms before the end of copying`,
  );
  assert.is((await promoted.ask(token, "/api/v1/production")).status, 200);
  await promoted.stop();
});

killing.after(() => {
  for (const child of children) child.kill("SIGKILL");
});

killing.run();

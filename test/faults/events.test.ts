// kill -9 of the server and of a webhook's receiver while events are written: a reader and the receiver miss nothing,
// and what they get twice is at most what was under way at a kill. ROUNDS=20 EVENTS=10000 kills each of them 20 times
// during 10,000 events.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { addWebhook, resume } from "../../src/features/webhooks/webhooks.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { demoFolder, mint } from "../support/app.ts";
import { recordEvents } from "../support/event_log.ts";
import { freePort } from "../support/free_port.ts";
import { roundsOf } from "../support/rounds.ts";
import { runtimeOf } from "../support/runtime.ts";
import { until } from "../support/until.ts";

const rounds = roundsOf(3);
const total = Number(process.env.EVENTS ?? 1_000);
const folder = await demoFolder();
const store = openStore(join(folder, "tallylight.db"));
const production_id = 1;
const token = mint(store, { production_id });
const log = join(folder, "received");

const started: ChildProcess[] = [];
async function start(script: string, args: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
  const file = fileURLToPath(new URL(`../support/${script}`, import.meta.url));
  const env = { ...process.env, TALLYLIGHT_WEBHOOK_HOSTS: "127.0.0.1" };
  const child = spawn(process.execPath, [...runtimeOf(file), file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  started.push(child);
  for await (const url of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return { child, url };
  throw new Error(`${script} did not start`);
}
async function kill({ child }: { child: ChildProcess }): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

const killing = suite("kill -9 during events");

killing(
  `nothing is missed in ${rounds} kills of the server and ${rounds} of the receiver, during ${total} events`,
  async () => {
    const position = store.database.prepare("SELECT coalesce(max(id), 0) FROM events").pluck().get() as number;
    const admin = () => localAdmin(store, new Date().toISOString());
    const port = await freePort();
    const { id, secret } = addWebhook(admin(), { production_id, url: `http://127.0.0.1:${port}/hook` });
    const startReceiver = () => start("receiver_process.ts", [log, secret, String(port)]);
    let receiver = await startReceiver();
    let server = await start("server_process.ts", [folder]);

    let written = 0;
    const perRound = Math.ceil(total / rounds);
    /** Most events come from another process, some from the API, which refuses while the server is down. */
    const write = async (): Promise<void> => {
      for (let at = 0; at < perRound; at += 10) {
        recordEvents(store, production_id, { count: 10, now: new Date().toISOString() });
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const body = JSON.stringify({ label: "Lamp" });
        await fetch(`${server.url}/api/v1/assets`, { method: "POST", headers, body }).catch(() => {});
        written += 10;
      }
    };

    const read: number[] = [];
    let cursor = "start";
    let isDone = false;
    const reading = (async () => {
      while (!isDone)
        try {
          const query = `after=${cursor}&wait=1`;
          const response = await fetch(`${server.url}/api/v1/events?${query}`, {
            headers: { authorization: `Bearer ${token}` },
          });
          const page = (await response.json()) as { events: { id: number }[]; next: string };
          read.push(...page.events.map((event) => event.id));
          cursor = page.next;
        } catch {
          await pause(20); // the server was killed
        }
    })();

    for (let round = 0; round < rounds; round++) {
      const writing = write();
      await pause(100 + ((round * 67) % 300));
      if (round % 2 === 0) await kill(server);
      await kill(receiver);
      receiver = await startReceiver();
      if (round % 2 === 1) await kill(server);
      server = await start("server_process.ts", [folder]);
      resume(admin(), id); // instead of the wait for the next try
      await writing;
    }
    assert.ok(written >= total);

    const stored = store.database
      .prepare("SELECT id FROM events WHERE production_id = ? AND id > ? ORDER BY id")
      .pluck()
      .all(production_id, position) as number[];
    const received = (): string[] => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []);
    let looks = 0;
    await until(() => {
      if (++looks % 40 === 0) resume(admin(), id); // a try may have failed at a kill
      return received().at(-1) === String(stored.at(-1)) && read.length >= stored.length;
    }, 50);
    isDone = true;
    await reading;
    await Promise.all([kill(server), kill(receiver)]);

    assert.equal(read, stored, "the reader has each event once, in order");
    const deliveries = received().map(Number);
    assert.equal([...new Set(deliveries)], stored, "the receiver has each event, in order");
    const repeated = deliveries.length - stored.length;
    assert.ok(repeated <= 2 * rounds, `${repeated} deliveries were repeated in ${2 * rounds} kills`);
    console.log(`${stored.length} events, ${2 * rounds} kills: ${repeated} deliveries repeated`);
  },
);
killing.after(() => {
  for (const child of started) child.kill("SIGKILL");
  store.close();
  rmSync(folder, { recursive: true, force: true });
});
killing.run();

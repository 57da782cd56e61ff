// npm run turns: asks for every operation, every page and every other path at its limits (2,000 scenes, the longest
// texts, the largest change sets, the most files), and measures the longest turn of the server's main thread: the most
// processor time that it takes between two looks at its event loop. A turn may take 50 ms of a processor as fast as the
// one on which the bound was set: a loop in the server's own process measures how fast this one is, before and after
// each attempt that is near the bound. Processor time, because other programs change it little; the least of some
// attempts, because they change it a little, and a case fails above the bound and what two measurements differ by. An
// operation, a page or a path without a case fails by its name. Words as arguments choose the cases; `=GET /` is the
// case of that name.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { scopes } from "../../src/core/access/callers.ts";
import { openStore } from "../../src/core/store/database.ts";
import { openPages } from "../../src/features/pages/pages.ts";
import { mint, type TestServer } from "../../test/support/app.ts";
import { table } from "../../test/support/operations.ts";
import { openAsAdmin, signIn } from "../../test/support/pages.ts";
import { runtimeOf } from "../../test/support/runtime.ts";
import { type Asked, casesFor, type Measured, type TurnCase } from "./turns/case.ts";
import { operationCases } from "./turns/operations.ts";
import { pageCases } from "./turns/pages.ts";
import { folderOfLimits, idsOf, prepare } from "./turns/production.ts";
import { routeCases, routeNames } from "./turns/routes.ts";

/** In milliseconds of a processor that takes `loopTime` for the loop of test/support/server_process.ts. */
const bound = 50;
const loopTime = 20;
/** What two measurements of one thing differ by here: a case fails above the bound and this. */
const noise = 1.3;
/** One that stays below this part of the bound is not asked again. */
const clear = 0.7;
/** Below this part of it, by the loop's last time, the loop is not measured again: most requests are shorter. */
const far = 0.35;
const attempts = 4;
/**
 * One that is above the bound after them is asked more often, because other programs of the machine disturb some
 * attempts.
 */
const mostAttempts = 12;

const words = process.argv.slice(2);
const isChosen = (name: string) =>
  words.length === 0 || words.some((word) => (word.startsWith("=") ? name === word.slice(1) : name.includes(word)));

const folder = await folderOfLimits();
const file = fileURLToPath(new URL("../../test/support/server_process.ts", import.meta.url));
const env = { ...process.env, TALLYLIGHT_RATE_LIMIT: "1000000", TALLYLIGHT_WEBHOOK_HOSTS: "127.0.0.1" };
const child = spawn(process.execPath, [...runtimeOf(file), file, folder, "delay"], {
  stdio: ["pipe", "pipe", "inherit"],
  env,
});
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const line = async () => (await lines.next()).value as string;
const url = await line();
const store = openStore(join(folder, "tallylight.db"));
const server = { url, store } as TestServer; // what the browsers of the tests use of it

/** What the server's process says of its main thread, in milliseconds of a processor. */
async function say(asked: "turn" | "loop"): Promise<number[]> {
  child.stdin?.write(`${asked}\n`);
  return (await line()).split(" ").map(Number);
}

/** The longest turn since the last question. */
const longestTurn = async (): Promise<number> => (await say("turn"))[1] as number;
const timeOfLoop = async (): Promise<number> => (await say("loop"))[2] as number;

async function send({ path, method, body, headers = {}, key = keys.admin, statuses }: Asked): Promise<Response> {
  const isText =
    body === undefined || typeof body === "string" || body instanceof FormData || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    redirect: "manual",
    headers: {
      ...(key !== "" && { authorization: `Bearer ${key}` }),
      ...(!isText && { "content-type": "application/json" }),
      ...(typeof body === "string" && key !== "" && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isText ? (body as string) : JSON.stringify(body) }), // fetch takes each of them
  });
  const isExpected = statuses?.includes(response.status) ?? response.status < 400;
  if (!isExpected) {
    const text = await response.text();
    const [, problem = text.slice(0, 300)] = /class="problem"[^>]*>([^<]*)/.exec(text) ?? [];
    throw new Error(`${response.status}: ${problem}`);
  }
  return response;
}

const ids = idsOf(store);
const { production: production_id } = ids;
const keys = {
  admin: mint(store, { production_id, scopes }),
  person: mint(store, { production_id, scopes, person_id: ids.person }),
  vendor: mint(store, { production_id, scopes, engagement_id: ids.engagement }),
};
const measured: Measured = {
  server,
  ids,
  keys,
  send: async (asked) => {
    const text = await (await send(asked)).text();
    return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text;
  },
  create: async (asked) => (await send(asked)).headers,
  admin: await openAsAdmin(server, production_id),
  person: await signIn(server, keys.person),
  vendor: await signIn(server, keys.vendor),
};

let lastLoop = await timeOfLoop();
const touch = store.database.prepare("UPDATE productions SET title = title");

/**
 * The least of the longest turns of some attempts, as a ratio to the bound on this machine. The first attempt loads and
 * compiles: it does not count.
 */
async function measure({ ask }: TurnCase): Promise<{ ratio: number; ms: number }> {
  let best = { ratio: Number.POSITIVE_INFINITY, ms: 0 };
  const ratioOf = (used: number, loop: number) => used / ((bound * loop) / loopTime);
  for (let attempt = 0; attempt <= (best.ratio > 1 ? mostAttempts : attempts) && best.ratio > clear; attempt++) {
    const asked = await ask(attempt);
    touch.run(); // no answer that is kept is sent again
    if (best.ratio !== Number.POSITIVE_INFINITY) lastLoop = await timeOfLoop(); // it is near the bound
    await longestTurn(); // what came before does not count
    const response = await send(asked);
    if (asked.isStream) await response.body?.cancel();
    else await response.arrayBuffer();
    const used = await longestTurn();
    let ratio = ratioOf(used, lastLoop);
    if (attempt > 0 && ratio > far) {
      const before = lastLoop;
      lastLoop = await timeOfLoop();
      ratio = ratioOf(used, (before + lastLoop) / 2); // the machine changes from one moment to the next
    }
    if (attempt > 0 && ratio < best.ratio) best = { ratio, ms: used };
  }
  return best;
}

let passed = 0;
let failed = 0;
function fail(text: string): void {
  failed++;
  console.log(`FAIL ${text}`);
}

/** Measures the cases of a name, and prints their longest turns. */
async function measureAll(name: string, all: ReturnType<typeof operationCases>): Promise<void> {
  if (!isChosen(name)) return;
  try {
    for (const one of casesFor(all, name)) {
      const { ratio, ms } = await measure(one);
      const text = `${name}, ${one.size}: ${ms.toFixed(0)} ms, ${ratio.toFixed(2)} of the bound`;
      if (ratio > (one.beyond?.ratio ?? 1) * noise) fail(text);
      else if (ratio > 1) {
        passed++;
        console.log(`over ${text}: ${one.beyond?.why ?? "within what measurements differ by"}`);
      } else {
        passed++;
        console.log(`ok   ${text}`);
      }
    }
  } catch (error) {
    fail(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

try {
  await prepare(measured);
  const operations = operationCases(measured);
  for (const { name } of table) await measureAll(name, operations);
  const pages = pageCases(measured);
  for (const { path, show, send, submit } of openPages()) {
    if (show ?? send) await measureAll(`GET ${path}`, pages);
    if (submit) await measureAll(`POST ${path}`, pages);
  }
  const routes = routeCases(measured);
  for (const name of routeNames()) await measureAll(name, routes);
  console.log(`the loop took ${(await timeOfLoop()).toFixed(1)} ms, of ${loopTime}`);
  console.log(`${passed} passed, ${failed} failed`);
} finally {
  store.close();
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended; // what it used of a processor counts for this step
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

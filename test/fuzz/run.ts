// Throws requests made from a seed at every door and holds each answer: no 5xx, no crash, no memory growth beyond a bound, no
// refusal without a detail. COUNT=100000 SEED=1; a failure names seed, number and bytes. Ends with "N passed, N failed".
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/store/database.ts";
import { demoFolder, mint } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { type Answer, ctx } from "./connection.ts";
import { type Fuzzed, Generator } from "./generator.ts";

const count = Number(process.env.COUNT ?? 100_000);
const seed = Number(process.env.SEED ?? 1);
const connections = 8;
const inARow = 10;
/** In megabytes. Kept answers fill up to 64 MB a door by their own count, and about twice that in truth; nothing else grows. */
const maxGrowth = count > 200_000 ? 300 : 100;

const folder = await demoFolder();
const store = openStore(join(folder, "tallylight.db"));
const seedData = seedDataOf(store);
const bound = { production_id: seedData.production, engagement_id: seedData.submitter };
const tokens = [
  mint(store, { production_id: seedData.production }),
  mint(store, { ...bound, scopes: ["read", "submit:turnover", "read:money"] }),
  mint(store, { production_id: seedData.production, scopes: ["read"] }),
  mint(store, { production_id: seedData.production, expires_at: "2020-01-01T00:00:00.000Z" }),
  `tl_${"x".repeat(43)}`,
  "%00",
  "",
];
store.close();

const server = spawn(
  process.execPath,
  ["--expose-gc", "--import", "tsx", fileURLToPath(new URL("../support/server_process.ts", import.meta.url)), folder],
  { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, TALLYLIGHT_FAILED_KEYS: "1000000" } },
);
let ended = false;
server.once("exit", () => {
  ended = true;
});
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
const said = async (): Promise<string> => String((await lines.next()).value);
const port = Number(new URL(await said()).port);

/** What the server holds after a collection, in megabytes. */
async function memory(): Promise<number> {
  if (ended) return 0;
  server.kill("SIGUSR2");
  return Number(await said()) / 1e6;
}

const problems: string[] = [];
const statuses = new Map<number, number>();
let answered = 0;
let unanswered = 0;

/** What the specification gives a 5xx: the deployment has no provider. */
const isDescribed = (request: Fuzzed, { status }: Answer): boolean =>
  status === 503 && request.bytes.includes("/percep/", 0, "latin1");

function judge(request: Fuzzed, answer: Answer): string | undefined {
  if (answer.status >= 500 && !isDescribed(request, answer)) return `${answer.status} ${answer.body}`;
  if (answer.status < 400 || request.method === "HEAD") return undefined;
  if (/^content-type: text\/html/im.test(answer.head))
    return request.bytes.includes("/authorize") ? undefined : "a refusal as a page";
  try {
    const { detail } = JSON.parse(answer.body.toString());
    if (typeof detail === "string" && detail !== "" && !/ at \/|node_modules|SQLITE|\.ts\b/.test(detail))
      return undefined;
  } catch {
    // said below
  }
  return `${answer.status} without a detail: ${answer.head}\n${answer.body}`;
}

function take(requests: readonly Fuzzed[], answers: readonly Answer[]): void {
  answers.forEach((answer, at) => {
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const request = requests[Math.min(at, requests.length - 1)] as Fuzzed;
    const problem = judge(request, answer);
    if (problem !== undefined)
      problems.push(`${problem}\n--- asked with\n${request.bytes.toString("latin1").slice(0, 1500)}`);
  });
  answered += answers.length;
  const last = answers.at(-1);
  if (answers.length < requests.length && !requests[0]?.wild) {
    unanswered += requests.length - answers.length;
    if (last?.closes !== true)
      problems.push(`no answer to ${requests[answers.length]?.bytes.toString("latin1").slice(0, 1500)}`);
  }
}

let made = 0;
async function work(generator: Generator, until: number): Promise<void> {
  while (made < until && !ended && problems.length < 20) {
    const first = generator.next();
    const row = [first];
    while (!first.wild && row.length < inARow) {
      const next = generator.next();
      if (!next.wild) row.push(next);
    }
    made += row.length;
    try {
      take(row, await ctx(port, row, 20_000));
    } catch (error) {
      problems.push(
        `${(error as Error).message}\n--- asked with\n${row.map(({ bytes }) => bytes.toString("latin1").slice(0, 600)).join("\n---\n")}`,
      );
    }
  }
}

const started = performance.now();
const generators = Array.from({ length: connections }, (_, at) => new Generator(seed * 1000 + at, tokens));
const warm = count / 4;
await Promise.all(generators.map((generator) => work(generator, warm)));
const before = await memory();
await Promise.all(generators.map((generator) => work(generator, count)));
const after = await memory();
const seconds = (performance.now() - started) / 1000;
const crashed = ended;
const growth = after - before;
if (crashed) problems.push("the server ended");
if (growth > maxGrowth) problems.push(`the server grew by ${growth.toFixed(0)} MB after the first quarter`);
if (!crashed) {
  const stopped = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGKILL");
  await stopped;
}
rmSync(folder, { recursive: true, force: true });
for (const problem of problems) console.log(`${problem}\n`);
const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, number]) => `${status}: ${number}`);
console.log(
  `seed ${seed}: ${made} requests, ${answered} answers, ${unanswered} behind a closing one, ${seconds.toFixed(0)} s; ${counts.join(", ")}; memory ${before.toFixed(0)} to ${after.toFixed(0)} MB`,
);
console.log(problems.length === 0 ? "1 passed, 0 failed" : "0 passed, 1 failed");
process.exit(problems.length === 0 ? 0 : 1);

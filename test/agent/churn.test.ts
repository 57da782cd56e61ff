// A real agent and a real server, each in its own process and killed at random, while files are created, changed, moved
// and removed at random and moves are approved. In the end the server's file table must equal the disk, to the
// nanosecond. ROUNDS=20 uses 10,000 files and kills 20 times; SEED=N makes other choices.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import {
  agentKey,
  demoFolder,
  differences,
  filesOf,
  install,
  launcher,
  one,
  presentFiles,
  put,
  serverProgram,
  temporaryFolder,
  until,
} from "../support/agent_harness.ts";
import { openProxy } from "../support/faulty_proxy.ts";
import { randomOf, seed } from "../support/random.ts";
import { isLong, roundsOf } from "../support/rounds.ts";
import { agentRuntime, serverRuntime } from "../support/runtime.ts";

const rounds = roundsOf(3);
const files = isLong ? 10_000 : 250;
const data = await demoFolder();
const store = openStore(join(data, "tallylight.db"));
const filespace = "churn";
const install_id = install(store, filespace);
const key = agentKey(store);
const [root, state] = [temporaryFolder(), temporaryFolder()];
const config = join(state, "config.json");
const proxy = await openProxy("http://127.0.0.1:1");
writeFileSync(
  config,
  JSON.stringify({
    url: proxy.url,
    key,
    filespace,
    root,
    state: join(state, "s"),
    partial_pass_minutes: 0.05,
    moves_seconds: 0.3,
  }),
);

const chance = randomOf(seed);
/** A whole number from 0 to below `most`. */
const random = (most: number): number => Math.floor(chance() * most);
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const running: { server?: ChildProcess; agent?: ChildProcess } = {};

async function startServer(): Promise<void> {
  const child = spawn(process.execPath, [...serverRuntime, serverProgram, data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.server = child;
  for await (const url of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    proxy.target = url;
    return;
  }
}
function startAgent(): void {
  const args = [...agentRuntime, launcher, "agent", "--config", config];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  child.stderr.on("data", (text) => {
    agentOutput = (agentOutput + text).slice(-4000);
  });
  running.agent = child;
}
/** The last output of the agents, for the message of a failed case. */
let agentOutput = "";
async function kill(name: "server" | "agent"): Promise<void> {
  const child = running[name];
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** The files that the test has created, by path, and the number of the next one. */
const created = new Set<string>();
let next = 0;
const folders = ["day 1", "day 1/roll a", "day 1/roll b", "day-1", "ü", "day 2/deep/er"];
const newPath = (): string => `${pick(folders)}/${next++ % 7 === 0 ? "e\u0301 " : ""}${next}.wav`;
const below = (folder: string): string[] => [...created].filter((path) => path.startsWith(`${folder}/`));

function create(): void {
  const path = newPath();
  put(root, path, "x".repeat(random(2000)));
  created.add(path);
}
/** A file that was created; undefined if there is none. An approved move may have taken it away. */
function existing(): string | undefined {
  const path = created.size === 0 ? undefined : pick([...created]);
  return path;
}
const attempts: (() => void)[] = [
  create,
  create,
  create,
  () => {
    const path = existing();
    if (path !== undefined) appendFileSync(join(root, path), "more", { flag: "r+" });
  },
  () => {
    const path = existing();
    if (path !== undefined) put(root, path, "y".repeat(random(2000)));
  },
  () => {
    const [from, to] = [existing(), newPath()];
    if (from === undefined) return;
    mkdirSync(join(root, to, ".."), { recursive: true });
    renameSync(join(root, from), join(root, to));
    created.delete(from);
    created.add(to);
  },
  () => {
    const path = existing();
    if (path === undefined) return;
    rmSync(join(root, path));
    created.delete(path);
  },
  () => {
    const [from, to] = [pick(folders), `moved ${next++}`];
    if (random(10) > 0) return;
    renameSync(join(root, from), join(root, to));
    for (const path of below(from)) {
      created.delete(path);
      created.add(`${to}${path.slice(from.length)}`);
    }
  },
  () => {
    const folder = pick(folders);
    if (random(20) > 0) return;
    rmSync(join(root, folder), { recursive: true });
    for (const path of below(folder)) created.delete(path);
  },
  approve,
];

/** Approves the move of a file, which the agent carries out later. */
function approve(): void {
  const src = existing();
  if (src === undefined || random(5) > 0) return;
  approveMove(src, random(3) === 0 ? (existing() as string) : `filed/${newPath()}`);
}
function approveMove(src: string, dst: string): void {
  const insert = store.database.prepare(
    "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (2, ?, ?, ?, 'pending', ?)",
  );
  store.writeSync(() => insert.run(install_id, src, dst, new Date().toISOString()));
  created.delete(src); // from now on the agent decides where it is
}

/** Does random things. Some fail because an approved move took the file away or a folder does not exist yet. */
function churn(times: number): void {
  for (let time = 0; time < times; time++)
    try {
      pick(attempts)();
    } catch (error) {
      if (!["ENOENT", "ENOTDIR", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
}

const pendingMoves = () =>
  one(store, "SELECT count(*) FROM storage_tasks WHERE install_id = ? AND status = 'pending'", install_id);
const isSame = () => presentFiles(store, install_id).join("\n") === filesOf(root).join("\n");

const churning = suite("files that change at random");

churning(
  `the server's table equals the disk after ${rounds} kills of agent and server with ${files} files`,
  async () => {
    while (created.size < files) create();
    await startServer();
    startAgent();
    for (let round = 0; round < rounds; round++) {
      for (let burst = 0; burst < 6; burst++) {
        churn(files / 25);
        await wait(60 + random(isLong ? 600 : 150));
      }
      const victim = pick(["agent", "server", "both"] as const);
      if (victim !== "agent") await kill("server");
      if (victim !== "server") await kill("agent");
      churn(files / 25);
      if (victim !== "agent") await startServer();
      if (victim !== "server") startAgent();
    }
    const last = "last.wav";
    put(root, last);
    approveMove(last, `filed/${last}`);
    const settled = async () => pendingMoves() === 0 && isSame();
    await until(settled, isLong ? 1000 : 50).catch(() => {});
    assert.is(pendingMoves(), 0, agentOutput);
    assert.equal(
      differences(presentFiles(store, install_id), filesOf(root)),
      { only_known: [], only_disk: [] },
      agentOutput,
    );
    assert.ok(
      one(store, "SELECT count(*) FROM storage_tasks WHERE install_id = ? AND status = 'done'", install_id) > 0,
    );
  },
);
churning.after(async () => {
  await kill("agent");
  await kill("server");
  await proxy.close();
  store.close();
  for (const folder of [data, root, state]) rmSync(folder, { recursive: true, force: true });
});
churning.run();

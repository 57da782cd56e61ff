// SIGTERM while 8 clients write and upload: the server exits with 0, responds to every accepted request, and has stored
// what it acknowledged completely. A second server on the directory is refused and does not affect the first, also
// while the first one ends an import.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { isServed } from "../../src/core/store/lock.ts";
import { demoFolder, mint, one } from "../support/app.ts";
import { hasPython } from "../support/checkout.ts";
import { jpeg } from "../support/jpeg.ts";
import { roundsOf } from "../support/rounds.ts";
import { serverRuntime } from "../support/runtime.ts";
import { until } from "../support/until.ts";

const rounds = roundsOf(4);
const clients = 8;
const folder = await demoFolder();
const program = fileURLToPath(new URL("../../bin/tallylight.js", import.meta.url));
const prepared = openStore(join(folder, "tallylight.db"));
const token = mint(prepared);
const admin = mint(prepared, { scopes: ["read", "admin"] });
const node_id = one(prepared, "SELECT id FROM nodes WHERE production_id = 1 AND kind <> 'scene'");
prepared.close();

let running: ChildProcess | undefined;
function serve(): ChildProcess {
  running = spawn(
    process.execPath,
    [...serverRuntime, program, "serve", "--data", folder, "--port", "0", "--log", join(folder, "log")],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  return running;
}
async function urlOf(child: ChildProcess): Promise<string> {
  for await (const url of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return url;
  throw new Error("the server did not start");
}
/** On Deno the parent reports the signal that it sent, whatever the child's exit status is. */
const isCleanExit = (status: number | null): boolean => status === 0 || (status === null && "Deno" in globalThis);
const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("exit", resolve));

/**
 * Writes until the server refuses connections; returns the acknowledged labels. A request that was accepted and cut is
 * a failure.
 */
async function stream(url: string, name: string, onDone: () => void): Promise<string[]> {
  const done: string[] = [];
  for (let number = 0; ; number++) {
    const label = `${name}-${number}.`;
    const form = new FormData();
    form.append("file", new Blob([jpeg(8, 8), new Uint8Array(number * 1000), label]), label);
    const json = {
      body: JSON.stringify({ label }),
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    };
    const upload = { body: form, headers: { authorization: `Bearer ${token}` } };
    const path = number % 2 === 0 ? "/assets" : `/assets/${node_id}/versions`;
    let response: Response;
    try {
      response = await fetch(`${url}/api/v1${path}`, { method: "POST", ...(number % 2 === 0 ? json : upload) });
    } catch {
      return done; // not accepted: the connection was refused, or closed before the request was read
    }
    assert.is(response.status, 200, await response.text());
    done.push(label);
    onDone();
  }
}

const stopping = suite("SIGTERM under load");

stopping(`exits with 0, and every acknowledged write is stored once and completely, in ${rounds} rounds`, async () => {
  let acknowledged = 0;
  for (let round = 0; round < rounds; round++) {
    const server = serve();
    const url = await urlOf(server);
    let written = 0;
    const onDone = () => void written++;
    const streams = Array.from({ length: clients }, (_, client) => stream(url, `s${round}-${client}`, onDone));
    await until(() => written > clients);
    await new Promise((resolve) => setTimeout(resolve, 80 + ((round * 31) % 120)));
    const status = ended(server);
    server.kill("SIGTERM");
    const done = (await Promise.all(streams)).flat();
    assert.ok(isCleanExit(await status));
    acknowledged += done.length;
    const store = openStore(join(folder, "tallylight.db"));
    const count = (label: string) =>
      one(
        store,
        "SELECT (SELECT count(*) FROM nodes WHERE label = :label) + (SELECT count(*) FROM media WHERE label = :label)",
        { label },
      );
    for (const label of done) assert.is(count(label), 1, `${label} was acknowledged and lost`);
    assert.is(
      one(
        store,
        "SELECT count(*) FROM versions v WHERE variant = 'On-Set' AND NOT EXISTS (SELECT 1 FROM media WHERE version_id = v.id)",
      ),
      0,
    );
    store.close();
    assert.equal(readdirSync(join(folder, "media", "staging")), []);
  }
  assert.ok(acknowledged > rounds * clients, `only ${acknowledged} writes were acknowledged`);
});

const second = suite("a second server on the same directory");

second(`exits with 1 and one sentence, and the first server continues`, async () => {
  const first = serve();
  const url = await urlOf(first);
  for (let round = 0; round < Math.min(rounds, 20); round++) {
    const other = serve();
    let output = "";
    other.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    const closed = new Promise<number | null>((resolve) => other.once("close", resolve));
    assert.is(await closed, 1);
    assert.match(output, /^another Tallylight server is using .*\n$/);
    assert.is((await fetch(`${url}/healthz`)).status, 200);
  }
  running = first;
  const status = ended(first);
  first.kill("SIGTERM");
  assert.ok(isCleanExit(await status));
  assert.not.ok(existsSync(join(folder, "server.json")), "the server has removed its record");
});

const importing = suite("SIGTERM during an import");

/** How often a process has opened the database. The thread of an import has a connection of its own. */
function connectionsOf({ pid }: ChildProcess): number {
  const opened = (fd: string): string => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ""; // closed meanwhile
    }
  };
  return existsSync(`/proc/${pid}/fd`)
    ? readdirSync(`/proc/${pid}/fd`).filter((fd) => opened(fd) === join(folder, "tallylight.db")).length
    : 0;
}

/**
 * Waits until a process has nothing to do: an import then waits for the lock of the database, where it cannot be
 * interrupted.
 */
async function untilIdle({ pid }: ChildProcess): Promise<void> {
  const ticks = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ").slice(13, 15).join();
  let [last, quiet] = [ticks(), 0];
  await until(() => {
    const now = ticks();
    quiet = now === last ? quiet + 1 : 0;
    last = now;
    return quiet === 10;
  });
}

/** Starts an import, which waits for the lock that this process holds, and ends the server with SIGTERM. */
async function stopDuringImport(name: string) {
  const server = serve();
  const url = await urlOf(server);
  const other = new Database(join(folder, "tallylight.db"));
  const before = connectionsOf(server);
  other.exec("BEGIN IMMEDIATE");
  const client = new AbortController();
  const imported = fetch(`${url}/api/v1/admin/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
    body: JSON.stringify({
      people: Array.from({ length: 500 }, (_, at) => ({ name: `${name} ${at}`, role: "Extra" })),
    }),
    signal: client.signal,
  }).then(
    ({ status }) => status,
    () => undefined,
  );
  await until(() => connectionsOf(server) > before);
  await untilIdle(server);
  const told = new Promise((resolve) => server.stderr?.once("data", resolve));
  const status = ended(server);
  server.kill("SIGTERM");
  await told;
  const letGo = (): void => {
    other.exec("ROLLBACK");
    other.close();
  };
  return { server, imported, status, client, letGo };
}
function countOf(name: string): number {
  const store = openStore(join(folder, "tallylight.db"));
  try {
    return one(store, "SELECT count(*) FROM people WHERE name LIKE :name", { name: `${name} %` });
  } finally {
    store.close();
  }
}

/** Starts another server on the directory, and ends it. Returns how many people of an import are there. */
async function countAfter(name: string): Promise<number> {
  const next = serve();
  await urlOf(next);
  const count = countOf(name);
  const status = ended(next);
  next.kill("SIGTERM");
  assert.ok(isCleanExit(await status));
  return count;
}

importing("answers a client that waits, and a second server starts only after that", async () => {
  const { imported, status, letGo } = await stopDuringImport("Waited");
  const second = serve();
  const secondEnded = ended(second);
  const url = await Promise.race([urlOf(second).catch(() => undefined), secondEnded.then(() => undefined)]);
  letGo();
  const answer = await imported;
  assert.ok(answer === 200 || answer === 503, `${answer}`); // 503 if the lock was held for more than 5 s
  assert.ok(isCleanExit(await status));
  if (url !== undefined) {
    assert.is(answer, 503, "the first server had the directory as long as the import waited");
    second.kill("SIGTERM");
    assert.ok(isCleanExit(await secondEnded));
  } else assert.is(await secondEnded, 1, "the first server still has the directory");
  assert.is(await countAfter("Waited"), answer === 200 ? 500 : 0);
});

importing(
  "ends the import of a client that went away before the directory is free: it writes nothing later",
  async () => {
    const { server, imported, status, client, letGo } = await stopDuringImport("Left");
    client.abort();
    assert.is(await imported, undefined);
    await until(() => !isServed(folder));
    assert.is(connectionsOf(server), 0, "the thread of the import has ended");
    letGo();
    assert.ok(isCleanExit(await status));
    assert.is(await countAfter("Left"), 0);
  },
);

const hangup = suite("SIGHUP");

hangup("reads the lists of the settings again without a terminal, and keeps them if a setting is invalid", async () => {
  const settings = join(folder, "config.json");
  const server = serve();
  let told = "";
  server.stderr?.on("data", (chunk) => {
    told += chunk;
  });
  const url = await urlOf(server);
  const allowed = async () => {
    const { headers } = await fetch(`${url}/healthz`, { headers: { origin: "https://set.example" } });
    return headers.get("access-control-allow-origin");
  };
  const reload = async (text: string, said: RegExp) => {
    writeFileSync(settings, text);
    told = "";
    process.kill(server.pid as number, "SIGHUP"); // on Deno, a child's own kill works once
    await until(() => said.test(told));
  };
  assert.is(await allowed(), null);
  await reload(
    '{"cors_origins": ["https://set.example"], "webhook_hosts": ["10.0.0.1"]}',
    /: cors_origins, webhook_hosts changed\n/,
  );
  assert.is(await allowed(), "https://set.example");
  await reload(
    '{"cors_origins": ["nowhere"]}',
    /the former lists stay: cors_origins in config.json must be web origins/,
  );
  await reload("{", /the former lists stay: .*config.json is not valid JSON: the error is at line 1, column 2\n/);
  assert.is(await allowed(), "https://set.example");
  await reload("{}", /: cors_origins, webhook_hosts changed\n/);
  await reload("{}", /no list has changed\n/);
  assert.is(await allowed(), null);
  rmSync(settings);
  const status = ended(server);
  process.kill(server.pid as number, "SIGTERM");
  assert.ok(isCleanExit(await status));
});

const ofTerminal = hasPython ? hangup : hangup.skip; // it opens the terminal
ofTerminal("stops a server whose terminal is closed", async () => {
  const command = [
    process.execPath,
    ...serverRuntime,
    program,
    "serve",
    "--data",
    folder,
    "--port",
    "0",
    "--log",
    join(folder, "log"),
  ];
  const terminal = `import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
text = b""
while b"http://" not in text: text += os.read(terminal, 1000)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
  const closed = spawn("python3", ["-c", terminal, ...command], { stdio: ["ignore", "pipe", "inherit"] });
  running = closed;
  let printed = "";
  closed.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  await new Promise((resolve) => closed.once("close", resolve));
  assert.is(printed, "0\n");
  assert.not.ok(existsSync(join(folder, "server.json")), "the server has removed its record");
});

hangup.after(() => {
  running?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
stopping.run();
second.run();
if (!("Deno" in globalThis)) importing.run(); // it looks into /proc, for which Deno wants every permission
hangup.run();

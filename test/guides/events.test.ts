// Runs the two consumers of docs/api.md as a reader would, while the server and they are stopped and killed.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cursorAt } from "../../src/features/events/cursors.ts";
import { demoFolder, mint, one, openTestServer, type TestServer, temporaryFolder } from "../support/app.ts";
import { hasPython } from "../support/checkout.ts";
import { pageAt } from "../support/documentation.ts";
import { recordEvents } from "../support/event_log.ts";
import { freePort } from "../support/free_port.ts";
import { until } from "../support/until.ts";

const text = pageAt("docs/api.md").text.split(/^### Write a consumer$/m)[1] ?? "";
const codeOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(text)?.[1] ?? "";
const typescript = "Deno" in globalThis ? ["run", "-A", "--no-check"] : []; // Node 24 strips the types itself
const consumers = [
  { language: "python", program: "python3", flags: [], file: "consumer.py" },
  { language: "ts", program: process.execPath, flags: typescript, file: "consumer.ts" },
].filter(({ language }) => hasPython || language !== "python");
if (!hasPython) console.log("skipped: there is no python3 here to run the consumer with");

for (const { language, program, flags, file } of consumers) {
  const test = suite(`the consumer in ${language}`);
  const folder = temporaryFolder();
  let out = "";
  let child: ChildProcess;
  let killed = Promise.resolve();

  function start(url: string, token: string): void {
    const env = { ...process.env, TALLYLIGHT_URL: url, TALLYLIGHT_KEY: token };
    child = spawn(program, [...flags, file], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => {
        out += chunk;
      });
    killed = new Promise((resolve) => child.once("close", () => resolve()));
  }
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await killed;
  };
  const ids = (): number[] => [...out.matchAll(/^(\d+) vendor\.added/gm)].map(([, id]) => Number(id));
  const untilEvents = (count: number): Promise<void> =>
    until(() => new Set(ids()).size >= count).catch(() => {
      throw new Error(`${new Set(ids()).size} of ${count} events came: ${out.slice(-500)}`);
    });

  /** Waits until the consumer has read the lists. It has its cursor then. */
  const untilRead = (): Promise<void> => until(() => /^read \d+ assets/m.test(out));
  /**
   * Waits until the consumer has stored the cursor behind the last event: before its first one, a kill makes it begin
   * again, after now.
   */
  const untilStored = ({ store }: TestServer): Promise<void> => {
    const [stored, last] = [join(folder, "events.cursor"), cursorAt(store, one(store, "SELECT max(id) FROM events"))];
    return until(() => existsSync(stored) && readFileSync(stored, "utf8") === last);
  };

  test("is short enough to be read", () => {
    const lines = codeOf(language).trimEnd().split("\n");
    assert.ok(lines.length > 20 && lines.length <= 35, `${lines.length} lines`);
  });

  test("gets every event, in order, while the server restarts and it is killed itself", async () => {
    writeFileSync(join(folder, file), codeOf(language));
    const data = await demoFolder();
    const port = await freePort();
    let server = await openTestServer({ data, port });
    const token = mint(server.store);
    start(server.url, token);
    await untilRead();
    for (let round = 1; round <= 3; round++) {
      recordEvents(server.store, 1, { count: 20 });
      await untilEvents(round * 40 - 20);
      await untilStored(server);
      await server.close();
      await pause(200);
      server = await openTestServer({ data, port });
      await kill();
      recordEvents(server.store, 1, { count: 20 });
      start(server.url, token);
      await untilEvents(round * 40);
    }
    const seen = ids();
    const stored = server.store.database.prepare("SELECT id FROM events WHERE production_id = 1 ORDER BY id").pluck();
    assert.equal([...new Set(seen)], stored.all());
    await kill();
    await server.stop();
  });

  test("reads the lists again when its cursor is not valid any more", async () => {
    const server = await openTestServer();
    writeFileSync(join(folder, "events.cursor"), "00000000-1");
    out = "";
    start(server.url, mint(server.store));
    await untilRead();
    recordEvents(server.store, 1);
    await untilEvents(1);
    await kill();
    await server.stop();
  });
  test.after(() => rmSync(folder, { recursive: true }));
  test.run();
}

// What the agent's tests share: a server with an empty filespace, a directory tree on this disk, and agents that sync
// them.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as assert from "uvu/assert";
import { runAgent, type Summary } from "../../src/agent/agent.ts";
import type { AgentOptions } from "../../src/agent/components.ts";
import { type LogFields, openLog } from "../../src/agent/log.ts";
import { agentSettingsOf, type GivenSettings } from "../../src/agent/settings.ts";
import type { Store } from "../../src/core/store/store.ts";
import { demoFolder, mint, one, openTestServer, type TestServer, temporaryFolder } from "./app.ts";
import { launcher, type Outcome, tallylight } from "./command.ts";
import { until } from "./until.ts";

export { demoFolder, launcher, type Outcome, one, openTestServer, tallylight, temporaryFolder, until };

/** The program that serves a data directory in its own process and prints its address. */
export const serverProgram = fileURLToPath(new URL("./server_process.ts", import.meta.url));

const production_id = 2;

export interface Line extends LogFields {
  event: string;
}

/** Makes a new filespace the production's active one. Returns the id of its install. */
export function install(store: Store, filespace: string): number {
  return store.writeSync(() => {
    store.database.prepare("UPDATE storage_installs SET active = 0 WHERE production_id = ?").run(production_id);
    const insert = store.database.prepare(
      "INSERT INTO storage_installs (production_id, filespace, active, created_at) VALUES (?, ?, 1, '2026-11-20T08:00:00.000Z')",
    );
    return Number(insert.run(production_id, filespace).lastInsertRowid);
  });
}

export const agentKey = (store: Store): string => mint(store, { production_id, scopes: ["write"], label: "agent" });

/** The files that the server lists as present, as `path size mtime_ns`, sorted. */
export const presentFiles = (store: Store, install_id: number): string[] =>
  (
    store.database
      .prepare(
        "SELECT path || ' ' || size || ' ' || mtime_ns FROM asset_files WHERE install_id = ? AND state = 'present'",
      )
      .pluck()
      .all(install_id) as string[]
  ).sort();

/** The same without find, which takes longer to start than most trees take to read; links are not followed. */
function walk(folder: string, prefix: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    if (name === ".lucid_audit" || name.startsWith(".tallylight-")) return [];
    if (entry.isDirectory()) return walk(join(folder, name), `${prefix}${name}/`);
    const stat = entry.isFile() ? lstatSync(join(folder, name), { bigint: true, throwIfNoEntry: false }) : undefined;
    return stat === undefined ? [] : [`${prefix}${name} ${stat.size} ${stat.mtimeNs}`];
  });
}

/**
 * The files on the disk in the same form, with their paths in NFC, as the server stores them. Deno does not tell every
 * digit of a timestamp, so there find reads them.
 */
export function filesOf(root: string): string[] {
  const inForm = (lines: readonly string[]): string[] => lines.map((line) => line.normalize("NFC")).sort();
  if (!("Deno" in globalThis)) return inForm(walk(root, ""));
  const unwanted = ["(", "-name", ".lucid_audit", "-o", "-name", ".tallylight-*", ")", "-prune", "-o"];
  const form = ["-type", "f", "-printf", "%P %s %T@\\0"];
  const listed = execFileSync("find", [root, ...unwanted, ...form], { maxBuffer: 1 << 28 }).toString();
  const lines = listed.split("\0").filter(Boolean);
  return inForm(lines.map((line) => line.replace(/(\d+)\.(\d{9})\d*$/, "$1$2")));
}

/** The first 20 lines that only one of the two lists has, for each list. */
export function differences(
  known: readonly string[],
  disk: readonly string[],
): { only_known: string[]; only_disk: string[] } {
  const [left, right] = [new Set(known), new Set(disk)];
  return {
    only_known: known.filter((line) => !right.has(line)).slice(0, 20),
    only_disk: disk.filter((line) => !left.has(line)).slice(0, 20),
  };
}

/** Writes a file below a root and creates its folders. */
export function put(root: string, path: string, content: string | Uint8Array = path): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** Makes a symbolic link with ln, because Deno's own call needs more permissions than the tests run with. */
export const linkTo = (target: string, file: string): void => void execFileSync("ln", ["-s", target, file]);

export class AgentHarness {
  readonly server: TestServer;
  readonly filespace: string;
  readonly install_id: number;
  readonly key: string;
  readonly root = temporaryFolder();
  readonly state = temporaryFolder();
  /** The log lines of all agents that ran. */
  readonly lines: Line[] = [];

  private constructor(server: TestServer, filespace: string) {
    this.server = server;
    this.filespace = filespace;
    this.install_id = install(server.store, filespace);
    this.key = agentKey(server.store);
  }

  static async open(server?: TestServer, filespace = `agent-${randomUUID()}`): Promise<AgentHarness> {
    return new AgentHarness(server ?? (await openTestServer()), filespace);
  }

  /** A second filespace on the same server, with its own tree and state directory. */
  another(): Promise<AgentHarness> {
    return AgentHarness.open(this.server);
  }

  options(given: GivenSettings = {}, extra: Partial<AgentOptions> = {}): AgentOptions {
    const { filespace, key, root, state } = this;
    const settings = agentSettingsOf({ url: this.server.url, key, filespace, root, state, ...given }, {});
    const log = openLog((line) => void this.lines.push(JSON.parse(line)));
    const pace = { first: 20, most: 100 };
    return {
      settings,
      log,
      signal: new AbortController().signal,
      pace,
      patience: 5000,
      settle: 50,
      poll: 50,
      ...extra,
    };
  }

  /** Runs one full pass, with everything that follows from it. */
  async once(extra: Partial<AgentOptions> = {}): Promise<Summary> {
    const summary = await runAgent(this.options({}, { ...extra, once: true }));
    assert.ok(summary);
    return summary;
  }

  /** Runs an agent while `work` runs, and then stops it. */
  async running(work: () => Promise<void>, extra: Partial<AgentOptions> = {}): Promise<void> {
    const stop = new AbortController();
    const options = this.options({}, { ...extra, signal: stop.signal });
    options.settings.moves_seconds = 0.2;
    const ended = runAgent(options);
    const failed = ended.then(() => assert.unreachable("the agent ended"));
    try {
      await Promise.race([work(), failed]);
    } finally {
      stop.abort(new Error("stopped"));
      failed.catch(() => {});
      await ended;
    }
  }

  present(): string[] {
    return presentFiles(this.server.store, this.install_id);
  }

  /** Every event that the server has stored, in order. */
  events(): { event_type: string; path: string; source: string; dedupe_key: string }[] {
    return this.server.store.database
      .prepare("SELECT event_type, path, source, dedupe_key FROM storage_events WHERE install_id = ? ORDER BY id")
      .all(this.install_id) as ReturnType<AgentHarness["events"]>;
  }

  assertInSync(): void {
    assert.equal(differences(this.present(), filesOf(this.root)), { only_known: [], only_disk: [] });
  }

  /** Waits until the server lists the files that are on the disk. */
  async untilInSync(): Promise<void> {
    let files = "";
    let tries = 0;
    await until(() => {
      // reading a large tree each time would keep the agent from its work
      if (tries++ % 25 === 0) files = filesOf(this.root).join("\n");
      return this.present().join("\n") === files;
    }).catch(() => {});
    this.assertInSync();
  }

  logged(event: string): Line[] {
    return this.lines.filter((line) => line.event === event);
  }

  remove(): void {
    for (const folder of [this.root, this.state]) rmSync(folder, { recursive: true, force: true });
  }
}

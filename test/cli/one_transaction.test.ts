// Every command that changes a data directory does so in one transaction, or is in a list here that says why not: a
// command that is killed between two would leave half of its change. What a process commits is counted in the
// write-ahead log, so it does not matter how.
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allCommands } from "../../src/cli/main.ts";
import type { Command } from "../../src/core/command.ts";
import { demoFolder, mint, one } from "../support/app.ts";
import { root, tallylight } from "../support/command.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";
import { openData } from "../support/template.ts";

const folder = await demoFolder();
const { store } = openData(folder); // while it is open, no command resets the log
const seedData = seedDataOf(store);
const { production } = seedData;
const find = (sql: string, ...values: unknown[]): string => String(one(store, sql, ...values));
const newest = (table: string): string => find(`SELECT max(id) FROM ${table}`);

/**
 * How many transactions the write-ahead log has: the header of each one's last frame has the size of the database
 * (SQLite's file format, 4.1).
 */
function commits(): number {
  const log = readFileSync(join(folder, "tallylight.db-wal"));
  if (log.length === 0) return 0;
  const salts = log.subarray(16, 24);
  const frameSize = 24 + log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + frameSize <= log.length && log.subarray(at + 8, at + 16).equals(salts); at += frameSize)
    if (log.readUInt32BE(at + 4) !== 0) count++;
  return count;
}

const reads = "it writes nothing to the database";
const serves = "it runs until it is ended";
const directory = "it makes another data directory, or a file";
const rewrites = "it also writes the database anew, so that no trace is left";
const asks = "it asks another server between two transactions";
/** Commands without a case, and why. */
const withoutCase: Readonly<Record<string, string>> = {
  serve: serves,
  open: serves,
  demo: serves,
  agent: serves,
  follow: serves,
  promote: directory,
  backup: directory,
  "backup list": reads,
  "backup verify": reads,
  restore: directory,
  init: reads,
  "mcp-config": reads,
  openapi: reads,
  doctor: reads,
  "agent status": reads,
  whoami: reads,
  audit: reads,
  history: reads,
  list: reads,
  "submissions list": reads,
  "approvals list": reads,
  "script-changes list": reads,
  "productions list": reads,
  "keys list": reads,
  "engagements list": reads,
  "webhooks list": reads,
  "webhooks deliveries": reads,
  "webhooks set-aside": reads,
  "storage moves list": reads,
  "webhooks test": asks,
  "productions delete": rewrites,
  "people erase": rewrites,
};

const receiver = "http://127.0.0.1:9/hook";
const ofProduction = ["--production", String(production)];
const decided = (): string =>
  find(
    `SELECT approval_id FROM approval_steps step WHERE decided_by_person_id IS NOT NULL
       AND (SELECT production_id FROM approvals WHERE id = approval_id) = ? AND NOT EXISTS (
         SELECT 1 FROM approval_steps WHERE approval_id = step.approval_id AND position > step.position AND status <> 'pending')`,
    production,
  );
const pendingChange = (): string => find("SELECT min(id) FROM script_changes WHERE status = 'pending'");

/** The arguments of each command that writes; the ids are read when its turn comes. */
const cases: Readonly<Record<string, () => readonly string[]>> = {
  set: () => {
    const [title, status] = ["title", "iif(status = 'sent', 'ready', 'sent')"].map((column) =>
      find(`SELECT ${column} FROM deliveries WHERE id = ?`, seedData.delivery),
    );
    return ["deliveries", String(title), `status=${status}`, ...ofProduction];
  },
  undo: () => [newest("change_sets")],
  import: () => [writeDocument({ vendors: [{ name: "Brass Lantern" }] }), ...ofProduction],
  export: () => [...ofProduction, "--out", join(scratch(), "export.json")],
  "engagements add": () => [...ofProduction, "--vendor", "Nobody's yet", "--title", "Titles"],
  "grants add": () => [
    "--engagement",
    newest("engagements"),
    "--verb",
    "submit",
    "--delivery",
    String(seedData.delivery),
  ],
  "episodes begin": () => ["101", "--production", String(seedData.feature)],
  "grants revoke": () => [newest("grants")],
  "engagements end": () => [newest("engagements")],
  "keys mint": () => [...ofProduction, "--label", "Dailies"],
  "keys rotate": () => [newest("api_keys")],
  "keys revoke": () => {
    mint(store, { production_id: production, label: "Dailies" }); // beside the one that the command has minted
    return [...ofProduction, "--label", "Dailies"];
  },
  "submissions remove": () => [newest("submissions")],
  "approvals take-back": () => [decided()],
  "approvals ask-again": () => [
    find(
      `SELECT max(a.id) FROM approvals a WHERE a.status = 'pending' AND version_id IS NULL
         AND EXISTS (SELECT 1 FROM versions WHERE node_id = a.node_id)`,
    ),
  ],
  "approvals reopen": () => [find("SELECT max(id) FROM approvals WHERE status = 'changes_requested'")],
  "versions release": () => [find("SELECT max(id) FROM versions WHERE released = 0")],
  "versions archive": () => [find("SELECT max(id) FROM versions WHERE archived = 0")],
  "script-changes approve": () => [pendingChange()],
  "script-changes dismiss": () => [pendingChange()],
  "productions freeze": () => [String(production)],
  "productions thaw": () => [String(production)],
  "productions archive": () => [String(production), join(scratch(), "archive.tar")],
  "storage install": () => [...ofProduction, "--filespace", "another-filespace"],
  "storage moves add": () => [...ofProduction, "--src", "in/a.mov", "--dst", "out/a.mov"],
  "webhooks add": () => [...ofProduction, "--url", receiver],
  "webhooks set": () => [newest("webhooks"), "--url", `${receiver}/other`],
  "webhooks pause": () => [newest("webhooks")],
  "webhooks resume": () => [newest("webhooks")],
  "webhooks rotate": () => [newest("webhooks")],
  "webhooks replay": () => [newest("webhooks"), "--after", "start"],
  "webhooks remove": () => [newest("webhooks")],
};

/**
 * Commands that remove bytes of media, which a further transaction does once nothing refers to them; a later one would
 * do it after a kill.
 */
const removesBytes: ReadonlySet<string> = new Set(["submissions remove"]);

const commands = suite("every command that writes");
commands.before(() => {
  process.env.TALLYLIGHT_WEBHOOK_HOSTS = "127.0.0.1";
});
commands.after(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

commands("has a case here, or a reason why not", async () => {
  const words = (await allCommands()).map((command) => command.words);
  const known = [...Object.keys(cases), ...Object.keys(withoutCase)];
  const without = words.filter((word) => !known.includes(word));
  assert.equal(without, [], "give each a case above, or a reason why not");
  assert.equal(known.sort(), words.toSorted());
});

commands("is found: the feature of its file names its first word in `commands`", async () => {
  const found = new Set((await allCommands()).map(({ words }) => words));
  for (const file of globSync("src/**/*.ts", { cwd: root })) {
    if (!/^export const commands: readonly Command\[\]/m.test(readFileSync(join(root, file), "utf8"))) continue;
    const module: { commands: readonly Command[] } = await import(`../../${file.replaceAll("\\", "/")}`);
    for (const { words } of module.commands) assert.ok(found.has(words), `${words} of ${file}`);
  }
});

for (const [words, argumentsOf] of Object.entries(cases))
  commands(`${words} writes in one transaction`, async () => {
    const given = argumentsOf();
    const before = commits();
    const { status, err } = await tallylight(...words.split(" "), ...given, "--data", folder);
    assert.is(status, 0, err);
    assert.is(commits() - before, removesBytes.has(words) ? 2 : 1);
  });

commands("several new productions come in one transaction, and in none if one of them is refused", async () => {
  const titled = (title: string) => {
    const document = smallDocument();
    return writeDocument({ ...document, production: { ...(document.production as object), title } });
  };
  const imports = (...files: string[]) => tallylight("import", ...files, "--data", folder);
  const before = commits();
  assert.is((await imports(titled("Low Water"), titled("High Water"))).status, 0);
  assert.is(commits() - before, 1);
  const refused = await imports(titled("Spring Tide"), titled("High Water"));
  assert.match(refused.err, /production\.title is taken: production \d+ is "High Water" already/);
  assert.match((await imports(titled("Neap"), titled("Neap"))).err, /production\.title is that of .*, too: Neap/);
  assert.is(commits() - before, 1);
});

commands.run();

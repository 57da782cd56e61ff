// The backup before a migration: every command that migrates makes it once and says the command that gives it back,
// which works in the same directory, again and again.
// Thorough: only --all runs it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { release } from "../../src/core/program.ts";
import { migrate, migrations } from "../../src/core/store/migrations.ts";
import { temporaryFolder } from "../support/app.ts";
import { addressOf, answerOf, launch, tallylight } from "../support/command.ts";

const test = suite("the backup before a migration");
const label = `before-${release}`;
const sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"; // of "test"
const medium = `media/9f/${sha256}`;

/** A data directory of an older version, with one production and one medium. */
function olderData(): { data: string; file: string } {
  const data = join(temporaryFolder(), "data");
  mkdirSync(join(data, "media/9f"), { recursive: true });
  writeFileSync(join(data, medium), "test");
  const file = join(data, "tallylight.db");
  const database = new Database(file);
  migrate(database, migrations().slice(0, 35));
  database.exec(
    "INSERT INTO productions (id, title, logline, status, phase, accent, format, created_at) VALUES (1, 'Show', '', 'active', 'prep', '', 'single', '2026-01-01T00:00:00.000Z')",
  );
  database.exec(`INSERT INTO blobs VALUES ('${sha256}', 4, 'text/plain', '2026-01-01T00:00:00.000Z');
    INSERT INTO media (production_id, path, kind, label, sha256) VALUES (1, 'a.txt', 'still', 'A', '${sha256}')`);
  database.close();
  return { data, file };
}

/** The schema and the title of a directory. */
function stateOf(file: string): [number, string] {
  const database = new Database(file, { readonly: true });
  const state: [number, string] = [
    database.pragma("user_version", { simple: true }) as number,
    database.prepare("SELECT title FROM productions").pluck().get() as string,
  ];
  database.close();
  return state;
}

const backupsIn = (data: string): string[] =>
  readdirSync(join(data, "backups")).filter((name) => name.startsWith("before-"));

test("a command makes it, says how to go back, and links the media", async () => {
  const { data, file } = olderData();
  const { err } = await tallylight("productions", "list", "--data", data);
  assert.ok(err.includes(`tallylight restore ${data}/backups@${label} --data ${data}`), err);
  assert.equal(backupsIn(data), [label]);
  assert.is(statSync(join(data, "backups", medium)).ino, statSync(join(data, medium)).ino);
  assert.is(statSync(join(data, "backups", label, "tallylight.db")).mode & 0o777, 0o600);
  assert.equal(stateOf(file), [migrations().length, "Show"]);
  const [{ kind }] = await answerOf("backup", "list", join(data, "backups"));
  assert.is(kind, "before-upgrade");
  assert.is((await tallylight("productions", "list", "--data", data)).err, "", "once");
});

test("serve makes it", async () => {
  const { data } = olderData();
  const running = launch(["serve", "--data", data, "--port", "0"]);
  await addressOf(running);
  running.signal("SIGTERM");
  assert.is(await running.ended, 0, running.err());
  assert.ok(running.err().includes(`backups@${label}`), running.err());
  assert.equal(backupsIn(data), [label]);
});

test("one command goes back, keeps the newer database and the media, and the next upgrade is another backup", async () => {
  const { data, file } = olderData();
  await answerOf("productions", "list", "--data", data);
  const newer = new Database(file);
  newer.exec("UPDATE productions SET title = 'Later'");
  newer.close();
  rmSync(join(data, medium)); // the backup still has it
  const back = await tallylight("restore", `${data}/backups@${label}`, "--data", data);
  assert.is(back.status, 0, back.err);
  assert.equal(stateOf(file), [35, "Show"]);
  assert.is(readFileSync(join(data, medium), "utf8"), "test");
  assert.equal(stateOf(`${file}.before-restore`), [migrations().length, "Later"]);
  const older = new Database(file);
  older.exec("UPDATE productions SET title = 'Between'");
  older.close();
  await answerOf("productions", "list", "--data", data);
  assert.equal(backupsIn(data).length, 2, "the state between is saved too");
  assert.equal(stateOf(file), [migrations().length, "Between"]);
  await answerOf("restore", `${data}/backups@${label}`, "--data", data);
  assert.equal(stateOf(file), [35, "Show"]);
  assert.ok(existsSync(`${file}.before-restore-1`), "nothing that was set aside is overwritten");
});

test("a restore in the same place is refused beside a server, of an absent backup, and of one production", async () => {
  const { data } = olderData();
  const running = launch(["serve", "--data", data, "--port", "0"]);
  await addressOf(running);
  const refusal = async (...words: string[]) => {
    const { status, err } = await tallylight("restore", ...words, "--data", data);
    assert.is(status, 1);
    return err;
  };
  assert.match(await refusal(`${data}/backups@${label}`), /another Tallylight server is using/);
  running.signal("SIGTERM");
  await running.ended;
  assert.match(await refusal(`${data}/backups@before-0.0.1`), /has no backup before-0\.0\.1/);
  assert.match(await refusal(`${data}/backups@${label}`, "--production", "1"), /into an empty directory/);
  assert.match(await refusal(`${data}/backups`), /is not empty/);
});

test("backup and doctor migrate nothing", async () => {
  const { data, file } = olderData();
  await answerOf("backup", join(temporaryFolder(), "a.tar"), "--data", data);
  await tallylight("doctor", "--data", data);
  assert.is(stateOf(file)[0], 35);
  assert.not.ok(existsSync(join(data, "backups")));
});

test.run();

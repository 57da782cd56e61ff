// restore --damaged of a data directory: a sound directory of what can be read, and the damaged one stays as it is.
// Thorough: only --all runs it.
import { createHash } from "node:crypto";
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { closing, mediaFiles } from "../../src/core/store/files.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { fixtureFiles, importedAt, openTestServer, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { folderWith } from "../support/template.ts";

const test = suite("restore --damaged of a data directory");
const databaseName = "tallylight.db";

const rowsOf = <Row>(folder: string, sql: string): Row[] =>
  closing(new Database(join(folder, databaseName), { readonly: true }), (database) =>
    database.prepare<[], Row>(sql).all(),
  );

/** The first leaf page of a table. */
const leafOf = (folder: string, table: string): number =>
  rowsOf<{ pageno: number }>(
    folder,
    `SELECT pageno FROM dbstat WHERE name = '${table}' AND pagetype = 'leaf' ORDER BY path LIMIT 1`,
  )[0]?.pageno as number;

function damage(folder: string, page: number): void {
  const handle = openSync(join(folder, databaseName), "r+");
  writeSync(handle, Buffer.alloc(4096), 0, 4096, (page - 1) * 4096);
  closeSync(handle);
}

/** Every file of a directory with the hash of its bytes and its time. The lock of a server has neither. */
const stateOf = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => statSync(join(folder, name)).isFile() && name !== "server.lock")
    .map(
      (name) =>
        `${name} ${statSync(join(folder, name)).mtimeMs} ${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}`,
    )
    .sort();

test("makes a sound directory, names what is lost, and changes nothing in the damaged one", async () => {
  const folder = await folderWith(fixtureFiles, importedAt);
  const [medium = ""] = mediaFiles(join(folder, "media"));
  const all = rowsOf(folder, "SELECT * FROM nodes ORDER BY id");
  damage(folder, leafOf(folder, "nodes"));
  writeFileSync(join(folder, "media", medium), "other bytes");
  const before = stateOf(folder);
  const to = join(temporaryFolder(), "sound");

  const refused = await tallylight("restore", folder, "--data", to);
  assert.is(refused.status, 1);
  assert.match(
    refused.err,
    new RegExp(`is a data directory, not a backup; \`tallylight restore --damaged ${folder} --data NEW\``),
  );
  assert.is(existsSync(to), false);

  const { status, out, err } = await tallylight("restore", "--damaged", folder, "--data", to);
  assert.is(status, 0, err);
  assert.match(out, new RegExp(`^restored what can be read of ${folder} to ${to}: the database and \\d+ media`));
  const [, lost] = /^broken: nodes: (\d+) rows cannot be read and are lost, with id before \d+$/m.exec(err) ?? [];
  const kept = rowsOf(to, "SELECT * FROM nodes ORDER BY id");
  assert.is(kept.length, all.length - Number(lost), err);
  assert.equal(kept, all.slice(Number(lost)));
  assert.ok(err.includes(medium.slice(3)), "the medium without its bytes is named");
  assert.equal(rowsOf(to, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
  assert.equal(stateOf(folder), before);
});

test("doctor, its repair, a backup, health and every command name the command", async () => {
  const folder = await folderWith(fixtureFiles.slice(0, 1), importedAt);
  damage(folder, leafOf(folder, "nodes"));
  const named = `tallylight restore --damaged ${folder} --data NEW`;
  for (const argv of [["doctor"], ["doctor", "--repair"], ["backup", join(temporaryFolder(), "x.tar"), "--damaged"]]) {
    const { status, out, err } = await tallylight(...argv, "--data", folder);
    assert.is(status, 1);
    assert.ok((out + err).includes(named), `${argv}: ${out}${err}`);
  }
  const headless = await folderWith(fixtureFiles.slice(0, 1), importedAt);
  damage(headless, 1);
  for (const argv of [["doctor"], ["restore", "--damaged", headless, "--data", join(temporaryFolder(), "none")]]) {
    const { status, out, err } = await tallylight(...argv, ...(argv[0] === "doctor" ? ["--data", headless] : []));
    assert.is(status, 1);
    assert.match(out + err, /is not a Tallylight database|its database cannot be read; nothing was restored/);
  }
});

test("brings the log of a database whose server was killed, and one production alone", async () => {
  const folder = await folderWith(fixtureFiles, importedAt);
  const store = openStore(join(folder, databaseName));
  store.database.pragma("wal_autocheckpoint = 0");
  store.writeSync(() => store.database.exec("UPDATE people SET role = 'in the log'"));
  const killed = temporaryFolder();
  cpSync(folder, killed, { recursive: true });
  store.close();
  rmSync(join(killed, `${databaseName}-shm`), { force: true });
  const to = join(temporaryFolder(), "sound");
  const { broken, missing } = await answerOf("restore", "--damaged", killed, "--data", to);
  assert.equal([broken, missing], [[], []]);
  assert.is(rowsOf(to, "SELECT 1 FROM people WHERE role <> 'in the log'").length, 0);
  assert.equal(
    (await inspectData(to, { deep: true, now: Date.now() })).filter(({ ok }) => !ok),
    [],
  );
  const one = join(temporaryFolder(), "one");
  const { media } = await answerOf("restore", "--damaged", killed, "--production", "2", "--data", one);
  assert.equal(rowsOf(one, "SELECT id FROM productions"), [{ id: 2 }]);
  assert.is(mediaFiles(join(one, "media")).length, media);
});

test("refuses a directory that a server uses, and one that is not empty", async () => {
  const folder = await folderWith(fixtureFiles.slice(0, 1), importedAt);
  const server = await openTestServer({ data: folder });
  const to = join(temporaryFolder(), "sound");
  const used = await tallylight("restore", "--damaged", folder, "--data", to);
  assert.is(used.status, 1);
  assert.match(used.err, /another Tallylight server is using/);
  await server.close();
  const full = await folderWith(fixtureFiles.slice(0, 1), importedAt);
  const refused = await tallylight("restore", "--damaged", folder, "--data", full);
  assert.is(refused.status, 1);
  assert.match(refused.err, /is not empty/);
  assert.is((await tallylight("restore", "--damaged", folder, "--data", folder)).status, 1);
});

test.run();

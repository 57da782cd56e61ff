// A database and its media belong together: a lost or another database is refused beside media, files without a row are
// moved to found/, and a database without its last changes is reported.
// Thorough: only --all runs it.
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startServer } from "../../src/core/server.ts";
import { openStore } from "../../src/core/store/database.ts";
import { backUp } from "../../src/features/backup/backup.ts";
import { restoreBackup } from "../../src/features/backup/restore.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { recordAction } from "../../src/graph/audit.ts";
import { demoFolder, fixtureFiles, mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { now } from "../support/small_document.ts";

const marks = suite("the mark in media/");
const fixture = fixtureFiles[0] as string;

/** The files below a folder, without those of staging. */
const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name))
        .map(({ name }) => name)
        .sort()
    : [];

/** Starts a server and stops it again. Returns what it told its administrator. */
async function started(data: string): Promise<string[]> {
  const notices: string[] = [];
  const notice = (sentence: string) => void notices.push(sentence);
  const server = await startServer({ data, host: "127.0.0.1", port: 0, log: () => {}, environment: {}, notice });
  await server.close();
  return notices;
}

async function refusal(data: string): Promise<string> {
  try {
    await started(data);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const removeDatabase = (folder: string): void => {
  for (const name of readdirSync(folder)) if (name.startsWith("tallylight.db")) rmSync(join(folder, name));
};

marks(
  "an empty or missing database beside media is refused by the server and by every command, and nothing is removed",
  async () => {
    for (const lose of [(folder: string) => truncateSync(join(folder, "tallylight.db")), removeDatabase]) {
      const folder = await demoFolder();
      const media = filesIn(folder);
      lose(folder);
      const before = readdirSync(folder).sort();
      assert.match(
        await refusal(folder),
        /(has no bytes|is missing), but .* has the media of a database; put the database back/,
      );
      for (const words of [
        ["import", fixture],
        ["keys", "list"],
        ["doctor"],
        ["backup", join(folder, "x.tar")],
        ["serve"],
      ]) {
        const { status, err } = await tallylight(...words, "--data", folder);
        assert.is(status, 1, words.join(" "));
        assert.match(err, /has the media of a database/, words.join(" "));
      }
      rmSync(join(folder, "server.lock"), { force: true });
      assert.equal(readdirSync(folder).sort(), before);
      assert.equal(filesIn(folder), media);
      rmSync(join(folder, "media"), { recursive: true }); // what the sentence says
      if (existsSync(join(folder, "tallylight.db"))) assert.equal(await started(folder), []);
      assert.is((await tallylight("import", fixture, "--data", folder)).status, 0);
      rmSync(folder, { recursive: true });
    }
  },
);

marks("another database beside media is refused; its own one is accepted again", async () => {
  const folder = await demoFolder();
  const other = temporaryFolder();
  const own = join(folder, "tallylight.db");
  assert.is((await tallylight("import", fixture, "--data", other)).status, 0);
  copyFileSync(own, join(other, "former.db"));
  copyFileSync(join(other, "tallylight.db"), own);
  const media = filesIn(folder);
  assert.match(await refusal(folder), /media belongs to another database/);
  assert.match((await tallylight("keys", "list", "--data", folder)).err, /media belongs to another database/);
  const findings = await inspectData(folder, { deep: false, now: Date.now() });
  assert.is(findings.find(({ check }) => check === "mark")?.ok, false);
  assert.equal(filesIn(folder), media);
  copyFileSync(join(other, "former.db"), own);
  assert.equal(await started(folder), []);
  for (const one of [folder, other]) rmSync(one, { recursive: true });
});

marks("a directory of an earlier version, which has no mark, gets one without a word", async () => {
  const folder = await demoFolder();
  rmSync(join(folder, "media", "database.json"));
  assert.equal(await started(folder), []);
  assert.ok(existsSync(join(folder, "media", "database.json")));
  rmSync(folder, { recursive: true });
});

marks(
  "files without a row are moved to found/ at the start, the log says how many, and doctor names them",
  async () => {
    const folder = await demoFolder();
    const names = ["ab", "cd", "ef"].map((part) => [part, part.padEnd(64, "0")] as const);
    const server = await openTestServer({ data: folder });
    await server.close();
    for (const [part, name] of names) cpSync(join(folder, "tallylight.db"), join(folder, "media", part, name));
    writeFileSync(join(folder, "media", "staging", `resumable-${"x".repeat(22)}`), "bytes that somebody sent");
    const named = (await inspectData(folder, { deep: false, now: Date.now() })).find(
      ({ check }) => check === "media_files",
    );
    assert.equal(
      named?.items,
      names.map(([part, name]) => `media/${part}/${name}`),
    );
    const notices = await started(folder);
    assert.match(notices[0] as string, /^3 files of media that the database does not name: moved to .*found$/);
    assert.match(notices[1] as string, /^1 file of media/);
    assert.equal(
      filesIn(join(folder, "found")),
      names.map(([, name]) => name),
    );
    assert.is(
      readFileSync(join(folder, "found", "staging", `resumable-${"x".repeat(22)}`), "utf8"),
      "bytes that somebody sent",
    );
    const found = (await inspectData(folder, { deep: false, now: Date.now() })).find(({ check }) => check === "found");
    assert.match(found?.detail ?? "", /^4 files without a row/);
    assert.equal(await started(folder), []);
    for (const [part, name] of names) cpSync(join(folder, "tallylight.db"), join(folder, "media", part, name));
    await started(folder);
    assert.is(readdirSync(join(folder, "found", "ab")).length, 2, "a second file of the same name replaces none");
    rmSync(folder, { recursive: true });
  },
);

marks("a removed write-ahead log is reported once; a clean end, a crash, a backup and a restore are not", async () => {
  const folder = await demoFolder();
  const crashed = temporaryFolder();
  const server = await openTestServer({ data: folder });
  const token = mint(server.store);
  const post = async (label: string) => {
    const init = { method: "POST", body: JSON.stringify({ label }), headers: { "content-type": "application/json" } };
    assert.is((await server.ask(token, "/api/v1/assets", init)).status, 200);
  };
  const seen = () => JSON.parse(readFileSync(join(folder, "media", "database.json"), "utf8")).event as number;
  const before = seen();
  await post("one");
  while (seen() === before) await new Promise((resolve) => setTimeout(resolve, 50));
  cpSync(folder, crashed, { recursive: true }); // as kill -9 leaves it: nobody has closed the database
  const archive = join(temporaryFolder(), "backup.tar");
  await backUp(folder, archive, { now: Date.now() });
  await post("two");
  await server.close();
  assert.equal(await started(folder), [], "a clean end");

  const intact = temporaryFolder();
  cpSync(crashed, intact, { recursive: true });
  assert.equal(await started(intact), [], "a crash");

  for (const suffix of ["-wal", "-shm"]) rmSync(join(crashed, `tallylight.db${suffix}`));
  const check = async () =>
    (await inspectData(crashed, { deep: false, now: Date.now() })).find(({ check }) => check === "mark");
  assert.match((await check())?.items[0] ?? "", /lacks its last changes/);
  const [notice = ""] = await started(crashed);
  assert.match(
    notice,
    /the database lacks its last changes: its last event is \d+, and it had \d+; its write-ahead log/,
  );
  assert.equal(await started(crashed), [], "once");
  assert.is((await check())?.ok, true);

  const restored = temporaryFolder();
  await restoreBackup(archive, restored);
  assert.equal(await started(restored), [], "a backup of an earlier state, elsewhere");
  openStore(join(restored, "tallylight.db")).close();
  for (const one of [folder, crashed, intact, restored]) rmSync(one, { recursive: true });
});

marks("a removed write-ahead log is reported if it had audit entries only; removed entries are not", async () => {
  const folder = await demoFolder();
  const crashed = temporaryFolder();
  const server = await openTestServer({ data: folder });
  const audit = () => JSON.parse(readFileSync(join(folder, "media", "database.json"), "utf8")).audit as number;
  const record = (summary: string) =>
    server.store.writeSync(() =>
      recordAction(localAdmin(server.store, now), { action: "key.minted", production_id: null, detail: { summary } }),
    );
  record("kept");
  server.store.database.pragma("wal_checkpoint(TRUNCATE)");
  const before = audit();
  record("lost");
  while (audit() <= before) await new Promise((resolve) => setTimeout(resolve, 50));
  cpSync(folder, crashed, { recursive: true });
  for (const suffix of ["-wal", "-shm"]) rmSync(join(crashed, `tallylight.db${suffix}`));
  const [notice = ""] = await started(crashed);
  assert.match(notice, /its last entry of the audit log is \d+, and it had \d+; its write-ahead log/);
  server.store.writeSync(() => server.store.database.exec("DELETE FROM audit"));
  await server.close();
  assert.equal(await started(folder), []);
  for (const one of [folder, crashed]) rmSync(one, { recursive: true });
});

marks.run();

// Backup and restore: complete while others write, verified before anything is put in place, refused otherwise.
// Thorough: only --all runs it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { openBlobs } from "../../src/core/store/blobs.ts";
import { openStore } from "../../src/core/store/database.ts";
import { lockMediaForRemoving } from "../../src/core/store/lock.ts";
import type { Store } from "../../src/core/store/store.ts";
import { memberHeader } from "../../src/features/backup/archive.ts";
import { backUp } from "../../src/features/backup/backup.ts";
import { lockDraft } from "../../src/features/backup/locks.ts";
import { restoreBackup } from "../../src/features/backup/restore.ts";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { fixtureFiles, importedAt, mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { joined } from "../support/small_document.ts";
import { folderWith } from "../support/template.ts";

const now = Date.parse("2026-11-20T09:00:00.000Z");
const workspace = temporaryFolder();
/** A data directory with one small production, because each of these tests copies, packs or unpacks every file. */
const smallFolder = (): Promise<string> => folderWith(fixtureFiles.slice(0, 1), importedAt);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.instance(error, CliError);
    return (error as Error).message;
  }
  throw new Error("no error was thrown");
}

async function exported(store: Store, folder: string, production_id: number): Promise<string> {
  const blobs = openBlobs(join(folder, "media"), store, { ceiling: 0, role: "command" });
  return joined(exportDocument(store, blobs, production_id));
}

const backups = suite("backup");

backups("a backup taken during writes restores the state of one point in time", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const { submitter: engagement_id, production: production_id, delivery } = seedDataOf(store);
  const token = mint(store, { engagement_id, production_id, scopes: ["submit:turnover"] });
  let stop = false;
  let count = 0;
  const submitting = (async () => {
    while (!stop) {
      const form = new FormData();
      form.append("title", `work ${++count}`);
      for (const part of ["a", "b"]) form.append("files", new Blob([`${part} of ${count}`]), part);
      const answer = await server.ask(token, `/api/v1/turnovers/${delivery}/submissions`, {
        method: "POST",
        body: form,
      });
      assert.is(answer.status, 200, await answer.text());
    }
  })();
  while (count < 5) await new Promise((resolve) => setTimeout(resolve, 5));
  await backUp(folder, join(workspace, "during.backup"), { now });
  const during = count;
  while (count < during + 3) await new Promise((resolve) => setTimeout(resolve, 5));
  stop = true;
  await submitting;
  const elsewhere = join(workspace, "elsewhere");
  await restoreBackup(join(workspace, "during.backup"), elsewhere);
  const restored = openStore(join(elsewhere, "tallylight.db"));
  for (const hash of restored.database.prepare("SELECT sha256 FROM media").pluck().all() as string[])
    assert.is(sha256(readFileSync(join(elsewhere, "media", hash.slice(0, 2), hash))), hash);
  // Ids only grow: rows with higher ids than the restored ones were created after the backup.
  store.writeSync(() => {
    for (const table of ["media", "submissions", "activity"])
      assert.ok(
        store.database.prepare(`DELETE FROM ${table} WHERE id > ?`).run(one(restored, `SELECT max(id) FROM ${table}`))
          .changes >= 2,
      );
  });
  assert.is(await exported(restored, elsewhere, production_id), await exported(store, folder, production_id));
  restored.close();
  await server.stop();
});

backups("a backup that would take the disk's reserve is refused, and nothing is written", async () => {
  const folder = await smallFolder();
  const target = temporaryFolder();
  const message = await refusal(backUp(folder, join(target, "b.tar"), { now, reserve: Number.MAX_SAFE_INTEGER }));
  assert.match(
    message,
    /bytes free, of which 9007199254740991 stay free, and the backup needs \d+; nothing was written$/,
  );
  assert.equal(readdirSync(target), []);
});

backups(
  "what a killed or stopped backup left is removed by the next one, which leaves files of others alone",
  async () => {
    const folder = await smallFolder();
    const target = temporaryFolder();
    const killed = join(target, "a.tar.part-0123456789ab");
    mkdirSync(killed);
    for (const name of ["draft.lock", "tallylight.db", "archive"]) writeFileSync(join(killed, name), "");
    mkdirSync(join(target, "a.tar.part-00000000000a")); // killed before it had its lock
    const others = ["b.tar.part-0123456789ab", "c.part-1"].map((name) => join(target, name));
    writeFileSync(others[0] as string, "a file, not a folder of ours");
    mkdirSync(others[1] as string);
    const held = join(target, "d.tar.part-0123456789ab");
    mkdirSync(held);
    const lock = lockDraft(held);
    const stop = new AbortController();
    let reported = 0;
    const progress = () => {
      if (++reported === 3) stop.abort(new CliError("stopped by SIGTERM; nothing was written"));
    };
    const message = await refusal(backUp(folder, join(target, "e.tar"), { now, progress, signal: stop.signal }));
    assert.is(message, "stopped by SIGTERM; nothing was written");
    const rest = ["b.tar.part-0123456789ab", "c.part-1", "d.tar.part-0123456789ab"];
    assert.equal(readdirSync(target).sort(), rest);
    lock?.release();
    await backUp(folder, join(target, "e.tar"), { now });
    assert.equal(readdirSync(target).sort(), [...rest.slice(0, 2), "e.tar"]);
    for (const one of [folder, target]) rmSync(one, { recursive: true });
  },
);

backups("a restored directory can be served, and its keys work", async () => {
  const folder = await smallFolder();
  const store = openStore(join(folder, "tallylight.db"));
  const token = mint(store);
  store.close();
  await backUp(folder, join(workspace, "served.backup"), { now });
  const elsewhere = join(workspace, "served");
  await restoreBackup(join(workspace, "served.backup"), elsewhere);
  assert.equal(readdirSync(elsewhere).sort(), ["media", "server.lock", "tallylight.db"]);
  const server = await openTestServer({ data: elsewhere });
  assert.is((await server.get<{ id: number }>(token, "/production")).id, 1);
  await server.stop();
  rmSync(folder, { recursive: true });
});

backups("progress ends at the total, and the file has the reported size, mode 0600 and no secrets", async () => {
  const folder = await smallFolder();
  const seen: number[] = [];
  let lastTotal = 0;
  const written = await backUp(folder, join(workspace, "progress.backup"), {
    now,
    progress: (done, total) => {
      seen.push(done);
      lastTotal = total;
    },
  });
  assert.is(seen.at(-1), lastTotal);
  assert.is(written.bytes, statSync(join(workspace, "progress.backup")).size);
  assert.is(statSync(join(workspace, "progress.backup")).mode & 0o777, 0o600);
  assert.is(written.created_at, "2026-11-20T09:00:00.000Z");
  assert.is(readFileSync(join(workspace, "progress.backup")).includes("ticket_keys"), false);
  rmSync(folder, { recursive: true });
});

backups("an archive is a folder with one backup: GNU tar extracts it, and restore takes the folder", async () => {
  const folder = await smallFolder();
  const [file, into] = [join(workspace, "tar.backup"), join(workspace, "extracted")];
  const { members } = await backUp(folder, file, { now });
  mkdirSync(into);
  const listed = execFileSync("tar", ["-tf", file], { encoding: "utf8" }).trim().split("\n");
  execFileSync("tar", ["-xf", file, "-C", into]);
  assert.equal(
    readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length,
    listed.length,
  );
  assert.is(listed.filter((name) => name.startsWith("media/")).length, members.length - 1);
  const [named = ""] = readdirSync(into).filter((name) => name !== "media");
  const extracted = new Database(join(into, named, "tallylight.db"), { readonly: true });
  assert.is(extracted.pragma("integrity_check", { simple: true }), "ok");
  const bytes = readFileSync(join(into, listed.find((name) => name.startsWith("media/")) as string));
  assert.ok(listed.includes(`media/${sha256(bytes).slice(0, 2)}/${sha256(bytes)}`));
  extracted.close();
  assert.is((await restoreBackup(into, join(workspace, "of-the-folder"))).members.length, members.length);
  rmSync(folder, { recursive: true });
});

backups("an existing file and an empty directory are refused, and nothing is written", async () => {
  const folder = await smallFolder();
  const file = join(workspace, "taken");
  writeFileSync(file, "mine");
  assert.match(await refusal(backUp(folder, file, { now })), "already exists");
  assert.is(readFileSync(file, "utf8"), "mine");
  assert.match(await refusal(backUp(temporaryFolder(), join(workspace, "none"), { now })), "has no Tallylight data");
  assert.match(await refusal(backUp(folder, join(workspace, "no", "such", "x"), { now })), "the backup failed");
  assert.is(existsSync(join(workspace, "none")), false);
  rmSync(folder, { recursive: true });
});

backups("media with missing or damaged bytes are refused, or omitted with damaged", async () => {
  const folder = await smallFolder();
  const store = openStore(join(folder, "tallylight.db"));
  const [missingHash, damagedHash] = store.database
    .prepare("SELECT DISTINCT sha256 FROM media ORDER BY sha256 LIMIT 2")
    .pluck()
    .all() as string[];
  store.close();
  const fileOf = (hash = "") => join(folder, "media", hash.slice(0, 2), hash);
  rmSync(fileOf(missingHash));
  const bytes = readFileSync(fileOf(damagedHash));
  bytes[0] = (bytes[0] as number) ^ 1;
  writeFileSync(fileOf(damagedHash), bytes);
  const file = join(workspace, "partial.backup");
  const before = readdirSync(workspace);
  assert.match(
    await refusal(backUp(folder, file, { now })),
    `the bytes of media/${missingHash?.slice(0, 2)}/${missingHash} are missing or damaged`,
  );
  assert.equal(readdirSync(workspace), before);
  assert.equal((await backUp(folder, file, { now, damaged: true })).missing, [missingHash, damagedHash]);
  await restoreBackup(file, join(workspace, "partial"));
  rmSync(folder, { recursive: true });
});

/** Changes a database manually, without foreign keys. */
function changeManually(folder: string, sql: string): void {
  const database = new Database(join(folder, "tallylight.db"));
  database.pragma("foreign_keys = OFF");
  database.exec(sql);
  database.close();
}

const manualChanges: [what: string, sql: string, broken: RegExp][] = [
  [
    "a reference without a row",
    "DELETE FROM vendors WHERE id = 1",
    /^engagements with id \d+: vendor_id 1 does not exist in vendors in production 1$/,
  ],
  [
    "a row of another production",
    "UPDATE notes SET production_id = 2 WHERE id = 1",
    /^notes with id 1: \w+_id \d+ does not exist in \w+ in production 2$/,
  ],
  [
    "a key without the row that it refers to",
    "UPDATE audit SET id = id; INSERT INTO look_briefs VALUES (999999, 'x', '{}', '')",
    /^look_briefs with version_id 999999, sha256 x: version_id 999999 does not exist in versions$/,
  ],
  [
    "a table that Tallylight does not create",
    "CREATE TABLE mine (x)",
    /^the table mine differs from the schema of this version$/,
  ],
  [
    "an index that is missing",
    "DROP INDEX media_path",
    /^the index media_path differs from the schema of this version$/,
  ],
];
for (const [at, [what, sql, sentence]] of manualChanges.entries())
  backups(`a database with ${what} is refused by backup and restore, unless damaged is set`, async () => {
    const folder = await smallFolder();
    const file = join(workspace, `by-hand-${at}.backup`);
    const elsewhere = join(workspace, `by-hand-${at}`);
    changeManually(folder, sql);
    assert.match(await refusal(backUp(folder, file, { now })), /is not sound, .* --damaged; nothing was written$/);
    assert.is(existsSync(file), false);
    const { broken } = await backUp(folder, file, { now, damaged: true });
    assert.match(broken[0] ?? "", sentence);
    assert.match(await refusal(restoreBackup(file, elsewhere)), /is not sound .* --damaged, .*; nothing was restored$/);
    assert.is(existsSync(elsewhere), false);
    assert.equal((await restoreBackup(file, elsewhere, { damaged: true })).broken, broken);
    rmSync(folder, { recursive: true });
  });

backups("a damaged database is refused, also with damaged", async () => {
  const folder = await smallFolder();
  changeManually(folder, "PRAGMA ignore_check_constraints = ON; UPDATE productions SET format = 'other'");
  const file = join(workspace, "damaged.backup");
  assert.match(await refusal(backUp(folder, file, { now, damaged: true })), /is damaged \(CHECK constraint failed/);
  assert.is(existsSync(file), false);
  rmSync(folder, { recursive: true });
});

backups("bytes are not removed while a backup copies them", async () => {
  const folder = await smallFolder();
  let removable = true;
  await backUp(folder, join(workspace, "locked.backup"), {
    now,
    progress: () => {
      const lock = lockMediaForRemoving(folder);
      lock?.release();
      removable &&= lock !== undefined;
    },
  });
  assert.is(removable, false);
  lockMediaForRemoving(folder)?.release();
  rmSync(folder, { recursive: true });
});

const restores = suite("restore");
const source = await smallFolder();
const validBackup = join(workspace, "sound.backup");
await backUp(source, validBackup, { now });
const validBytes = readFileSync(validBackup);

/** Checks that restoring `bytes` is refused and changes nothing: the target stays an empty directory, or missing. */
async function refused(bytes: Uint8Array, sentence: RegExp | string, empty = false): Promise<void> {
  const file = join(workspace, "bad.backup");
  const folder = join(workspace, "target");
  writeFileSync(file, bytes);
  if (empty) mkdirSync(folder);
  const said = await refusal(restoreBackup(file, folder));
  assert.match(said, sentence);
  assert.match(said, /; nothing was restored$/);
  assert.is(existsSync(folder), empty);
  if (!empty) return;
  assert.equal(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
}

interface Piece {
  name: string;
  bytes: Buffer;
}
/** The archive's members after `change`, as a new archive. */
function rebuilt(change: (pieces: Piece[]) => Piece[]): Buffer {
  const pieces: Piece[] = [];
  for (let at = 0; validBytes[at] !== 0; ) {
    const size = Number.parseInt(validBytes.toString("latin1", at + 124, at + 135), 8);
    pieces.push({
      name: validBytes.toString("latin1", at, at + 100).replace(/\0+$/, ""),
      bytes: Buffer.from(validBytes.subarray(at + 512, at + 512 + size)),
    });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  const parts = change(pieces).flatMap(({ name, bytes }) => [
    memberHeader(name, bytes.length, 0),
    bytes,
    Buffer.alloc((512 - (bytes.length % 512)) % 512),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

const withManifest = (pieces: Piece[], change: (manifest: any) => void): Piece[] => {
  const manifest = JSON.parse(pieces.at(-1)?.bytes.toString() ?? "");
  change(manifest);
  return [...pieces.slice(0, -1), { name: "manifest.json", bytes: Buffer.from(JSON.stringify(manifest)) }];
};

/** A backup whose database was changed and whose manifest matches: only the database itself shows the change. */
const withDatabase = (change: (database: Database.Database) => void): Buffer =>
  rebuilt(([first, ...rest]) => {
    const file = join(workspace, "changed.db");
    writeFileSync(file, (first as Piece).bytes);
    const database = new Database(file);
    database.pragma("foreign_keys = OFF");
    change(database);
    const schema = database.pragma("user_version", { simple: true });
    database.close();
    const bytes = readFileSync(file);
    return withManifest([{ name: "tallylight.db", bytes }, ...rest], (manifest) => {
      manifest.members[0].size = bytes.length;
      manifest.members[0].sha256 = sha256(bytes);
      manifest.schema = schema;
    });
  });

restores("a backup that was unpacked and packed again can be restored", async () => {
  writeFileSync(
    join(workspace, "again.backup"),
    rebuilt((pieces) => pieces),
  );
  await restoreBackup(join(workspace, "again.backup"), join(workspace, "again"));
});

restores("a backup that is cut off anywhere is refused", async () => {
  for (const length of [
    0,
    1,
    511,
    512,
    4000,
    validBytes.length >> 1,
    validBytes.length - 1025,
    validBytes.length - 1024,
    validBytes.length - 512,
    validBytes.length - 1,
  ])
    await refused(validBytes.subarray(0, length), /is truncated|manifest is missing/, length % 2 === 0);
});

restores("a backup with any flipped bit is refused", async () => {
  const step = Math.floor(validBytes.length / 24);
  for (let at = 0; at < validBytes.length; at += step) {
    const bytes = Buffer.from(validBytes);
    bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
    await refused(bytes, "nothing was restored");
  }
});

restores("a restore that was killed at any step does not block the next one", async () => {
  const folder = await smallFolder();
  const archive = join(workspace, "killed.backup");
  await backUp(folder, archive, { now });
  const whole = join(workspace, "whole");
  await restoreBackup(archive, whole);
  const steps: ((to: string) => void)[] = [
    (to) => cpSync(join(whole, "media"), join(to, "restoring", "media"), { recursive: true }),
    (to) => {
      cpSync(join(whole, "media"), join(to, "media"), { recursive: true });
      cpSync(join(whole, "tallylight.db"), join(to, "restoring", "tallylight.db"));
    },
  ];
  for (const [at, step] of steps.entries()) {
    const to = join(workspace, `killed ${at}`);
    mkdirSync(join(to, "restoring"), { recursive: true });
    writeFileSync(join(to, "server.lock"), "");
    step(to);
    await restoreBackup(archive, to);
    assert.equal(readdirSync(to).sort(), ["media", "server.lock", "tallylight.db"]);
  }
  const other = join(workspace, "media of somebody");
  mkdirSync(join(other, "restoring"), { recursive: true });
  cpSync(join(whole, "media"), join(other, "media"), { recursive: true });
  assert.match(await refusal(restoreBackup(archive, other)), /is not empty \(media\)/);
  rmSync(folder, { recursive: true });
});

restores("bytes after the end are refused", async () => {
  await refused(Buffer.concat([validBytes, Buffer.alloc(512)]), "has data after its end");
  await refused(Buffer.concat([validBytes, validBytes]), "has data after its end");
});

restores("another kind of file, and a missing file, are refused", async () => {
  await refused(Buffer.from("PK\u0003\u0004".padEnd(4096, "x")), "is damaged or is not a Tallylight backup");
  assert.match(await refusal(restoreBackup(join(workspace, "absent"), join(workspace, "target"))), "does not exist");
});

restores("names outside the directory, extra members and swapped bytes are refused", async () => {
  const outside = (name: string) =>
    rebuilt((pieces) => [...pieces.slice(0, 1), { name, bytes: Buffer.from("x") }, ...pieces.slice(1)]);
  for (const name of [
    "../escape",
    "/tmp/tallylight-escape",
    "media/../../escape",
    "media/ab/../../../escape",
    "secrets.json",
    "media/x",
    "tallylight.db",
    "tallylight.db-wal",
    "./media",
    "media\\x",
    "config.json",
  ])
    await refused(outside(name), "it has an unexpected member");
  await refused(
    rebuilt((pieces) => [...pieces, { name: "more", bytes: Buffer.from("x") }]),
    "it has a member after its manifest",
  );
  await refused(
    rebuilt(([first, ...rest]) => [...rest, first as Piece]),
    "it has an unexpected member",
  );
  await refused(
    rebuilt((pieces) => [...pieces.slice(0, 2), ...pieces.slice(1)]),
    "it has an unexpected member",
  );
  await refused(
    rebuilt((pieces) => {
      const [, one, two] = pieces as [Piece, Piece, Piece];
      [one.bytes, two.bytes] = [two.bytes, one.bytes];
      return pieces;
    }),
    "do not match its name",
  );
  await refused(
    rebuilt((pieces) => pieces.filter((_, at) => at !== 2)),
    "does not match the manifest",
  );
  await refused(
    rebuilt((pieces) => pieces.slice(0, -1)),
    "its manifest is missing",
  );
  const stray = Buffer.from("no row names this");
  const name = `media/${sha256(stray).slice(0, 2)}/${sha256(stray)}`;
  await refused(
    rebuilt((pieces) =>
      withManifest(
        [
          ...pieces.slice(0, 1),
          ...[...pieces.slice(1, -1), { name, bytes: stray }].sort((a, b) => (a.name < b.name ? -1 : 1)),
          ...pieces.slice(-1),
        ],
        (manifest) => {
          manifest.members.push({ name, size: stray.length, sha256: sha256(stray) });
          manifest.members = [
            manifest.members[0],
            ...manifest.members.slice(1).sort((a: Piece, b: Piece) => (a.name < b.name ? -1 : 1)),
          ];
        },
      ),
    ),
    "it has media that are not in its database",
  );
});

restores(
  "a database with a schema or rows that this version does not create is refused, even if the manifest matches",
  async () => {
    await refused(
      withDatabase((database) => database.exec("CREATE TRIGGER t AFTER INSERT ON notes BEGIN SELECT 1; END")),
      "the trigger t differs from the schema of this version",
    );
    await refused(
      withDatabase((database) => database.exec("DROP INDEX media_path")),
      "the index media_path differs from the schema of this version",
    );
    await refused(
      withDatabase((database) =>
        database.exec("UPDATE media SET version_id = version_id + 999999 WHERE version_id IS NOT NULL"),
      ),
      /version_id \d+ does not exist in versions in production 1, …\); restore it unchanged with --damaged/,
    );
    await refused(
      withDatabase((database) => database.exec("DELETE FROM media")),
      "media that are not in its database",
    );
    await refused(
      withDatabase((database) => database.pragma("user_version = 99")),
      "newer Tallylight",
    );
    await refused(
      withDatabase((database) => database.exec("DELETE FROM migrations")),
      "half-migrated",
    );
    await refused(
      withDatabase((database) => database.exec("DROP TABLE migrations")),
      "another program",
    );
  },
);

restores("a directory that is not empty is refused and not changed", async () => {
  const folder = join(workspace, "held");
  cpSync(source, folder, { recursive: true });
  const before = readFileSync(join(folder, "tallylight.db"));
  assert.match(await refusal(restoreBackup(validBackup, folder)), "is not empty");
  assert.equal(readFileSync(join(folder, "tallylight.db")), before);
  const other = join(workspace, "other");
  mkdirSync(other);
  writeFileSync(join(other, "notes.txt"), "mine");
  assert.match(await refusal(restoreBackup(validBackup, other)), "is not empty (notes.txt)");
  assert.equal(readdirSync(other), ["notes.txt"]);
});

restores("the remains of an interrupted restore do not prevent the next one", async () => {
  const folder = join(workspace, "cut");
  mkdirSync(join(folder, "restoring", "media"), { recursive: true });
  await restoreBackup(validBackup, folder);
  assert.equal(readdirSync(folder).sort(), ["media", "server.lock", "tallylight.db"]);
});

restores.after(() => {
  rmSync(workspace, { recursive: true });
  rmSync(source, { recursive: true });
});

backups.run();
restores.run();

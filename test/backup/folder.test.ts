// A folder of backups: each medium is stored once, nothing half-written stands under a final name, and only what is
// kept stays.
// Thorough: only --all runs it.
import { hash, randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { openBlobs } from "../../src/core/store/blobs.ts";
import { openStore } from "../../src/core/store/database.ts";
import { backupNames, describeBackup, newestBefore } from "../../src/features/backup/backup_folder.ts";
import { backUpInto, localBackups } from "../../src/features/backup/folder_writing.ts";
import { lockBackupsForReading } from "../../src/features/backup/locks.ts";
import { MediaInFolder } from "../../src/features/backup/media_saving.ts";
import { restoreBackup, verifyBackups } from "../../src/features/backup/restore.ts";
import { retainedNames } from "../../src/features/backup/retention.ts";
import type { Medium } from "../../src/features/soundness/media_bytes.ts";
import { createMedia } from "../../src/graph/media_rows.ts";
import { fixtureFiles, importedAt, temporaryFolder } from "../support/app.ts";
import { answerOf, launch, tallylight } from "../support/command.ts";
import { rot } from "../support/rot.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small_disk.ts";
import { folderWith } from "../support/template.ts";
import { until } from "../support/until.ts";

const day = 86_400_000;
const now = Date.parse("2026-11-20T09:00:00.000Z");
const smallFolder = (): Promise<string> => folderWith(fixtureFiles.slice(0, 1), importedAt);
const mediaIn = (folder: string): string[] =>
  (readdirSync(join(folder, "media"), { recursive: true }) as string[]).filter((name) => name.length > 64).sort();
const bytesOf = (folder: string): number =>
  (readdirSync(folder, { recursive: true, withFileTypes: true }) as import("node:fs").Dirent[])
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.instance(error, CliError);
    return (error as Error).message;
  }
  throw new Error("no error was thrown");
}

/** Adds one medium of random bytes to a data directory, as a file of its first delivery. Returns its SHA-256. */
async function addMedium(folder: string, size: number): Promise<string> {
  const store = openStore(join(folder, "tallylight.db"));
  const blobs = openBlobs(join(folder, "media"), store, { ceiling: 2 ** 31, role: "command" });
  const bytes = randomBytes(size);
  const staged = blobs.stageBytes(bytes);
  await blobs.prepare([staged]);
  const delivery_id = store.database.prepare("SELECT min(id) FROM deliveries").pluck().get() as number;
  store.writeSync(() => {
    createMedia(store, blobs, staged, { production_id: 1, kind: "file", label: "plate", delivery_id }, importedAt);
  });
  await blobs.discard(staged);
  store.close();
  return staged.sha256;
}

const test = suite("a folder of backups");

test("the second backup writes the database and what is new, and each can be restored", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  for (let count = 0; count < 4; count++) await addMedium(data, 1 << 20);
  const first = await backUpInto(data, folder, { now });
  const before = bytesOf(folder);
  const same = await backUpInto(data, folder, { now: now + day });
  const database = statSync(join(folder, same.name, "tallylight.db")).size;
  assert.ok(same.bytes < database + 100_000, `${same.bytes} bytes were written for the same media`);
  assert.ok(bytesOf(folder) - before < database + 100_000);
  assert.equal(backupNames(folder), [same.name, first.name]);
  const added = await addMedium(data, 1 << 20);
  const third = await backUpInto(data, folder, { now: now + 2 * day });
  assert.ok(third.bytes - same.bytes >= 1 << 20 && third.bytes - same.bytes < (1 << 20) + database);
  const [old, latest] = [temporaryFolder(), temporaryFolder()].map((parent) => join(parent, "data"));
  await restoreBackup(`${folder}@${first.name}`, old as string);
  await restoreBackup(folder, latest as string);
  const file = join("media", added.slice(0, 2), added);
  assert.equal([existsSync(join(old as string, file)), existsSync(join(latest as string, file))], [false, true]);
  assert.ok(readFileSync(join(latest as string, file)).equals(readFileSync(join(data, file))));
  assert.match(await refusal(restoreBackup(folder, latest as string)), /is not empty/);
});

test("what a killed backup left is swept by the next one, which uses the media that were complete", async () => {
  const data = await smallFolder();
  await addMedium(data, 1 << 20);
  const folder = temporaryFolder();
  const stop = new AbortController();
  const progress = (done: number) => {
    if (done > 500_000) stop.abort(new CliError("stopped"));
  };
  assert.is(await refusal(backUpInto(data, folder, { now, progress, signal: stop.signal })), "stopped");
  assert.equal(backupNames(folder), [], "no list stands under a final name");
  for (const name of mediaIn(folder)) assert.is(statSync(join(folder, "media", name)).size > 0, true);
  const killed = join(folder, "2026-11-20T090000.000Z.part-0123456789ab");
  mkdirSync(join(killed, "backup"), { recursive: true });
  writeFileSync(join(killed, "draft.lock"), "");
  writeFileSync(join(killed, "backup", "manifest.json"), "{}");
  const { name } = await backUpInto(data, folder, { now });
  assert.equal(readdirSync(folder).sort(), [name, "backup.lock", "media"].sort());
  assert.equal(
    (await verifyBackups(folder)).map(({ problem }) => problem),
    [null],
  );
});

test("what is not kept is removed with the media that no kept backup lists", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const sha256 = await addMedium(data, 1 << 16);
  const keep = { daily: 2 };
  const kind = "scheduled";
  const first = await backUpInto(data, folder, { now, keep, kind });
  assert.equal(readdirSync(join(folder, first.name)).sort(), ["manifest.json", "tallylight.db"]);
  writeFileSync(join(folder, first.name, "draft.lock"), ""); // as of one that was killed just after it got its name
  const store = openStore(join(data, "tallylight.db"));
  store.writeSync(() => store.database.prepare("DELETE FROM media WHERE sha256 = ?").run(sha256));
  store.close();
  await backUpInto(data, folder, { now: now + day, keep, kind });
  assert.ok(
    mediaIn(folder).some((name) => name.endsWith(sha256)),
    "the first backup is kept and lists it",
  );
  const { removed } = await backUpInto(data, folder, { now: now + 2 * day, keep, kind });
  assert.equal(removed, [first.name]);
  assert.not.ok(mediaIn(folder).some((name) => name.endsWith(sha256)));
  assert.equal(
    (await verifyBackups(folder)).map(({ problem }) => problem),
    [null, null],
  );
});

test("a backup that a person made is not removed by the next ones, and takes the place of no other one", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const keep = { daily: 1 };
  const made = await backUpInto(data, folder, { now });
  const second = await backUpInto(data, folder, { now: now + 1000, keep });
  const days = [0, 1, 2].map((at) => now + 2000 + at * day);
  const scheduled: string[] = [];
  for (const at of days) scheduled.push((await backUpInto(data, folder, { now: at, keep, kind: "scheduled" })).name);
  const last = await backUpInto(data, folder, { now: now + 4 * day, keep });
  assert.equal(backupNames(folder), [last.name, scheduled.at(-1), second.name, made.name]);
  assert.equal(
    backupNames(folder).map((name) => describeBackup(folder, name).kind),
    ["manual", "scheduled", "manual", "manual"],
  );
  assert.equal(
    (await verifyBackups(folder)).map(({ problem }) => problem),
    [null, null, null, null],
  );
});

test("a medium that the box lacks or has damaged is told, the rest is saved, and the exit status is 1", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const sha256 = await addMedium(data, 1 << 16);
  const file = join(data, "media", sha256.slice(0, 2), sha256);
  const backup = (to = folder) => tallylight("backup", "--to", to, "--data", data);
  assert.is((await backup()).status, 0);
  const bytes = readFileSync(file);
  const harms = [() => rmSync(file), () => writeFileSync(file, ""), () => truncateSync(file, 7)];
  for (const harm of [...harms, () => writeFileSync(file, Buffer.concat([bytes, bytes]))]) {
    writeFileSync(file, bytes);
    harm();
    const { status, err } = await backup();
    assert.is(status, 1, err);
    assert.match(err, new RegExp(`missing or damaged in .*, but in the folder: ${sha256}`));
    const fresh = temporaryFolder();
    const other = await backup(fresh);
    assert.is(other.status, 1, other.err);
    assert.match(other.err, new RegExp(`omitted, because its bytes are missing or damaged: ${sha256}`));
    assert.is(backupNames(fresh).length, 1, "the rest is saved");
  }
  writeFileSync(file, randomBytes(bytes.length)); // of the same size: seen where its bytes are read
  assert.is((await backup(temporaryFolder())).status, 1);
  assert.equal(
    (await verifyBackups(folder)).map(({ problem }) => problem),
    [null, null, null, null, null],
  );
  writeFileSync(file, bytes);
  assert.is((await backup()).status, 0);
});

const at = (time: string) => ({ name: time, created_at: time });
const ages = (kept: ReadonlySet<string>) => [...kept].sort().reverse();

test("keep has restic's meaning: of each of the last hours, days, weeks and months that have one, the newest", () => {
  const days = Array.from({ length: 400 }, (_, ago) => new Date(now - ago * day).toISOString());
  const twice = [...days, ...days.map((time) => time.replace("T09", "T21"))].map(at);
  const kept = ages(retainedNames(twice, { daily: 7, weekly: 4, monthly: 12 }, now + day));
  assert.ok(kept.length >= 7 + 2 + 10 && kept.length <= 23, `${kept.length}`);
  assert.ok(
    kept.every((name) => name.includes("T21")),
    "of two on a day, the later one",
  );
  assert.ok((kept.at(-1) as string) < "2026-01", "the oldest is eleven months old");
  const ahead = retainedNames([...days.map(at), at("2036-01-01T09:00:00.000Z")], { daily: 7 }, now);
  assert.is(ahead.size, 8, "what a clock dated that was ten years ahead stays, and takes no place of another one");
});

test("what keep does not name keeps nothing, no rule keeps everything, and a rule that is not full keeps the oldest", () => {
  const hours = ["2026-11-20T09:30", "2026-11-20T09:10", "2026-11-20T08:00", "2026-11-20T01:00", "2026-11-18T01:00"];
  const backups = hours.map(at);
  const kept = (keep: object) => ages(retainedNames(backups, keep, now + day));
  assert.equal(kept({}), hours);
  assert.equal(kept({ last: 2 }), hours.slice(0, 2));
  assert.equal(
    kept({ hourly: 3 }),
    [0, 2, 3].map((one) => hours[one]),
  );
  assert.equal(kept({ daily: 1 }), [hours[0]], "of one day, the newest");
  assert.equal(
    kept({ daily: 1, hourly: 24 }),
    [0, 2, 3, 4].map((one) => hours[one]),
    "hourly keeps several of a day",
  );
  assert.equal(kept({ weekly: 4 }), [hours[0], hours[4]], "the oldest stays until there are four weeks");
  assert.equal(kept({ weekly: 1 }), [hours[0]]);
});

test("a backup that a wrong clock dated later does not count as the newest one", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const right = await backUpInto(data, folder, { now });
  await backUpInto(data, folder, { now: now + 365 * day });
  assert.is(newestBefore(folder, now + day)?.name, right.name);
});

test("the backup that was made last is the last one, whatever the clock said, and restore says which one it takes and why", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const made: string[] = [];
  const next = async (at: number): Promise<string> => {
    const sha256 = await addMedium(data, 1 << 16);
    made.unshift((await backUpInto(data, folder, { now: at })).name);
    assert.equal(backupNames(folder), made);
    return sha256;
  };
  const restored = async (): Promise<[string, string]> => {
    const to = join(temporaryFolder(), "data");
    const { status, err } = await tallylight("restore", folder, "--data", to);
    assert.is(status, 0, err);
    return [to, err];
  };
  await next(now);
  await next(now + 365 * day); // the clock is a year ahead
  const added = await next(now + day);
  const [to, said] = await restored();
  assert.ok(existsSync(join(to, "media", added.slice(0, 2), added)), "the last change is there");
  assert.match(said, new RegExp(`@${made[0]} was made last: it has the highest number, 3`));
  assert.match(said, new RegExp(`@${made[1]} has a later date, and was made before it: a clock was wrong`));
  assert.not.ok(said.includes(`@${made[2]} `));
  const behind = await next(now - 365 * day); // and now a year behind
  assert.ok(existsSync(join((await restored())[0], "media", behind.slice(0, 2), behind)));
  const list = join(folder, made[0] as string, "manifest.json");
  const text = readFileSync(list, "utf8");
  writeFileSync(list, text.slice(0, 100));
  assert.is(backupNames(folder).at(-1), made[0], "a damaged list has no number, only its date");
  writeFileSync(list, text);
  for (const name of made) {
    const file = join(folder, name, "manifest.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"number":\d+,/, ""));
  }
  assert.equal(backupNames(folder), [...made].sort().reverse(), "lists of former versions have dates only");
  assert.match((await restored())[1], new RegExp(`@${made[2]} has the latest date`));
  made.sort().reverse();
  await next(now - 500 * day);
});

test("verify names the damaged medium, also one of another size; the next backup writes the latter again", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const sha256 = await addMedium(data, 1 << 16);
  await backUpInto(data, folder, { now });
  await backUpInto(data, folder, { now: now + day });
  const file = join(folder, "media", sha256.slice(0, 2), sha256);
  const bytes = readFileSync(file);
  bytes[1000] = (bytes[1000] as number) ^ 1;
  writeFileSync(file, bytes);
  const problems = (await verifyBackups(folder)).map(({ problem }) => problem);
  assert.is(problems.length, 2);
  for (const problem of problems)
    assert.match(problem as string, new RegExp(`the bytes of media/../${sha256} do not match`));
  const elsewhere = join(temporaryFolder(), "data");
  assert.match(await refusal(restoreBackup(folder, elsewhere)), /do not match its name; nothing was restored$/);
  assert.not.ok(existsSync(elsewhere));
  truncateSync(file, 10);
  assert.match((await verifyBackups(folder))[0]?.problem as string, /do not match|does not match the manifest/);
  rmSync(file);
  assert.match((await verifyBackups(folder))[0]?.problem as string, /is missing|does not match the manifest/);
  await backUpInto(data, folder, { now: now + 2 * day });
  assert.equal(
    (await verifyBackups(folder)).map(({ problem }) => problem),
    [null, null, null],
  );
});

test("--damaged restores a backup without the media that the folder lost, and names each; without it nothing is restored", async () => {
  const [data, folder] = [await smallFolder(), temporaryFolder()];
  await answerOf("backup", "--to", folder, "--data", data);
  const [gone, wrong] = mediaIn(folder) as [string, string];
  rmSync(join(folder, "media", gone));
  writeFileSync(join(folder, "media", wrong), "x");
  const to = join(temporaryFolder(), "restored");
  const refused = await tallylight("restore", folder, "--data", to);
  assert.is(refused.status, 1);
  assert.match(
    refused.err,
    new RegExp(`--damaged restores the rest: .*media/(${gone}|${wrong}).*; nothing was restored`),
  );
  assert.not.ok(existsSync(to));
  assert.match((await verifyBackups(folder))[0]?.problem as string, /--damaged restores the rest/);
  const restored = await tallylight("restore", folder, "--damaged", "--data", to);
  assert.is(restored.status, 0, restored.err);
  const hashOf = (name: string): string => name.slice(3);
  for (const name of [gone, wrong]) assert.match(restored.err, `the backup has no bytes of the medium ${hashOf(name)}`);
  assert.equal(
    mediaIn(to),
    mediaIn(data).filter((name) => name !== gone && name !== wrong),
  );
  const doctor = await tallylight("doctor", "--data", to, "--json");
  const lost = JSON.parse(doctor.out).findings.find(({ check }: { check: string }) => check === "media_rows").items;
  assert.is(lost.length, 2);

  rmSync(to, { recursive: true });
  writeFileSync(join(folder, readdirSync(folder).find((name) => /^\d/.test(name)) as string, "tallylight.db"), "x");
  assert.is(
    (await tallylight("restore", folder, "--damaged", "--data", to)).status,
    1,
    "of this database there is no rest",
  );
});

test("refuses a folder that is absent, inside the data directory, another database's, or in use", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const absent = join(folder, "absent");
  assert.match(
    await refusal(backUpInto(data, absent, { now })),
    /absent is not a folder; create it, or mount the disk/,
  );
  mkdirSync(join(data, "backups"));
  assert.match(await refusal(backUpInto(data, join(data, "backups"), { now })), /inside the data directory/);
  rmSync(join(data, "backups"), { recursive: true });
  await backUpInto(data, folder, { now });
  const other = temporaryFolder();
  const foreign = await folderWith(fixtureFiles.slice(1, 2), importedAt);
  assert.match(await refusal(backUpInto(foreign, folder, { now: now + day })), /has the backups of another database/);
  const reading = lockBackupsForReading(folder);
  assert.match(await refusal(backUpInto(data, folder, { now: now + day })), /is being written to .* or read from it/);
  reading?.release();
  assert.match(await refusal(restoreBackup(other, join(other, "data"))), /has no backups$/);
  const disk = temporaryFolder();
  cpSync(folder, join(disk, "tallylight"), { recursive: true });
  writeFileSync(join(disk, "a file"), "");
  assert.match(await refusal(restoreBackup(disk, join(other, "data"))), /has no backups; \S+\/tallylight has some$/);
  assert.match(
    await refusal(restoreBackup(`${folder}@2020`, join(other, "data"))),
    /has no backup 2020; the last one is 2026/,
  );
});

test("two copies of one database do not share a folder; a former state that is restored in its place goes on there", async () => {
  const [place, folder] = [temporaryFolder(), temporaryFolder()];
  const file = join(place, "show.tar");
  await tallylight("productions", "archive", "1", file, "--data", await smallFolder());
  const [one, other] = [join(place, "one"), join(place, "other")];
  for (const data of [one, other]) await restoreBackup(file, data);
  const first = await backUpInto(one, folder, { now });
  // Nobody knows yet that the first one goes on: it may be what was restored in the place of the other.
  const second = await backUpInto(other, folder, { now: now + day });
  const refused = await refusal(backUpInto(one, folder, { now: now + 2 * day }));
  assert.match(
    refused,
    /has the backups of another database, or of another copy of this one \(the last is 2026-11-21.*\); use a folder for each/,
  );
  assert.equal(backupNames(folder), [second.name, first.name]);
  // Restored once more, also from before the last restore.
  for (const [at, name] of [second.name, first.name].entries()) {
    const again = join(place, `again ${at}`);
    await restoreBackup(`${folder}@${name}`, again);
    for (const days of [3, 4]) await backUpInto(again, folder, { now: now + (2 * at + days) * day });
  }
  assert.is(backupNames(folder).length, 6);
  assert.equal(
    (await verifyBackups(folder)).filter(({ problem }) => problem !== null),
    [],
  );
});

test("a backup before an upgrade goes into the data directory, with its media as links, and the schedule never removes it", async () => {
  const data = await smallFolder();
  const sha256 = await addMedium(data, 1 << 20);
  const folder = localBackups(data);
  const kind = "before-upgrade";
  const made = await backUpInto(data, folder, { now, kind, name: "before-1.1.0" });
  const again = await backUpInto(data, folder, { now: now + day, kind, name: "before-1.1.0" });
  assert.equal([made.name, again.name], ["before-1.1.0", "before-1.1.0-1"]);
  assert.ok(statSync(join(folder, "media", sha256.slice(0, 2), sha256)).nlink >= 2, "the bytes are there once");
  assert.is(made.bytes, statSync(join(folder, "before-1.1.0", "tallylight.db")).size);
  const disk = temporaryFolder();
  await backUpInto(data, disk, { now, kind, name: "before-1.1.0" });
  for (const days of [1, 2])
    await backUpInto(data, disk, { now: now + days * day, kind: "scheduled", keep: { last: 1 } });
  assert.equal(
    backupNames(disk).map((name) => describeBackup(disk, name).kind),
    ["scheduled", kind],
  );
  const to = join(temporaryFolder(), "data");
  await restoreBackup(`${folder}@before-1.1.0`, to);
  assert.equal(mediaIn(to), mediaIn(data));
  assert.is((await answerOf("doctor", "--data", data)).clean, true);
});

test("a medium that was overwritten here or in the folder is read again: the one is told, the other written anew", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const sha256 = await addMedium(data, 1 << 16);
  const name = join("media", sha256.slice(0, 2), sha256);
  await backUpInto(data, folder, { now });
  const bytes = readFileSync(join(data, name));
  writeFileSync(join(folder, name), randomBytes(bytes.length));
  assert.equal((await backUpInto(data, folder, { now: now + day })).lacking, []);
  assert.ok(readFileSync(join(folder, name)).equals(bytes), "the copy is the right one again");
  writeFileSync(join(data, name), randomBytes(bytes.length));
  assert.equal((await backUpInto(data, folder, { now: now + 2 * day })).lacking, [sha256]);
  assert.ok(readFileSync(join(folder, name)).equals(bytes));
});

test("a medium that rotted in the folder, with its time unchanged, is written again by the next backup, and told", async () => {
  const data = await smallFolder();
  const folder = temporaryFolder();
  const sha256 = await addMedium(data, 1 << 16);
  const [here, there] = [data, folder].map((place) => join(place, "media", sha256.slice(0, 2), sha256)) as [
    string,
    string,
  ];
  await answerOf("backup", "--to", folder, "--data", data);
  const bytes = rot(there);
  const next = await tallylight("backup", "--to", folder, "--data", data);
  assert.is(next.status, 0, next.err);
  assert.match(next.err, `damaged in ${folder}, and written again: ${sha256}`);
  assert.ok(readFileSync(there).equals(bytes));
  assert.equal((await answerOf("backup", "--to", folder, "--data", data)).renewed, []);

  rot(there);
  rmSync(here);
  const { members, missing, lacking } = await backUpInto(data, folder, { now: Date.now() });
  assert.equal([missing, lacking], [[sha256], [sha256]], "what the folder has wrong is not reported as kept");
  assert.not.ok(members.some((member) => member.sha256 === sha256));
});

test("in a large folder a backup reads another part of the copies each time, and what the last reading found damaged", async () => {
  const [data, folder] = [temporaryFolder(), temporaryFolder()];
  const media: Medium[] = Array.from({ length: 64 }, (_, at) => ({ sha256: hash("sha256", `${at}`), size: 1000 }));
  for (const { sha256, size } of media)
    for (const place of [data, folder]) {
      const file = join(place, "media", sha256.slice(0, 2), sha256);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, Buffer.alloc(size)); // not the bytes of its name
      utimesSync(file, now / 1000, now / 1000);
    }
  const noticed = async (number: number, suspects: readonly string[] = []): Promise<string[]> => {
    const place = new MediaInFolder({ data, folder, draft: folder, links: false, number, readAgain: 16_000, suspects });
    assert.is(place.open(media), 0);
    const found: string[] = [];
    for (const medium of media) if (!(await place.save(medium, () => {})).listed) found.push(medium.sha256);
    return found;
  };
  const turn: string[][] = [];
  for (const number of [1, 2, 3, 4]) turn.push(await noticed(number));
  assert.equal(turn.flat().sort(), media.map(({ sha256 }) => sha256).sort(), "each is read once in four backups");
  for (const found of turn) assert.ok(found.length < 32, `${found.length}`);
  const unread = turn[1] as string[];
  assert.equal((await noticed(1, unread)).sort(), [...(turn[0] as string[]), ...unread].sort());
});

test("a command that is killed leaves no backup under a final name, and the next one sweeps what it left", async () => {
  const data = await smallFolder();
  for (let count = 0; count < 8; count++) await addMedium(data, 8 << 20);
  const folder = temporaryFolder();
  const { child, ended } = launch(["backup", "--to", folder, "--data", data]);
  await until(() => readdirSync(folder).includes("media"), 1);
  child.kill("SIGKILL");
  await ended;
  if (backupNames(folder).length === 0) {
    const drafts = readdirSync(folder).filter((name) => name.includes(".part-"));
    assert.is(drafts.length, 1, "it was killed while it wrote");
  }
  const { name } = await backUpInto(data, folder, { now });
  assert.ok(backupNames(folder).includes(name));
  assert.equal(
    readdirSync(folder).filter((name) => name.includes(".part-")),
    [],
  );
  assert.ok((await verifyBackups(folder)).every(({ problem }) => problem === null));
});

test("a restore that is killed leaves nothing that serves, and the next one restores everything", async () => {
  const data = await smallFolder();
  for (let count = 0; count < 8; count++) await addMedium(data, 8 << 20);
  const folder = temporaryFolder();
  await backUpInto(data, folder, { now });
  const to = join(temporaryFolder(), "data");
  const { child, ended } = launch(["restore", folder, "--data", to]);
  await until(() => existsSync(join(to, "restoring", "media")), 1);
  child.kill("SIGKILL");
  await ended;
  if (!existsSync(join(to, "tallylight.db"))) {
    await restoreBackup(folder, to);
    assert.equal(readdirSync(to).sort(), ["media", "server.lock", "tallylight.db"]);
  }
  assert.equal(mediaIn(to), mediaIn(data));
  assert.is((await answerOf("doctor", "--data", to)).clean, true);
});

const disk = mountSmallDisk(6);
const onSmallDisk = disk === undefined ? test.skip : test;

onSmallDisk("on a full disk nothing is listed, and the backup is made once there is space", async () => {
  const { folder, fill, empty, close } = disk as SmallDisk;
  const data = await smallFolder();
  await addMedium(data, 1 << 20);
  try {
    fill(1 << 20);
    const message = await refusal(backUpInto(data, folder, { now }));
    assert.match(message, /bytes free and the backup needs|the disk .* is full/, message);
    assert.equal(backupNames(folder), []);
    assert.equal(
      readdirSync(folder).filter((name) => name.includes(".part-")),
      [],
    );
    empty();
    await backUpInto(data, folder, { now });
    assert.equal(
      (await verifyBackups(folder)).map(({ problem }) => problem),
      [null],
    );
  } finally {
    close();
  }
});

test.run();

// The bytes that only the history needs are in every copy of the data, so that an undo gives them back there, and go
// with their change set.
// Thorough: only --all runs it.
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { trimTables } from "../../src/features/events/retention.ts";
import { listSets } from "../../src/features/history/history.ts";
import { missingMedia } from "../../src/features/replica/copying.ts";
import { mediaName, neededBlobs } from "../../src/features/soundness/needed_media.ts";
import { fixtureFiles } from "../support/app.ts";
import { answerOf } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { canCopy, followUntil, replicaFolder } from "../support/replication.ts";
import { now } from "../support/small_document.ts";
import { openProduction, silverButton } from "../support/update.ts";

const test = suite("the media of the history");

/** A production with a medium that a change set has removed. */
async function openRemoved() {
  const production = await openProduction();
  const { folder, store, blobs, production_id, update } = production;
  const media = { label: "oilcloth.jpg", kind: "image", base64: "c2FtcGxl", created_by: "Ada", created_at: now };
  await update({ ingredients: [{ label: "Oilcloth", kind: "swatch", media }] });
  const sha256 = store.database
    .prepare("SELECT sha256 FROM media WHERE label = 'oilcloth.jpg'")
    .pluck()
    .get() as string;
  await update({ ingredients: [{ label: "Oilcloth", media: null }] });
  await blobs.removeUnneeded();
  const set = listSets(store, { production_id, limit: 1 })[0]?.id as number;
  return { ...production, sha256, set, file: join(folder, mediaName(sha256)) };
}

type Removed = Awaited<ReturnType<typeof openRemoved>>;
const restored = async (backup: string): Promise<string> => {
  const copy = join(temporaryFolder(), "copy");
  await answerOf("restore", backup, "--data", copy);
  return copy;
};

const copies: Record<string, (production: Removed) => Promise<string>> = {
  "a backup": async ({ folder }) => {
    const file = join(temporaryFolder(), "b.backup");
    await answerOf("backup", file, "--data", folder);
    return restored(file);
  },
  "a folder of backups": async ({ folder }) => {
    const backups = temporaryFolder();
    await answerOf("backup", "--to", backups, "--data", folder);
    const [verified] = await answerOf("backup", "verify", backups);
    assert.is(verified.problem, null);
    return restored(backups);
  },
  "an archive": async ({ folder, production_id }) => {
    const file = join(temporaryFolder(), "a.archive");
    await answerOf("productions", "archive", String(production_id), file, "--data", folder);
    return restored(file);
  },
};
if (canCopy)
  copies["a promoted replica"] = async ({ folder }) => {
    const data = replicaFolder();
    await followUntil(folder, data, 1);
    assert.equal((await answerOf("promote", "--data", data)).missing, []);
    return data;
  };

for (const [what, copyOf] of Object.entries(copies))
  test(`is in ${what}, and an undo there gives it back`, async () => {
    const production = await openRemoved();
    const { store, sha256, set } = production;
    assert.ok(existsSync(production.file));
    const copy = await copyOf(production);
    store.close();
    const findings = await inspectData(copy, { deep: true, now: Date.now() });
    assert.equal(
      findings.filter(({ ok }) => !ok),
      [],
    );
    await answerOf("undo", String(set), "--data", copy);
    assert.is(readFileSync(join(copy, mediaName(sha256)), "utf8"), "sample");
    const database = new Database(join(copy, "tallylight.db"), { readonly: true });
    assert.is(database.prepare("SELECT label FROM media WHERE sha256 = ?").pluck().get(sha256), "oilcloth.jpg");
    database.close();
  });

test("is not in the archive of another production", async () => {
  const { folder, store, sha256 } = await openRemoved();
  store.close();
  const { production_id: other } = await answerOf(
    "import",
    fixtureFiles.find((file) => file !== silverButton) as string,
    "--data",
    folder,
  );
  const file = join(temporaryFolder(), "other.archive");
  await answerOf("productions", "archive", String(other), file, "--data", folder);
  const copy = await restored(file);
  assert.is(existsSync(join(copy, mediaName(sha256))), false);
  const database = new Database(join(copy, "tallylight.db"), { readonly: true });
  assert.is(database.prepare("SELECT count(*) FROM blobs WHERE sha256 = ?").pluck().get(sha256), 0);
  database.close();
});

test("is among what a replica has to copy", async () => {
  const { folder, store, sha256 } = await openRemoved();
  store.close();
  const replica = temporaryFolder();
  cpSync(join(folder, "tallylight.db"), join(replica, "tallylight.db"));
  assert.ok(missingMedia(replica).some((medium) => medium.sha256 === sha256));
  assert.equal(missingMedia(folder), []);
});

test("is named by doctor once its bytes are gone", async () => {
  const { folder, store, file, sha256, blobs } = await openRemoved();
  store.close();
  rmSync(file);
  assert.is(blobs.sizeOf(sha256), undefined);
  const findings = await inspectData(folder, { deep: false, now: Date.now() });
  assert.equal(findings.find(({ check }) => check === "media_rows")?.items, [`${mediaName(sha256)} is missing`]);
});

test("goes with the change set that kept it, without a start of the server", async () => {
  const { store, blobs, file, sha256 } = await openRemoved();
  const trim = () =>
    store.writeSync(() =>
      trimTables(store, "2999-01-01T00:00:00.000Z", { days: { change_sets: 400 } }, blobs.removeIfUnneeded),
    );
  trim();
  await blobs.removeUnneeded();
  assert.is(existsSync(file), false);
  assert.is(store.database.prepare("SELECT count(*) FROM blobs WHERE sha256 = ?").pluck().get(sha256), 0);
  store.close();
});

test("stays when its change set goes, if something else needs it", async () => {
  const { store, blobs, file, update } = await openRemoved();
  const media = { label: "again.jpg", kind: "image", base64: "c2FtcGxl", created_by: "Ada", created_at: now };
  await update({ ingredients: [{ label: "Oilcloth", media }] });
  const limit = { days: { change_sets: 400 } };
  store.writeSync(() => trimTables(store, "2999-01-01T00:00:00.000Z", limit, blobs.removeIfUnneeded));
  await blobs.removeUnneeded();
  assert.is(readFileSync(file, "utf8"), "sample");
  store.close();
});

test("counts as the production's, and goes with the production", async () => {
  const { folder, store, file, production_id } = await openRemoved();
  store.close();
  const [{ title, media_bytes }] = await answerOf("productions", "list", "--data", folder);
  const database = new Database(join(folder, "tallylight.db"), { readonly: true });
  assert.is(media_bytes, database.prepare("SELECT sum(size) FROM blobs").pluck().get());
  database.close();
  const words = ["productions", "delete", String(production_id), "--confirm", title, "--no-backup", "--data", folder];
  await answerOf(...words);
  assert.is(existsSync(file), false);
});

test("is nothing in a schema that had no history", () => {
  const database = new Database(":memory:");
  database.exec(
    "CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, size INTEGER); INSERT INTO blobs VALUES ('a', 1), ('b', 2)",
  );
  database.exec("CREATE TABLE media (sha256 TEXT REFERENCES blobs (sha256)); INSERT INTO media VALUES ('b'), ('b')");
  assert.equal(neededBlobs(database), [{ sha256: "b", size: 2 }]);
  database.exec("CREATE TABLE covers (picture TEXT REFERENCES blobs (sha256)); INSERT INTO covers VALUES ('a')");
  assert.equal(neededBlobs(database), [
    { sha256: "a", size: 1 },
    { sha256: "b", size: 2 },
  ]);
  database.close();
});

test.run();

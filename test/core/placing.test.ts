// From staged to stored: bytes are linked and synced before their transaction. Whatever happens in between, a row has
// its file, and a file without a row is removed.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openBlobs } from "../../src/core/store/blobs.ts";
import { openStore } from "../../src/core/store/database.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const store = openStore(join(folder, "tallylight.db"));
const blobs = openBlobs(join(folder, "media"), store, { ceiling: 1000, role: "server" });
const now = "2026-11-20T08:00:00.000Z";
const place = (staged: ReturnType<typeof blobs.stageBytes>) => store.writeSync(() => blobs.place([staged], now));
const isStored = (sha256: string) =>
  existsSync(blobs.fileOf(sha256)) && store.statement("get_blob").get({ sha256 }) !== undefined;

const placing = suite("placing bytes");
placing.after(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

placing("prepared bytes get their row, and the staged file is removed", async () => {
  const staged = blobs.stageBytes(Buffer.from("prepared"));
  await blobs.prepare([staged]);
  assert.ok(existsSync(blobs.fileOf(staged.sha256)));
  await place(staged);
  await blobs.discard(staged);
  assert.ok(isStored(staged.sha256));
  assert.equal(readdirSync(join(folder, "media", "staging")), []);
});

placing("bytes whose file was removed in between are linked again", async () => {
  const staged = blobs.stageBytes(Buffer.from("removed between"));
  await blobs.prepare([staged]);
  rmSync(blobs.fileOf(staged.sha256));
  await place(staged);
  await blobs.discard(staged);
  assert.ok(isStored(staged.sha256));
});

placing("bytes without a row leave no file", async () => {
  const staged = blobs.stageBytes(Buffer.from("refused"));
  await blobs.prepare([staged]);
  await blobs.discard(staged);
  await blobs.removeUnneeded();
  assert.not.ok(existsSync(blobs.fileOf(staged.sha256)));
});

placing("discarding one of two uploads of the same bytes does not affect the other", async () => {
  const [refused, stored] = [blobs.stageBytes(Buffer.from("twins")), blobs.stageBytes(Buffer.from("twins"))];
  await Promise.all([blobs.prepare([refused]), blobs.prepare([stored])]);
  await blobs.discard(refused);
  await blobs.removeUnneeded();
  await place(stored);
  await blobs.discard(stored);
  await blobs.removeUnneeded();
  assert.ok(isStored(stored.sha256));
});

placing("a different file in their place without a row is replaced", async () => {
  const staged = blobs.stageBytes(Buffer.from("whole"));
  const half = blobs.stageBytes(Buffer.from("half"));
  await blobs.prepare([{ ...half, sha256: staged.sha256 }]); // as a crash may leave it
  await blobs.prepare([staged]);
  await place(staged);
  assert.is(blobs.read(staged.sha256).toString(), "whole");
  for (const one of [staged, half]) await blobs.discard(one);
});

placing("a rolled-back transaction leaves neither row nor file", async () => {
  const staged = blobs.stageBytes(Buffer.from("rolled back"));
  await store
    .write(() => {
      blobs.place([staged], now);
      throw new Error("no");
    })
    .catch(() => {});
  await blobs.discard(staged);
  await blobs.removeUnneeded();
  assert.not.ok(existsSync(blobs.fileOf(staged.sha256)));
});

placing("throws outside a transaction and for bytes that were not staged", async () => {
  const staged = blobs.stageBytes(Buffer.from("rules"));
  assert.throws(() => blobs.place([staged], now), /must be called in a write transaction/);
  const forged = { ...staged, file: "/etc/passwd" };
  assert.match(String(await blobs.prepare([forged]).catch((error: Error) => error.message)), /were not staged/);
  await blobs.discard(staged);
});

placing.run();

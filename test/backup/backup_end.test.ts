// A backup is ended with its server: nothing uses the data directory after that.
// Thorough: only --all runs it.
import { readdirSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { endBackup, makeBackup } from "../../src/features/backup/server_backups.ts";
import { openTestServer } from "../support/app.ts";

const test = suite("the end of a backup");

test("ends its thread, removes its file, and lets another one be made", async () => {
  const { app, stop } = await openTestServer();
  const ended = makeBackup(app).then(
    () => "made",
    (error: Error) => error.message,
  );
  await endBackup(app);
  assert.match(await ended, /the backup ended with status/);
  assert.equal(readdirSync(app.blobs.staging), []);
  const { size, discard } = await makeBackup(app);
  assert.ok(size > 0);
  assert.is(readdirSync(app.blobs.staging).length, 1, "a backup is a file there until it is sent");
  await discard();
  await stop();
});

test.run();

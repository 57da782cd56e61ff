// One server per data directory, in any process; commands work next to it.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openApp } from "../../src/core/app.ts";
import { openStore } from "../../src/core/store/database.ts";
import { isServed, lockForServing, lockMediaForRemoving } from "../../src/core/store/lock.ts";
import { lockMediaForReading } from "../../src/features/backup/locks.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runtime } from "../support/runtime.ts";

const locks = suite("one server per data directory");
const folder = temporaryFolder();
locks.after(() => rmSync(folder, { recursive: true }));

locks("refuses a second server, and the first continues", () => {
  const app = openApp({ data: folder });
  assert.throws(() => openApp({ data: folder }), `another Tallylight server is using ${folder}`);
  assert.is(app.store.database.open, true);
  assert.is(isServed(folder), true);
  app.close();
  assert.is(isServed(folder), false);
});

locks("unlocks the directory if a server fails to open it", () => {
  assert.throws(() =>
    openApp({
      data: folder,
      addresses: Object.defineProperty({}, "base_url", {
        enumerable: true,
        get: () => {
          throw new Error("no");
        },
      }),
    }),
  );
  openApp({ data: folder }).close();
});

locks("commands can write while a server runs", () => {
  const app = openApp({ data: folder });
  const store = openStore(`${folder}/tallylight.db`);
  store.writeSync(() => store.statement("touch_key").run({ key_id: 1, now: "", a_minute_ago: "" }));
  store.close();
  app.close();
});

locks("the lock ends with a killed process", async () => {
  const holder = fileURLToPath(new URL("../support/lock_holder.ts", import.meta.url));
  const child = spawn(process.execPath, [...runtime, holder, folder], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  assert.throws(() => lockForServing(folder), "another Tallylight server");
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await ended;
  lockForServing(folder).release();
});

locks("media cannot be removed while any reader has locked them, and the other way round", () => {
  const [one, two] = [lockMediaForReading(folder), lockMediaForReading(folder)];
  assert.is(lockMediaForRemoving(folder), undefined);
  one?.release();
  assert.is(lockMediaForRemoving(folder), undefined);
  two?.release();
  const removing = lockMediaForRemoving(folder);
  assert.is(lockMediaForReading(folder), undefined);
  removing?.release();
});

locks.run();

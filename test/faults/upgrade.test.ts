// An upgrade is killed with SIGKILL at every step and at times of it, also while a statement of its transaction runs,
// and its disk is full at every size: the database is the former one or the new one, never between, and the next start
// completes the upgrade. ROUNDS=20 kills it at forty steps instead of eight, and tries twice as many times and three
// times as many sizes. The version is 1.0.0, or UPGRADE_FROM (.ci/upgrades).
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { openStore } from "../../src/core/store/database.ts";
import { migrate, migrations } from "../../src/core/store/migrations.ts";
import "../../src/features.ts";
import { migrateData } from "../../src/core/directory_migration.ts";
import { release } from "../../src/core/program.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isLong } from "../support/rounds.ts";
import { runtime } from "../support/runtime.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small_disk.ts";
import { unpackKept, upgradedVersion } from "../upgrade/kept.ts";

const kept = unpackKept(upgradedVersion);
const original = join(kept.folder, "tallylight.db");
const workspace = temporaryFolder();
/** At how many places the process is killed, evenly spread over all its steps. */
const places = isLong ? 40 : 8;
/** At how many times it is killed, half of them counted from the begin of its transaction. */
const timed = isLong ? 16 : 8;
const label = `before-${release}`;

/** The schema and every row, as text. Without what names the time or the life of a database. */
function contentOf(file: string): string {
  const database = new Database(file, { fileMustExist: true }); // writable, so that it removes its journal
  try {
    assert.is(database.pragma("integrity_check", { simple: true }), "ok");
    const tables = database
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
      .all() as {
      name: string;
    }[];
    const rows = tables
      .filter(({ name }) => name !== "migrations" && name !== "epochs")
      .map(({ name }) => database.prepare(`SELECT * FROM "${name}"`).raw().all());
    return JSON.stringify([database.pragma("user_version"), tables, rows]);
  } finally {
    database.close();
  }
}

/** A fresh copy of the database of the version in its own folder. */
function freshCopy(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  copyFileSync(original, join(folder, "tallylight.db"));
  cpSync(join(kept.folder, "media"), join(folder, "media"), { recursive: true });
  return join(folder, "tallylight.db");
}

const former = contentOf(original);
const upgraded = freshCopy(join(workspace, "upgraded"));
await migrateData(dirname(upgraded), { notice: () => {} });
const next = contentOf(upgraded);

/** Checks that there is one backup, and that it is the whole former database. */
function assertBackup(folder: string, place: string): void {
  const place_of = join(folder, "backups");
  assert.equal(
    readdirSync(place_of).filter((name) => /^(before|.*part)/.test(name)),
    [label],
    place,
  );
  const copy = join(workspace, "backup.db");
  copyFileSync(join(place_of, label, "tallylight.db"), copy);
  assert.is(contentOf(copy), former, `${place}: the backup is not the whole former database`);
}

/** Checks a database after an interrupted upgrade, completes the upgrade, and checks that nothing else is left. */
async function assertWhole(file: string, place: string): Promise<"former" | "new"> {
  const found = contentOf(file);
  assert.ok(found === former || found === next, `${place}: the database is between the two`);
  if (found === next) assertBackup(dirname(file), place);
  await migrateData(dirname(file), { notice: () => {} });
  openStore(file).close();
  assert.is(contentOf(file), next, place);
  assertBackup(dirname(file), `${place}: after the next start`);
  const left = readdirSync(dirname(file)).filter((name) => !name.endsWith(".lock"));
  assert.equal(left.sort(), ["backups", "media", "tallylight.db"], place);
  return found === former ? "former" : "new";
}

const script = fileURLToPath(new URL("../support/migrating_process.ts", import.meta.url));

/** What became of a migration in a process of its own. */
interface Outcome {
  /** How many calls it made; undefined if it was killed. */
  calls?: number;
  /** The milliseconds from its start to its transaction, and from there to its end. */
  before: number;
  inside: number;
}

/** Migrates in its own process, which is killed `delay` ms after it began, or after its transaction began. */
function migrateElsewhere(
  file: string,
  kill: { step?: number; from?: "start" | "transaction"; delay?: number } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [...runtime, script, file, String(kill.step ?? 0)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  let timer: NodeJS.Timeout | undefined;
  const start = performance.now();
  let inside: number | undefined;
  const killIn = (delay = 0): void => {
    timer = setTimeout(() => child.kill("SIGKILL"), delay);
  };
  if (kill.from === "start") killIn(kill.delay);
  child.stdout.on("data", (text) => {
    out += text;
    if (inside !== undefined || !out.startsWith("inside\n")) return;
    inside = performance.now();
    if (kill.from === "transaction") killIn(kill.delay);
  });
  return new Promise((resolve) =>
    child.on("close", () => {
      clearTimeout(timer);
      const end = performance.now();
      const calls = /^\d+$/m.exec(out)?.[0];
      resolve({
        ...(calls !== undefined && { calls: Number(calls) }),
        before: (inside ?? end) - start,
        inside: inside === undefined ? 0 : end - inside,
      });
    }),
  );
}

const killing = suite("kill -9 during an upgrade");

killing(
  "at every step the database is the former one or the new one, and the next start completes the upgrade",
  async () => {
    const steps = (await migrateElsewhere(freshCopy(join(workspace, "steps")))).calls ?? 0;
    assert.ok(steps > 15, `${steps} steps`);
    const every = Math.max(1, Math.floor(steps / places));
    const kills = Array.from({ length: steps }, (_, at) => at + 1).filter(
      (step) => step % every === 0 || step > steps - 3,
    );
    const seen = new Set<string>();
    const work = async (folder: string): Promise<void> => {
      for (let step = kills.shift(); step !== undefined; step = kills.shift()) {
        const file = freshCopy(folder);
        assert.is((await migrateElsewhere(file, { step })).calls, undefined, `step ${step} did not kill the process`);
        seen.add(await assertWhole(file, `step ${step} of ${steps}`));
      }
    };
    await Promise.all(["one", "two"].map((name) => work(join(workspace, name))));
    assert.equal([...seen].sort(), ["former", "new"]);
  },
);

killing(
  "inside the migrations that make tables anew, frozen productions, days and changes stay as they are",
  async () => {
    const made = join(workspace, "units");
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made);
    const before = migrations().findIndex(({ name }) => name.includes("_units"));
    const database = new Database(join(made, "tallylight.db"));
    migrate(database, migrations().slice(0, before));
    database.exec(`
    INSERT INTO productions (id, title, logline, status, phase, accent, format, created_at) VALUES (1, '', '', '', '', '', 'single', '');
    INSERT INTO nodes (id, production_id, kind, label, status, updated_at, created_at) VALUES (7, 1, 'scene', 'x', 'planned', '', '');
    INSERT INTO shoot_days (id, production_id, day_number, date, status) VALUES (5, 1, 2, '2026-01-02', 'x'), (9, 1, 1, '2026-01-01', 'x');
    INSERT INTO strips (production_id, shoot_day_id, node_id, position) VALUES (1, 9, 7, 1);
    INSERT INTO script_changes (id, production_id, node_id, kind, status, scene_number, summary, revision_color, detected_at)
    VALUES (3, 1, 7, 'changed', 'pending', '1', 'x', 'blue', '2026-01-01T00:00:00.000Z');
    INSERT INTO frozen_productions VALUES (1, '');`);
    database.close();
    const copyOf = (name: string): string => {
      const folder = join(workspace, name);
      rmSync(folder, { recursive: true, force: true });
      cpSync(made, folder, { recursive: true });
      return join(folder, "tallylight.db");
    };
    const steps = (await migrateElsewhere(copyOf("units-steps"))).calls ?? 0;
    assert.ok(steps > 60, `${steps} steps`);
    const rowsOf = (file: string) => {
      const opened = new Database(file);
      try {
        const rows = (sql: string) => opened.prepare(sql).raw().all();
        assert.equal([rows("PRAGMA integrity_check"), rows("PRAGMA foreign_key_check")], [[["ok"]], []], file);
        return [
          rows("SELECT id, day_number, date FROM shoot_days ORDER BY id"),
          rows("SELECT shoot_day_id, node_id FROM strips"),
          rows("SELECT id, node_id, kind, status, summary FROM script_changes"),
          rows("SELECT production_id FROM frozen_productions"),
        ];
      } finally {
        opened.close();
      }
    };
    const former = rowsOf(copyOf("units-former"));
    for (let at = 1; at <= places * 2; at++) {
      const step = Math.ceil((at * steps) / (places * 2));
      const file = copyOf("units-killed");
      assert.is((await migrateElsewhere(file, { step })).calls, undefined, `step ${step}`);
      assert.equal(rowsOf(file), former, `step ${step} of ${steps}`);
      assert.type((await migrateElsewhere(file)).calls, "number");
      assert.equal(rowsOf(file), former, `step ${step} of ${steps}, and the next start`);
      const opened = new Database(file);
      assert.is(opened.pragma("user_version", { simple: true }), migrations().length);
      assert.throws(() => opened.exec("UPDATE shoot_days SET unit = 'B'"), "the production is frozen");
      assert.throws(() => opened.exec("UPDATE script_changes SET note = 'B'"), "the production is frozen");
      opened.close();
    }
  },
);

killing(
  "at any time, also while a statement of the transaction runs, it is the former one or the new one",
  async () => {
    const whole = await migrateElsewhere(freshCopy(join(workspace, "timed")));
    let inTransaction = 0;
    for (let round = 0; round < timed; round++) {
      const file = freshCopy(join(workspace, "timed"));
      const from = round % 2 === 0 ? "transaction" : "start";
      // Up to half of the time that the upgrade took: a machine that is busy now may be twice as fast then.
      const part = (round + 1) / timed / 2;
      const delay = part * (from === "start" ? whole.before + whole.inside : whole.inside);
      const { calls, inside } = await migrateElsewhere(file, { from, delay });
      const found = await assertWhole(file, `${Math.round(delay)} ms after the ${from}`);
      if (calls === undefined && inside > 0 && found === "former") inTransaction++;
    }
    assert.ok(inTransaction > 0, `${inTransaction} of ${timed} were inside the transaction`);
  },
);
killing.run();

/** Room for the database, its backup, and what the disk is filled with: megabytes. */
const disk = mountSmallDisk(Math.max(8, Math.ceil((6 * statSync(original).size) / 2 ** 20)));
const filling = suite(
  disk
    ? "a disk that is full during an upgrade"
    : "a disk that is full during an upgrade: skipped, this user is not allowed to mount one",
);
const check = disk ? filling : filling.skip;

check("the database is the former one with one sentence, or the new one", async () => {
  const { folder: place, fill, empty } = disk as SmallDisk; // the case is skipped without it
  const size = statSync(original).size;
  const outcomes = { refused: 0, upgraded: 0 };
  for (let left = 0; left < 3 * size; left += Math.ceil(size / (isLong ? 12 : 4))) {
    const folder = join(place, "data");
    const file = freshCopy(folder);
    fill(left);
    try {
      await migrateData(folder, { notice: () => {} });
      openStore(file).close();
      outcomes.upgraded++;
    } catch (error) {
      assert.instance(error, CliError);
      assert.match((error as Error).message, /disk (of the backup file )?is full|bytes free and the backup needs/);
      empty();
      assert.is(contentOf(file), former);
      outcomes.refused++;
    }
    empty();
    await assertWhole(file, `${left} bytes left`);
  }
  assert.ok(outcomes.refused > 1 && outcomes.upgraded > 1, JSON.stringify(outcomes));
});
filling.after(() => {
  disk?.close();
  for (const folder of [workspace, dirname(kept.folder)]) rmSync(folder, { recursive: true, force: true });
});
filling.run();

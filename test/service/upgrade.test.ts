// tallylight upgrade check, and the same check in doctor.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { migrations } from "../../src/core/store/migrations.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { unpackKept } from "../upgrade/kept.ts";

const kept = unpackKept("1.0.0");
const file = join(kept.folder, "tallylight.db");
const check = () => answerOf("upgrade", "check", "--data", kept.folder);
const test = suite("tallylight upgrade check");

test("says which migrations are pending, how long they take and what space they need, and changes nothing", async () => {
  const [names, bytes] = [readdirSync(kept.folder), readFileSync(file)];
  const { schema, supported, waiting, copy, database_bytes, needed_bytes, free_bytes, fits, seconds } = await check();
  const known = migrations().map(({ name }) => name);
  assert.equal([schema, supported, waiting], [3, known.length, known.slice(3)]);
  assert.is(copy, `tallylight.db.before-schema-${known.length}`);
  assert.is(database_bytes, bytes.length);
  assert.ok(needed_bytes > bytes.length / 2 && needed_bytes < 3 * bytes.length, `${needed_bytes}`);
  assert.ok(fits && free_bytes > needed_bytes && seconds > 0 && seconds < 30);
  assert.equal(readdirSync(kept.folder), names);
  assert.ok(bytes.equals(readFileSync(file)));
});

test("doctor makes the same check", async () => {
  const { findings } = await answerOf("doctor", "--data", kept.folder);
  const { ok, detail } = findings.find((finding: any) => finding.check === "upgrade");
  assert.ok(ok);
  assert.match(detail, /^\d+ migrations are pending, from schema 3 to \d+: 0004_moves\.sql, .+took \d+\.\d+ s/);
});

test("says that nothing waits if the schema is that of this version", async () => {
  openStore(file).close();
  const { waiting, copy, needed_bytes, seconds } = await check();
  assert.equal([waiting, copy, needed_bytes, seconds], [[], null, 0, 0]);
  const { out } = await tallylight("upgrade", "check", "--data", kept.folder);
  assert.match(out, /^no migration is pending: the schema is \d+/);
});

test("refuses a database of a newer version", async () => {
  const database = new Database(file);
  database.pragma("user_version = 99");
  database.close();
  const { status, out, err } = await tallylight("upgrade", "check", "--data", kept.folder);
  assert.equal([status, out], [1, ""]);
  assert.match(err, /was written by a newer Tallylight \(schema 99, this version supports \d+\); it was not changed/);
});
test.after(() => rmSync(dirname(kept.folder), { recursive: true }));
test.run();

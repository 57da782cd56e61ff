// The revision of a production: it has every table that an export shows, and every write of their rows moves it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { changedParts, revisionOf, revisionsOf } from "../../src/core/store/revisions.ts";
import { statementTexts } from "../../src/core/store/statements.ts";
import { openStorageServer } from "../support/storage_agent.ts";
import { openProduction } from "../support/update.ts";

const revisions = suite("the revision of a production");

const { server, store, install, key, posted: post } = await openStorageServer();
const { production_id, filespace } = install;
let detected = 0;
const report = (path: string) =>
  post("events", {
    filespace,
    events: [
      {
        ...{ event_type: "create", path, source: "audit_tail", dedupe_key: `d${++detected}` },
        detected_at: new Date(Date.now() + detected).toISOString(),
      },
    ],
  });
/** The parts that `work` changed. */
async function changedBy(work: () => unknown): Promise<string[] | undefined> {
  const before = revisionOf(store, production_id);
  await work();
  return changedParts(before, revisionOf(store, production_id));
}

revisions("it has every table that an export reads", () => {
  const tables = store.database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  const exports = [...statementTexts()].filter(([name]) => name.startsWith("export_")).map(([, text]) => text);
  const read = new Set(exports.flatMap((text) => text.match(/\w+/g) ?? []).filter((word) => tables.includes(word)));
  assert.ok(read.size > 25);
  const uncounted = [...read].filter((table) => !revisionsOf(store, production_id).has(table));
  assert.equal(uncounted, ["blobs"], "the blob of a hash never changes, and the rows of media name the hash");
});

revisions("triggers count each of them, except asset_files", () => {
  const triggers = store.database
    .prepare("SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'count^_%' ESCAPE '^'")
    .pluck()
    .all() as string[];
  const uncounted = [...revisionsOf(store, production_id).keys()].filter((part) => !triggers.includes(part));
  assert.equal(uncounted, ["asset_files"]);
});

revisions("reported files and moved files move it", async () => {
  assert.ok((await changedBy(() => report("in/a.mxf")))?.includes("asset_files"));
  const task_id = store.writeSync(
    () =>
      store.database
        .prepare(
          "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (?, ?, 'in/a.mxf', 'out/a.mxf', 'pending', '2026-11-20T09:00:00.000Z')",
        )
        .run(production_id, install.id).lastInsertRowid,
  );
  assert.ok((await changedBy(() => post("tasks/ack", { task_id, ok: true })))?.includes("asset_files"));
});

revisions("files of documents move it", async () => {
  const { store, production_id, update } = await openProduction();
  const before = revisionsOf(store, production_id).get("asset_files") ?? 0;
  const files = [{ path: "in/b.mxf", state: "present", detected_at: "2026-11-20T09:00:00.000Z" }];
  await update({ storage: [{ filespace: "another", files, active: false }] });
  assert.is(revisionsOf(store, production_id).get("asset_files"), before + 1);
});

revisions("a read does not move it", async () => {
  assert.equal(await changedBy(() => server.get(key, "/storage/tasks")), []);
});

revisions.after(() => server.close());
revisions.run();

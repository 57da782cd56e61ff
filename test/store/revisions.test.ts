// The revision of a production: it has every table that an export shows, and every write of their rows moves it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { changedParts, revisionOf, revisionsOf } from "../../src/store/revisions.ts";
import { statementTexts } from "../../src/store/statements.ts";
import { mint, openTestServer } from "../support/app.ts";
import { openProduction } from "../support/update.ts";

const revisions = suite("the revision of a production");

const server = await openTestServer();
const { store } = server;
const install = store.database
  .prepare("SELECT id, production_id, filespace FROM storage_installs WHERE active = 1 LIMIT 1")
  .get() as { id: number; production_id: number; filespace: string };
const { production_id, filespace } = install;
const key = mint(store, { production_id, label: "storage agent" });

const post = async (path: string, body: object): Promise<void> => {
  const headers = { "content-type": "application/json" };
  const given = { method: "POST", body: JSON.stringify(body), headers };
  assert.is((await server.ask(key, `/api/v1/storage/${path}`, given)).status, 200);
};
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
  assert.equal(
    [...read].filter((table) => !revisionsOf(store, production_id).has(table)),
    [],
  );
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

revisions.run();

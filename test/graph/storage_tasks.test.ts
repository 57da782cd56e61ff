// GET /storage/tasks and POST /storage/tasks/ack.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { openStorageServer } from "../support/storage_agent.ts";

/** Every move is acknowledged at 11:00. */
let clock = Date.parse("2026-11-20T11:00:00Z");
const { server, store, install, key, post, posted } = await openStorageServer({ clock: () => clock });
const { production_id, filespace } = install;
const other = mint(store, { production_id: one(store, "SELECT id FROM productions WHERE id <> ?", production_id) });

let number = 0;
/** Adds a move that an admin approved. Returns its id. */
function move(src: string, dst: string, install_id = install.id, created_at = "2026-11-20T09:00:00.000Z"): number {
  const insert = store.database.prepare(
    "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (?, ?, ?, ?, 'pending', ?)",
  );
  return store.writeSync(() => Number(insert.run(production_id, install_id, src, dst, created_at).lastInsertRowid));
}
const send = (path: string, detected_at: string, given: object = {}) =>
  posted("events", {
    filespace,
    events: [{ event_type: "create", path, source: "audit_tail", dedupe_key: `t${number++}`, detected_at, ...given }],
  });
const putStandIn = async (path: string, bytes: Uint8Array) =>
  (await posted("media-proxy", { filespace, path, bytes: Buffer.from(bytes).toString("base64") })).media_path;
const acknowledge = (body: object) => posted("tasks/ack", body);
const row = (path: string) =>
  store.database
    .prepare("SELECT state, size, detected_at FROM asset_files WHERE install_id = ? AND path = ?")
    .get(install.id, path) as { state: string; size: number | null; detected_at: string } | undefined;
const task = (id: number) =>
  store.database
    .prepare("SELECT status, note, src_sha256, settled_at FROM storage_tasks WHERE id = ?")
    .get(id) as Record<string, unknown>;
const ids = async () =>
  (await server.get(key, "/storage/tasks")).tasks.map((listed: { task_id: number }) => listed.task_id);
/** New source and destination paths for each case. */
const paths = () => [`in/${++number}.mxf`, `out/${number}.mxf`] as const;
const sha256 = "AB".repeat(32);

const list = suite("GET /storage/tasks");

list("returns the pending moves of the active filespace, oldest first", async () => {
  const before = await ids();
  const late = move("a", "b", install.id, "2026-11-20T09:00:02.000Z");
  const early = move("c", "d", install.id, "2026-11-20T09:00:01.000Z");
  const inactive = one(store, "SELECT id FROM storage_installs WHERE active = 0 AND production_id = ?", production_id);
  move("e", "f", inactive);
  assert.equal(await ids(), [...before, early, late]);
  const { tasks } = await server.get(key, "/storage/tasks");
  assert.equal(tasks.at(-1), { task_id: late, src: "a", dst: "b" });
  assert.equal(await server.get(other, "/storage/tasks"), { tasks: [] });
  await acknowledge({ task_id: late, ok: true });
  assert.equal(await ids(), [...before, early]);
});
list.run();

const ack = suite("POST /storage/tasks/ack");

ack("moves the file's row and its stand-in if ok is true", async () => {
  const [src, dst] = paths();
  await send(src, "2026-11-20T08:00:00Z", { size: 5 });
  const media_path = await putStandIn(src, jpeg(16, 16));
  const task_id = move(src, dst);
  assert.equal(await acknowledge({ task_id, ok: true }), { ok: true });
  assert.is(row(src), undefined);
  assert.equal(row(dst), { state: "present", size: 5, detected_at: "2026-11-20T08:00:00.000Z" });
  assert.is(await putStandIn(dst, jpeg(24, 24)), media_path);
  assert.is(task(task_id).status, "done");
  assert.match(String(task(task_id).settled_at), /Z$/);
  assert.is((await server.get(key, "/activity?limit=2"))[1].summary, `Moved ${src} to ${dst}`);
});

ack("records a failed move with its note and leaves the file if ok is false", async () => {
  const [src, dst] = paths();
  await send(src, "2026-11-20T08:00:00Z");
  const task_id = move(src, dst);
  assert.equal(await acknowledge({ task_id, ok: false, note: "disk is read-only" }), { ok: true });
  assert.equal([task(task_id).status, task(task_id).note], ["failed", "disk is read-only"]);
  assert.ok(row(src) !== undefined && row(dst) === undefined);
});

ack("stores a fingerprint that is sent without ok and leaves the move pending", async () => {
  const task_id = move(...paths());
  assert.equal(await acknowledge({ task_id, src_sha256: sha256 }), { ok: true, fingerprinted: true });
  assert.equal(task(task_id), { status: "pending", note: null, src_sha256: sha256.toLowerCase(), settled_at: null });
  assert.equal(await acknowledge({ task_id, ok: true }), { ok: true });
  assert.is(task(task_id).src_sha256, sha256.toLowerCase());
});

ack("returns ok for a settled move and changes nothing, whatever the body is", async () => {
  const [src, dst] = paths();
  await send(src, "2026-11-20T08:00:00Z");
  const task_id = move(src, dst);
  await acknowledge({ task_id, ok: true });
  const [settled, entries] = [task(task_id), one(store, "SELECT count(*) FROM activity")];
  await send(src, "2026-11-20T12:00:00Z"); // another file with the former path
  for (const body of [{ ok: true }, { ok: false, note: "no" }, { src_sha256: sha256 }])
    assert.equal(await acknowledge({ task_id, ...body }), { ok: true });
  assert.equal(task(task_id), settled);
  assert.ok(row(src) && row(dst));
  assert.is(one(store, "SELECT count(*) FROM activity"), entries + 1);
});

ack("merges the two rows with the newest values if events about the move arrived first", async () => {
  const [src, dst] = paths();
  await send(src, "2026-11-20T08:00:00Z", { size: 5 });
  const media_path = await putStandIn(src, jpeg(16, 16));
  await send(src, "2026-11-20T10:00:01Z", { event_type: "delete" });
  await send(dst, "2026-11-20T10:00:00Z", { size: 6 });
  await acknowledge({ task_id: move(src, dst), ok: true });
  assert.is(row(src), undefined);
  assert.equal(row(dst), { state: "present", size: 6, detected_at: "2026-11-20T10:00:00.000Z" });
  assert.is(await putStandIn(dst, jpeg(32, 32)), media_path);
});

ack("replaces a file at the destination and its older stand-in", async () => {
  const [src, dst] = paths();
  await send(dst, "2026-11-20T07:00:00Z", { size: 1 });
  const former = await putStandIn(dst, jpeg(16, 16, 1));
  await send(src, "2026-11-20T08:00:00Z", { size: 2 });
  clock += 5; // the newer stand-in by the server's clock
  const moved = await putStandIn(src, jpeg(16, 16, 2));
  await acknowledge({ task_id: move(src, dst), ok: true });
  assert.equal(row(dst), { state: "present", size: 2, detected_at: "2026-11-20T08:00:00.000Z" });
  assert.is(one(store, "SELECT count(*) FROM media WHERE path = ?", former), 0);
  assert.is(await putStandIn(dst, jpeg(32, 32)), moved);
});

ack("ignores events at the old path that were detected before the acknowledgement", async () => {
  const [src, dst] = paths();
  await send(src, "2026-11-20T08:00:00Z");
  const task_id = move(src, dst);
  await send(src, "2026-11-20T10:30:00Z", { event_type: "modify", size: 30 });
  await acknowledge({ task_id, ok: true });
  // Before the approval; between approval and acknowledgement but older than the row; newer than the row.
  for (const detected_at of ["2026-11-20T08:59:59Z", "2026-11-20T10:15:00Z", "2026-11-20T10:59:59Z"])
    assert.is((await send(src, detected_at, { event_type: "modify" })).accepted, 1);
  assert.is((await send(src, "2026-11-20T10:59:58Z", { event_type: "delete" })).accepted, 1);
  assert.is(row(src), undefined);
  assert.equal(row(dst), { state: "present", size: 30, detected_at: "2026-11-20T10:30:00.000Z" });
});

ack("accepts a new file at the old path, also while older events still arrive", async () => {
  const [src, dst] = paths();
  await send(src, "2026-11-20T08:00:00Z", { size: 1 });
  await acknowledge({ task_id: move(src, dst), ok: true });
  await send(src, "2026-11-20T11:00:01Z", { size: 2 });
  await send(src, "2026-11-20T10:00:00Z", { event_type: "delete" });
  await send(src, "2026-11-20T10:30:00Z", { event_type: "modify", size: 3 });
  assert.equal(row(src), { state: "present", size: 2, detected_at: "2026-11-20T11:00:01.000Z" });
  assert.is(row(dst)?.size, 1);
});

ack("continues to apply older events if the move failed", async () => {
  const [src, dst] = paths();
  await acknowledge({ task_id: move(src, dst), ok: false });
  await send(src, "2026-11-20T10:00:00Z");
  assert.is(row(src)?.state, "present");
});

ack("settles a move of a file that the library does not contain", async () => {
  const [src, dst] = paths();
  const task_id = move(src, dst);
  assert.equal(await acknowledge({ task_id, ok: true }), { ok: true });
  assert.ok(row(src) === undefined && row(dst) === undefined && task(task_id).status === "done");
});

ack("returns the same 404 for an unknown move and for one of another production", async () => {
  const task_id = move(...paths());
  await assertRefused(await post("tasks/ack", { task_id: 999_999, ok: true }), 404, "not found");
  await assertRefused(await post("tasks/ack", { task_id, ok: true }, other), 404, "not found");
  assert.is(task(task_id).status, "pending");
});

ack("returns 422 if the acknowledgement is invalid", async () => {
  const task_id = move(...paths());
  for (const [body, detail] of [
    [{ ok: true }, /task_id is required/],
    [{ task_id }, /ok is required, or src_sha256/],
    [{ task_id, note: "x" }, /ok is required, or src_sha256/],
    [{ task_id, src_sha256: "ab" }, /src_sha256 must be 64 hex/],
    [{ task_id, ok: "yes" }, /ok must be/],
    [{ task_id: "1", ok: true }, /task_id must be/],
  ] as const)
    await assertRefused(await post("tasks/ack", body), 422, detail);
  assert.is(task(task_id).status, "pending");
});
ack.after(() => server.stop());
ack.run();

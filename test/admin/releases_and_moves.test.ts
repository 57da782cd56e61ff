// Releases of versions, the active filespace and approved moves: what each records, and what is refused.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addMove, installStorage, listMoves } from "../../src/features/admin/storage_install.ts";
import { flagVersion } from "../../src/features/admin/version_release.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { imported, now, refusal, smallDocument, writeDocument } from "../support/small_document.ts";

const { store } = await imported(writeDocument(smallDocument()));
const count = (sql: string): number => store.database.prepare(sql).pluck().get() as number;

const administration = suite("administration");

administration("of versions, storage and moves writes one activity entry and one audit row for each change", () => {
  const entries = () => [
    count("SELECT count(*) FROM activity WHERE production_id = 1"),
    count("SELECT count(*) FROM audit"),
  ];
  const [activity = 0, audit = 0] = entries();
  assert.is(
    flagVersion(localAdmin(store, now), { id: 2, flag: "released" }).summary,
    "Released version 2 (On-Set) of Coat",
  );
  assert.is(flagVersion(localAdmin(store, now), { id: 2, flag: "released" }).summary, undefined);
  assert.is(flagVersion(localAdmin(store, now), { id: 2, flag: "archived" }).version.archived, true);
  assert.is(installStorage(localAdmin(store, now), { production_id: 1, filespace: "old" }).install.filespace, "old");
  assert.is(installStorage(localAdmin(store, now), { production_id: 1, filespace: "old" }).summary, undefined);
  assert.is(installStorage(localAdmin(store, now), { production_id: 1, filespace: "brand new" }).install.active, true);
  assert.is(addMove(localAdmin(store, now), { production_id: 1, src: "a/x", dst: "b/x" }).status, "pending");
  assert.equal(entries(), [activity + 5, audit + 5]);
  const verbs = store.database
    .prepare("SELECT DISTINCT actor || ' ' || verb FROM activity ORDER BY id DESC LIMIT 4")
    .pluck()
    .all();
  assert.ok(verbs.includes("admin storage.move_approved") && verbs.includes("admin version.released"));
});

administration("refuses unknown versions and invalid or repeated moves", () => {
  assert.match(
    refusal(() => flagVersion(localAdmin(store, now), { id: 999, flag: "released" })),
    /^there is no version 999$/,
  );
  const move = (src: string, dst: string, production_id = 1) =>
    refusal(() => addMove(localAdmin(store, now), { production_id, src, dst }));
  assert.match(move("/../x", "b"), /^src must be relative to the filespace/);
  assert.match(move("//x", "b"), /^src must be relative to the filespace/);
  assert.match(move("a", "../b"), /^dst must be relative to the filespace/);
  assert.match(move("same", "/same"), /same path$/);
  assert.match(move("/a/x", "c/x"), /^move \d+ of a\/x is pending already$/);
  assert.is(listMoves(store, { production_id: 1 }).filter(({ filespace }) => filespace === "brand new").length, 1);
});

administration("stores the paths of a move without a leading /", () => {
  const { src, dst } = addMove(localAdmin(store, now), { production_id: 1, src: "/r/x", dst: "/s/x" });
  assert.equal([src, dst], ["r/x", "s/x"]);
});

const { store: fresh } = await imported(writeDocument(smallDocument()));
const second = localAdmin(fresh, now);
const numberOf = (sql: string): number => fresh.database.prepare(sql).pluck().get() as number;

/** The types of the events that `work` records. */
function typesOf(work: () => unknown): unknown[] {
  const last = numberOf("SELECT coalesce(max(id), 0) FROM events");
  work();
  return fresh.database.prepare("SELECT type FROM events WHERE id > ? ORDER BY id").pluck().all(last);
}

administration("records one event for each change of a version", () => {
  for (const flag of ["released", "archived"] as const) {
    const set = () => flagVersion(second, { id: 2, flag });
    assert.equal([typesOf(set), typesOf(set)], [[`version.${flag}`], []]);
  }
});

administration("records one event for a filespace and for a move", () => {
  const install = () => installStorage(second, { production_id: 1, filespace: "second" });
  assert.equal([typesOf(install), typesOf(install)], [["storage.installed"], []]);
  const move = () => addMove(second, { production_id: 1, src: "moved/a", dst: "moved/b" });
  assert.equal(typesOf(move), ["storage.move_approved"]);
  assert.is(
    numberOf("SELECT subject_id FROM events ORDER BY id DESC LIMIT 1"),
    numberOf("SELECT max(id) FROM storage_tasks"),
  );
});

administration.run();

// Checks, writes and reads storage installs, the rows of their files, and the moves that an admin approved.
import { countAssetFiles } from "../store/revisions.ts";
import { bulkInsert } from "../store/statements.ts";
import type { Changes, Item } from "./changes.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Writer } from "./writer.ts";

const exportAssetFiles = exported("export_asset_files");
const exportStorageInstalls = exported("export_storage_installs");
const exportStorageTasks = exported("export_storage_tasks");

const insertFile = bulkInsert("import_asset_file");
const insertInstall = bulkInsert("import_storage_install");
const updateInstall = updateOf("update_storage_install");
const parkInstall = updateOf("park_storage_install");
const insertTask = bulkInsert("import_storage_task");

type Install = Item<"storage">;
type Move = Install["moves"][number];

function checkMove(validator: Validator, { src, dst, status, settled_at }: Move, place: string): void {
  if (validator.isUsable(`${place}.src`) && validator.isUsable(`${place}.dst`) && src === dst)
    validator.report(`${place}.dst`, "must be another path than src");
  if (validator.isUsable(`${place}.status`))
    validator.present(`${place}.settled_at`, settled_at, status !== "pending", "on a settled move");
}

export function checkStorage(validator: Validator): void {
  const { storage } = validator.document;
  validator.distinct("storage", storage, ({ filespace }) => filespace, ".filespace");
  validator.oneActive("storage", storage, "install");
  validator.each("storage", (install, place) => {
    validator.distinct(`${place}.files`, install.files, ({ path }) => path, ".path");
    for (const [move, here] of validator.items(`${place}.moves`, install.moves)) checkMove(validator, move, here);
  });
}

function insertFiles(writer: Writer, install_id: number, files: Install["files"]): void {
  if (files.length > 0) countAssetFiles(writer.store, { production_id: writer.production_id });
  for (const { path, state, size = null, mtime_ns = null, detected_at, media } of files) {
    const id = writer.next("asset_files");
    writer.insert(insertFile, { id, install_id, path, state, size, mtime_ns, detected_at });
    writer.attach(media, { asset_file_id: id });
  }
}

function insertMoves(writer: Writer, install_id: number, moves: readonly Move[]): void {
  for (const { src, dst, status, note = null, src_sha256 = null, created_at, settled_at = null } of moves) {
    const times = { created_at: created_at ?? writer.now, settled_at };
    writer.insert(insertTask, {
      id: writer.next("storage_tasks"),
      install_id,
      src,
      dst,
      status,
      note,
      src_sha256,
      ...times,
    });
  }
}

export function writeStorage(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("storage");
  updateAll(writer, changed, {
    ...{ unique: ["active", "filespace"], park: parkInstall },
    update({ id, item, stored, row }) {
      updateInstall(writer, id, { filespace: item.filespace, active: Number(item.active) });
      const rows = (row?.files ?? []) as { id: number }[];
      stored.files.forEach(({ media }, at) => {
        if (media === undefined) writer.attach(item.files[at]?.media, { asset_file_id: rows[at]?.id });
      });
      insertFiles(writer, id, item.files.slice(stored.files.length));
      insertMoves(writer, id, item.moves.slice(stored.moves.length));
    },
  });
  for (const { id, item } of added) {
    const { filespace, active, created_at } = item;
    writer.insert(insertInstall, { id, filespace, active: Number(active), created_at: created_at ?? writer.now });
    insertFiles(writer, id, item.files);
    insertMoves(writer, id, item.moves);
  }
}

export function collectStorage(exporter: Exporter): Row[] {
  const files = exporter.grouped(exportAssetFiles, "install_id");
  const moves = exporter.grouped(exportStorageTasks, "install_id");
  return exporter.rows(exportStorageInstalls).map((row) => ({
    ...row,
    active: row.active === 1,
    files: files(row.id).map((file) => ({ ...file, media: exporter.media("asset_file_id", file.id)[0] })),
    moves: moves(row.id),
  }));
}

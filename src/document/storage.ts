// Storage installs, the library's rows of their files, and the moves that an admin approved: checked, written and collected.

import { bulkInsert } from "../store/statements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import { rawNumber } from "./json.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Validator } from "./validator.ts";

const exportAssetFiles = exported("export_asset_files");
const exportStorageInstalls = exported("export_storage_installs");
const exportStorageTasks = exported("export_storage_tasks");
const importAssetFile = bulkInsert("import_asset_file");
const importStorageInstall = bulkInsert("import_storage_install");
const importStorageTask = bulkInsert("import_storage_task");

type Move = ProductionDocument["storage"][number]["moves"][number];

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

export function insertStorage(importer: Importer): void {
  const own = importer.production_id;
  for (const { filespace, active, created_at, files, moves } of importer.document.storage) {
    const install_id = importer.next("storage_installs");
    importer.row(importStorageInstall, install_id, own, filespace, Number(active), created_at);
    for (const { path, state, size, mtime_ns, detected_at, media } of files) {
      const id = importer.next("asset_files");
      importer.row(importAssetFile, id, own, install_id, path, state, size ?? null, mtime_ns ?? null, detected_at);
      importer.keep(media, { asset_file_id: id });
    }
    for (const { src, dst, status, note, src_sha256, created_at, settled_at } of moves) {
      const nullable = [note ?? null, src_sha256 ?? null];
      const moments = [created_at, settled_at ?? null];
      importer.row(
        importStorageTask,
        importer.next("storage_tasks"),
        own,
        install_id,
        src,
        dst,
        status,
        ...nullable,
        ...moments,
      );
    }
  }
}

export function collectStorage(exporter: Exporter): Row {
  const files = exporter.grouped(exportAssetFiles, "install_id");
  const moves = exporter.grouped(exportStorageTasks, "install_id");
  return {
    storage: exporter.rows(exportStorageInstalls).map((row) => ({
      ...row,
      active: row.active === 1,
      files: files(row.id).map((file) => ({
        ...file,
        mtime_ns: file.mtime_ns === null ? null : rawNumber(file.mtime_ns as string),
        media: exporter.media("asset_file_id", file.id)[0],
      })),
      moves: moves(row.id),
    })),
  };
}

// Storage installs, the library's rows of their files, and the moves that an admin approved: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import { rawNumber } from "./json.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Writing } from "./writing.ts";

type Move = ProductionDocument["storage"][number]["moves"][number];

function checkMove(checking: Checking, { src, dst, status, settled_at }: Move, place: string): void {
  if (checking.isUsable(`${place}.src`) && checking.isUsable(`${place}.dst`) && src === dst)
    checking.report(`${place}.dst`, "must be another path than src");
  if (checking.isUsable(`${place}.status`))
    checking.present(`${place}.settled_at`, settled_at, status !== "pending", "on a settled move");
}

export function checkStorage(checking: Checking): void {
  const { storage } = checking.document;
  checking.distinct("storage", storage, ({ filespace }) => filespace, ".filespace");
  checking.oneActive("storage", storage, "install");
  checking.each("storage", (install, place) => {
    checking.distinct(`${place}.files`, install.files, ({ path }) => path, ".path");
    for (const [move, here] of checking.items(`${place}.moves`, install.moves)) checkMove(checking, move, here);
  });
}

export function insertStorage(writing: Writing): void {
  const own = writing.production_id;
  for (const { filespace, active, created_at, files, moves } of writing.document.storage) {
    const install_id = writing.next("storage_installs");
    writing.row("import_storage_install", install_id, own, filespace, Number(active), created_at);
    for (const { path, state, size, mtime_ns, detected_at, media } of files) {
      const id = writing.next("asset_files");
      writing.row("import_asset_file", id, own, install_id, path, state, size ?? null, mtime_ns ?? null, detected_at);
      writing.keep(media, { asset_file_id: id });
    }
    for (const { src, dst, status, note, src_sha256, created_at, settled_at } of moves) {
      const nullable = [note ?? null, src_sha256 ?? null];
      const moments = [created_at, settled_at ?? null];
      writing.row(
        "import_storage_task",
        writing.next("storage_tasks"),
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

export function collectStorage(collecting: Collecting): Row {
  const files = collecting.grouped("export_asset_files", "install_id");
  const moves = collecting.grouped("export_storage_tasks", "install_id");
  return {
    storage: collecting.rows("export_storage_installs").map((row) => ({
      ...row,
      active: row.active === 1,
      files: files(row.id).map((file) => ({
        ...file,
        mtime_ns: file.mtime_ns === null ? null : rawNumber(file.mtime_ns as string),
        media: collecting.media("asset_file_id", file.id)[0],
      })),
      moves: moves(row.id),
    })),
  };
}

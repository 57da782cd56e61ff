// Storage installs, the library's rows of their files, and the moves that an admin approved: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import { rawNumber } from "./json.ts";
import type { Writing } from "./writing.ts";

export function checkStorage(checking: Checking): void {
  const filespaces = new Map<string, string>();
  let active: string | undefined;
  checking.each("storage", (install, place) => {
    const before = filespaces.get(install.filespace);
    if (before === undefined) filespaces.set(install.filespace, place);
    else checking.report(`${place}.filespace`, `is the same as that of ${before}: "${install.filespace}"`);
    if (install.active && active !== undefined)
      checking.report(`${place}.active`, `must be false: ${active} is the active install`);
    if (install.active) active ??= place;
    checking.distinct(
      `${place}.files`,
      install.files.map(({ path }) => path),
      ".path",
    );
    for (const [at, { src, dst, status, settled_at }] of install.moves.entries()) {
      if (src === dst) checking.report(`${place}.moves[${at}].dst`, "is the same path as src");
      checking.present(`${place}.moves[${at}].settled_at`, settled_at, status !== "pending", "on a settled move");
    }
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

// Checks, writes and reads storage installs, the rows of their files, and the moves that an admin approved.
import { countAssetFiles } from "../../store/revisions.ts";
import type { Validator } from "../check/validator.ts";
import type { Item } from "../sections/sections.ts";
import { elsewhere, grouped, partOf, rowsOf } from "./columns.ts";
import { exported } from "./exporter.ts";
import type { Writer } from "./writer.ts";

type Install = Item<"storage">;
type Move = Install["moves"][number];

function checkMove(validator: Validator, { src, dst, status, settled_at }: Move, place: string): void {
  if (validator.isUsable(`${place}.src`) && validator.isUsable(`${place}.dst`) && src === dst)
    validator.report(`${place}.dst`, "must be another path than src");
  if (validator.isUsable(`${place}.status`))
    validator.present(`${place}.settled_at`, settled_at, status !== "pending", "on a settled move");
}

const file = partOf("storage", "files")("import_asset_file", {
  media: elsewhere((exporter) => (row) => exporter.media("asset_file_id", row.id)[0]),
});

function insertFiles(writer: Writer, install_id: number, files: Install["files"]): void {
  if (files.length > 0) countAssetFiles(writer.store, { production_id: writer.production_id });
  for (const one of files) {
    const id = writer.next("asset_files");
    file.insert(writer, one, { id, install_id });
    writer.attach(one.media, { asset_file_id: id });
  }
}

const move = partOf("storage", "moves")("import_storage_task", {});

function insertMoves(writer: Writer, install_id: number, moves: readonly Move[]): void {
  for (const one of moves) move.insert(writer, one, { id: writer.next("storage_tasks"), install_id });
}

export const storage = rowsOf("storage")({
  checkAll: (validator, installs) => validator.oneActive("storage", installs, "install"),
  check(validator, { files, moves }, place) {
    validator.distinct(`${place}.files`, files, ({ path }) => path, ".path");
    for (const [move, here] of validator.items(`${place}.moves`, moves)) checkMove(validator, move, here);
  },
  ...{ read: exported("export_storage_installs"), insert: ["import_storage_install"] },
  ...{ update: ["update_storage_install"], park: "park_storage_install", unique: ["active", "filespace"] },
  fields: {
    files: {
      open: grouped(exported("export_asset_files"), "install_id", file.open),
      list(writer, { added, changed }) {
        for (const { id, item } of added) insertFiles(writer, id, item.files);
        for (const { id, item, stored, row } of changed) {
          const rows = (row?.files ?? []) as { id: number }[];
          stored.files.forEach(({ media }, at) => {
            if (media === undefined) writer.attach(item.files[at]?.media, { asset_file_id: rows[at]?.id });
          });
          insertFiles(writer, id, item.files.slice(stored.files.length));
        }
      },
    },
    moves: {
      open: grouped(exported("export_storage_tasks"), "install_id", move.open),
      list(writer, { added, changed }) {
        for (const { id, item } of added) insertMoves(writer, id, item.moves);
        for (const { id, item, stored } of changed) insertMoves(writer, id, item.moves.slice(stored.moves.length));
      },
    },
  },
});

// Checks, writes and reads storage installs, the rows of their files, and the moves that an admin approved.
import type { Validator } from "../check/validator.ts";
import type { Item } from "../sections/sections.ts";
import { attachedMedium, recordedParts, rowsOf } from "./columns.ts";
import { exported } from "./exporter.ts";

type Move = Item<"storage">["moves"][number];

function checkMove(validator: Validator, { src, dst, status, settled_at }: Move, place: string): void {
  if (validator.isUsable(`${place}.src`) && validator.isUsable(`${place}.dst`) && src === dst)
    validator.report(`${place}.dst`, "must be another path than src");
  if (validator.isUsable(`${place}.status`))
    validator.present(`${place}.settled_at`, settled_at, status !== "pending", "on a settled move");
}

const files = recordedParts("storage", "files")(
  "import_asset_file",
  {
    read: exported("export_asset_files"),
    by: "install_id",
    table: "asset_files",
    fields: { media: attachedMedium("asset_file_id") },
  },
  { ownerOf: (asset_file_id) => ({ asset_file_id }) },
);

const moves = recordedParts("storage", "moves")("import_storage_task", {
  read: exported("export_storage_tasks"),
  by: "install_id",
  table: "storage_tasks",
  fields: {},
});

export const storage = rowsOf("storage")({
  checkAll: (validator, installs) => validator.oneActive("storage", installs, "install"),
  check(validator, { files, moves }, place) {
    validator.distinct(`${place}.files`, files, ({ path }) => path, ".path");
    for (const [move, here] of validator.items(`${place}.moves`, moves)) checkMove(validator, move, here);
  },
  read: exported("export_storage_installs"),
  insert: ["import_storage_install"],
  unique: ["active", "filespace"],
  fields: { files, moves },
});

// Writes and reads storage installs, the rows of their files, and the moves that an admin approved.
import { attachedMedium, recordedParts, rowsOf } from "./columns.ts";
import { exported } from "./exporter.ts";

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
  read: exported("export_storage_installs"),
  insert: ["import_storage_install"],
  unique: ["active", "filespace"],
  fields: { files, moves },
});

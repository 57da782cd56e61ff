// The operations of the admin API for storage: the active filespace and approved file moves.
import * as v from "valibot";
import * as input from "../../core/inputs.ts";
import { pageEntries, pageOf } from "../../core/listing.ts";
import { operation } from "../../core/operation.ts";
import { writeAsAdmin } from "../../graph/admin.ts";
import { destinationPath, filePath } from "../../graph/storage_events.ts";
import * as storage from "./storage_install.ts";

const { describe } = input;

export const listStorageMoves = operation({
  name: "list_storage_moves",
  reports: "reads",
  summary: "Lists the approved file moves and their results, oldest first.",
  path: "/admin/storage/moves",
  scope: "admin",
  input: v.object(pageEntries),
  output: v.array(storage.storageMove),
  run: ({ app, caller: { production_id } }, page) =>
    pageOf("moves", storage.listMoves(app.store, { production_id }), page),
});

export const addStorageMove = operation({
  name: "add_storage_move",
  summary: "Approves a file move in the active filespace. The storage agent gets it at its next poll.",
  method: "POST",
  path: "/admin/storage/moves",
  scope: "admin",
  input: v.object({
    src: describe(filePath, "The file's path in the filespace."),
    dst: describe(destinationPath, "The file's new path."),
  }),
  output: storage.storageMove,
  errors: [409],
  run: (context, given) =>
    writeAsAdmin(context, (admin) => storage.addMove(admin, { ...given, production_id: admin.production_id })),
});

export const installStorage = operation({
  name: "install_storage",
  summary: "Makes a filespace the production's active filespace.",
  method: "POST",
  path: "/admin/storage/install",
  scope: "admin",
  input: v.object({ filespace: input.text(300) }),
  output: storage.storageInstall,
  run: (context, given) =>
    writeAsAdmin(
      context,
      (admin) => storage.installStorage(admin, { ...given, production_id: admin.production_id }).install,
    ),
});

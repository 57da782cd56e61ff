// The work of a thread that undoes a change set.
import type { WorkModule } from "../documents/jobs/import_job.ts";
import { type UndoRequest, undoChangeSet } from "./undo.ts";

/** `request` is what the operation asked for. */
export const perform: WorkModule["perform"] = (admin, blobs, request, write) =>
  undoChangeSet(admin, blobs, request as UndoRequest, write); // the operation made it

// Lists submitted work, and removes it.
import type { DeliveryId, EngagementId, ProductionId, SubmissionId } from "../../core/ids.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { change, many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { type Admin, recordChange, requireChangeable } from "../../graph/admin.ts";
import { deleteMedia } from "../../graph/media_rows.ts";

export interface SubmittedWork {
  id: SubmissionId;
  production_id: ProductionId;
  delivery_id: DeliveryId;
  /** The title of the delivery. */
  delivery: string;
  engagement_id: EngagementId;
  vendor: string;
  title: string;
  status: string;
  created_at: string | null;
  files: number;
  bytes: number;
}

const rowsOf = many<{ production_id: ProductionId | null; id: number | null }, SubmittedWork>(
  "list_production_submissions",
);
const mediaOf = many<{ id: number }, { media_id: number; sha256: string }>("list_submission_media");
const deleteSubmission = change("delete_submission");

/** The submitted work of a production, by id. */
export const listSubmitted = (store: Store, production_id: ProductionId): SubmittedWork[] =>
  rowsOf(store, { production_id, id: null });

/**
 * Removes a submission with its files. Bytes that nothing else needs are deleted. Throws 404 if it does not exist or
 * the admin may not change it.
 */
export function removeSubmission(admin: Admin, blobs: Blobs, id: number): { removed: SubmittedWork; summary: string } {
  const { store } = admin;
  return store.writeSync(() => {
    const [found] = rowsOf(store, { production_id: null, id });
    const removed = requireChangeable(admin, found, `submission ${id}`, "submissions list");
    const { production_id, delivery_id, engagement_id, title, vendor, delivery, files } = removed;
    for (const { media_id, sha256 } of mediaOf(store, { id })) {
      deleteMedia(store, { production_id, media_id });
      blobs.removeIfUnneeded(sha256);
    }
    deleteSubmission(store, { production_id, id });
    const summary = `Removed ${title} of ${vendor} from ${delivery}, with ${files} ${files === 1 ? "file" : "files"}`;
    recordChange(
      admin,
      { production_id, summary, detail: { id, delivery_id, engagement_id, title, files, bytes: removed.bytes } },
      {
        type: "submission.removed",
        subject: { kind: "submission", id },
        data: { delivery_id, engagement_id, title },
      },
    );
    return { removed, summary };
  });
}

// Updates a stored production from documents, for the command line and the API: the changes, their activity, their events and the
// audit row are one transaction.
import type { Plan } from "../document/plan.ts";
import type { GivenDocument } from "../document/read_partial.ts";
import { updateProduction } from "../document/update.ts";
import type { Blobs } from "../store/blobs.ts";
import type { Admin } from "./admin.ts";
import { recordApplied } from "./applied.ts";
import { recordAction } from "./audit.ts";

export interface UpdateRequest {
  production_id: number;
  /** The documents are the whole truth about the sections that they contain. */
  exact: boolean;
  dry_run: boolean;
  if_revision?: string | undefined;
}

/**
 * Plans the update and, unless it is a dry run, applies it. Returns the plan. Throws CliError with every problem of every document,
 * 409 if the production has another revision; then nothing is written. `write` runs the transaction.
 */
export const updateFrom = (
  admin: Admin,
  blobs: Blobs,
  documents: readonly GivenDocument[],
  request: UpdateRequest,
  write: <T>(work: () => T) => Promise<T>,
): Promise<Plan> =>
  updateProduction(admin.store, blobs, documents, {
    ...request,
    now: admin.now,
    write,
    record(planned, writer) {
      recordApplied(admin, planned, writer);
      const { production_id, counts } = planned.plan;
      const detail = { files: documents.map(({ file }) => file), ...counts };
      recordAction(admin, { action: "production.updated", production_id, detail });
    },
  });

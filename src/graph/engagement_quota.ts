// The quota of an engagement: what it has submitted and what it has begun to upload, of what the setting
// engagement_quota allows.
import type { Context } from "../core/context.ts";
import { tooLarge } from "../core/errors.ts";
import type { EngagementId } from "../core/ids.ts";
import { one } from "../core/store/statements.ts";
import { withCommas } from "../core/wording.ts";

export interface Use {
  files: number;
  bytes: number;
}

const usedBy = one<{ engagement_id: EngagementId }, Use>("get_engagement_use");
const waitingOf = one<{ engagement_id: EngagementId; now: string }, Use>("get_waiting_uploads");
const none: Use = { files: 0, bytes: 0 };

/**
 * Throws 413 if the engagement of the caller would have more files or bytes than the setting engagement_quota allows,
 * with its resumable uploads that were not submitted yet; without these `beforeUploads`. `what` needs the room.
 * Removing a submission, or an upload, makes room.
 */
export function checkQuota(
  { app, caller, now }: Pick<Context, "app" | "caller" | "now">,
  more: Use,
  { what = "submission", beforeUploads = false }: { what?: string; beforeUploads?: boolean } = {},
): void {
  const { store, config } = app;
  const { engagement_id } = caller;
  const quota = config.engagement_quota;
  if (engagement_id === null || (quota.files === undefined && quota.bytes === undefined)) return;
  const submitted = usedBy(store, { engagement_id }) ?? none;
  const waiting = (beforeUploads ? undefined : waitingOf(store, { engagement_id, now })) ?? none;
  for (const unit of ["files", "bytes"] as const) {
    const allowed = quota[unit];
    const used = submitted[unit] + waiting[unit];
    if (allowed === undefined || used + more[unit] <= allowed) continue;
    const own = waiting.files > 0 ? `, with ${withCommas(waiting[unit])} of uploads that were not submitted yet` : "";
    throw tooLarge(
      `the engagement's quota (engagement_quota) has no room for this ${what}: ${withCommas(used)} of ${withCommas(allowed)} ${unit} are used${own}; nothing was stored`,
    );
  }
}

// Refuses work beyond what one engagement may submit in all.
import type { Context } from "../context.ts";
import { tooLarge } from "../errors.ts";
import { one } from "../store/statements.ts";

interface Use {
  files: number;
  bytes: number;
}

const useOf = one<{ engagement_id: number }, Use>("get_engagement_use");

/**
 * Throws 413 if the engagement of the caller would have submitted more files or bytes than the setting engagement_quota allows.
 * Removing a submission makes room.
 */
export function checkQuota({ app, caller }: Context, more: Use): void {
  const { store, config } = app;
  const engagement_id = caller.engagement_id as number; // safe: the operation is for bound keys
  const used = useOf(store, { engagement_id }) ?? { files: 0, bytes: 0 };
  for (const unit of ["files", "bytes"] as const) {
    const allowed = config.engagement_quota[unit];
    if (allowed === undefined || used[unit] + more[unit] <= allowed) continue;
    const numbers = `${used[unit].toLocaleString("en")} of ${allowed.toLocaleString("en")} ${unit} are used`;
    throw tooLarge(
      `the engagement's quota (engagement_quota) has no room for this submission: ${numbers}; nothing was stored`,
    );
  }
}

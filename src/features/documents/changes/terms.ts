// What several parts of an update say and know in the same words.
import type { Raw } from "../sections/form.ts";

export const creationUnchanged = "created_at stays as it was recorded";

/** What a grant may be about. */
export const grantTargetFields = ["scene", "asset", "department", "delivery"] as const;

/** The state that follows from steps: that of the first one that is not approved; approved if every step is. */
export const approvalStatusOf = (steps: readonly { status?: unknown }[]): unknown =>
  steps.find(({ status }) => status !== "approved")?.status ?? "approved";

export const withoutNulls = (item: Raw): Raw =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== undefined));

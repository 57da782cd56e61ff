// Records that commands took data out.
import { errorOf } from "../../core/errors.ts";
import type { Admin } from "../../graph/admin.ts";
import { recordAction } from "../../graph/audit.ts";

/**
 * Records that an admin took data out. The command does not fail if that is impossible, as on a read-only disk: the
 * answer is then a note that says why.
 */
export function recordRead(admin: Admin, action: Parameters<typeof recordAction>[1]): string[] {
  try {
    admin.store.writeSync(() => recordAction(admin, action));
    return [];
  } catch (error) {
    return [`the audit log has no entry of this: ${errorOf(error).message}`];
  }
}

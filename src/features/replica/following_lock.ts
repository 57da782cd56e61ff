// The lock of a replica's directory.
import { join } from "node:path";
import { type Lock, tryLock } from "../../core/store/lock.ts";

/** Makes this process the only one that follows or promotes a replica. Undefined if there is another. */
export const lockForFollowing = (folder: string): Lock | undefined => tryLock(join(folder, "follow.lock"), false);

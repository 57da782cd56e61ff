// What a follower and a promotion tell each other in a replica's directory.
import { join } from "node:path";
import { type Lock, tryLock } from "../../core/store/lock.ts";

/** The name of the file with which a promotion begins: it ends the following. */
export const promotionName = "promotion";

/** Makes this process the only one that follows or promotes a replica. Undefined if there is another. */
export const lockForFollowing = (folder: string): Lock | undefined => tryLock(join(folder, "follow.lock"), false);

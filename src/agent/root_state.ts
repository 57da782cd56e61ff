// Checks whether the root of the filespace is mounted on this machine. If it is not, its files only seem to be missing,
// and no delete may be reported.
import { opendir, stat } from "node:fs/promises";
import { trailName } from "./audit/trail.ts";
import type { Ignore } from "./ignore.ts";
import type { Identity } from "./journal/journal.ts";

export interface RootState {
  /** Undefined if there is no folder. */
  identity: Identity | undefined;
  /** Nothing that counts is in it. */
  bare: boolean;
}

/** Looks at the root. A filespace with an audit trail is never bare: the trail itself is in it. */
export async function rootStateOf(root: string, ignore: Ignore): Promise<RootState> {
  try {
    const { dev, ino } = await stat(root, { bigint: true });
    const identity = { dev: dev.toString(), ino: ino.toString() };
    for await (const { name } of await opendir(root))
      if (name === trailName || !ignore.takes(name, name)) return { identity, bare: false };
    return { identity, bare: true };
  } catch {
    return { identity: undefined, bare: true };
  }
}

/** What a walk of the whole tree met of what the journal knows. */
export interface WalkCounts {
  known: number;
  seen: number;
}

/**
 * Why deletes cannot be trusted; undefined if they can. `former` is the folder that the root was when it was last
 * trusted, `present` how many files the server knows, `tally` what a full pass has met.
 */
export function reasonNotToTrustRoot(
  { identity, bare }: RootState,
  former: Identity | null,
  present: number,
  tally?: WalkCounts,
): string | undefined {
  if (identity === undefined) return "the root is not there";
  const same = former === null || (former.dev === identity.dev && former.ino === identity.ino);
  if (bare && (present > 1 || (!same && present > 0))) return "the root is empty";
  if (same) return undefined;
  if (tally === undefined) return "the root is another folder than before, and was not walked yet";
  if (tally.seen * 2 >= tally.known) return undefined;
  return `the root is another folder than before, and holds ${tally.seen} of ${tally.known} known files`;
}

// Refuses calls on a replica: every write, every bound key, and every call if the copy is too old.
import { forbidden, HttpError } from "./errors.ts";
import { type ReplicaProblem, watchReplica } from "./store/replica.ts";

export interface Replica {
  /** The age of the copy in whole seconds; null if it is not known. */
  age(): number | null;
  /** The error of every call, if the copy must not be used now; undefined otherwise. */
  refusal(): HttpError | undefined;
  /** What /healthz answers if the directory is no replica any more; undefined otherwise. */
  health(): { ok: false; reason: string } | undefined;
  /** The error of a write. */
  readOnly(): HttpError;
  /** Throws 403 if the key is bound to an engagement. */
  checkKey(key: { engagement_id: number | null }): void;
  close(): void;
}

export interface ReplicaOptions {
  /** The data directory. */
  data: string;
  /** The current time in milliseconds. */
  clock: () => number;
  /** In seconds: with an older copy, every call is refused. */
  max_staleness: number;
  /** The address of the primary, or of the other one of two boxes, if it is configured. */
  primary_url?: string | undefined;
  peer?: string | undefined;
}

const problems: Readonly<Record<ReplicaProblem, string>> = {
  promoted: "this copy was promoted to a primary; restart this server without --replica",
  replaced: "the database file was replaced while it was served; restart this server",
};

/** Opens the view of a replica. The caller must close it. */
export function openReplica({ data, clock, max_staleness, peer, primary_url = peer }: ReplicaOptions): Replica {
  const watch = watchReplica(data, clock);
  const primary = primary_url === undefined ? "the primary server" : `the primary server at ${primary_url}`;
  const unavailable = (detail: string, retry: number) => new HttpError(503, detail, { "retry-after": String(retry) });
  return {
    age() {
      const age = watch.age();
      return Number.isFinite(age) ? Math.floor(age) : null;
    },
    refusal() {
      const problem = watch.problem();
      if (problem !== undefined) return unavailable(problems[problem], 60);
      const age = watch.age();
      if (age <= max_staleness) return undefined;
      const known = Number.isFinite(age) ? `is ${Math.floor(age)} s old` : "has no known age";
      return unavailable(`this replica's copy ${known}, and at most ${max_staleness} s are allowed; use ${primary}`, 1);
    },
    health() {
      const problem = watch.problem();
      return problem && { ok: false, reason: problems[problem] };
    },
    readOnly: () => unavailable(`this server is a read-only replica; send writes to ${primary}`, 60),
    checkKey({ engagement_id }) {
      if (engagement_id !== null)
        throw forbidden(`a replica does not serve keys that are bound to an engagement; use ${primary}`);
    },
    close: watch.stop,
  };
}

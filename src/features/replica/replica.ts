// A replica that is served: watches the age of its copy, and refuses calls: every write, every bound key, and every
// call if the copy is too old.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { CopyOptions, ServedCopy } from "../../core/context.ts";
import { forbidden, HttpError } from "../../core/errors.ts";
import { databaseName } from "../../core/store/database.ts";
import { isReplica } from "../../core/store/directory_records.ts";
import { type ReplicaRecord, readReplicaRecord } from "./record.ts";

export { supersededSentence } from "./record.ts";

/** How often the directory is looked at, in milliseconds. */
const interval = 250;

const unavailable = (detail: string, retry: number): HttpError =>
  new HttpError(503, detail, { "retry-after": String(retry) });

/** Opens the view of a replica. The caller must close it. */
export function openCopy({ data, clock, config }: CopyOptions): ServedCopy {
  const { max_staleness, peer, primary_url = peer?.url } = config;
  const primary = primary_url === undefined ? "the primary server" : `the primary server at ${primary_url}`;
  const inodeOf = () => statSync(join(data, databaseName), { throwIfNoEntry: false })?.ino;
  const served = inodeOf();
  let record: ReplicaRecord | undefined;
  let seenAt = 0;

  function look(): void {
    const found = readReplicaRecord(data);
    if (found?.synced_at !== record?.synced_at) seenAt = performance.now();
    record = found;
  }

  /**
   * In seconds; Infinity if it is not known. The time since the record was seen counts too: a clock that was set back
   * must not make an old copy young.
   */
  const age = (): number =>
    record === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, clock() - Date.parse(record.synced_at), performance.now() - seenAt) / 1000;
  /**
   * Why the directory can no longer be served, looked at with each call, so that no answer follows the end of a
   * promotion.
   */
  function problem(): string | undefined {
    if (!isReplica(data)) return "this copy was promoted to a primary; restart this server without --replica";
    if (inodeOf() === served) return undefined;
    // the open connection reads the former file
    return "the database file was replaced while it was served; restart this server";
  }

  look();
  const timer = setInterval(look, interval).unref();
  return {
    age: () => (record === undefined ? null : Math.floor(age())),
    refusal() {
      const reason = problem();
      if (reason !== undefined) return unavailable(reason, 60);
      if (age() <= max_staleness) return undefined;
      const known = record === undefined ? "has no known age" : `is ${Math.floor(age())} s old`;
      return unavailable(`this replica's copy ${known}, and at most ${max_staleness} s are allowed; use ${primary}`, 1);
    },
    health() {
      const reason = problem();
      return reason === undefined ? undefined : { ok: false, reason };
    },
    readOnly: () => unavailable(`this server is a read-only replica; send writes to ${primary}`, 60),
    checkKey({ engagement_id }) {
      if (engagement_id !== null)
        throw forbidden(`a replica does not serve keys that are bound to an engagement; use ${primary}`);
    },
    close: () => clearInterval(timer),
  };
}

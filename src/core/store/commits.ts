// Counts the commits of each production, so that the server keeps a prepared answer until a commit may have changed it.

/** What a transaction may change. One that does not say it may change everything. */
export interface Concern {
  /** Every production, if undefined. */
  production_id?: number;
  /** Whether it changes only what machines report all the time: storage, uses of keys, parts of uploads, tries of deliveries. */
  reports?: boolean;
}

export interface Commits {
  /** A number that changes after any commit. With look=false, the commits of other processes are not checked. */
  revision(look?: boolean): number;
  /** The revision since which a production is unchanged. What machines report is part of it only with `reports`. */
  changedAt(production_id: number, reports: boolean): number;
}

/** The numbers of the last commits: that of every production, and of each one. */
interface Last {
  every: number;
  readonly each: Map<number, number>;
}

/** `dataVersion` reads PRAGMA data_version, which changes only with commits of other connections. */
export function openCommits(dataVersion: () => number) {
  let revision = 0;
  let seen = -1;
  const [all, reported]: [Last, Last] = [
    { every: 0, each: new Map() },
    { every: 0, each: new Map() },
  ];
  const lastOf = ({ every, each }: Last, production_id: number) => Math.max(every, each.get(production_id) ?? 0);
  return {
    revision(look = true): number {
      const version = look ? dataVersion() : seen;
      if (version !== seen) {
        seen = version;
        all.every = ++revision;
      }
      return revision;
    },
    changedAt(production_id: number, reports: boolean): number {
      const changed = lastOf(all, production_id);
      return reports ? Math.max(changed, lastOf(reported, production_id)) : changed;
    },
    /** Records the end of a transaction of this connection. */
    count(wrote: boolean, { production_id, reports }: Concern = {}): void {
      revision++;
      if (!wrote) return;
      const last = reports ? reported : all;
      if (production_id === undefined) last.every = revision;
      else last.each.set(production_id, revision);
    },
  };
}

// Runs write transactions on one connection, waits for the transactions of other processes, and counts the commits of
// each production, so that the server keeps a prepared answer until a commit may have changed it. Refuses those of a
// frozen production.
import { setTimeout as pause } from "node:timers/promises";
import type Database from "better-sqlite3";
import { codeOf, frozen } from "../errors.ts";
import type { ProductionId } from "../ids.ts";
import { openTurn } from "../limits.ts";
import { value } from "./statements.ts";
import type { Store } from "./store.ts";

/** What a transaction may change; without it, everything. */
export interface Changes {
  /** Every production, if undefined. */
  production_id?: ProductionId;
  /**
   * Whether it changes only what machines report all the time: storage, uses of keys, parts of uploads, tries of
   * deliveries.
   */
  reports?: boolean;
}

/** How a transaction is run, and what it may change. */
interface WriteOptions extends Changes {
  /** How long to wait for another process's transaction, in milliseconds; 5,000 by default. */
  timeout?: number;
  /** If false, the commit does not wait for fsync and a power failure may undo it; true by default. */
  durable?: boolean;
}

/** The write transactions of a connection. */
export interface Transactions {
  /**
   * Runs `work` in one BEGIN IMMEDIATE transaction: everything is stored when it resolves, nothing when it rejects.
   * Does not block the event loop while another process writes; rejects with SQLITE_BUSY after the timeout. Lets other
   * work run between the transactions of many callers.
   */
  write<T>(work: () => T, options?: WriteOptions): Promise<T>;
  /**
   * The same for commands: blocks the thread while another process writes. Inside a transaction, including one of
   * `write`, runs `work` as part of that transaction.
   */
  writeSync<T>(work: () => T, changes?: Changes): T;
  /** From now on no write blocks the thread to wait for another process. For a server, once it has started. */
  neverBlock(): void;
  /**
   * From now on a write waits longer than its timeout as long as `isWriting` says that a long transaction of this
   * server runs.
   */
  waitWhile(isWriting: () => boolean): void;
}

const defaultTimeout = 5_000;
/** The delay between two tries in milliseconds. It is random so that two processes do not retry in step. */
const minDelay = 2;
const maxDelay = 20;

/** How long transactions may take together before other work of the event loop runs, in milliseconds. */
const slice = 10;

interface Chosen {
  timeout: number;
  durable: boolean;
  changes: Changes;
}

const isBusy = (error: unknown): boolean => codeOf(error) === "SQLITE_BUSY";

interface Hooks {
  /** Called as the first work of every transaction. If it throws, nothing is written. */
  begun(): void;
  /** Called as the last work of every transaction that is committed. */
  beforeCommit(): void;
  /** Called after the end of every transaction. `wrote`: whether it was committed and changed at least one row. */
  ended(wrote: boolean, changes?: Changes): void;
}

/** How transactions are begun and ended on a connection. */
function openConnection(database: Database.Database, { begun, beforeCommit, ended }: Hooks) {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const changedRows = database.prepare("SELECT total_changes()").pluck();

  /** Runs `work` in the transaction that has just begun. */
  function finish<T>(work: () => T, changes: Changes | undefined): T {
    const before = changedRows.get();
    let wrote = false;
    try {
      begun();
      const result = work();
      if (result instanceof Promise) throw new Error("a transaction must not wait: its work must not be asynchronous");
      beforeCommit();
      commit.run();
      wrote = changedRows.get() !== before;
      return result;
    } catch (error) {
      if (database.inTransaction) rollback.run(); // unless SQLite has already rolled back
      throw error;
    } finally {
      ended(wrote, changes);
    }
  }

  /** Begins a transaction without waiting. Returns false if another process has one. */
  function tryToBegin(mayBlock: boolean): boolean {
    if (mayBlock) database.pragma("busy_timeout = 0");
    try {
      begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    } finally {
      if (mayBlock) database.pragma(`busy_timeout = ${defaultTimeout}`);
    }
  }

  return {
    /** Runs `work` in a transaction. Waits as long as the connection does for that of another process. */
    run<T>(work: () => T, changes: Changes | undefined): T {
      begin.run();
      return finish(work, changes);
    },
    /**
     * The same without waiting; undefined if another process has a transaction. `mayBlock`: the connection waits
     * otherwise.
     */
    attempt<T>(work: () => T, { durable, changes }: Chosen, mayBlock: boolean): { value: T } | undefined {
      if (!durable) database.pragma("synchronous = NORMAL");
      try {
        return tryToBegin(mayBlock) ? { value: finish(work, changes) } : undefined;
      } finally {
        if (!durable) database.pragma("synchronous = FULL");
      }
    },
  };
}

/** Prepares the transactions of a connection. */
export function openTransactions(database: Database.Database, hooks: Hooks): Transactions {
  const connection = openConnection(database, hooks);
  let mayBlock = true;
  let isHeld = (): boolean => false;
  /** Resolves when the last writer in the queue has finished; undefined if no writer waits. */
  let last: Promise<void> | undefined;
  const turn = openTurn(slice);

  /** Waits for the earlier writers of this process, in order of arrival, then retries until the timeout. */
  async function writeInTurn<T>(work: () => T, chosen: Chosen): Promise<T> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    const deadline = performance.now() + chosen.timeout;
    try {
      await before;
      for (;;) {
        while (turn.isOver) await turn.next();
        const done = connection.attempt(work, chosen, mayBlock);
        if (done !== undefined) return done.value;
        if (performance.now() >= deadline && !isHeld())
          throw Object.assign(new Error("another process is writing"), { code: "SQLITE_BUSY" });
        await pause(minDelay + Math.random() * (maxDelay - minDelay));
      }
    } finally {
      if (last === promise) last = undefined;
      resolve();
    }
  }

  return {
    async write(work, { timeout = defaultTimeout, durable = true, ...changes } = {}) {
      if (database.inTransaction) throw new Error("write was called inside a transaction; use writeSync there");
      const chosen = { timeout, durable, changes };
      const done = last === undefined && !turn.isOver ? connection.attempt(work, chosen, mayBlock) : undefined;
      return done === undefined ? writeInTurn(work, chosen) : done.value;
    },
    writeSync(work, changes) {
      if (database.inTransaction) return work();
      if (!mayBlock) throw new Error("writeSync would block the server; use write");
      return connection.run(work, changes);
    },
    neverBlock() {
      mayBlock = false;
      database.pragma("busy_timeout = 0");
    },
    waitWhile(isWriting) {
      isHeld = isWriting;
    },
  };
}

/** When productions were changed, as numbers that grow with each commit. */
export interface Commits {
  /**
   * A number that grows with each commit. With look=false, it does not ask SQLite for the commits of other processes.
   */
  revision(look?: boolean): number;
  /** The revision since which a production is unchanged, but for what machines report. */
  changedAt(production_id: ProductionId): number;
}

/** `dataVersion` reads PRAGMA data_version, which changes only with commits of other connections. */
export function openCommits(dataVersion: () => number) {
  let revision = 0;
  let seen = -1;
  /** The revision of the last commit of every production, and of each one. */
  let every = 0;
  const each = new Map<number, number>();
  return {
    revision(look = true): number {
      const version = look ? dataVersion() : seen;
      if (version !== seen) {
        seen = version;
        every = ++revision;
      }
      return revision;
    },
    changedAt: (production_id: ProductionId): number => Math.max(every, each.get(production_id) ?? 0),
    /** Records the end of a transaction of this connection. */
    count(wrote: boolean, { production_id, reports }: Changes = {}): void {
      revision++;
      if (!wrote || reports) return;
      if (production_id === undefined) every = revision;
      else each.set(production_id, revision);
    },
  };
}

/** Since when a production is frozen; undefined if it can be changed. docs/operating.md, "Freeze, archive, delete". */
export const frozenSince = value<{ production_id: ProductionId }, string>("get_frozen");

/**
 * Throws 409 if the production is frozen. Triggers refuse what no check has refused before, but for asset_files and
 * storage_events: everything that writes these calls it in its transaction.
 */
export function refuseFrozen(store: Store, production_id: ProductionId): void {
  if (frozenSince(store, { production_id }) !== undefined) throw frozen();
}

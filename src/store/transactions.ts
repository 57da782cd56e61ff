// Write transactions on one connection: who waits for another process's transaction, and how.
import { setTimeout as pause } from "node:timers/promises";
import type Database from "better-sqlite3";

export interface WriteOptions {
  /** How long to wait for another process's transaction, in milliseconds; 5,000 by default. */
  patience?: number;
  /** False: a power cut may undo it. For what is not worth a wait for the disk. */
  durable?: boolean;
}

export interface Transactions {
  /**
   * Runs `work` in one BEGIN IMMEDIATE transaction: everything is stored when it resolves, nothing when it rejects. Does not
   * block the event loop while another process writes; rejects with SQLITE_BUSY after `patience`.
   */
  write<T>(work: () => T, options?: WriteOptions): Promise<T>;
  /**
   * The same for a command, which has nothing else to do: blocks while another process writes. Inside a transaction, also one
   * of `write`, it runs `work` as a part of it.
   */
  writeSync<T>(work: () => T): T;
  /** Inside a transaction: `undo` runs if it fails, while no other process can write yet. */
  beforeRollback(undo: () => void): void;
  /** From now on nothing waits for another process on this thread: for a server, once it has started. */
  neverBlock(): void;
}

const usualPatience = 5_000;
/** Between two tries, in milliseconds: random, so that two processes do not meet at each try. */
const minPause = 2;
const maxPause = 20;

const isBusy = (error: unknown): boolean => (error as { code?: string } | null)?.code === "SQLITE_BUSY";

interface Hooks {
  /** Called before each commit, within the transaction. */
  beforeCommit(): void;
  /** Called after the end of every transaction. */
  ended(): void;
}

export function openTransactions(database: Database.Database, { beforeCommit, ended }: Hooks): Transactions {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  let undos: (() => void)[] = [];
  let blocks = true;
  /** Resolves when the writer that came last has had its turn; undefined while nobody waits. */
  let last: Promise<void> | undefined;

  /** Runs `work` in the transaction that has just begun. */
  function finish<T>(work: () => T): T {
    try {
      const result = work();
      if (result instanceof Promise) throw new Error("a transaction must not wait: its work must not be asynchronous");
      beforeCommit();
      commit.run();
      return result;
    } catch (error) {
      // If SQLite has rolled back by itself, others may write already: what was done to files then stays for a sweep.
      if (database.inTransaction) {
        for (const undo of undos.reverse()) undo();
        rollback.run();
      }
      throw error;
    } finally {
      undos = [];
      ended();
    }
  }

  /** Begins a transaction at once; false if another process has one. */
  function tryToBegin(): boolean {
    if (blocks) database.pragma("busy_timeout = 0");
    try {
      begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    } finally {
      if (blocks) database.pragma(`busy_timeout = ${usualPatience}`);
    }
  }

  /** Runs `work` in a transaction at once; undefined if another process has one. */
  function attempt<T>(work: () => T, durable: boolean): { value: T } | undefined {
    if (!durable) database.pragma("synchronous = NORMAL");
    try {
      return tryToBegin() ? { value: finish(work) } : undefined;
    } finally {
      if (!durable) database.pragma("synchronous = FULL");
    }
  }

  /** Tries until `patience` has passed, behind the writers of this process that wait already: first come, first served. */
  async function writeInTurn<T>(work: () => T, { patience, durable }: Required<WriteOptions>): Promise<T> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    const deadline = performance.now() + patience;
    try {
      await before;
      for (;;) {
        const done = attempt(work, durable);
        if (done !== undefined) return done.value;
        if (performance.now() >= deadline)
          throw Object.assign(new Error("another process is writing"), { code: "SQLITE_BUSY" });
        await pause(minPause + Math.random() * (maxPause - minPause));
      }
    } finally {
      if (last === promise) last = undefined;
      resolve();
    }
  }

  return {
    async write(work, { patience = usualPatience, durable = true } = {}) {
      if (database.inTransaction) throw new Error("write within a transaction; use writeSync there");
      const done = last === undefined ? attempt(work, durable) : undefined;
      return done === undefined ? writeInTurn(work, { patience, durable }) : done.value;
    },
    writeSync(work) {
      if (database.inTransaction) return work();
      if (!blocks) throw new Error("writeSync on a server would block it; use write");
      begin.run();
      return finish(work);
    },
    beforeRollback: (undo) => void undos.push(undo),
    neverBlock() {
      blocks = false;
      database.pragma("busy_timeout = 0");
    },
  };
}

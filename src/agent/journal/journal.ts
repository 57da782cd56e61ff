// The journal: the last report about every path that the server has. It is the agent's only record of the server's
// state. These rules keep it correct whenever the agent is killed:
// 1. An entry changes when the server has answered, never before. So whatever was not delivered still differs from the
//      disk, and the next look finds it again.
//   2. A batch is on disk before its first byte is sent, and stays the pending one until its answer is there too.
// After a crash it is sent once more, with the same keys, before anything else, so an event that the server stored
// without
//      the agent learning of it is not lost.
// 3. There is one pending batch at the most. Looks are compared with what it makes of the journal, not with the journal
// alone.
// 4. The server moves its own rows when a file move is done. So the paths of the move are forgotten: whatever the next
// look
//      shows there is reported, also if a batch that was under way says otherwise.
//   5. The keys of one path never repeat: an unknown path starts at `floor`, which is above every forgotten one.
import type Database from "better-sqlite3";
import { entryOf, type JournalEntry, pathOf, type Report, sortKeyOf } from "../report.ts";

/** Which folder on which device the root was. */
export interface Identity {
  dev: string;
  ino: string;
}

/** A report of the batch; `forgotten` if its path was while the batch had no answer. */
type Pending = Report & { forgotten?: true };

type Row = Omit<JournalEntry, "path"> & { position: string };

const columns = "position, state, size, mtime_ns, returns, stand_in";
const entryOfRow = ({ position, ...fields }: Row): JournalEntry => ({ path: pathOf(position), ...fields });

/** The time of a file as a number: its digits have no order of their own. */
export const age = "CAST(mtime_ns AS INTEGER)";

/** A scan reads so many rows at once: few at first, because many scans end early. */
const [fewest, most] = [64, 1024];

interface StoredState {
  clock: string;
  floor: number;
  root: string | null;
}

export class Journal {
  readonly #database: Database.Database;
  readonly #mostGone: number;
  readonly #rowAt: Database.Statement<[string], Row>;
  readonly #rowsFrom: Database.Statement<[string, number], Row>;
  readonly #presentIn: Database.Statement<[string, string | Buffer, number], Row>;
  /** A test looks at its plan. */
  readonly wantedStatement: Database.Statement<[object], Row>;
  readonly #write: Database.Statement;
  readonly #batch: Database.Statement<[], string>;
  readonly #state: Database.Statement<[], StoredState>;
  #present: number;
  #gone: number;

  /**
   * `mostGone`: beyond so many entries of paths that are gone, they are forgotten; never fewer than there are present
   * ones.
   */
  constructor(database: Database.Database, mostGone = 200_000) {
    this.#database = database;
    this.#mostGone = mostGone;
    this.#rowAt = database.prepare(`SELECT ${columns} FROM files WHERE position = ?`);
    this.#rowsFrom = database.prepare(`SELECT ${columns} FROM files WHERE position >= ? ORDER BY position LIMIT +?`);
    this.#presentIn = database.prepare(
      `SELECT ${columns} FROM files WHERE position >= ? AND position < ? AND state <> 'gone' ORDER BY position LIMIT +?`,
    );
    const wanted = (where: string) =>
      `SELECT * FROM (SELECT ${columns} FROM files WHERE stand_in = 'wanted' AND ${where} ORDER BY ${age} DESC, position DESC LIMIT @most)`;
    this.wantedStatement = database.prepare(
      `${wanted(`${age} = @time AND position < @position`)} UNION ALL ${wanted(`${age} < @time`)} LIMIT @most`,
    );
    this.#write = database.prepare(
      "INSERT OR REPLACE INTO files VALUES (@position, @state, @size, @mtime_ns, @returns, @stand_in)",
    );
    this.#batch = database.prepare<[], string>("SELECT reports FROM pending").pluck();
    this.#state = database.prepare("SELECT clock, floor, root FROM state");
    const counts = database.prepare<[], { present: number; gone: number }>(
      "SELECT count(iif(state = 'present', 1, NULL)) AS present, count(iif(state = 'gone', 1, NULL)) AS gone FROM files",
    );
    const { present, gone } = counts.get() ?? { present: 0, gone: 0 };
    [this.#present, this.#gone] = [present, gone];
  }

  /** The batch that was sent and has no answer yet. */
  get pending(): readonly Pending[] | undefined {
    const reports = this.#batch.get();
    return reports && JSON.parse(reports);
  }

  /** How many paths are present. */
  get present(): number {
    return this.#present;
  }

  get #stored(): StoredState {
    return this.#state.get() ?? { clock: "", floor: 0, root: null };
  }

  /** The latest detected_at that was used; empty if none was. */
  get clock(): string {
    return this.#stored.clock;
  }

  get floor(): number {
    return this.#stored.floor;
  }

  /** Which folder the root was when it was last trusted. */
  get root(): Identity | null {
    return JSON.parse(this.#stored.root ?? "null");
  }

  set root(root: Identity) {
    this.#database.prepare("UPDATE state SET root = ?").run(JSON.stringify(root));
  }

  /** The last report about a path that the server has. */
  get(path: string): JournalEntry | undefined {
    const row = this.#rowAt.get(sortKeyOf(path));
    return row && entryOfRow(row);
  }

  /** The entries below a folder, "" for all, in order. Others may write meanwhile. */
  *scan(folder = ""): Generator<JournalEntry, undefined> {
    const below = folder === "" ? "" : `${sortKeyOf(folder)}\0`;
    for (let [from, limit] = [below, fewest]; ; limit = Math.min(2 * limit, most)) {
      const rows = this.#rowsFrom.all(from, limit);
      for (const row of rows) {
        if (!row.position.startsWith(below)) return undefined;
        yield entryOfRow(row);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return undefined;
      from = `${last.position}\0`;
    }
  }

  /**
   * What is directly in a folder, apart from what is gone: the entries of files by their names, and the names of
   * folders.
   */
  folder(folder: string): { files: Map<string, JournalEntry>; folders: Set<string> } {
    const below = folder === "" ? "" : `${sortKeyOf(folder)}\0`;
    const behind = folder === "" ? Buffer.alloc(0) : `${sortKeyOf(folder)}\u0001`; // bytes are behind every text
    const files = new Map<string, JournalEntry>();
    const folders = new Set<string>();
    for (let [from, limit] = [below, fewest]; limit > 0; ) {
      const rows = this.#presentIn.all(from, behind, limit);
      limit = rows.length < limit ? 0 : Math.min(2 * limit, most);
      for (const row of rows) {
        const name = row.position.slice(below.length);
        const end = name.indexOf("\0");
        from = `${row.position}\0`;
        if (end === -1) files.set(name, entryOfRow(row));
        else {
          folders.add(name.slice(0, end));
          [from, limit] = [`${below}${name.slice(0, end)}\u0001`, 1];
          break;
        }
      }
    }
    return { files, folders };
  }

  /** The entries whose stand-in is wanted, newest first. Others may write meanwhile. */
  *wanted(): Generator<JournalEntry, undefined> {
    for (let [time, position] = [2n ** 63n - 1n, ""]; ; ) {
      const rows = this.wantedStatement.all({ time, position, most: fewest });
      for (const row of rows) yield entryOfRow(row);
      const last = rows.at(-1);
      if (last === undefined) return undefined;
      [time, position] = [BigInt(last.mtime_ns), last.position];
    }
  }

  /** Puts a batch on disk before it is sent. */
  begin(batch: readonly Report[]): void {
    if (this.pending !== undefined) throw new Error("a batch is pending already");
    const moments = batch.map(({ detected_at }) => detected_at);
    this.#atomically(() => {
      this.#database.prepare("INSERT INTO pending VALUES (?)").run(JSON.stringify(batch));
      this.#database.prepare("UPDATE state SET clock = ?").run([this.clock, ...moments].sort().at(-1));
    });
  }

  /** The server has answered the pending batch; `refused` are indexes of it. */
  settle(refused: readonly number[]): void {
    const refusedAt = new Set(refused);
    this.#atomically(() => {
      for (const [index, report] of (this.pending ?? []).entries())
        if (!report.forgotten) this.put(entryOf(report, refusedAt.has(index)));
      this.#database.prepare("DELETE FROM pending").run();
      if (this.#gone > Math.max(this.#mostGone, this.#present)) this.#forgetGone();
    });
  }

  /**
   * What the server has at these paths is not known any more: the next look at them is reported, whatever it shows. A
   * move that the server knows has changed its files in a way that no event did.
   */
  forget(paths: readonly string[]): void {
    this.#atomically(() => {
      const batch = this.pending ?? [];
      const { floor } = this;
      for (const path of paths) {
        const sent = batch.filter((report) => report.path === path);
        for (const report of sent) report.forgotten = true;
        const returns =
          sent.reduce((most, { returns }) => Math.max(most, returns), this.get(path)?.returns ?? floor) + 1;
        this.put({ path, state: "present", size: -1, mtime_ns: "0", returns, stand_in: "none" });
      }
      this.#database.prepare("UPDATE pending SET reports = ?").run(JSON.stringify(batch));
    });
  }

  /** Records that an entry's stand-in is settled, unless the entry has changed in the meantime. */
  settleStandIn({ path, size, mtime_ns }: JournalEntry): void {
    const entry = this.get(path);
    if (entry?.stand_in !== "wanted" || entry.size !== size || entry.mtime_ns !== mtime_ns) return;
    this.put({ ...entry, stand_in: "settled" });
  }

  /** Replaces the entry of a path. */
  put({ path, ...fields }: JournalEntry): void {
    const position = sortKeyOf(path);
    const former = this.#rowAt.get(position);
    this.#write.run({ position, ...fields });
    this.#present += Number(fields.state === "present") - Number(former?.state === "present");
    this.#gone += Number(fields.state === "gone") - Number(former?.state === "gone");
  }

  #forgetGone(): void {
    const highest = this.#database
      .prepare<[], number | null>("SELECT max(returns) FROM files WHERE state = 'gone'")
      .pluck()
      .get();
    this.#database.prepare("UPDATE state SET floor = max(floor, ?)").run((highest ?? 0) + 1);
    this.#database.prepare("DELETE FROM files WHERE state = 'gone'").run();
    this.#gone = 0;
  }

  #atomically(work: () => void): void {
    this.#database.transaction(work)();
  }
}

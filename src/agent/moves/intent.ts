// An intent records a file move before its first step, so that a crash can be repaired. After a crash, the next start reads from the
// intent and from the disk how far the move got.
import type Database from "better-sqlite3";
export interface Intent {
  task_id: number;
  /** Relative to the root. */
  src: string;
  dst: string;
  /** Of the source's bytes, before anything was done. */
  sha256: string;
  /** The source as it was while it was hashed; decimal digits. */
  source: { dev: string; ino: string; size: string; mtime_ns: string };
  /** Beside dst: where a copy is written before it has its name. */
  temporary: string;
  /** Which file the verified copy is, as soon as there is one. */
  copy?: { dev: string; ino: string };
  /** The source of a placed copy may be removed: from now on, another file may be at its path. */
  removing?: true;
  /** What an empty place at dst holds while a file is moved into it, where there are no hard links. */
  token: string;
}

export class Intents {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  save(intent: Intent): void {
    this.#database.prepare("INSERT OR REPLACE INTO intents VALUES (?, ?)").run(intent.task_id, JSON.stringify(intent));
  }

  remove(task_id: number): void {
    this.#database.prepare("DELETE FROM intents WHERE task_id = ?").run(task_id);
  }

  get(task_id: number): Intent | undefined {
    return this.all().find((intent) => intent.task_id === task_id);
  }

  /** Those that a crash, or a server that did not answer, left. */
  all(): Intent[] {
    const texts = this.#database.prepare("SELECT intent FROM intents ORDER BY task_id").pluck().all() as string[];
    return texts.map((text) => JSON.parse(text));
  }
}

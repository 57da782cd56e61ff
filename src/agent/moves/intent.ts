// Intents: a move is written to disk before it changes anything. After a crash, the next start reads from the intent and from the disk
// how far the move got.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { removeFile, replaceFile } from "../disk.ts";

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
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  #file(task_id: number): string {
    return join(this.#folder, `${task_id}.json`);
  }

  save(intent: Intent): void {
    replaceFile(this.#file(intent.task_id), `${JSON.stringify(intent)}\n`);
  }

  remove(task_id: number): void {
    removeFile(this.#file(task_id));
  }

  get(task_id: number): Intent | undefined {
    return this.all().find((intent) => intent.task_id === task_id);
  }

  /** Those that a crash, or a server that did not answer, left. */
  all(): Intent[] {
    return readdirSync(this.#folder)
      .filter((name) => /^\d+\.json$/.test(name))
      .flatMap((name) => readIntent(join(this.#folder, name)) ?? [])
      .sort((a, b) => a.task_id - b.task_id);
  }
}

/** An intent; undefined for a file that is not one: the task is prepared anew, and its intent replaces the file. */
function readIntent(file: string): Intent | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

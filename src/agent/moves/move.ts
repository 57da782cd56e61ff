// Carries out one approved move after its intent is stored, or completes or undoes it after a crash. The rules:
//   - nothing is overwritten: the destination's name is taken only while it is free;
// - the source is removed only when the same file, or a copy with the same SHA-256, read back from the disk, is at the
//     destination, and while the source is still what was hashed;
//   - every step can be repeated, so that whatever a crash leaves is one of the states that `run` tells apart.
import type { BigIntStats } from "node:fs";
import { lstat, rename, rm, statfs, unlink } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import type Database from "better-sqlite3";
import type { Components } from "../components.ts";
import { codeOrTextOf } from "../errors.ts";
import { isAbsence, isSameFile, statsOf } from "../file_state.ts";
import { copyBytes, hashFile } from "./bytes.ts";
import { destinationExists, isListedInFolder, isPlaceholder, makeFolders, place } from "./destination.ts";
import { Folder, MoveProblem, syncFolder } from "./folder.ts";

/**
 * Records a move before its first step, so that after a crash the next start reads from it and from the disk how far
 * the move got.
 */
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
    const texts = this.#database.prepare<[], string>("SELECT intent FROM intents ORDER BY task_id").pluck();
    return texts.all().map((text) => JSON.parse(text));
  }
}

async function remove(file: string): Promise<void> {
  await unlink(file);
  syncFolder(dirname(file));
}

const vanished = "the source is not there any more; nothing was moved";
const changed = "the source changed while it was moved; nothing was moved";
/** The disk has no room, or none for this user. */
const full: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
/** The disk does not allow it, and will not at the next try. */
const refused: ReadonlySet<string> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENAMETOOLONG",
  "ENOTDIR",
  "EISDIR",
  "EFBIG",
]);

const folderOf = (root: string, path: string): Folder => new Folder(root, path.split("/").slice(0, -1).join("/"));

class Move {
  readonly #intent: Intent;
  readonly #parts: Components;
  readonly #from: Folder;
  readonly #to: Folder;

  constructor(intent: Intent, parts: Components) {
    this.#intent = intent;
    this.#parts = parts;
    this.#from = folderOf(parts.root, intent.src);
    this.#to = folderOf(parts.root, intent.dst);
  }

  get #src(): string {
    return join(this.#from.path, posix.basename(this.#intent.src));
  }

  get #dst(): string {
    return join(this.#to.path, posix.basename(this.#intent.dst));
  }

  get #temporary(): string {
    return join(this.#to.path, posix.basename(this.#intent.temporary));
  }

  /** Throws MoveProblem if a link has taken the place of a folder since it was opened. */
  readonly #check = async (): Promise<void> => {
    await this.#from.check();
    await this.#to.check();
  };

  /** Answers how the file was moved; throws MoveProblem with nothing moved. */
  async run(): Promise<string> {
    const [src, dst] = [await statsOf(this.#src), await statsOf(this.#dst)];
    if (dst === undefined) {
      if (src === undefined) return this.#finishCopy();
      return this.#isSource(src) ? this.#start() : this.#giveUp(changed);
    }
    if (src !== undefined && isSameFile(src, dst)) return this.#finishLink();
    if (await isPlaceholder(this.#dst, this.#intent.token)) {
      await remove(this.#dst);
      return this.run();
    }
    if (this.#intent.copy !== undefined && (await this.#holdsSource(this.#dst))) return this.#finishPlaced();
    const isRenamed = isSameFile(dst, this.#intent.source) || (await this.#holdsSource(this.#dst));
    if (isRenamed && (src === undefined || !this.#isSource(src))) return "renamed";
    return this.#giveUp(src === undefined ? vanished : destinationExists);
  }

  /** Carries the move out as `run` does; where the disk does not allow it, what was begun is undone. */
  async attempt(): Promise<string> {
    try {
      await this.#from.hold();
      await this.#to.hold();
      return await this.run().catch((error) => this.#refuse(error));
    } catch (error) {
      const isLeft = error instanceof MoveProblem && (await statsOf(this.#src)) !== undefined;
      if (isLeft) await this.#removeTemporary(); // otherwise it may be all that is left
      throw error;
    } finally {
      await this.#from.close();
      await this.#to.close();
    }
  }

  async #refuse(error: unknown): Promise<never> {
    const code = codeOrTextOf(error);
    if (full.has(code)) return this.#giveUp("the destination has no room for the file; nothing was moved");
    if (refused.has(code)) return this.#giveUp(`the disk does not allow it (${code}); nothing was moved`);
    throw error;
  }

  #step(name: string): void {
    this.#parts.options.step?.(name);
  }

  /** Whether the source is still what was hashed. By size and time: some file systems number their files anew. */
  #isSource({ size, mtimeNs }: BigIntStats): boolean {
    return String(size) === this.#intent.source.size && String(mtimeNs) === this.#intent.source.mtime_ns;
  }

  async #holdsSource(file: string): Promise<boolean> {
    const stats = await statsOf(file);
    if (!stats?.isFile() || String(stats.size) !== this.#intent.source.size) return false;
    return (await hashFile(file, this.#parts.signal)) === this.#intent.sha256;
  }

  /** The source is there, and the destination is free. */
  async #start(): Promise<string> {
    await this.#removeTemporary();
    await makeFolders(this.#parts.root, this.#intent.dst);
    if (!(await this.#to.hold()))
      throw new MoveProblem("the destination's folder was removed, or another file has its name; nothing was moved");
    this.#step("folders");
    try {
      await place(this.#src, this.#dst, this.#intent.token, (name) => this.#step(name), this.#check);
    } catch (error) {
      if (codeOrTextOf(error) !== "EXDEV") throw error;
      await this.#copy();
      return this.#finishPlaced();
    }
    this.#step("renamed");
    return "renamed";
  }

  async #copy(): Promise<void> {
    const { bavail, bsize } = await statfs(dirname(this.#dst), { bigint: true });
    if (bavail * bsize < BigInt(this.#intent.source.size)) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    await copyBytes(this.#src, this.#temporary, this.#parts.signal);
    this.#step("copied");
    if (!(await this.#holdsSource(this.#temporary))) await this.#giveUp(changed);
    const { dev, ino } = await lstat(this.#temporary, { bigint: true });
    this.#intent.copy = { dev: String(dev), ino: String(ino) };
    this.#parts.intents.save(this.#intent);
    this.#step("verified");
    await this.#placeCopy();
  }

  async #placeCopy(): Promise<void> {
    const step = (name: string) => this.#step(`copy ${name}`);
    await place(this.#temporary, this.#dst, this.#intent.token, step, this.#check);
    this.#step("placed");
  }

  /** The same file has both names: by a hard link of ours, or because the file system treats the names as equal. */
  async #finishLink(): Promise<string> {
    if (!(await isListedInFolder(this.#dst))) await rename(this.#src, this.#dst);
    else if (await isListedInFolder(this.#src)) await unlink(this.#src);
    syncFolder(dirname(this.#dst));
    syncFolder(dirname(this.#src));
    this.#step("renamed");
    return "renamed";
  }

  /** A verified copy is at the destination; the source may still exist. */
  async #finishPlaced(): Promise<string> {
    await this.#removeTemporary();
    const src = await statsOf(this.#src);
    if (src !== undefined && this.#isSource(src)) {
      await this.#check().catch((error) =>
        error instanceof MoveProblem ? this.#giveUp(error.message) : Promise.reject(error),
      );
      this.#intent.removing = true;
      this.#parts.intents.save(this.#intent);
      this.#step("removing");
      await remove(this.#src);
    } else if (src !== undefined && !this.#intent.removing) return this.#giveUp(changed);
    this.#step("removed");
    return "copied and verified";
  }

  /**
   * Neither source nor destination exists: another program removed the source. A complete copy may be all that is left.
   */
  async #finishCopy(): Promise<string> {
    if (!(await this.#holdsSource(this.#temporary))) throw new MoveProblem(vanished);
    await this.#placeCopy();
    return "copied and verified";
  }

  /** Whether the file at the destination was put there by this move, so that removing it loses nothing. */
  async #isOurs(dst: BigIntStats): Promise<boolean> {
    const { copy, token, removing } = this.#intent;
    if (await isPlaceholder(this.#dst, token)) return true;
    const src = await statsOf(this.#src);
    if (src === undefined) return false;
    if (isSameFile(src, dst)) return (await isListedInFolder(this.#src)) && isListedInFolder(this.#dst);
    return copy !== undefined && isSameFile(dst, copy) && (this.#isSource(src) || !removing);
  }

  async #removeTemporary(): Promise<void> {
    await rm(this.#temporary, { force: true }).catch((error) => {
      if (!isAbsence(codeOrTextOf(error))) throw error;
    });
  }

  /** Removes what this move has made at the destination, unless it is all that is left of the source. */
  async #giveUp(reason: string): Promise<never> {
    const dst = await statsOf(this.#dst);
    if (dst !== undefined && (await this.#isOurs(dst))) await remove(this.#dst);
    throw new MoveProblem(reason);
  }
}

/**
 * Carries a move out, or finishes or undoes what a crash left of it. Answers how the file was moved. Throws MoveProblem
 * with nothing moved, and any other error if the disk failed in the middle: then the intent stays, and this can be
 * called again.
 */
export const runMove = (intent: Intent, parts: Components): Promise<string> => new Move(intent, parts).attempt();

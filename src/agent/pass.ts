// A pass: goes through a folder and all below it, and compares what is in each with what the journal knows of it,
// without following links. A possible delete is checked again at the end, when it is known whether the root is mounted
// correctly.
import { join } from "node:path";
import type { Components } from "./components.ts";
import { codeOrTextOf } from "./errors.ts";
import { isSame, withExactTimes } from "./exact_times.ts";
import { type FileObservation, isAbsence } from "./file_state.ts";
import type { JournalEntry } from "./report.ts";
import type { WalkCounts } from "./root_state.ts";

/** So many files are looked at together. */
const chunkSize = 256;
/** So many missing paths are kept in memory; what is beyond them is for a further pass. */
const mostMissing = 50_000;
const mostVanished = 1000;

/** Where a pass is made, and what it is compared with. */
export type PassPlace = Pick<Components, "root" | "ignore" | "throttle" | "signal" | "journal">;

export interface PassOptions {
  /** The folder to start in, relative to the root; "" for all. */
  folder: string;
  /** Whether to enter a folder; `known` says that the journal has files in it. All folders, if it is not given. */
  enters?: ((folder: string, known: boolean) => boolean) | undefined;
  /** Is called with each folder before it is read. */
  entered?(folder: string): void;
  /** Takes a chunk's files that differ from the journal, in order. */
  changed(files: FileObservation[]): Promise<void>;
  /** Called between chunks. */
  between?: ((tally: PassProgress) => Promise<void>) | undefined;
}

export interface PassProgress extends WalkCounts {
  /** Files met. */
  files: number;
}

export interface PassOutcome extends PassProgress {
  /** Paths of the journal that were not met. */
  missing: string[];
  /** There are more of them. */
  more: boolean;
  /** Folders and files that could not be read. */
  unreadable: number;
  /** Files and folders whose names are not UTF-8: they cannot be reported, because no path says them. */
  not_utf8: number;
  /** Folders that were gone when the walk came to them: some of them, to look at again. */
  vanished: string[];
}

const pathIn = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

/**
 * Whether a name may stand for bytes that are not UTF-8: nothing is found under it, unless it has this character
 * itself.
 */
const isMangled = (name: string): boolean => name.includes("\ufffd");

/** One pass. Memory holds the folders beside those from the root to the current one, and what is in that. */
class Pass {
  readonly #place: PassPlace;
  readonly #options: PassOptions;
  readonly outcome: PassOutcome = {
    files: 0,
    known: 0,
    seen: 0,
    missing: [],
    more: false,
    unreadable: 0,
    not_utf8: 0,
    vanished: [],
  };

  constructor(place: PassPlace, options: PassOptions) {
    [this.#place, this.#options] = [place, options];
  }

  /** Compares a folder and all below it. */
  async run(folder: string): Promise<void> {
    this.#place.signal.throwIfAborted();
    for (const inner of await this.#read(folder)) await this.run(inner);
  }

  /**
   * Compares what is in a folder; answers the folders in it that are to be entered. One that cannot be read ends
   * nothing.
   */
  async #read(folder: string): Promise<string[]> {
    const { root, ignore, throttle, journal } = this.#place;
    const { entered, enters = () => true } = this.#options;
    entered?.(folder);
    let names: { name: string; isFolder: boolean }[];
    try {
      names = await throttle.list(join(root, folder));
    } catch (error) {
      this.#cannotRead(folder, codeOrTextOf(error));
      return [];
    }
    const known = journal.folder(folder);
    const [files, folders]: [string[], string[]] = [[], []];
    for (const { name, isFolder } of names) {
      const path = pathIn(folder, name);
      if (ignore.takes(name, path)) continue;
      if (!isFolder) files.push(name);
      else if (enters(path, known.folders.delete(name))) folders.push(path);
    }
    for (let at = 0; at < files.length; at += chunkSize)
      await this.#compare(folder, files.slice(at, at + chunkSize), known.files);
    for (const entry of known.files.values()) this.#miss(entry);
    for (const name of known.folders) for (const entry of journal.scan(pathIn(folder, name))) this.#miss(entry);
    return folders;
  }

  /** Looks at files in a folder, hands on those that differ, and takes what was met from `known`. */
  async #compare(folder: string, names: readonly string[], known: Map<string, JournalEntry>): Promise<void> {
    const { root, throttle, signal } = this.#place;
    const { changed, between } = this.#options;
    const { outcome } = this;
    signal.throwIfAborted();
    const differing: FileObservation[] = [];
    const looks = await throttle.look(join(root, folder), names);
    for (const [at, name] of names.entries()) {
      const look = looks[at];
      if (look?.kind === "absent" && isMangled(name)) outcome.not_utf8++;
      if (look?.kind !== "file" && look?.kind !== "unknown") continue;
      const entry = known.get(name);
      if (known.delete(name)) {
        outcome.known++;
        outcome.seen++;
      }
      if (look.kind === "unknown") outcome.unreadable++;
      else {
        outcome.files++;
        if (entry === undefined || !isSame(entry, look.facts))
          differing.push({ path: pathIn(folder, name), ...look.facts });
      }
    }
    if (differing.length > 0) await changed(await withExactTimes(root, differing));
    await between?.(outcome);
    await throttle.take(names.length);
  }

  /** Counts an entry that was not met. */
  #miss({ path, state }: JournalEntry): void {
    const { outcome } = this;
    if (state === "gone" || this.#place.ignore.takesAnyOf(path)) return;
    outcome.known++;
    if (outcome.missing.length < mostMissing) outcome.missing.push(path);
    else outcome.more = true;
  }

  #cannotRead(folder: string, code: string): void {
    if (!isAbsence(code)) this.outcome.unreadable++;
    else if (isMangled(folder)) this.outcome.not_utf8++;
    else if (this.outcome.vanished.length < mostVanished) this.outcome.vanished.push(folder);
  }
}

/** Makes a pass; what is missing is for the caller to look at again. */
export async function runPass(place: PassPlace, options: PassOptions): Promise<PassOutcome> {
  const pass = new Pass(place, options);
  await pass.run(options.folder);
  return pass.outcome;
}

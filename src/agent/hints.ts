// Looks at the paths in the spool, and reports what is on the disk now, whatever the hint said.
import { type Found, isGone, isWithin, type Look, lookAt } from "./look.ts";
import type { Shared } from "./parts.ts";
import type { Reconciler } from "./reconciler.ts";
import type { JournalEntry, NoticedBy } from "./report.ts";
import type { EventReporter } from "./reporter.ts";
import type { Hint, Spool } from "./spool.ts";
import { refine } from "./times.ts";

const mostAtOnce = 500;

export interface HintsOptions extends Shared {
  reporter: EventReporter;
  reconciler: Reconciler;
  spool: Spool;
  now(): number;
  /** Is called with a path at which no file exists any more. */
  left(path: string): void;
}

type Seen = Hint & { look: Look };

export class Hints {
  readonly #options: HintsOptions;

  constructor(options: HintsOptions) {
    this.#options = options;
  }

  /** Looks at the hints that have settled; false if there is none. */
  async take(): Promise<boolean> {
    const { spool, reporter, reconciler, now } = this.#options;
    const hints = spool.ready(mostAtOnce);
    if (hints.length === 0) return false;
    await reporter.drain(); // the journal knows what is under way
    const since = now();
    const seen = await this.#look(hints);
    await this.#reportFiles(seen);
    for (const { path, look, source } of seen) if (look.kind === "absent") await this.#reportAbsence(path, source);
    // Walked last, so that no older look at a file in them comes after.
    for (const { path, look, source, named } of seen) {
      if (look.kind !== "folder" || !named) continue;
      this.#options.left(path); // it may be another folder than the one of that name before
      if (isThere(this.#options.journal.get(path))) await reporter.look(path, undefined, source);
      await reconciler.folderPass(path, source);
    }
    await reporter.drain();
    spool.done(hints, since);
    return true;
  }

  /** What is at each path; a hint that leads through a symbolic link is passed over. */
  async #look(hints: readonly Hint[]): Promise<Seen[]> {
    const { root } = this.#options;
    const looks = hints.map(async (hint): Promise<Seen[]> => {
      const within = await isWithin(root, hint.path);
      return within ? [{ ...hint, look: await lookAt(`${root}/${hint.path}`) }] : [];
    });
    return (await Promise.all(looks)).flat();
  }

  async #reportFiles(seen: readonly Seen[]): Promise<void> {
    const { root, reporter } = this.#options;
    const files: Found[] = [];
    for (const { path, look } of seen) if (look.kind === "file") files.push({ path, ...look.facts });
    const sources = new Map(seen.map(({ path, source }) => [path, source]));
    for (const { path, size, mtime_ns } of await refine(root, files))
      await reporter.look(path, { size, mtime_ns }, sources.get(path) as NoticedBy);
  }

  /** A file is gone, or a folder with everything that the journal knows of it. */
  async #reportAbsence(path: string, source: NoticedBy): Promise<void> {
    const { root, journal, reporter, signal, left } = this.#options;
    left(path);
    if (isThere(journal.get(path))) return reporter.look(path, undefined, source);
    for (const entry of journal.scan(path)) {
      signal.throwIfAborted();
      if (!isThere(entry)) continue;
      if (await isGone(root, entry.path)) await reporter.look(entry.path, undefined, source);
    }
  }
}

const isThere = (entry: JournalEntry | undefined): boolean => entry !== undefined && entry.state !== "gone";

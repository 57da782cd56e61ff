// Checks the paths in the spool, and reports what is on the disk now. A hint decides only which path is checked.
import type { Components } from "./components.ts";
import { withExactTimes } from "./exact_times.ts";
import { type FileObservation, type FileState, isGone, isWithin, readFileState } from "./file_state.ts";
import type { JournalEntry, ReportSource } from "./report.ts";
import type { Hint } from "./spool.ts";

const mostAtOnce = 500;

type CheckedHint = Hint & { look: FileState };

/** Looks at the hints that have settled; false if there is none. */
export async function takeHints(parts: Components): Promise<boolean> {
  const { spool, reporter, reconciler, journal, sources } = parts;
  const hints = spool.ready(mostAtOnce);
  if (hints.length === 0) return false;
  await reporter.drain(); // the journal knows what is under way
  const since = performance.now();
  const seen = await lookAtHints(parts, hints);
  await reportFiles(parts, seen);
  for (const { path, look, source } of seen) if (look.kind === "absent") await reportAbsence(parts, path, source);
  // Walked last, so that no older look at a file in them comes after.
  for (const { path, look, source, named } of seen) {
    if (look.kind !== "folder" || !named) continue;
    sources.left(path); // it may be another folder than the one of that name before
    if (isThere(journal.get(path))) await reporter.look(path, undefined, source);
    await reconciler.folderPass(path, source);
  }
  await reporter.drain();
  spool.done(hints, since);
  return true;
}

/** What is at each path; a hint that leads through a symbolic link is passed over. */
async function lookAtHints({ root }: Components, hints: readonly Hint[]): Promise<CheckedHint[]> {
  const looks = hints.map(async (hint): Promise<CheckedHint[]> => {
    const within = await isWithin(root, hint.path);
    return within ? [{ ...hint, look: await readFileState(`${root}/${hint.path}`) }] : [];
  });
  return (await Promise.all(looks)).flat();
}

async function reportFiles({ root, reporter }: Components, seen: readonly CheckedHint[]): Promise<void> {
  const files: FileObservation[] = [];
  for (const { path, look } of seen) if (look.kind === "file") files.push({ path, ...look.facts });
  const sources = new Map(seen.map(({ path, source }) => [path, source]));
  for (const { path, size, mtime_ns } of await withExactTimes(root, files)) {
    const source = sources.get(path);
    if (source !== undefined) await reporter.look(path, { size, mtime_ns }, source);
  }
}

/** A file is gone, or a folder with everything that the journal knows of it. */
async function reportAbsence(
  { root, journal, reporter, signal, sources }: Components,
  path: string,
  source: ReportSource,
): Promise<void> {
  sources.left(path);
  if (isThere(journal.get(path))) return reporter.look(path, undefined, source);
  for (const entry of journal.scan(path)) {
    signal.throwIfAborted();
    if (!isThere(entry)) continue;
    if (await isGone(root, entry.path)) await reporter.look(entry.path, undefined, source);
  }
}

const isThere = (entry: JournalEntry | undefined): boolean => entry !== undefined && entry.state !== "gone";

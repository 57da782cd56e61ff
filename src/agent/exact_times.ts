// Reads the times of files to the nanosecond. Deno gives them only to the millisecond, so the program `stat` gives the
// rest there.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { minute } from "../core/times.ts";
import type { FileObservation } from "./file_state.ts";
import type { Facts } from "./report.ts";

const isCoarse = "Deno" in globalThis;

/** Whether two files' facts are the same as far as this runtime shows them. */
export const isSame = (a: Facts, b: Facts): boolean =>
  a.size === b.size && (a.mtime_ns === b.mtime_ns || (isCoarse && a.mtime_ns.slice(0, -6) === b.mtime_ns.slice(0, -6)));

const run = promisify(execFile);

/** Arguments of GNU's `stat` and of BSD's that print a line for each file: seconds with nine decimals, and bytes. */
const forms = [
  ["--printf", "%.9Y %s\\n", "--"],
  ["-f", "%Fm %z", "--"],
] as const;
type Form = (typeof forms)[number];
let form: Promise<Form | undefined> | undefined;

async function findForm(): Promise<Form | undefined> {
  for (const words of forms) if ((await statAll("/", ["/"], words)).length === 1) return words;
  return undefined;
}

/** The facts of files in their order; nothing at all if one of them cannot be had. */
async function statAll(root: string, paths: readonly string[], words: Form): Promise<Facts[]> {
  try {
    const { stdout } = await run("stat", [...words, ...paths], { cwd: root, timeout: minute, maxBuffer: 1 << 24 });
    const lines = stdout.trimEnd().split("\n");
    const facts = lines.map((line) => {
      const [, sign, seconds, decimals, size] = /^(-?)(\d+)\.(\d{9}) (\d+)$/.exec(line) ?? [];
      if (size === undefined) throw new Error("stat printed something else"); // as if it were not there
      return { size: Number(size), mtime_ns: BigInt(`${sign}${seconds}${decimals}`).toString() };
    });
    return facts.length === paths.length ? facts : [];
  } catch {
    return [];
  }
}

/** Whether exact times can be had on this machine. */
export async function hasExactTimes(): Promise<boolean> {
  if (!isCoarse) return true;
  form ??= findForm();
  return (await form) !== undefined;
}

/** The same files with exact times; a file that vanished meanwhile, or whose time cannot be had, stays as it is. */
export async function withExactTimes(root: string, files: readonly FileObservation[]): Promise<FileObservation[]> {
  const words = files.length > 0 && (await hasExactTimes()) ? await form : undefined;
  if (words === undefined) return [...files];
  const facts = await statAll(
    root,
    files.map(({ path }) => path),
    words,
  );
  if (facts.length > 0) return files.map((file, at) => ({ ...file, ...facts[at] }));
  if (files.length === 1) return [...files];
  return (await Promise.all(files.map((file) => withExactTimes(root, [file])))).flat();
}

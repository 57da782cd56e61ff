// Looks at what stands at a path, without following symbolic links.
import { execFile } from "node:child_process";
import { type BigIntStats, lstat, lstatSync } from "node:fs";
import { lstat as lstatAsync, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { codeOf } from "./refusal.ts";
import type { Facts } from "./report.ts";

export interface Found extends Facts {
  path: string;
}

export type Look =
  | { kind: "file"; facts: Facts }
  | { kind: "folder" }
  /** Nothing, or what is no file: a link, a socket. */
  | { kind: "absent" }
  /** The disk does not say. */
  | { kind: "unknown"; code: string };

const absentCodes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);
export const isAbsence = (code: string): boolean => absentCodes.has(code);

export const factsOf = ({ size, mtimeNs }: BigIntStats): Facts => ({
  size: Number(size),
  mtime_ns: mtimeNs.toString(),
});

function lookOf(stats: BigIntStats): Look {
  if (stats.isFile()) return { kind: "file", facts: factsOf(stats) };
  return { kind: stats.isDirectory() ? "folder" : "absent" };
}

const lookFailed = (error: unknown): Look => {
  const code = codeOf(error);
  return isAbsence(code) ? { kind: "absent" } : { kind: "unknown", code };
};

export const lookAt = (file: string): Promise<Look> => lstatAsync(file, { bigint: true }).then(lookOf, lookFailed);

/** Looks at names in a folder, all at once; answers in their order. */
export function lookAtAll(folder: string, names: readonly string[]): Promise<Look[]> {
  return new Promise((resolve) => {
    const looks: Look[] = [];
    let open = names.length;
    if (open === 0) resolve(looks);
    for (const [at, name] of names.entries())
      lstat(`${folder}/${name}`, { bigint: true }, (error, stats) => {
        looks[at] = error ? lookFailed(error) : lookOf(stats);
        if (--open === 0) resolve(looks);
      });
  });
}

/** The same one after the other, waiting for each: twice as fast on a local disk, and a standstill on a network that is slow. */
export const lookAtEach = (folder: string, names: readonly string[]): Look[] =>
  names.map((name) => {
    try {
      return lookOf(lstatSync(`${folder}/${name}`, { bigint: true }));
    } catch (error) {
      return lookFailed(error);
    }
  });

/**
 * Whether the folders that lead to a path stand below `root` themselves, and no symbolic link among them leads elsewhere; those
 * that do not exist lead nowhere.
 */
export async function isWithin(root: string, path: string): Promise<boolean> {
  for (let folder = dirname(join(root, path)); folder.length > root.length; folder = dirname(folder))
    try {
      return (await realpath(folder)) === folder;
    } catch (error) {
      if (!isAbsence(codeOf(error)) || (await isLink(folder))) return false;
    }
  return true;
}

/** A link that leads nowhere is one too. */
const isLink = (file: string): Promise<boolean> =>
  lstatAsync(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );

/** Whether certainly no file stands at a path that is reached without symbolic links. */
export async function isGone(root: string, path: string): Promise<boolean> {
  const { kind } = await lookAt(`${root}/${path}`);
  return kind === "absent" || kind === "folder" || (kind === "file" && !(await isWithin(root, path)));
}

/** Deno shows times to the millisecond. */
export const isCoarse = "Deno" in globalThis;

/** Whether two files' facts are the same as far as this runtime's looks show. */
export const isSame = (a: Facts, b: Facts): boolean =>
  a.size === b.size && (a.mtime_ns === b.mtime_ns || (isCoarse && a.mtime_ns.slice(0, -6) === b.mtime_ns.slice(0, -6)));

const run = promisify(execFile);
/** The program `stat` of GNU and of BSD: seconds with nine digits behind the point, and bytes, a line a file. */
const forms = [
  ["--printf", "%.9Y %s\\n", "--"],
  ["-f", "%Fm %z", "--"],
] as const;
let form: (typeof forms)[number] | null | undefined;

async function statLines(root: string, paths: readonly string[], words: readonly string[]): Promise<Facts[]> {
  const { stdout } = await run("stat", [...words, ...paths], { cwd: root, timeout: 60_000, maxBuffer: 1 << 24 });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, sign, seconds, fraction, size] = /^(-?)(\d+)\.(\d{9}) (\d+)$/.exec(line) ?? [];
      if (seconds === undefined) throw new Error("no line of stat");
      return { size: Number(size), mtime_ns: BigInt(`${sign}${seconds}${fraction}`).toString() };
    });
}

/** Whether exact times can be had here; asks `stat` the first time. */
export async function hasExactTimes(): Promise<boolean> {
  if (!isCoarse) return true;
  for (const words of form === undefined ? forms : [])
    if (form === undefined && (await statLines("/", ["/"], words).catch(() => []))[0] !== undefined) form = words;
  form ??= null;
  return form !== null;
}

/** The same files with times to the nanosecond, where the runtime shows less; files that vanished meanwhile stay as they are. */
export async function refine(root: string, files: readonly Found[]): Promise<Found[]> {
  if (!isCoarse || files.length === 0 || !(await hasExactTimes()) || !form) return [...files];
  const paths = files.map(({ path }) => path);
  const facts = await statLines(root, paths, form).catch(() => []);
  if (facts.length === files.length) return files.map(({ path }, at) => ({ path, ...(facts[at] as Facts) }));
  if (files.length === 1) return [...files];
  return (await Promise.all(files.map((file) => refine(root, [file])))).flat();
}

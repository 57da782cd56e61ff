// Looks at what exists at a path, without following symbolic links.
import type { BigIntStats } from "node:fs";
import { lstat as lstatAsync, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOrTextOf } from "./errors.ts";
import type { Facts } from "./report.ts";

export interface FileObservation extends Facts {
  path: string;
}

export type FileState =
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

export function fileStateOf(stats: BigIntStats): FileState {
  if (stats.isFile()) return { kind: "file", facts: factsOf(stats) };
  return { kind: stats.isDirectory() ? "folder" : "absent" };
}

export const failedFileState = (error: unknown): FileState => {
  const code = codeOrTextOf(error);
  return isAbsence(code) ? { kind: "absent" } : { kind: "unknown", code };
};

export const readFileState = (file: string): Promise<FileState> =>
  lstatAsync(file, { bigint: true }).then(fileStateOf, failedFileState);

/** A file's facts; undefined if there is none. */
export const statsOf = (file: string): Promise<BigIntStats | undefined> =>
  lstatAsync(file, { bigint: true }).catch((error) => {
    if (isAbsence(codeOrTextOf(error))) return undefined;
    throw error;
  });

export const isSameFile = (a: BigIntStats, b: { dev: bigint | string; ino: bigint | string }): boolean =>
  String(a.dev) === String(b.dev) && String(a.ino) === String(b.ino);

/** Whether no symbolic link is among the folders from `root` to a path. Folders that do not exist are no links. */
export async function isWithin(root: string, path: string): Promise<boolean> {
  for (let folder = dirname(join(root, path)); folder.length > root.length; folder = dirname(folder))
    try {
      return (await realpath(folder)) === folder;
    } catch (error) {
      if (!isAbsence(codeOrTextOf(error)) || (await isLink(folder))) return false;
    }
  return true;
}

/** A link that leads nowhere is one too. */
const isLink = (file: string): Promise<boolean> =>
  lstatAsync(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );

/** Whether it is certain that no file is at a path, or that a symbolic link leads to it. */
export async function isGone(root: string, path: string): Promise<boolean> {
  const { kind } = await readFileState(`${root}/${path}`);
  return kind === "absent" || kind === "folder" || (kind === "file" && !(await isWithin(root, path)));
}

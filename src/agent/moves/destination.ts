// Gives a file its new name without ever replacing another file, and creates the folders above it.
import { link, lstat, mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { codeOrTextOf } from "../errors.ts";
import { isSameFile, statsOf } from "../file_state.ts";
import { Folder, MoveProblem, syncFolder } from "./folder.ts";

export const destinationExists = "the destination exists already; nothing was moved";

/** File systems without hard links say so in many ways. */
const withoutLinks: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
  "EINVAL",
  "EACCES",
]);

/**
 * Whether a folder lists a name, letter by letter: a file system may also find a file under names that it does not
 * have.
 */
export async function isListedInFolder(file: string): Promise<boolean> {
  return (await readdir(dirname(file))).includes(basename(file));
}

/** Another name in the same folder that is the same in another Unicode form; undefined if there is none. */
export async function otherUnicodeForm(file: string): Promise<string | undefined> {
  const name = basename(file);
  const form = name.normalize("NFC");
  const names = await readdir(dirname(file)).catch(() => []);
  return names.find((other) => other !== name && other.normalize("NFC") === form);
}

/**
 * The path below `root` under which the disk has a file, whose path is given in NFC; what the disk does not have stays
 * as it is. Throws MoveProblem if two names of a folder are the same but for their Unicode forms.
 */
export async function pathOnDisk(root: string, path: string): Promise<string> {
  let found = "";
  for (const name of path.split("/")) {
    const form = name.normalize("NFC");
    const names = /^[ -~]*$/.test(name) ? [] : await readdir(join(root, found)).catch(() => []);
    const fitting = names.filter((other) => other.normalize("NFC") === form);
    if (fitting.length > 1) throw new MoveProblem(`${name} is two names in different Unicode forms; nothing was moved`);
    found = posix.join(found, fitting[0] ?? name);
  }
  return found;
}

const exists = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    (error) => {
      if (codeOrTextOf(error) === "ENOENT") return false;
      throw error;
    },
  );

/**
 * Makes the folders that lead to a path below `root`; throws MoveProblem if one of them exists under another Unicode
 * form.
 */
export async function makeFolders(root: string, path: string): Promise<void> {
  let below = "";
  for (const name of path.split("/").slice(0, -1)) {
    const parent = new Folder(root, below);
    try {
      await parent.hold();
      const folder = join(parent.path, name);
      below = posix.join(below, name);
      if (await exists(folder)) continue;
      const twin = await otherUnicodeForm(folder);
      if (twin !== undefined)
        throw new MoveProblem(`the folder ${name} exists already in another Unicode form; nothing was moved`);
      await mkdir(folder);
      syncFolder(parent.path);
    } finally {
      await parent.close();
    }
  }
}

/** Whether a file is the place that a move keeps free at its destination. */
export async function isPlaceholder(file: string, token: string): Promise<boolean> {
  const { size } = await lstat(file);
  return size === token.length && (await readFile(file, "latin1")) === token;
}

/** Checks that a link of ours is where it belongs, and takes it back if it is not. */
async function confirm(file: string, to: string, check: () => Promise<void>): Promise<void> {
  const [source, target] = [await statsOf(file), await statsOf(to)];
  const isLinked = source !== undefined && target !== undefined && isSameFile(source, target);
  try {
    await check();
    if (!isLinked) throw new MoveProblem("another program changed the destination; nothing was moved");
  } catch (error) {
    if (isLinked && error instanceof MoveProblem) await unlink(to);
    throw error;
  }
}

/**
 * Moves `file` to the name `to`, which must be free, within one file system: by a hard link where there are any, so
 * that of two programs that want the name one is refused; else by taking the name with a file of its own first. Throws
 * EXDEV across file systems, MoveProblem if the name is taken, or if `check` says that a folder is another one by now.
 */
export async function place(
  file: string,
  to: string,
  token: string,
  step: (name: string) => void,
  check: () => Promise<void>,
): Promise<void> {
  try {
    await link(file, to);
    syncFolder(dirname(to));
    step("linked");
    await confirm(file, to, check);
    await unlink(file);
  } catch (error) {
    const code = codeOrTextOf(error);
    if (code === "EEXIST") throw new MoveProblem(destinationExists);
    if (!withoutLinks.has(code) || (await exists(to))) throw error;
    await placeByName(file, to, token, step, check);
  }
  syncFolder(dirname(to));
  syncFolder(dirname(file));
}

/** As `place`, where there are no hard links. */
export async function placeByName(
  file: string,
  to: string,
  token: string,
  step: (name: string) => void,
  check: () => Promise<void>,
): Promise<void> {
  const handle = await open(to, "wx", 0o600).catch((error) => {
    throw codeOrTextOf(error) === "EEXIST" ? new MoveProblem(destinationExists) : error;
  });
  try {
    await handle.writeFile(token);
    await handle.sync();
  } finally {
    await handle.close();
  }
  syncFolder(dirname(to));
  step("kept free");
  if (!(await isPlaceholder(to, token)))
    throw new MoveProblem("another program wrote to the destination; nothing was moved");
  try {
    await check();
    await rename(file, to);
  } catch (error) {
    if (await isPlaceholder(to, token)) await unlink(to);
    throw error;
  }
}

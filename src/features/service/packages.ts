// Packages of the program on this machine: checks one, unpacks it beside the others, and switches the link `current` between them.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { CliError } from "../../core/errors.ts";
import { sha256OfFile, syncPath } from "../../core/store/files.ts";

/** The link to the package that the service runs. */
export const currentName = "current";

const sumsName = "SHA256SUMS";
const platform = `${process.platform}-${process.arch}`;

/** Runs a command, and returns its output. Throws if it fails. */
type Run = (command: readonly string[]) => string;

/** The SHA-256 of each file that a SHA256SUMS file lists. */
const sumsIn = (text: string): [file: string, sum: string][] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [[line.slice(66), line.slice(0, 64)]]));

/** The name of the folder in a package. Throws CliError if the file is no package, of another platform, or damaged. */
export async function checkPackage(file: string): Promise<string> {
  const [, name, of] = /^(tallylight-.+-([a-z]+-[a-z0-9]+))\.tar\.gz$/.exec(basename(file)) ?? [];
  if (name === undefined || !existsSync(file))
    throw new CliError(`${file} is not a package such as tallylight-1.2.0-${platform}.tar.gz; nothing was changed`);
  if (of !== platform)
    throw new CliError(`${file} is a package for ${of}, and this machine is ${platform}; nothing was changed`);
  const sums = join(dirname(file), sumsName);
  if (!existsSync(sums))
    throw new CliError(
      `${sums} is missing, so the package cannot be checked; copy it from where it was built (nothing was changed)`,
    );
  if (new Map(sumsIn(readFileSync(sums, "utf8"))).get(basename(file)) !== (await sha256OfFile(file)))
    throw new CliError(`${file} is damaged: its SHA-256 is not that in ${sums}; nothing was changed`);
  return name;
}

/**
 * The first file of an unpacked package that is missing, is no regular file, or is not as its sums say; of a new package also one that
 * they do not list. Undefined if all are well.
 */
async function damageIn(folder: string, isNew: boolean): Promise<string | undefined> {
  return differenceIn(folder, isNew).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EACCES") throw error;
    return relative(folder, error.path ?? folder); // its owner may not read it either
  });
}

async function differenceIn(folder: string, isNew: boolean): Promise<string | undefined> {
  const found = partsOf(folder);
  const files = new Set(found.flatMap(([name, stats]) => (stats.isFile() ? [name] : [])));
  if (!files.has(sumsName)) return sumsName;
  const sums = new Map([[sumsName, ""], ...sumsIn(readFileSync(join(folder, sumsName), "utf8"))]);
  for (const [file, sum] of sums)
    if (file !== sumsName && (!files.has(file) || (await sha256OfFile(join(folder, file))) !== sum)) return file;
  return isNew ? found.find(([name, stats]) => !stats.isDirectory() && !sums.has(name))?.[0] : undefined;
}

/** What is in a folder, by its path there. Does not follow links: Node's recursive readdir does, and fails where one leads to a closed folder. */
function partsOf(folder: string, below = ""): [string, Stats][] {
  const place = join(folder, below);
  if (!existsSync(place)) return [];
  return readdirSync(place).flatMap((entry): [string, Stats][] => {
    const name = join(below, entry);
    const stats = lstatSync(join(folder, name));
    return [[name, stats], ...(stats.isDirectory() ? partsOf(folder, name) : [])];
  });
}

/** The first file or folder of a package that is setuid or setgid, or that every user can write to. */
function unsafeIn(folder: string): string | undefined {
  const isUnsafe = (stats: Stats): boolean => (stats.mode & 0o6002) !== 0;
  return isUnsafe(lstatSync(folder)) ? "its folder" : partsOf(folder).find(([, stats]) => isUnsafe(stats))?.[0];
}

/** Unpacks a package into `place`, beside the others. Its folder is complete or absent. Throws CliError if it is damaged. */
export async function unpackPackage(file: string, name: string, place: string, run: Run): Promise<void> {
  const [draft, folder] = [join(place, `${name}.part`), join(place, name)];
  rmSync(draft, { recursive: true, force: true }); // left by a run that was killed
  if (existsSync(folder)) {
    const damaged = await damageIn(folder, false);
    if (damaged !== undefined)
      throw new CliError(`${join(folder, damaged)} is damaged; move ${folder} away first (nothing was changed)`);
    if (run(["tar", "-xzOf", file, `${name}/${sumsName}`]) !== readFileSync(join(folder, sumsName), "utf8"))
      throw new CliError(`${folder} is another build of the same version; move it away first (nothing was changed)`);
    return;
  }
  mkdirSync(draft, { mode: 0o755 });
  try {
    try {
      run(["tar", "-xzf", file, "-C", draft, "--no-same-owner"]);
    } catch (error) {
      const [line = ""] = String((error as { stderr?: unknown }).stderr ?? error).split("\n");
      throw new CliError(`${file} cannot be unpacked: ${line}; nothing was changed`);
    }
    const damaged = await damageIn(join(draft, name), true);
    if (damaged !== undefined)
      throw new CliError(`${file} is damaged: ${damaged} in it is not as its ${sumsName} says; nothing was changed`);
    const unsafe = unsafeIn(join(draft, name));
    if (unsafe !== undefined)
      throw new CliError(
        `${file} is not safe: ${unsafe} in it runs as another user or can be written to by others; nothing was changed`,
      );
    run(["sync", "-f", draft]);
    renameSync(join(draft, name), folder);
    syncPath(place);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Lets `current` point to another package, in one step. */
export function switchTo(place: string, name: string): void {
  const draft = join(place, `${currentName}.new`);
  rmSync(draft, { force: true });
  symlinkSync(name, draft);
  renameSync(draft, join(place, currentName));
  syncPath(place);
}

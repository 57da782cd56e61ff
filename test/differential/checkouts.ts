// The two programs that are compared: the former one, which is a commit of this repository in a folder of its own, and
// a checkout.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/folder.ts";

/** This checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of a program. */
export interface Checkout {
  root: string;
}

/** The last commit whose engine of changes is the former one. */
const formerCommit = "a5754ae0883922ec2fb26d196d989b8daa293c7d";

const git = (...args: string[]): Buffer =>
  execFileSync("git", ["-C", root, ...args], { maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "pipe"] });

/**
 * Gets the commit from where a shallow clone came from, because it has the newest commit only. Throws if that has it
 * neither.
 */
function fetchFormer(): void {
  try {
    git("cat-file", "-e", `${formerCommit}^{commit}`);
  } catch {
    try {
      git("fetch", "--quiet", "--depth=1", "origin", formerCommit);
    } catch (error) {
      const why = "this clone lacks it, and origin does not give it";
      throw new Error(`the former program is commit ${formerCommit}: ${why}; clone the whole history`, {
        cause: error,
      });
    }
  }
}

/** The folder of the commit, with the packages of this checkout. It is made once for a machine. */
function commitFolder(): string {
  const folder = join(tmpdir(), `tallylight-former-${formerCommit.slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  fetchFormer();
  const draft = temporaryFolder();
  execFileSync("tar", ["-x", "-C", draft], { input: git("archive", formerCommit, "src", "sql", "package.json") });
  symlinkSync(join(root, "node_modules"), join(draft, "node_modules"));
  mkdirSync(join(draft, "bin")); // commands look whether they run in a checkout
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true }); // another run was faster
  }
  return folder;
}

/**
 * The programs that are compared: the checkout in PRESENT, by default this one, and the commit, or the checkout in
 * FORMER.
 */
export const comparedCheckouts = ({ FORMER, PRESENT }: NodeJS.ProcessEnv): { former: Checkout; present: Checkout } => ({
  former: { root: FORMER === undefined ? commitFolder() : resolve(FORMER) },
  present: { root: resolve(PRESENT ?? root) },
});

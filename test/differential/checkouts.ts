// The two programs that are compared: the former one, which is a commit of this repository in a folder of its own, and a checkout.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/folder.ts";

/** This checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of a program, and its engine of changes if it has several. */
export interface Checkout {
  root: string;
  engine: "former" | "operations";
}

/**
 * The newest commit whose engine of changes is the former one. It follows the main branch until the engine is another, so that what else was
 * changed is no difference.
 */
const formerCommit = "6c2e1be9fcc6089e23936fda3da0641e81eccd41";

const git = (...args: string[]): Buffer =>
  execFileSync("git", ["-C", root, ...args], { maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "pipe"] });

/** Gets the commit from where a shallow clone came from, because it has the newest commit only. Throws if that has it neither. */
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
 * The programs that are compared: the checkout in PRESENT, by default this one, with its new engine if it has one, and its former engine while both
 * are in it. Then the former one is the commit, or the checkout in FORMER.
 */
export function comparedCheckouts({ FORMER, PRESENT }: NodeJS.ProcessEnv): { former: Checkout; present: Checkout } {
  const present = resolve(PRESENT ?? root);
  const has = (file: string): boolean => existsSync(join(present, "src/features/documents", file));
  const [hasNew, hasFormer] = [has("changes/parts.ts"), has("apply/restoring.ts")];
  const former = FORMER === undefined ? (hasNew && hasFormer ? present : commitFolder()) : resolve(FORMER);
  return {
    former: { root: former, engine: "former" },
    present: { root: present, engine: hasNew && hasFormer ? "operations" : "former" },
  };
}

// Installs a program of npm that is too large for npm run tools, once, below node_modules/.cache.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** npm tries a request again, but not a download that was cut. */
const tries = 3;

/**
 * The path of `file` in the folder `name/version`, into which `packageName` of that version is installed unless the
 * file is there. Throws what npm says if its last try fails.
 */
export function downloaded(name: string, packageName: string, version: string, file: string): string {
  const place = fileURLToPath(new URL(`../../node_modules/.cache/${name}/${version}`, import.meta.url));
  const words = ["install", "--no-audit", "--no-fund", "--prefix", place, `${packageName}@${version}`];
  for (let left = tries; left > 0 && !existsSync(join(place, file)); left--) {
    rmSync(place, { recursive: true, force: true });
    try {
      execFileSync("npm", words, { timeout: 600_000, stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      if (left === 1) throw error;
    }
  }
  return join(place, file);
}

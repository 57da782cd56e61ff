// Copies of the checkout from which features are taken, each with its folder, its line in src/features.ts and its SQL.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isRemoved } from "./removal_uses.ts";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const tsc = join(root, ".ci/tools/node_modules/typescript/bin/tsc");

/** The files of the checkout, without the tests of the features. */
export const files = execFileSync("git", ["ls-files"], { cwd: root })
  .toString()
  .trim()
  .split("\n")
  .filter((file) => !file.startsWith("test/") || /^test\/(?:run\.ts$|core\/|graph\/|support\/)/.test(file));

/** The list of features without those that are removed. */
function listWithout(removed: ReadonlySet<string>): string {
  let text = readFileSync(join(root, "src/features.ts"), "utf8");
  for (const name of removed) {
    const [statement = "", variable = ""] =
      new RegExp(`^import \\{ (\\w+) \\} from "\\./features/${name}/feature\\.ts";\n`, "m").exec(text) ?? [];
    const line = statement === "" ? `shared\\("${name}".*\\)` : variable;
    text = text.replace(statement, "").replace(new RegExp(`^ +${line},\n`, "m"), "");
  }
  return text;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to); // on another disk
  }
}

/** The files are links, so it takes no space. */
export class Copy {
  readonly folder = mkdtempSync(join(tmpdir(), "tallylight-removal-"));
  readonly #list = join(this.folder, "src/features.ts");

  constructor() {
    for (const file of files) this.#put(file);
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
    const config = { extends: "./tsconfig.json", include: ["src", "sql"], exclude: [] };
    writeFileSync(join(this.folder, "tsconfig.removal.json"), JSON.stringify(config));
  }

  #put(file: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    linkOrCopy(join(root, file), join(this.folder, file));
  }

  /** Does `work` while the features are not there. */
  async without<T>(removed: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
    const gone = files.filter((file) => isRemoved(file, removed));
    for (const file of gone) rmSync(join(this.folder, file));
    rmSync(this.#list); // it is a link to that of the checkout
    writeFileSync(this.#list, listWithout(removed));
    try {
      return await work();
    } finally {
      rmSync(this.#list);
      for (const file of [...gone, "src/features.ts"]) this.#put(file);
    }
  }

  /** The errors of the compiler; none if what is left compiles. */
  async compilerErrors(): Promise<string[]> {
    // Several threads check the same types several times: this takes half of the processor time.
    const words = ["--noEmit", "--singleThreaded", "-p", join(this.folder, "tsconfig.removal.json")];
    try {
      await promisify(execFile)(process.execPath, [tsc, ...words], { cwd: this.folder, maxBuffer: 2 ** 26 });
      return [];
    } catch (error) {
      const lines = (error as { stdout: string }).stdout.split("\n").filter((line) => line.includes("error TS"));
      return lines.length > 0 ? lines : [String(error)];
    }
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }
}

// The program of a released version, from the history of this repository.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";

export interface Outcome {
  status: number | null;
  out: string;
  err: string;
}

export interface Program {
  /** A checkout of the version: its program and its guides. */
  folder: string;
  /** Runs a command to its end. */
  run(...argv: string[]): Outcome;
  /** Serves a data directory; returns the address and the function that stops it. */
  serve(data: string): Promise<{ url: string; stop(): Promise<unknown> }>;
}

/**
 * Checks out a commit with the packages of this checkout. Undefined if the history does not contain it (a shallow
 * clone, a package).
 */
export function programOf(commit: string): Program | undefined {
  if (!existsSync(join(root, ".git"))) return undefined;
  if (spawnSync("git", ["-C", root, "cat-file", "-e", `${commit}^{commit}`]).status !== 0) return undefined;
  const folder = temporaryFolder();
  const archive = execFileSync(
    "git",
    ["-C", root, "archive", commit, "bin", "src", "sql", "test/guides", "package.json", "tsconfig.json"],
    {
      maxBuffer: 2 ** 26,
    },
  );
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  execFileSync("ln", ["-s", realpathSync(join(root, "node_modules")), join(folder, "node_modules")]);
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A"];
  const launcher = [...runtime, join(folder, "bin/tallylight.js")];
  return {
    folder,
    run(...argv) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...launcher, ...argv], { encoding: "utf8" });
      return { status, out: stdout, err: stderr };
    },
    async serve(data) {
      const child = spawn(process.execPath, [...launcher, "serve", "--data", data, "--port", "0"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      const url = await new Promise<string>((resolve, reject) => {
        child.stdout.once("data", (text) => resolve(String(text).split("\n")[0] as string));
        child.once("exit", () => reject(new Error("it did not start")));
      });
      const stop = () => {
        child.kill("SIGTERM");
        return ended;
      };
      return { url, stop };
    },
  };
}

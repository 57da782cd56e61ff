// A small disk of its own, which tests fill. Only root can mount one; elsewhere the tests say that they are skipped.
import { execFileSync } from "node:child_process";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";

export interface SmallDisk {
  folder: string;
  /** Fills the disk until `left` bytes are free. */
  fill(left: number): void;
  /** Removes what fills it. */
  empty(): void;
  /** Mounts it again, `ro` or `rw`. */
  remount(how: "ro" | "rw"): void;
  close(): void;
}

/** Mounts a disk of some megabytes; undefined if this user may not. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const filler = join(folder, "filler");
  const empty = (): void => rmSync(filler, { force: true });
  return {
    folder,
    empty,
    fill(left) {
      empty();
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
    },
    remount: (how) => void execFileSync("mount", ["-o", `remount,${how}`, folder]),
    close() {
      execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

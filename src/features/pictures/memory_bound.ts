// Bounds the memory of the process that decodes images, by the system: a decoder's defect must not take the memory of
// the machine.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Finding } from "../../core/feature.ts";

/** What the process may take in addition to what its runtime has reserved at its start, in bytes. */
const maxData = 512 << 20;

/**
 * What the runtime has reserved, in bytes: Node much more than it uses. Deno compiles nothing in this process, and
 * reserves little.
 */
const reserved = (): number =>
  "Deno" in globalThis ? 0 : 1024 * Number(/^VmData:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);

/** Sets the bound for this process, where the system has the program prlimit. It cannot be raised afterwards. */
export function bound(): void {
  try {
    execFileSync("prlimit", ["--pid", String(process.pid), `--data=${reserved() + maxData}`], { stdio: "ignore" });
  } catch {
    // as on another system than Linux; doctor says so
  }
}

/** Whether the system has a program. */
export const hasProgram = (name: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

/** What `tallylight doctor` says about the bound. */
export function checkData(): Finding[] {
  const detail = hasProgram("prlimit")
    ? `the process that decodes pictures may take ${maxData / 2 ** 20} MiB beyond what its runtime reserves`
    : "the process that decodes pictures has no bound of the system on its memory: there is no program prlimit (util-linux)";
  return [{ check: "pictures", ok: true, detail, items: [] }];
}

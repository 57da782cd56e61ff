// Runs `tallylight upgrade` in its own process on a machine whose systemctl manages one real server, for tests that kill the upgrade:
// FOLDER STEP ARGUMENTS… . FOLDER/etc has the units, FOLDER/server.pid the server's process, FOLDER/server.log its log, FOLDER/systemctl.log
// what was done to other units. The process kills itself after STEP: a file or link that got its final name ("rename current"), a command of a package
// ("run backup"), or one of systemctl ("systemctl stop"); for the second time with a 2 ("rename current 2").
import { spawn } from "node:child_process";
import fs, { appendFileSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import "../../src/features.ts";
import { parseCommandArgs } from "../../src/core/command.ts";
import { type Machine, thisMachine } from "../../src/features/service/systemd.ts";
import { programOfUnit } from "../../src/features/service/units.ts";
import { upgradeCommands } from "../../src/features/service/upgrade.ts";

const [folder = "", step = "", ...words] = process.argv.slice(2);
const at = (file: string): string => join(folder, "etc", basename(file));
const pidFile = join(folder, "server.pid");

const times = new Map<string, number>();
function passed(what: string): void {
  const time = (times.get(what) ?? 0) + 1;
  times.set(what, time);
  if (step === (time === 1 ? what : `${what} ${time}`)) process.kill(process.pid, "SIGKILL");
}
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  renameSync(from, to);
  passed(`rename ${basename(String(to))}`);
};
syncBuiltinESMExports(); // what imported it calls this one now

/** Whether a process runs. One that has ended and that nobody has waited for does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function stop(): void {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  if (runs(pid)) process.kill(pid, "SIGTERM");
  while (runs(pid)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  rmSync(pidFile);
}

function start(): void {
  const unit = readFileSync(at("tallylight.service"), "utf8");
  const line = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "";
  const log = openSync(join(folder, "server.log"), "a");
  const child = spawn(programOfUnit(unit), line.split(" ").slice(1), { detached: true, stdio: ["ignore", log, log] });
  child.unref();
  writeFileSync(pidFile, String(child.pid));
}

/** The units beside the server's are only noted. */
function systemctl(verb: string, unit = "tallylight.service"): string {
  if (verb === "is-enabled" && existsSync(at(unit))) return "enabled\n";
  if (verb === "is-enabled") throw Object.assign(new Error("disabled"), { stdout: "disabled\n" });
  if (unit !== "tallylight.service") {
    appendFileSync(join(folder, "systemctl.log"), `${verb} ${unit}\n`);
    return "";
  }
  if (verb !== "start") stop();
  if (verb !== "stop") start();
  passed(`systemctl ${verb}`);
  return "";
}

const machine: Machine = {
  ...thisMachine,
  hasSystemd: () => true,
  isRoot: () => true,
  run: ([program = "", ...rest]) => {
    if (program === "systemctl") return systemctl(rest[0] ?? "", rest[1]);
    if (program === "journalctl") return readFileSync(join(folder, "server.log"), "utf8");
    if (program === "runuser") {
      const out = thisMachine.run(rest.slice(3));
      passed(`run ${rest[4]}`);
      return out;
    }
    return thisMachine.run([program, ...rest]);
  },
  read: (file) => thisMachine.read(at(file)),
  // Nobody has to wait for a server that has ended: systemd would start it again, and it would end again.
  pause: () => new Promise((resolve) => setTimeout(resolve, runs(Number(readFileSync(pidFile, "utf8"))) ? 500 : 1)),
};

if (step === "start" || step === "stop") systemctl(step);
else {
  const [command] = upgradeCommands(machine);
  const args = command && parseCommandArgs(command, words, new Date().toISOString());
  try {
    const answer = command && args && (await command.run(args));
    process.stdout.write(`${answer?.lines.join("\n")}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

// tallylight service install, remove, status: the server as a systemd service.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../errors.ts";
import type { Command, Flag, Output, ParsedArgs } from "./arguments.ts";
import { addressesOf, addressFlags, portOf, tlsFilesOf } from "./serve.ts";
import {
  awaitHealth,
  checkMachine,
  checkService,
  flagsOfUnit,
  installSteps,
  isOurs,
  type Machine,
  removeSteps,
  restOf,
  type Service,
  stepLines,
  takeStep,
  thisMachine,
  type UnitStep,
  unitFile,
  unitName,
} from "./systemd.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const defaultData = "/var/lib/tallylight";
const hint = "tallylight service install --help";

const dryRun: Flag = { summary: "prints what it would do, and changes nothing" };

/** How the service starts this program: the package's own launcher, or this runtime with the launcher of the checkout. */
function programOf(): string[] {
  const packaged = join(root, "bin/tallylight");
  return existsSync(packaged) ? [packaged] : [process.execPath, join(root, "bin/tallylight.js")];
}

function serviceOf(args: ParsedArgs): Service {
  addressesOf(args, hint);
  const tls = tlsFilesOf(args, hint);
  const values = ["host", "port", "public-url"].flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  return {
    program: programOf(),
    user: args.text("user") ?? "tallylight",
    data: resolve(args.text("data") ?? defaultData),
    flags: [...values, ...(args.has("trust-proxy") ? ["--trust-proxy"] : [])],
    port: portOf(args, hint),
    tls: tls && { cert: resolve(tls.cert), key: resolve(tls.key) },
  };
}

/** The reasons why the command would refuse. */
function refusals(...checks: readonly (() => void)[]): string[] {
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof CliError) return [error.message];
      throw error;
    }
  });
}

/** What --dry-run prints: the steps, and whether the command would refuse. */
function shown(steps: readonly UnitStep[], problems: readonly string[], rest: readonly string[] = []): Output {
  const notes = problems.map((problem) => `note: without --dry-run it would refuse: ${problem}`);
  return { document: { dry_run: true, steps, problems }, lines: [...steps.flatMap(stepLines), ...rest], notes };
}

/** The given flags, and those of the installed unit for what is not given, so that an upgrade keeps them. */
function withInstalled(args: ParsedArgs, machine: Machine): ParsedArgs {
  const unit = machine.hasSystemd() ? machine.read(unitFile) : undefined;
  if (unit === undefined || !isOurs(unit)) return args;
  const installed = flagsOfUnit(unit);
  return {
    ...args,
    text: (name) => args.text(name) ?? installed.get(name),
    has: (name) => args.has(name) || installed.has(name),
  };
}

async function install(given: ParsedArgs, machine: Machine): Promise<Output> {
  const args = withInstalled(given, machine);
  const service = serviceOf(args);
  const steps = installSteps(service);
  const rest = restOf(service);
  const checks = [() => checkMachine(machine), () => checkService(service)];
  if (args.has("dry-run")) return shown(steps, refusals(...checks), rest);
  for (const check of checks) check();
  for (const step of steps) takeStep(machine, step);
  if (rest.length === 0 && service.port > 0) await awaitHealth(machine, service);
  const done = `${unitName} is installed${rest.length === 0 ? " and runs" : ""}; its data is in ${service.data}`;
  return { document: { dry_run: false, steps, problems: [] }, lines: [done, ...rest] };
}

function checkInstalled(machine: Machine): void {
  if (machine.read(unitFile) === undefined) throw new CliError(`there is no ${unitFile}; nothing was changed`);
}

function remove(args: ParsedArgs, machine: Machine): Output {
  const steps = removeSteps();
  const checks = [() => checkMachine(machine), () => checkInstalled(machine)];
  if (args.has("dry-run")) return shown(steps, refusals(...checks));
  for (const check of checks) check();
  for (const step of steps) takeStep(machine, step);
  return {
    document: { dry_run: false, steps, problems: [] },
    lines: [`${unitName} is removed; its data and its user are still there`],
  };
}

/** The commands on a machine; tests give another one than this. */
export function serviceCommands(machine: Machine): readonly Command[] {
  const { log: _, ...flags } = addressFlags;
  return [
    {
      words: "service install",
      summary: "runs the server as a systemd service, with the flags of the installed one where none are given",
      directory: { data: { value: "DIR", summary: `the data directory; ${defaultData} by default` } },
      flags: {
        ...flags,
        user: { value: "USER", summary: "the system user that runs it; tallylight by default" },
        "dry-run": dryRun,
      },
      run: (args) => install(args, machine),
    },
    {
      words: "service remove",
      summary: "stops the systemd service and removes its unit; the data and the user stay",
      flags: { "dry-run": dryRun },
      run: (args) => remove(args, machine),
    },
    {
      words: "service status",
      summary: "says whether the systemd service is installed and runs; exits with status 1 if it does not run",
      run: () => statusOf(machine),
    },
  ];
}

/** One word of systemctl, which also has a status other than 0 if the word is "inactive". */
function word(machine: Machine, verb: string): string {
  try {
    return machine.run(["systemctl", verb, unitName]).trim();
  } catch (error) {
    return (error as { stdout?: string }).stdout?.trim() || "unknown";
  }
}

function statusOf(machine: Machine): Output {
  if (!machine.hasSystemd()) throw new CliError("this machine does not run systemd");
  const unit = machine.read(unitFile);
  if (unit === undefined) {
    const document = { installed: false, active: "inactive", enabled: "disabled", program: null };
    return { document, lines: [`there is no ${unitFile}; \`tallylight service install\` writes it`], failed: true };
  }
  const [active, enabled] = [word(machine, "is-active"), word(machine, "is-enabled")];
  const program = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? null;
  const lines = [
    `${unitName} is ${active} and ${enabled}`,
    `it runs ${program}`,
    "`journalctl -u tallylight` shows its log",
  ];
  return { document: { installed: true, active, enabled, program }, lines, failed: active !== "active" };
}

export const commands: readonly Command[] = serviceCommands(thisMachine);

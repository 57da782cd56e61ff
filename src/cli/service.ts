// tallylight service install, remove, status: the server as a systemd service.
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../errors.ts";
import { isRemote } from "../replication/source.ts";
import { isReplica } from "../store/replica.ts";
import { rootOfSettings } from "./agent.ts";
import { type Command, type Flag, type Output, type ParsedArgs, UsageError } from "./arguments.ts";
import { settingsOf } from "./data.ts";
import { addressesOf, addressFlags, portOf, tlsFilesOf } from "./serve.ts";
import {
  agentSteps,
  agentUnitName,
  awaitHealth,
  checkAgent,
  checkMachine,
  checkService,
  followUnitName,
  hasDatabase,
  installSteps,
  keyFile,
  type Machine,
  removeSteps,
  restOf,
  stepLines,
  takeStep,
  thisMachine,
  type UnitStep,
  unitFile,
  unitName,
  word,
} from "./systemd.ts";
import { type AgentService, flagsOfUnit, isOurs, programOfUnit, type Service } from "./units.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const defaultData = "/var/lib/tallylight";

const dryRun: Flag = { summary: "prints what it would do, and changes nothing" };

const packaged = existsSync(join(root, "bin/tallylight"));
const place = dirname(resolve(root));

/** How the service starts this program: a package through the link `current` beside it, or this runtime with the launcher of the checkout. */
const programOf = (): string[] =>
  packaged ? [join(place, "current/bin/tallylight")] : [process.execPath, join(root, "bin/tallylight.js")];

const linkOf = (): Service["link"] => (packaged ? { place, name: basename(resolve(root)) } : undefined);

/** Where both boxes have sqlite3_rsync, if it is in the package. */
function copierFlags(): string[] {
  if (!packaged || !existsSync(join(root, "bin/sqlite3_rsync"))) return [];
  const copier = join(place, "current/bin/sqlite3_rsync");
  return ["--copier", copier, "--remote-copier", copier];
}

function serviceOf(args: ParsedArgs): Service {
  addressesOf(args);
  const tls = tlsFilesOf(args);
  const values = ["host", "port", "public-url"].flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const source = args.text("follow");
  const data = resolve(args.text("data") ?? defaultData);
  return {
    program: programOf(),
    user: args.text("user") ?? "tallylight",
    data,
    backups: settingsOf(data)?.backup?.folder,
    flags: [...values, ...(args.has("trust-proxy") ? ["--trust-proxy"] : [])],
    port: portOf(args),
    tls: tls && { cert: resolve(tls.cert), key: resolve(tls.key) },
    replica: args.has("replica"),
    follow:
      source === undefined
        ? undefined
        : {
            source: isRemote(source) ? source : resolve(source),
            flags: isRemote(source) ? copierFlags() : copierFlags().slice(0, 2),
          },
    link: linkOf(),
  };
}

/** The storage agent that --agent describes. Throws UsageError or CliError if an agent could not run with the settings in its file. */
async function agentOf(args: ParsedArgs, written: string): Promise<AgentService> {
  const config = resolve(written);
  const user = args.text("user");
  if (user === undefined) throw new UsageError("--agent needs --user USER, who may write to the filespace");
  return { program: programOf(), user, config, root: await rootOfSettings(config), link: linkOf() };
}

interface Work {
  steps: readonly UnitStep[];
  /** Each throws CliError if the command must refuse. */
  checks: readonly (() => void)[];
  /** What is printed after the steps, and with --dry-run what is left to do after them. */
  done(): string[] | Promise<string[]>;
  rest?: readonly string[];
}

/** Takes the steps. With --dry-run, prints them and why the command would refuse, and changes nothing. */
async function take(args: ParsedArgs, machine: Machine, { steps, checks, done, rest = [] }: Work): Promise<Output> {
  const dry_run = args.has("dry-run");
  const problems = checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (!dry_run || !(error instanceof CliError)) throw error;
      return [error.message];
    }
  });
  if (!dry_run) for (const step of steps) takeStep(machine, step);
  const lines = dry_run ? [...steps.flatMap(stepLines), ...rest] : await done();
  const notes = problems.map((problem) => `note: without --dry-run it would refuse: ${problem}`);
  return { document: { dry_run, steps, problems }, lines, notes };
}

/** The flags of the installed units, except those of a replica that was promoted. */
function installedFlags(machine: Machine): Map<string, string> {
  const units = machine.hasSystemd() ? [unitFile(followUnitName), unitFile()].map(machine.read) : [];
  const flags = new Map(units.flatMap((unit) => (unit !== undefined && isOurs(unit) ? [...flagsOfUnit(unit)] : [])));
  const data = flags.get("data") ?? defaultData;
  if (hasDatabase(data) && !isReplica(data)) for (const name of ["follow", "replica"]) flags.delete(name);
  return flags;
}

/** The given flags, and those of the installed units for what is not given, so that an upgrade keeps them. */
function withInstalled(args: ParsedArgs, machine: Machine): ParsedArgs {
  const installed = installedFlags(machine);
  return {
    ...args,
    text: (name) => args.text(name) ?? installed.get(name),
    has: (name) => args.has(name) || installed.has(name),
  };
}

/** The installed service, as its unit runs it. Throws CliError if there is none. */
export function installedService(args: ParsedArgs, machine: Machine): Service {
  checkInstalled(machine);
  return { ...serviceOf(withInstalled(args, machine)), program: [programOfUnit(machine.read(unitFile()) ?? "")] };
}

async function installAgent(args: ParsedArgs, machine: Machine, file: string): Promise<Output> {
  const agent = await agentOf(args, file);
  return take(args, machine, {
    steps: agentSteps(agent),
    checks: [() => checkMachine(machine), () => checkAgent(agent)],
    done: () => [`${agentUnitName} is installed and runs; \`journalctl -u tallylight-agent\` shows its log`],
  });
}

async function install(given: ParsedArgs, machine: Machine): Promise<Output> {
  const file = given.text("agent");
  if (file !== undefined) return installAgent(given, machine, file);
  const args = withInstalled(given, machine);
  const service = serviceOf(args);
  const { data, follow, port } = service;
  return take(args, machine, {
    steps: installSteps(service, machine.hasSystemd() && machine.read(unitFile(followUnitName)) !== undefined),
    checks: [() => checkMachine(machine), () => checkService(service)],
    rest: restOf(service),
    async done() {
      const rest = restOf(service, machine.read(`${keyFile(data)}.pub`)?.trim());
      if (follow !== undefined) return [`${followUnitName} copies ${follow.source} into ${data}`, ...rest];
      if (rest.length === 0 && port > 0)
        await awaitHealth(machine, service).catch(({ message, lines }: CliError) => {
          throw new CliError(
            `${unitName} is installed, but ${message}; it keeps trying, and its log ends with:`,
            lines,
          );
        });
      return [`${unitName} is installed${rest.length === 0 ? " and runs" : ""}; its data is in ${data}`, ...rest];
    },
  });
}

function checkInstalled(machine: Machine): void {
  if (machine.read(unitFile()) === undefined) throw new CliError(`there is no ${unitFile()}; nothing was changed`);
}

function remove(args: ParsedArgs, machine: Machine): Promise<Output> {
  const steps = machine.hasSystemd() ? removeSteps(machine) : [];
  const isThere = () => {
    if (steps.length < 2) checkInstalled(machine);
  };
  const done = () => [`${unitName} is removed; its data and its user are still there`];
  return take(args, machine, { steps, checks: [() => checkMachine(machine), isThere], done });
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
        follow: {
          value: "SOURCE",
          summary:
            "copies SOURCE, a primary's directory, into the data directory with a second service, and prints the line for authorized_keys",
        },
        replica: { summary: "serves the data directory as a replica" },
        agent: {
          value: "FILE",
          summary: "runs the storage agent as a service instead, with the settings and the key in FILE",
        },
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

function statusOf(machine: Machine): Output {
  if (!machine.hasSystemd()) throw new CliError("this machine does not run systemd");
  const unit = machine.read(unitFile());
  if (unit === undefined) {
    const document = { installed: false, active: "inactive", enabled: "disabled", program: null };
    return { document, lines: [`there is no ${unitFile()}; \`tallylight service install\` writes it`], failed: true };
  }
  const [active, enabled] = [word(machine, "is-active", unitName), word(machine, "is-enabled", unitName)];
  const program = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? null;
  const others = ([followUnitName, agentUnitName] as const).filter(
    (name) => machine.read(unitFile(name)) !== undefined,
  );
  const lines = [
    `${unitName} is ${active} and ${enabled}`,
    `it runs ${program}`,
    ...others.map((name) => `${name} is ${word(machine, "is-active", name)} and ${word(machine, "is-enabled", name)}`),
    "`journalctl -u tallylight` shows its log",
  ];
  return { document: { installed: true, active, enabled, program }, lines, failed: active !== "active" };
}

export const commands: readonly Command[] = serviceCommands(thisMachine);

// tallylight service install, remove, status: the server as a systemd service.
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, type Flag, type Output, type ParsedArgs, UsageError } from "../../core/command.ts";
import { settingsOf } from "../../core/data_directory.ts";
import { CliError } from "../../core/errors.ts";
import { addressesOf, addressFlags, portOf, tlsFilesOf } from "../../core/serve_command.ts";
import { isReplica } from "../../core/store/replica.ts";
import { isRemote } from "../replica/source.ts";
import {
  agentUnitName,
  awaitHealth,
  awaitSteady,
  checkInstall,
  checkMachine,
  followUnitName,
  hasDatabase,
  type Installed,
  installSteps,
  keyFile,
  type Machine,
  remainingSteps,
  removeSteps,
  type Service,
  stepLines,
  systemctlWord,
  takeStep,
  thisMachine,
  type UnitStep,
  unitFile,
  unitName,
} from "./systemd.ts";
import { flagsOfUnit, isGenerated, programOfUnit, type Unit } from "./units.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const defaultData = "/var/lib/tallylight";

const dryRun: Flag = { summary: "prints what it would do, and changes nothing" };

const packaged = existsSync(join(root, "bin/tallylight"));
const place = dirname(resolve(root));

/** How the service starts this program: a package through the link `current` beside it, or this runtime with the launcher of the checkout. */
const programOf = ({ program }: Machine): string[] =>
  program ?? (packaged ? [join(place, "current/bin/tallylight")] : [process.execPath, join(root, "bin/tallylight.js")]);

const linkOf = (): Installed["link"] => (packaged ? { place, name: basename(resolve(root)) } : undefined);

/** Where both boxes have sqlite3_rsync, if it is in the package. */
function copierFlags(): string[] {
  if (!packaged || !existsSync(join(root, "bin/sqlite3_rsync"))) return [];
  const copier = join(place, "current/bin/sqlite3_rsync");
  return ["--copier", copier, "--remote-copier", copier];
}

/** Where a server with these flags answers this machine. */
function healthUrlOf(args: ParsedArgs, port: number): string | undefined {
  const host = args.text("host") ?? "0.0.0.0";
  const named = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const scheme = args.text("tls-cert") === undefined ? "http" : "https";
  return port > 0 ? `${scheme}://${named.includes(":") ? `[${named}]` : named}:${port}/healthz` : undefined;
}

/** The service that the flags describe. Throws UsageError if \`serve\` could not take them. */
export function serviceOf(args: ParsedArgs, program = programOf(thisMachine)): Service {
  addressesOf(args);
  const [port, tls] = [portOf(args), tlsFilesOf(args)];
  const [user, data] = [args.text("user") ?? "tallylight", resolve(args.text("data") ?? defaultData)];
  const flags = ["host", "port", "public-url"].flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const switches = ["trust-proxy", "replica"].flatMap((name) => (args.has(name) ? [`--${name}`] : []));
  const credentials = Object.entries(tls ?? {}).flatMap(([kind, file]) => [
    `--tls-${kind}`,
    { name: `tls-${kind}`, file: resolve(file) },
  ]);
  const backups = settingsOf(data)?.backup?.folder;
  const server: Unit = {
    name: unitName,
    description: "Tallylight",
    user,
    words: [...program, "serve", "--data", data, ...flags, ...switches, ...credentials],
    writes: [data, ...(backups === undefined ? [] : [`-${backups}`])], // the disk of the backups may be absent at the start
    lines: ["ExecReload=/bin/kill -HUP $MAINPID"],
    capability: port > 0 && port < 1024 ? "CAP_NET_BIND_SERVICE" : "",
  };
  const common = { program, user, data, link: linkOf(), url: healthUrlOf(args, port) };
  const written = args.text("follow");
  if (written === undefined) return { ...common, source: undefined, units: [server] };
  const source = isRemote(written) ? written : resolve(written);
  const follower: Unit = {
    name: followUnitName,
    description: "Tallylight: copies the primary",
    user,
    writes: [data],
    words: [...program, "follow", source, "--data", data, ...copierFlags().slice(0, isRemote(source) ? 4 : 2)],
  };
  return { ...common, source, units: args.has("replica") ? [follower, server] : [follower] };
}

/** The root in a file of settings. Throws CliError if a service could not run with them: it has nothing else, and no current directory. */
async function rootOfSettings(config: string): Promise<string> {
  const { agentSettingsOf, readSettingsFile } = await import("../../agent/settings.ts");
  try {
    agentSettingsOf({ config }, {});
  } catch (error) {
    throw new CliError(`${(error as Error).message} (nothing was changed)`);
  }
  const { root = "" } = readSettingsFile(config);
  if (!root.startsWith("/")) throw new CliError(`${config} needs the setting root as an absolute path`);
  return root;
}

/** The storage agent that --agent describes. Throws UsageError or CliError if an agent could not run with the settings in its file. */
export async function agentOf(args: ParsedArgs, file: string, program = programOf(thisMachine)): Promise<Installed> {
  const config = resolve(file);
  const user = args.text("user");
  if (user === undefined) throw new UsageError("--agent needs --user USER, who may write to the filespace");
  const state = "tallylight-agent"; // systemd makes it
  const unit: Unit = {
    name: agentUnitName,
    description: "Tallylight: the storage agent",
    user,
    words: [...program, "agent", "--state", `/var/lib/${state}`, "--config", { name: "agent.json", file: config }],
    writes: [await rootOfSettings(config)],
    lines: [`StateDirectory=${state}`, "StateDirectoryMode=0700"],
    hidesHomes: false,
    cache: state,
  };
  return { user, units: [unit], link: linkOf() };
}

interface Work {
  steps: readonly UnitStep[];
  /** Each throws CliError if the command must refuse. */
  checks: readonly (() => void)[];
  /** What is printed after the steps, and with --dry-run what is left to do after them. */
  done(): string[] | Promise<string[]>;
  rest?: readonly string[] | undefined;
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
  const flags = new Map(
    units.flatMap((unit) => (unit !== undefined && isGenerated(unit) ? [...flagsOfUnit(unit)] : [])),
  );
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

async function install(given: ParsedArgs, machine: Machine): Promise<Output> {
  const file = given.text("agent");
  const service = file === undefined ? serviceOf(withInstalled(given, machine), programOf(machine)) : undefined;
  const installing = service ?? (await agentOf(given, file as string, programOf(machine)));
  const hasFollower = machine.hasSystemd() && machine.read(unitFile(followUnitName)) !== undefined;
  return take(given, machine, {
    steps: installSteps(installing, hasFollower),
    checks: [() => checkMachine(machine), () => checkInstall(installing)],
    rest: service && remainingSteps(service),
    done: () => (service ? installed(service, machine) : installedAgent(machine)),
  });
}

async function installedAgent(machine: Machine): Promise<string[]> {
  await awaitSteady(machine, agentUnitName);
  return [`${agentUnitName} is installed and runs; \`journalctl -u tallylight-agent\` shows its log`];
}

/** The lines about an installed service, once it answers. */
async function installed(service: Service, machine: Machine): Promise<string[]> {
  const { data, source, url } = service;
  const rest = remainingSteps(service, machine.read(`${keyFile(data)}.pub`)?.trim());
  if (source !== undefined) return [`${followUnitName} copies ${source} into ${data}`, ...rest];
  if (rest.length === 0 && url !== undefined)
    await awaitHealth(machine, url).catch(({ message, lines }: CliError) => {
      throw new CliError(`${unitName} is installed, but ${message}; it keeps trying, and its log ends with:`, lines);
    });
  return [`${unitName} is installed${rest.length === 0 ? " and runs" : ""}; its data is in ${data}`, ...rest];
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
      summary: "runs the server as a systemd service",
      details: "With the flags of the installed one where none are given.",
      example: "tallylight service install --data /var/lib/tallylight --dry-run",
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
      summary: "removes the systemd service",
      details: "Stops it and removes its unit; the data and the user stay.",
      example: "tallylight service remove --dry-run",
      flags: { "dry-run": dryRun },
      run: (args) => remove(args, machine),
    },
    {
      words: "service status",
      summary: "says whether the service runs",
      details: "And whether it is installed; exits with status 1 if it does not run.",
      example: "tallylight service status",
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
  const [active, enabled] = [
    systemctlWord(machine, "is-active", unitName),
    systemctlWord(machine, "is-enabled", unitName),
  ];
  const program = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? null;
  const others = ([followUnitName, agentUnitName] as const).filter(
    (name) => machine.read(unitFile(name)) !== undefined,
  );
  const lines = [
    `${unitName} is ${active} and ${enabled}`,
    `it runs ${program}`,
    ...others.map(
      (name) =>
        `${name} is ${systemctlWord(machine, "is-active", name)} and ${systemctlWord(machine, "is-enabled", name)}`,
    ),
    "`journalctl -u tallylight` shows its log",
  ];
  return { document: { installed: true, active, enabled, program }, lines, failed: active !== "active" };
}

export const commands: readonly Command[] = serviceCommands(thisMachine);

// The steps that install or remove the systemd units. Each step is data, so that it can be shown before it is done.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CliError } from "../../core/errors.ts";
import { askServer } from "../../core/network.ts";
import { databaseName } from "../../core/store/database.ts";
import { isReplica } from "../../core/store/replica.ts";
import { isRemote } from "../replica/source.ts";
import { isGenerated, type Unit, unitText, unitWord } from "./units.ts";

export const unitName = "tallylight.service";
export const followUnitName = "tallylight-follow.service";
export const agentUnitName = "tallylight-agent.service";
const unitNames = [unitName, followUnitName, agentUnitName] as const;

/** The file of a unit. */
export const unitFile = (name: Unit["name"] = unitName): string => `/etc/systemd/system/${name}`;

/** What is installed together: one unit, or that of a replica's server and that of its follower. */
export interface Installed {
  /** The system user that runs the units. */
  user: string;
  units: readonly Unit[];
  /** The folder in which the package lies beside others, and its name there: `current` links to it. */
  link: { place: string; name: string } | undefined;
}

/** A server, or a follower, or both. */
export interface Service extends Installed {
  /** The program and its first arguments, absolute. */
  program: readonly string[];
  /** The data directory, absolute. */
  data: string;
  /** What the directory is copied from, if there is a follower. */
  source: string | undefined;
  /** The address of the server's /healthz; undefined if the port is unknown. */
  url: string | undefined;
}

/** One step: a command, or a file that is written or removed. */
export type UnitStep =
  | { run: readonly string[]; unless?: readonly string[] }
  | { write: string; text: string }
  | { remove: string };

/** What the steps need of the machine. Tests replace it. */
export interface Machine {
  hasSystemd(): boolean;
  isRoot(): boolean;
  /** What the services run; if it is not given, this program, where it is. */
  program?: string[];
  /** The output of a command. Throws if its status is not 0. */
  run(command: readonly string[]): string;
  read(file: string): string | undefined;
  write(file: string, text: string): void;
  remove(file: string): void;
  /** Asks the server for its health. Resolves with what is wrong, also if it is of another version; undefined if it is well. */
  health(url: string, version?: string): Promise<string | undefined>;
  /** Waits between two questions. */
  pause(): Promise<unknown>;
}

/** Asks /healthz of a server on this machine. */
async function healthOf(url: string, version?: string): Promise<string | undefined> {
  try {
    const { status, text } = await askServer(url);
    if (status !== 200) return `/healthz answers ${status}: ${text}`;
    const answering: unknown = version && JSON.parse(text).version;
    return answering === version ? undefined : `/healthz is answered by version ${answering}`;
  } catch (error) {
    return `${url} does not answer (${(error as Error).message})`;
  }
}

export const thisMachine: Machine = {
  hasSystemd: () => existsSync("/run/systemd/system"), // as sd_booted(3)
  isRoot: () => process.getuid?.() === 0,
  run: ([program = "", ...words]) =>
    execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
  read: (file) => (existsSync(file) ? readFileSync(file, "utf8") : undefined),
  write: (file, text) => writeFileSync(file, text, { mode: 0o644 }),
  remove: (file) => rmSync(file, { force: true }),
  health: healthOf,
  pause: () => pause(500),
};

/** Folders that ProtectHome and PrivateTmp hide from the service. */
const hidden = /^\/(?:home|root|run\/user|tmp|var\/tmp)(?:\/|$)/;

/** Throws CliError if the units could not work: a name or a path that systemd cannot take, or a place that they cannot see. */
export function checkInstall({ user, units, link, data, source }: Installed & Partial<Service>): void {
  if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user)) throw new CliError(`${user} is not a name for a system user`);
  const replicates = source !== undefined || units.some(({ words }) => words.includes("--replica"));
  if (replicates && data !== undefined && hasDatabase(data) && !isReplica(data))
    throw new CliError(
      `${data} is a primary's directory, which cannot be a replica; docs/replication.md says how a former primary becomes one`,
    );
  if (data !== undefined && existsSync(data) && !hasDatabase(data) && readdirSync(data).length > 0)
    throw new CliError(`${data} has other files and no Tallylight data; choose another --data directory`);
  for (const { words, writes, hidesHomes = true } of units) {
    const files = words.flatMap((systemctlWord) => (typeof systemctlWord === "string" ? [] : [systemctlWord.file]));
    const seen = [
      ...words.filter((systemctlWord) => typeof systemctlWord === "string"),
      ...writes.map((path) => path.replace(/^-/, "")),
    ];
    for (const path of [...seen, ...files])
      if (/[\0-\x1f\x7f]/.test(path))
        throw new CliError(`${JSON.stringify(path)} has a control character, which a unit cannot contain`);
    for (const path of seen.map(followed))
      if (hidesHomes && hidden.test(path))
        throw new CliError(
          `${path} is in a home directory or a temporary folder, which the service cannot read; put the program in /opt, the data in /var/lib, and backups on a disk that is mounted elsewhere`,
        );
    for (const path of files) if (!existsSync(path)) throw new CliError(`${path} does not exist`);
  }
  const current = link && join(link.place, "current");
  if (current !== undefined && existsSync(current) && !isLink(current))
    throw new CliError(`${current} is not a link; move it away, because the service runs the program through it`);
}

const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();
export const hasDatabase = (data: string): boolean => existsSync(join(data, databaseName));

const followed = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** As ssh reads it: it cannot ask anybody, takes the key of a new host, and notices a host that is gone. */
const sshConfig = `# Written by \`tallylight service install\`
Host *
  BatchMode yes
  StrictHostKeyChecking accept-new
  ConnectTimeout 10
  ServerAliveInterval 10
`;

/** The account and its directory. The account has a shell and no password: only keys log in, so that another box can copy from it. */
const accountSteps = (user: string, home: string): UnitStep[] => [
  {
    run: ["useradd", "--system", "--home-dir", home, "--no-create-home", "--shell", "/bin/sh", user],
    unless: ["id", "-u", user],
  },
  { run: ["install", "-d", "-m", "0700", home] },
];

export const keyFile = (data: string): string => join(data, ".ssh/id_ed25519");

/** The key with which the follower reaches the primary. It is made once. */
const keySteps = (user: string, data: string): UnitStep[] => [
  { run: ["install", "-d", "-m", "0700", join(data, ".ssh")] },
  { write: join(data, ".ssh/config"), text: sshConfig },
  {
    run: ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", `${user}-follow@${hostname()}`, "-f", keyFile(data)],
    unless: ["test", "-e", keyFile(data)],
  },
];

const reload: UnitStep = { run: ["systemctl", "daemon-reload"] };

/** The steps that install units, or replace those that an earlier version installed. `hasFollower`: there is a follower now. */
export function installSteps(install: Installed & Partial<Service>, hasFollower = false): UnitStep[] {
  const { user, units, link, data, source } = install;
  const names = units.map(({ name }) => name);
  const account = data === undefined ? [] : accountSteps(user, data);
  const key = data !== undefined && source !== undefined && isRemote(source) ? keySteps(user, data) : [];
  // A primary without data would not start.
  const starts = (name: string) =>
    name !== unitName || source !== undefined || (data !== undefined && hasDatabase(data));
  return [
    ...account,
    ...key,
    ...(data === undefined ? [] : [{ run: ["chown", "-R", `${user}:`, data] }]),
    ...(link === undefined ? [] : [{ run: ["ln", "-sfn", link.name, join(link.place, "current")] }]),
    ...units.map((unit) => ({ write: unitFile(unit.name), text: unitText(unit) })),
    ...(hasFollower && data !== undefined && source === undefined ? removeUnit(followUnitName) : []),
    reload,
    ...names.map((name) => ({ run: ["systemctl", "enable", name] })),
    ...names.filter(starts).map((name) => ({ run: ["systemctl", "restart", name] })),
  ];
}

/** The commands that let the follower in at the primary. `key` is the public key. */
function authorizingLines(source: string, key: string): string[] {
  const [, user = "tallylight", host = ""] = /^(?:([^@]+)@)?([^:]+):/.exec(source) ?? [];
  const file = `~${user}/.ssh/authorized_keys`;
  return [
    `let this box in: run this as root on ${host}; the follower tries again by itself`,
    `  usermod --shell /bin/sh ${user}`,
    `  install -d -m 0700 -o ${user} ~${user}/.ssh`,
    `  echo 'restrict ${key}' >> ${file}`,
    `  chown ${user}: ${file} && chmod 0600 ${file}`,
  ];
}

/** What is left to do after the steps. `key` is the follower's public key, if there is one. */
export function remainingSteps({ program, user, data, source, units }: Service, key?: string): string[] {
  if (source !== undefined) return isRemote(source) && key !== undefined ? authorizingLines(source, key) : [];
  if (hasDatabase(data)) return [];
  if (units.some(({ words }) => words.includes("--replica")))
    return [
      `${data} has no copy of a primary yet: give --follow SOURCE too, or copy one as docs/replication.md says, then start the service:`,
      `  systemctl start ${unitName}`,
    ];
  return [
    `${data} has no production yet: import one as the service's user, then start the service:`,
    `  sudo -u ${user} ${[...program, "import", "FILE", "--data", data].map(unitWord).join(" ")}`,
    `  systemctl start ${unitName}`,
  ];
}

/** How many seconds an installed service has before it counts as failed; it is asked twice a second. */
export const usualSeconds = 30;

/** Waits until the service answers, as `version` if one is given. Throws CliError with what is wrong, and the end of its log as lines. */
export async function awaitHealth(
  machine: Machine,
  url: string,
  version?: string,
  seconds = usualSeconds,
): Promise<void> {
  let problem = await machine.health(url, version);
  for (let asked = 0; problem !== undefined && asked < 2 * seconds; asked++) {
    await machine.pause();
    problem = await machine.health(url, version);
  }
  if (problem !== undefined) throw new CliError(problem, logOf(machine, unitName));
}

/** How many times a unit without an address is looked at, twice a second. systemd starts a program again 2 s after its end. */
const steadyLooks = 10;

/** Throws CliError, with the end of the log as lines, if the program of a unit ends within its first seconds. */
export async function awaitSteady(machine: Machine, unit: Unit["name"]): Promise<void> {
  for (let looked = 0; looked < steadyLooks; looked++) {
    await machine.pause();
    if (systemctlWord(machine, "is-active", unit) === "active") continue;
    throw new CliError(
      `${unit} is installed, but it ends; it keeps trying, and its log ends with:`,
      logOf(machine, unit),
    );
  }
}

/** The end of the log of a unit. */
function logOf(machine: Machine, unit: Unit["name"]): string[] {
  const journal = ["journalctl", "--unit", unit, "--lines", "10", "--output", "cat", "--no-pager"];
  const { ok, out } = tryToRun(machine, journal);
  return ok ? out.trim().split("\n") : [];
}

const removeUnit = (name: Unit["name"]): UnitStep[] => [
  { run: ["systemctl", "disable", "--now", name] },
  { remove: unitFile(name) },
];

/** The steps that remove the units that are installed. Their data and their users stay. */
export const removeSteps = (machine: Machine): UnitStep[] => [
  ...unitNames.flatMap((name) => (machine.read(unitFile(name)) === undefined ? [] : removeUnit(name))),
  reload,
];

/** One word of systemctl about a unit, which also has a status other than 0 if the word is "inactive". */
export const systemctlWord = (machine: Machine, verb: string, unit: string): string =>
  tryToRun(machine, ["systemctl", verb, unit]).out.trim() || "unknown";

/** A step as a line to read, and the text of a file below it. */
export function stepLines(step: UnitStep): string[] {
  if ("write" in step)
    return [
      `write ${step.write}:`,
      ...step.text
        .trimEnd()
        .split("\n")
        .map((line) => (line === "" ? "" : `    ${line}`)),
    ];
  if ("remove" in step) return [`remove ${step.remove}`];
  return [
    `run ${step.run.map(unitWord).join(" ")}${step.unless === undefined ? "" : `, unless ${step.unless.join(" ")} succeeds`}`,
  ];
}

/** Runs a command. `ok`: whether its status was 0; `problem` says why it was not. */
export function tryToRun(machine: Machine, command: readonly string[]): { ok: boolean; out: string; problem: string } {
  try {
    return { ok: true, out: machine.run(command), problem: "" };
  } catch (error) {
    const { stdout = "", stderr, message } = error as Error & { stdout?: string; stderr?: string };
    return { ok: false, out: stdout, problem: (stderr || message).trim() };
  }
}

/** Does a step. Throws CliError with what the command said if it fails. */
export function takeStep(machine: Machine, step: UnitStep): void {
  if ("write" in step) machine.write(step.write, step.text);
  else if ("remove" in step) machine.remove(step.remove);
  else if (step.unless === undefined || !tryToRun(machine, step.unless).ok) {
    const { ok, problem } = tryToRun(machine, step.run);
    if (!ok) throw new CliError(`${step.run.join(" ")} failed: ${problem.split("\n")[0]}`);
  }
}

/** Throws CliError if this machine has no systemd, if the user may not change it, or if the unit was written by someone else. */
export function checkMachine(machine: Machine): void {
  if (!machine.hasSystemd())
    throw new CliError(
      "this machine does not run systemd; docs/operating.md says how to run the server without it (nothing was changed)",
    );
  if (!machine.isRoot())
    throw new CliError("only root may change services; run the command with sudo (nothing was changed)");
  for (const file of unitNames.map((name) => unitFile(name))) {
    const unit = machine.read(file);
    if (unit === undefined || isGenerated(unit)) continue;
    throw new CliError(`${file} was not written by this command; move the file away first (nothing was changed)`);
  }
}

// The steps that install or remove the systemd units. Each step is data, so that it can be shown before it is done.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CliError } from "../errors.ts";
import { askServer } from "../network.ts";
import { isRemote } from "../replication/source.ts";
import { databaseName } from "../store/database.ts";
import { isReplica } from "../store/replica.ts";
import { type AgentService, agentUnitOf, followUnitOf, isOurs, type Service, unitOf, unitWord } from "./units.ts";

export const unitName = "tallylight.service";
export const followUnitName = "tallylight-follow.service";
export const agentUnitName = "tallylight-agent.service";
const unitNames = [unitName, followUnitName, agentUnitName] as const;

/** The file of a unit. */
export const unitFile = (name: (typeof unitNames)[number] = unitName): string => `/etc/systemd/system/${name}`;

/** One step: a command, or a file that is written or removed. */
export type UnitStep =
  | { run: readonly string[]; unless?: readonly string[] }
  | { write: string; text: string }
  | { remove: string };

/** What the steps need of the machine. Tests replace it. */
export interface Machine {
  hasSystemd(): boolean;
  isRoot(): boolean;
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

/** Throws CliError for a name or a path that systemd cannot take, and if `current` is no link. */
function checkUnit({ user, link }: Pick<Service, "user" | "link">, paths: readonly string[]): void {
  if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user)) throw new CliError(`${user} is not a name for a system user`);
  for (const path of paths)
    if (/[\0-\x1f\x7f]/.test(path))
      throw new CliError(`${JSON.stringify(path)} has a control character, which a unit cannot contain`);
  if (link !== undefined && existsSync(join(link.place, "current")) && !isLink(join(link.place, "current")))
    throw new CliError(
      `${join(link.place, "current")} is not a link; move it away, because the service runs the program through it`,
    );
}

export const checkAgent = (agent: AgentService): void => checkUnit(agent, [...agent.program, agent.config, agent.root]);

/** Throws CliError if the service could not work: a name or a path that systemd cannot take, or a place that it cannot see. */
export function checkService(service: Service): void {
  const { program, data, tls, follow, replica, backups } = service;
  const seen = [...program, data, ...(backups === undefined ? [] : [backups])];
  checkUnit(service, [
    ...seen,
    ...(follow === undefined ? [] : [follow.source]),
    ...(tls === undefined ? [] : [tls.cert, tls.key]),
  ]);
  if ((follow || replica) && hasDatabase(data) && !isReplica(data))
    throw new CliError(
      `${data} is a primary's directory, which cannot be a replica; docs/replication.md says how a former primary becomes one`,
    );
  for (const path of seen.map(followed))
    if (hidden.test(path))
      throw new CliError(
        `${path} is in a home directory or a temporary folder, which the service cannot read; put the program in /opt, the data in /var/lib, and backups on a disk that is mounted elsewhere`,
      );
  for (const path of tls === undefined ? [] : [tls.cert, tls.key])
    if (!existsSync(path)) throw new CliError(`${path} does not exist`);
  if (existsSync(data) && !hasDatabase(data) && readdirSync(data).length > 0)
    throw new CliError(`${data} has other files and no Tallylight data; choose another --data directory`);
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

const enable = (unit: string): UnitStep => ({ run: ["systemctl", "enable", unit] });
const restart = (unit: string): UnitStep => ({ run: ["systemctl", "restart", unit] });
const reload: UnitStep = { run: ["systemctl", "daemon-reload"] };

/** The link that the service calls the program through. */
const linkSteps = (link: Service["link"]): UnitStep[] =>
  link === undefined ? [] : [{ run: ["ln", "-sfn", link.name, join(link.place, "current")] }];

/** The steps that install a service, or replace the one that an earlier version installed. `hasFollower`: it has a follower now. */
export function installSteps(service: Service, hasFollower = false): UnitStep[] {
  const { user, data, follow, replica, link } = service;
  const serves = follow === undefined || replica === true;
  const starts = serves && (follow !== undefined || hasDatabase(data)); // a primary without data would not start
  return [
    ...accountSteps(user, data),
    ...(follow !== undefined && isRemote(follow.source) ? keySteps(user, data) : []),
    { run: ["chown", "-R", `${user}:`, data] },
    ...linkSteps(link),
    ...(serves ? [{ write: unitFile(), text: unitOf(service) }] : []),
    ...(follow === undefined ? [] : [{ write: unitFile(followUnitName), text: followUnitOf(service) }]),
    ...(hasFollower && follow === undefined ? removeUnit(followUnitName) : []),
    reload,
    ...(serves ? [enable(unitName)] : []),
    ...(follow === undefined ? [] : [enable(followUnitName), restart(followUnitName)]),
    ...(starts ? [restart(unitName)] : []),
  ];
}

/** The steps that install the storage agent as a service. */
export const agentSteps = (service: AgentService): UnitStep[] => [
  ...linkSteps(service.link),
  { write: unitFile(agentUnitName), text: agentUnitOf(service) },
  reload,
  enable(agentUnitName),
  restart(agentUnitName),
];

/** The commands that let the follower in at the primary. `key` is the public key. */
export function authorizingLines(source: string, key: string): string[] {
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
export function restOf({ program, user, data, follow }: Service, key?: string): string[] {
  if (follow !== undefined)
    return isRemote(follow.source) && key !== undefined ? authorizingLines(follow.source, key) : [];
  if (hasDatabase(data)) return [];
  return [
    `${data} has no production yet: import one as the service's user, then start the service:`,
    `  sudo -u ${user} ${[...program, "import", "FILE", "--data", data].map(unitWord).join(" ")}`,
    `  systemctl start ${unitName}`,
  ];
}

/** How many seconds an installed service has before it counts as failed; it is asked twice a second. */
const usualSeconds = 30;

/** Waits until the service answers, as `version` if one is given. Throws CliError with what is wrong, and the end of its log as lines. */
export async function awaitHealth(
  machine: Machine,
  { flags, port, tls }: Service,
  version?: string,
  seconds = usualSeconds,
): Promise<void> {
  const host = flags[flags.indexOf("--host") + 1] ?? "";
  const named = !flags.includes("--host") || host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const url = `${tls ? "https" : "http"}://${named.includes(":") ? `[${named}]` : named}:${port}/healthz`;
  let problem = await machine.health(url, version);
  for (let asked = 0; problem !== undefined && asked < 2 * seconds; asked++) {
    await machine.pause();
    problem = await machine.health(url, version);
  }
  if (problem === undefined) return;
  const journal = ["journalctl", "--unit", unitName, "--lines", "10", "--output", "cat", "--no-pager"];
  const { ok, out } = tryToRun(machine, journal);
  const log = ok ? out.trim().split("\n") : [];
  throw new CliError(problem, log);
}

const removeUnit = (name: (typeof unitNames)[number]): UnitStep[] => [
  { run: ["systemctl", "disable", "--now", name] },
  { remove: unitFile(name) },
];

/** The steps that remove the units that are installed. Their data and their users stay. */
export const removeSteps = (machine: Machine): UnitStep[] => [
  ...unitNames.flatMap((name) => (machine.read(unitFile(name)) === undefined ? [] : removeUnit(name))),
  reload,
];

/** One word of systemctl about a unit, which also has a status other than 0 if the word is "inactive". */
export const word = (machine: Machine, verb: string, unit: string): string =>
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
    if (unit === undefined || isOurs(unit)) continue;
    throw new CliError(`${file} was not written by this command; move the file away first (nothing was changed)`);
  }
}

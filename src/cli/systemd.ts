// The systemd unit of a server, and the steps that install or remove it. Each step is data, so that it can be shown before it is done.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CliError } from "../errors.ts";
import { askServer } from "../network.ts";
import { databaseName } from "../store/database.ts";

export const unitName = "tallylight.service";
export const unitFile = `/etc/systemd/system/${unitName}`;
const marker =
  "# Written by `tallylight service install`. Change it with that command, or with `systemctl edit tallylight`.";

/** Whether a unit was written by this command. */
export const isOurs = (unit: string): boolean => unit.startsWith(marker);

export interface Service {
  /** The program and its first arguments, absolute. */
  program: readonly string[];
  /** The system user that runs it. */
  user: string;
  /** The data directory, absolute. */
  data: string;
  /** Further arguments of serve. */
  flags: readonly string[];
  port: number;
  /** Certificate and key, absolute; systemd reads them as root and passes them on. */
  tls?: { cert: string; key: string } | undefined;
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

/** A word of a list as systemd reads it (systemd.syntax(7), "Quoting"). */
const quoted = (word: string): string =>
  /^[\w./:@=,+-]+$/.test(word) ? word : `"${word.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%")}"`;

/** An argument of a command line, where `$` begins a variable (systemd.service(5), "Command lines"). */
const argumentText = (argument: string): string => quoted(argument).replaceAll("$", () => "$$");

/** A path in a setting that takes one path (systemd.syntax(7)): only specifiers are escaped. */
const pathText = (path: string): string => path.replaceAll("%", "%%");

/** The unit, with the same restrictions as the one in docs/operating.md and some more. */
export function unitOf({ program, user, data, flags, tls, port }: Service): string {
  const credentials = `\${CREDENTIALS_DIRECTORY}`; // systemd replaces it
  const secure = tls && ["--tls-cert", `${credentials}/tls-cert`, "--tls-key", `${credentials}/tls-key`];
  const words = [...[...program, "serve", "--data", data, ...flags].map(argumentText), ...(secure ?? [])];
  const capability = port > 0 && port < 1024 ? "CAP_NET_BIND_SERVICE" : "";
  return [
    marker,
    "[Unit]",
    "Description=Tallylight",
    "Wants=network-online.target",
    "After=network-online.target",
    "StartLimitIntervalSec=0", // an address or a disk may come minutes after the start of the machine
    "",
    "[Service]",
    `User=${user}`,
    `ExecStart=${words.join(" ")}`,
    "ExecReload=/bin/kill -HUP $MAINPID",
    ...(tls === undefined
      ? []
      : [`LoadCredential=tls-cert:${pathText(tls.cert)}`, `LoadCredential=tls-key:${pathText(tls.key)}`]),
    "Environment=NODE_ENV=production",
    "Restart=always",
    "RestartSec=2",
    "TimeoutStopSec=45",
    "UMask=0077",
    "NoNewPrivileges=true",
    "ProtectSystem=strict",
    `ReadWritePaths=${quoted(data)}`,
    "CacheDirectory=tallylight", // for compiled code
    "CacheDirectoryMode=0700",
    "ProtectHome=true",
    "PrivateTmp=true",
    "PrivateDevices=true",
    "ProtectKernelTunables=true",
    "ProtectKernelModules=true",
    "ProtectControlGroups=true",
    "RestrictSUIDSGID=true",
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
    `CapabilityBoundingSet=${capability}`,
    ...(capability === "" ? [] : [`AmbientCapabilities=${capability}`]),
    "LockPersonality=true",
    "",
    "[Install]",
    "WantedBy=multi-user.target",
    "",
  ].join("\n");
}

/** The words of a command line as argumentText writes them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, inQuotes, plain = ""]) =>
    (inQuotes?.replace(/\\([\\"])/g, "$1").replaceAll("%%", "%") ?? plain).replaceAll("$$", "$"),
  );

/** The flags of `service install` that made a unit, by name; a flag without a value has an empty one. */
export function flagsOfUnit(unit: string): ReadonlyMap<string, string> {
  const line = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
  const words = wordsOf(line("ExecStart") ?? "");
  const flags = new Map<string, string>();
  for (const [at, word] of words.entries()) {
    if (at <= words.indexOf("serve") || !word.startsWith("--")) continue;
    const next = words[at + 1];
    flags.set(word.slice(2), next === undefined || next.startsWith("--") ? "" : next);
  }
  for (const [, name = "", path = ""] of unit.matchAll(/^LoadCredential=(tls-\w+):(.*)$/gm))
    flags.set(name, path.replaceAll("%%", "%"));
  const user = line("User");
  return user === undefined ? flags : flags.set("user", user);
}

/** Folders that ProtectHome and PrivateTmp hide from the service. */
const hidden = /^\/(?:home|root|run\/user|tmp|var\/tmp)(?:\/|$)/;

/** Throws CliError if the service could not work: a name or a path that systemd cannot take, or a place that it cannot see. */
export function checkService({ program, user, data, tls }: Service): void {
  if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user)) throw new CliError(`${user} is not a name for a system user`);
  const paths = [...program, data, ...(tls === undefined ? [] : [tls.cert, tls.key])];
  for (const path of paths)
    if (/[\0-\x1f\x7f]/.test(path))
      throw new CliError(`${JSON.stringify(path)} has a control character, which a unit cannot contain`);
  for (const path of [...program, data].map(followed))
    if (hidden.test(path))
      throw new CliError(
        `${path} is in a home directory or a temporary folder, which the service cannot read; put the program in /opt and the data in /var/lib`,
      );
  for (const path of tls === undefined ? [] : [tls.cert, tls.key])
    if (!existsSync(path)) throw new CliError(`${path} does not exist`);
  if (existsSync(data) && !hasDatabase(data) && readdirSync(data).length > 0)
    throw new CliError(`${data} has other files and no Tallylight data; choose another --data directory`);
}

const hasDatabase = (data: string): boolean => existsSync(join(data, databaseName));

const followed = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** The steps that install a service, or replace the one that an earlier version installed. */
export function installSteps(service: Service): UnitStep[] {
  const { user, data } = service;
  return [
    {
      run: ["useradd", "--system", "--home-dir", data, "--no-create-home", "--shell", "/usr/sbin/nologin", user],
      unless: ["id", "-u", user],
    },
    { run: ["install", "-d", "-m", "0700", data] },
    { run: ["chown", "-R", `${user}:`, data] },
    { write: unitFile, text: unitOf(service) },
    { run: ["systemctl", "daemon-reload"] },
    { run: ["systemctl", "enable", unitName] },
    ...(hasDatabase(data) ? [{ run: ["systemctl", "restart", unitName] }] : []), // without data the server would not start
  ];
}

/** What is left to do after the steps. */
export const restOf = ({ program, user, data }: Service): string[] =>
  hasDatabase(data)
    ? []
    : [
        `${data} has no production yet: import one as the service's user, then start the service:`,
        `  sudo -u ${user} ${[...program, "import", "FILE", "--data", data].map(quoted).join(" ")}`,
        `  systemctl start ${unitName}`,
      ];

/** How often an installed service is asked for its health before it counts as failed: for half a minute. */
const maxQuestions = 60;

/** Waits until the service answers. Throws CliError with what is wrong and the end of its log if it does not. */
export async function awaitHealth(machine: Machine, { flags, port, tls }: Service): Promise<void> {
  const host = flags[flags.indexOf("--host") + 1] ?? "";
  const named = !flags.includes("--host") || host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const url = `${tls ? "https" : "http"}://${named.includes(":") ? `[${named}]` : named}:${port}/healthz`;
  let problem: string | undefined;
  for (let asked = 0; asked < maxQuestions; asked++) {
    problem = await machine.health(url);
    if (problem === undefined) return;
    await machine.pause();
  }
  const journal = ["journalctl", "--unit", unitName, "--lines", "10", "--output", "cat", "--no-pager"];
  const log = succeeds(machine, journal) ? machine.run(journal).trim().split("\n") : [];
  throw new CliError(`${unitName} is installed, but ${problem}; it keeps trying, and its log ends with:`, log);
}

/** The steps that remove the service. Its data and its user stay. */
export const removeSteps = (): UnitStep[] => [
  { run: ["systemctl", "disable", "--now", unitName] },
  { remove: unitFile },
  { run: ["systemctl", "daemon-reload"] },
];

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
    `run ${step.run.map(quoted).join(" ")}${step.unless === undefined ? "" : `, unless ${step.unless.join(" ")} succeeds`}`,
  ];
}

function succeeds(machine: Machine, command: readonly string[]): boolean {
  try {
    machine.run(command);
    return true;
  } catch {
    return false;
  }
}

/** Does a step. Throws CliError with what the command said if it fails. */
export function takeStep(machine: Machine, step: UnitStep): void {
  if ("write" in step) machine.write(step.write, step.text);
  else if ("remove" in step) machine.remove(step.remove);
  else if (step.unless === undefined || !succeeds(machine, step.unless)) runStep(machine, step.run);
}

function runStep(machine: Machine, command: readonly string[]): void {
  try {
    machine.run(command);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new CliError(`${command.join(" ")} failed: ${(stderr || message).trim().split("\n")[0]}`);
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
  const unit = machine.read(unitFile);
  if (unit !== undefined && !isOurs(unit))
    throw new CliError(`${unitFile} was not written by this command; move the file away first (nothing was changed)`);
}

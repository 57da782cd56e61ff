// The systemd units of the server, of the follower of a replica, and of the storage agent: their text, and the flags that made them.

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
  /** Whether the server serves a replica. */
  replica?: boolean;
  /** What the replica is copied from, and the further arguments of follow. */
  follow?: { source: string; flags: readonly string[] } | undefined;
  /** The folder in which the server makes backups. */
  backups?: string | undefined;
  /** The link `current` that the program is called through, and what it points to. */
  link?: { place: string; name: string } | undefined;
}

/** The storage agent as a service. */
export interface AgentService {
  program: readonly string[];
  user: string;
  /** The file with the settings and the key, absolute; systemd reads it as root and passes it on. */
  config: string;
  /** Where the filespace is mounted. */
  root: string;
  link?: Service["link"];
}

/** A word of a list as systemd reads it (systemd.syntax(7), "Quoting"). */
export const unitWord = (word: string): string =>
  /^[\w./:@=,+-]+$/.test(word) ? word : `"${word.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%")}"`;

/** An argument of a command line, where `$` begins a variable (systemd.service(5), "Command lines"). */
const argumentText = (argument: string): string => unitWord(argument).replaceAll("$", () => "$$");

/** A path in a setting that takes one path (systemd.syntax(7)): only specifiers are escaped. */
const pathText = (path: string): string => path.replaceAll("%", "%%");

const credentials = `\${CREDENTIALS_DIRECTORY}`; // systemd replaces it

interface Unit {
  description: string;
  user: string;
  /** The command line as the unit has it. */
  exec: string;
  /** More lines, after the command line. */
  lines?: readonly string[];
  /** What may be written to, besides what the lines name. */
  writes: readonly string[];
  capability?: string;
  /** Whether home directories are out of sight. */
  hidesHomes?: boolean;
  /** The folder of compiled code; systemd gives it to the user, so services of two users need two. */
  cache?: string;
}

function unitText({ description, user, exec, lines = [], writes, ...more }: Unit): string {
  const { capability = "", hidesHomes = true, cache = "tallylight" } = more;
  return [
    marker,
    "[Unit]",
    `Description=${description}`,
    "Wants=network-online.target",
    "After=network-online.target",
    "StartLimitIntervalSec=0", // an address or a disk may come minutes after the start of the machine
    "",
    "[Service]",
    `User=${user}`,
    `ExecStart=${exec}`,
    ...lines,
    "Environment=NODE_ENV=production MALLOC_ARENA_MAX=2", // otherwise each thread of an import leaves memory of its own behind
    "Restart=always",
    "RestartSec=2",
    "TimeoutStopSec=45",
    "UMask=0077",
    "NoNewPrivileges=true",
    "ProtectSystem=strict",
    `ReadWritePaths=${writes.map(unitWord).join(" ")}`,
    `CacheDirectory=${cache}`,
    "CacheDirectoryMode=0700",
    ...(hidesHomes ? ["ProtectHome=true"] : []),
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

const line = (words: readonly string[]): string => words.map(argumentText).join(" ");

/** The unit of the server. */
export function unitOf({ program, user, data, flags, tls, port, replica = false, backups }: Service): string {
  const secure = tls ? ` --tls-cert ${credentials}/tls-cert --tls-key ${credentials}/tls-key` : "";
  return unitText({
    // The minus: the disk of the backups may be absent at the start.
    ...{ description: "Tallylight", user, writes: [data, ...(backups === undefined ? [] : [`-${backups}`])] },
    exec: line([...program, "serve", "--data", data, ...flags, ...(replica ? ["--replica"] : [])]) + secure,
    lines: [
      "ExecReload=/bin/kill -HUP $MAINPID",
      ...(tls === undefined
        ? []
        : [`LoadCredential=tls-cert:${pathText(tls.cert)}`, `LoadCredential=tls-key:${pathText(tls.key)}`]),
    ],
    capability: port > 0 && port < 1024 ? "CAP_NET_BIND_SERVICE" : "",
  });
}

/** The unit that copies a primary into the data directory. */
export const followUnitOf = ({ program, user, data, follow }: Service): string =>
  unitText({
    ...{ description: "Tallylight: copies the primary", user, writes: [data] },
    exec: line([...program, "follow", follow?.source ?? "", "--data", data, ...(follow?.flags ?? [])]),
  });

/** The folder of the agent's state, which systemd makes. */
export const agentState = "/var/lib/tallylight-agent";

/** The unit of the storage agent. */
export const agentUnitOf = ({ program, user, config, root }: AgentService): string =>
  unitText({
    ...{ description: "Tallylight: the storage agent", user, writes: [root] },
    ...{ hidesHomes: false, cache: "tallylight-agent" },
    exec: `${line([...program, "agent", "--state", agentState])} --config ${credentials}/agent.json`,
    lines: [
      `LoadCredential=agent.json:${pathText(config)}`,
      "StateDirectory=tallylight-agent",
      "StateDirectoryMode=0700",
    ],
  });

/** The words of a command line as argumentText writes them. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, inQuotes, plain = ""]) =>
    (inQuotes?.replace(/\\([\\"])/g, "$1").replaceAll("%%", "%") ?? plain).replaceAll("$$", "$"),
  );

/** The flags of `service install` that made a unit, by name; a flag without a value has an empty one. */
export function flagsOfUnit(unit: string): ReadonlyMap<string, string> {
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
  const words = wordsOf(setting("ExecStart") ?? "");
  const flags = new Map<string, string>();
  const at = words.findIndex((word) => word === "serve" || word === "follow");
  if (words[at] === "follow") return flags.set("follow", words[at + 1] ?? "");
  for (const [position, word] of words.entries()) {
    if (position <= at || !word.startsWith("--")) continue;
    const next = words[position + 1];
    flags.set(word.slice(2), next === undefined || next.startsWith("--") ? "" : next);
  }
  for (const [, name = "", path = ""] of unit.matchAll(/^LoadCredential=(tls-\w+):(.*)$/gm))
    flags.set(name, path.replaceAll("%%", "%"));
  const user = setting("User");
  return user === undefined ? flags : flags.set("user", user);
}

/** The program that a unit runs: its first word. */
export const programOfUnit = (unit: string): string => wordsOf(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "")[0] ?? "";

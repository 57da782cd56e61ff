// The systemd units of this program as text: writes them, and reads the flags back that made them.

const marker =
  "# Written by `tallylight service install`. Change it with that command, or with `systemctl edit tallylight`.";

/** Whether a unit was written by this command. */
export const isGenerated = (unit: string): boolean => unit.startsWith(marker);

/** A file that systemd reads as root and passes on under a name. */
interface Credential {
  name: string;
  file: string;
}

export interface Unit {
  name: `tallylight${"" | "-follow" | "-agent"}.service`;
  description: string;
  /** The system user that runs it. */
  user: string;
  /** The program and its arguments, with absolute paths. */
  words: readonly (string | Credential)[];
  /** What may be written to, besides what the lines name. After a minus, it may be absent at the start. */
  writes: readonly string[];
  /** More lines. */
  lines?: readonly string[];
  capability?: string;
  /** Whether home directories are out of sight. */
  hidesHomes?: boolean;
  /** The folder of compiled code; systemd gives it to the user, so services of two users need two. */
  cache?: string;
}

/** A word of a list as systemd reads it (systemd.syntax(7), "Quoting"). */
export const unitWord = (word: string): string =>
  /^[\w./:@=,+-]+$/.test(word) ? word : `"${word.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%")}"`;

const credentials = `\${CREDENTIALS_DIRECTORY}/`; // systemd replaces it

/** An argument of a command line, where `$` begins a variable (systemd.service(5), "Command lines"). */
const argumentText = (word: string | Credential): string =>
  typeof word === "string" ? unitWord(word).replaceAll("$", () => "$$") : credentials + word.name;

/** The text of a unit. */
export function unitText({ description, user, words, writes, lines = [], ...more }: Unit): string {
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
    `ExecStart=${words.map(argumentText).join(" ")}`,
    ...lines,
    // The path is one word, in which only specifiers are escaped (systemd.syntax(7)).
    ...words.flatMap((word) =>
      typeof word === "string" ? [] : [`LoadCredential=${word.name}:${word.file.replaceAll("%", "%%")}`],
    ),
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

/** The words that unitText was given, with the files of credentials. */
function wordsOf(unit: string): string[] {
  const files = new Map(
    [...unit.matchAll(/^LoadCredential=([^:]+):(.*)$/gm)].map(([, name, path = ""]) => [
      `${credentials}${name}`,
      path.replaceAll("%%", "%"),
    ]),
  );
  const line = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "";
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, inQuotes, plain = ""]) => {
    const word = inQuotes?.replace(/\\([\\"])/g, "$1").replaceAll("%%", "%") ?? plain;
    return files.get(word) ?? word.replaceAll("$$", "$");
  });
}

/** The flags of `service install` that made a unit, by name; a flag without a value has an empty one. */
export function flagsOfUnit(unit: string): ReadonlyMap<string, string> {
  const flags = new Map([["user", /^User=(.*)$/m.exec(unit)?.[1] ?? ""]]);
  const words = wordsOf(unit);
  for (const [at, word] of words.entries()) {
    const next = words[at + 1] ?? "--";
    if (word === "follow" || word.startsWith("--"))
      flags.set(word.replace("--", ""), next.startsWith("--") ? "" : next);
  }
  return flags;
}

/** The program that a unit runs: its first word. */
export const programOfUnit = (unit: string): string => wordsOf(unit)[0] ?? "";

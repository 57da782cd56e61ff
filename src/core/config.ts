// Reads and validates the settings of DIR/config.json and of the environment. No error message contains a setting's value,
// because the value may be a secret.
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { isAbsolute, join } from "node:path";
import * as v from "valibot";
import { CliError } from "./errors.ts";
import { isLoopback } from "./network.ts";

/** A whole number. Environment variables give it as text. */
const wholeNumber = (min: number, max: number, unit: string) => {
  const message = `must be a whole number of ${unit} from ${min} to ${max}`;
  const text = v.pipe(v.string(), v.trim(), v.regex(/^\d{1,15}$/), v.transform(Number));
  return v.pipe(
    v.union([v.number(), text], message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
};

/** A list of texts. Environment variables separate the items by commas. */
const list = <T extends v.GenericSchema<string, string>>(item: T, message: string) => {
  const text = v.pipe(
    v.string(),
    v.transform((value) => value.split(",").map((part) => part.trim())),
    v.transform((parts) => parts.filter((part) => part !== "")),
  );
  return v.pipe(v.union([v.array(v.string()), text], message), v.array(item, message));
};

const webAddressMessage = "must be an http or https address without a user, a query or a fragment";
/** The address of a web service. Trailing slashes are removed. */
const webAddress = v.pipe(
  v.string(webAddressMessage),
  v.trim(),
  v.check((value) => {
    const url = URL.parse(value);
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return false;
    return url.username === "" && url.password === "" && !/[?#]/.test(value);
  }, webAddressMessage),
  v.transform((value) => value.replace(/\/+$/, "")),
);

/** A web address that requests with a credential are sent to. It must be encrypted, or on this machine. */
const credentialAddress = v.pipe(
  webAddress,
  v.check(
    (value) => value.startsWith("https:") || isLoopback(new URL(value).hostname),
    "must be an https address, or an http address on this machine, because the key is sent there",
  ),
);

const originMessage = "must be web origins such as https://set.example.com";
const origin = v.pipe(
  v.string(),
  v.check(
    (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? "") && URL.parse(value)?.origin === value,
    originMessage,
  ),
);

const hostMessage = "must be host names, addresses, or networks such as 10.20.0.0/16";
/** A host name without a port, an address, or a network in CIDR notation. */
const host = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.check((value) => {
    const [address = "", bits, ...more] = value.split("/");
    const version = isIP(address);
    if (version === 0)
      return bits === undefined && URL.parse(`http://${value}`)?.host === value && !/[:?#@]/.test(value);
    if (more.length > 0 || (bits !== undefined && !/^(0|[1-9]\d{0,2})$/.test(bits))) return false;
    return bits === undefined || Number(bits) <= (version === 4 ? 32 : 128);
  }, hostMessage),
);

/** An object with these fields. An environment variable gives it as JSON. */
const object = <E extends v.ObjectEntries>(entries: E, example: string) => {
  const message = `must be an object such as ${example}`;
  return v.pipe(
    v.union([v.pipe(v.string(), v.parseJson(undefined, message)), v.record(v.string(), v.unknown())], message),
    v.strictObject(entries, message),
  );
};

const count = (min: number, unit: string, byDefault: number) => v.optional(wholeNumber(min, 1_000, unit), byDefault);

const folderMessage = "must be the whole path of a folder";
/** Where the server makes backups, how often in hours, and how many of the last days, weeks and months are kept. */
const backups = object(
  {
    folder: v.pipe(v.string(folderMessage), v.check(isAbsolute, folderMessage)),
    every: v.optional(wholeNumber(1, 8_760, "hours"), 24),
    keep: v.optional(
      v.strictObject(
        { daily: count(1, "days", 7), weekly: count(0, "weeks", 4), monthly: count(0, "months", 12) },
        'must have a keep such as {"daily": 7, "weekly": 4, "monthly": 12}',
      ),
      {},
    ),
  },
  '{"folder": "/mnt/backup", "every": 24, "keep": {"daily": 7, "weekly": 4, "monthly": 12}}',
);

/** How many files and bytes may be used; no limit for a part that is absent. */
const quota = object(
  {
    files: v.optional(wholeNumber(1, 10 ** 12, "files")),
    bytes: v.optional(wholeNumber(1, 2 ** 50, "bytes")),
  },
  '{"files": 10000, "bytes": 1000000000000}',
);

const days = v.optional(wholeNumber(1, 36_500, "days"));
/** How many days entries are kept; as by default for a part that is absent. */
const retention = object(
  { storage_events: days, activity: days, audit: days, change_sets: days },
  '{"storage_events": 90, "activity": 400, "audit": 800, "change_sets": 400}',
);

/** A credential that can be sent in an HTTP header. */
const secret = v.pipe(
  v.string("must be text"),
  v.trim(),
  v.regex(/^[\x21-\x7e]{1,512}$/, "must be 1 to 512 printable characters without spaces"),
);

const flag = v.pipe(
  v.union([v.boolean(), v.pipe(v.string(), v.picklist(["true", "false", "1", "0"]))], "must be true or false"),
  v.transform((value) => value === true || value === "true" || value === "1"),
);

const name = v.pipe(
  v.string("must be text"),
  v.trim(),
  v.minLength(1, "must not be empty"),
  v.maxLength(200, "must have at most 200 characters"),
);

/**
 * Every setting. `a_setting` of config.json is TALLYLIGHT_A_SETTING in the environment. The environment takes precedence;
 * an empty variable counts as unset.
 */
const settings = {
  /** The address of the restyle provider, which creates session tokens. */
  restyle_url: v.optional(credentialAddress, "https://api.decart.ai"),
  /** The restyle provider's permanent key. Session tokens are unavailable without it. */
  restyle_key: v.optional(secret),
  /** How long a session token can be used to start a session, in seconds. */
  restyle_lifetime: v.optional(wholeNumber(60, 3600, "seconds"), 600),
  /** The web origins that a session token works from; any origin if the list is empty. */
  restyle_origins: v.optional(list(origin, originMessage), []),
  /** The root of an OpenAI-compatible service, such as http://127.0.0.1:11434/v1. Look briefs are unavailable without it. */
  look_url: v.optional(webAddress),
  /** The vision model that look briefs are requested from. */
  look_model: v.optional(name),
  /** The key of that service, if it requires one. */
  look_key: v.optional(secret),
  /** The timeout of one look brief in seconds, including the second try. */
  look_timeout: v.optional(wholeNumber(1, 300, "seconds"), 60),
  /** The web origins whose pages may read responses; none by default. */
  cors_origins: v.optional(list(origin, originMessage), []),
  /** The maximum number of requests that one key may make in a minute; no limit by default. */
  rate_limit: v.optional(wholeNumber(1, 1_000_000, "requests a minute")),
  /** The maximum number of invalid keys and tickets that one network may send in a minute before it gets 429. */
  failed_keys: v.optional(wholeNumber(1, 1_000_000, "failures a minute"), 1_000),
  /** The maximum size of one uploaded file in bytes. */
  upload_limit: v.optional(wholeNumber(1, 2 ** 46, "bytes"), 2 ** 36),
  /** The maximum number of concurrent uploads of one key; all keys together may have eight times as many. */
  uploads_at_once: v.optional(wholeNumber(1, 10_000, "uploads"), 32),
  /** What one engagement may submit in all, as long as nothing of it is removed; no limit by default. */
  engagement_quota: v.optional(quota, {}),
  /** The free disk space in bytes that uploads must leave. */
  disk_reserve: v.optional(wholeNumber(0, 2 ** 46, "bytes"), 256 * 1024 * 1024),
  /** The maximum number of open connections. */
  connections: v.optional(wholeNumber(1, 1_000_000, "connections"), 2_000),
  /** The maximum number of event streams and waiting polls of one key. */
  event_readers: v.optional(wholeNumber(1, 1_000_000, "readers"), 500),
  /** How long an import may take in seconds, once it is its turn. */
  import_deadline: v.optional(wholeNumber(1, 86_400, "seconds"), 60),
  /** The folder in which the server makes backups, how often, and which it keeps; no backups by default. */
  backup: v.optional(backups),
  /** How many days entries are kept. */
  retention: v.optional(retention),
  /** The rest in hours between the wrap of a day and the next call, below which a call is said to clash. */
  turnaround: v.optional(wholeNumber(0, 48, "hours"), 11),
  /** The hosts and networks that webhooks may go to; none by default. */
  webhook_hosts: v.optional(list(host, hostMessage), []),
  /** The maximum age of a replica's copy in seconds. With an older one, a replica refuses every request. */
  max_staleness: v.optional(wholeNumber(1, 86_400, "seconds"), 10),
  /** The address of the primary server, which a replica names to clients that write. */
  primary_url: v.optional(webAddress),
  /** The address of the other one of two boxes: a primary gives way where the other took over. */
  peer: v.optional(webAddress),
  /** Whether to use X-Forwarded-For as the client address. Only safe behind a proxy that sets the header. */
  trust_proxy: v.optional(flag, false),
  /** Whether the request log has the address of each client. */
  log_addresses: v.optional(flag, false),
  /** Whether GET /metrics is served: to the machine itself, and to keys with the scope admin. */
  metrics: v.optional(flag, false),
};

const schema = v.object(settings);
export type Config = v.InferOutput<typeof schema>;
export type Environment = Readonly<Record<string, string | undefined>>;
type Setting = keyof typeof settings;

const variableOf = (setting: string): string => `TALLYLIGHT_${setting.toUpperCase()}`;

/** The content of config.json; empty if the file does not exist. Throws CliError if it cannot be read or is not a JSON object. */
function readFile(folder: string): Record<string, unknown> {
  const file = join(folder, "config.json");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return {};
    throw new CliError(`${file} cannot be read; check its owner and permissions`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new CliError(`${file} is not valid JSON`); // the parser's message would quote the content
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CliError(`${file} must contain one JSON object with the settings`);
  return value as Record<string, unknown>;
}

/** The settings that a running server reads again: the lists, which nothing was opened with. */
const lists = ["webhook_hosts", "cors_origins", "restyle_origins"] as const satisfies readonly Setting[];

/** Reads the lists of a running server's settings again. Returns a sentence that says what changed, or which invalid setting keeps the former lists. */
export function readListsAgain(config: Config, folder: string, environment: Environment): string {
  let current: Config;
  try {
    current = readConfig(folder, environment);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return `the settings were read again and are invalid, so the former lists stay: ${[error.message, ...error.lines].join("; ")}`;
  }
  const changed = lists.filter((name) => String(config[name]) !== String(current[name]));
  for (const name of changed) config[name] = current[name];
  return `the settings were read again: ${changed.length === 0 ? "no list has" : changed.join(", ")} changed`;
}

/** What is wrong with the setting `replication` of version 1.1. Its default, none, is ignored: a server of 1.1 that wrote it starts. */
const replicationProblems = (value: unknown): string[] =>
  value === undefined || value === "none"
    ? []
    : [
        "replication is no longer a setting: SQLite makes its checkpoints itself, so the copies of another program that reads the write-ahead log, " +
          "such as Litestream, are damaged; stop that program, use follow or backup instead, and remove the setting",
      ];

/**
 * Reads the settings of a data directory: from the environment, then from config.json, then the defaults. Throws CliError
 * with one sentence for each invalid setting.
 */
export function readConfig(folder: string, environment: Environment): Config {
  const { replication, ...given } = readFile(folder);
  const known = Object.keys(settings) as Setting[];
  const problems = Object.keys(given)
    .filter((key) => !Object.hasOwn(settings, key))
    .map((key) => `${key} in config.json is not a setting; the settings are ${known.join(", ")}`);
  problems.push(...replicationProblems(environment[variableOf("replication")] || replication));
  const config: Record<string, unknown> = {};
  for (const setting of known) {
    const variable = environment[variableOf(setting)] || undefined;
    const result = v.safeParse(settings[setting], variable ?? given[setting]);
    if (result.success) config[setting] = result.output;
    else {
      const [issue] = result.issues;
      // The field of an object that is wrong; what an object lacks or has too much stands in its own message.
      const isField = issue.type !== "strict_object" && issue.path?.every(({ type }) => type === "object");
      const field = isField ? `.${v.getDotPath(issue)}` : "";
      const place = variable === undefined ? `${setting}${field} in config.json` : `${variableOf(setting)}${field}`;
      problems.push(`${place} ${issue.message}`);
    }
  }
  if (problems.length === 0 && config.look_url !== undefined && config.look_model === undefined)
    problems.push(`look_model in config.json or ${variableOf("look_model")} is required if look_url is set`);
  const [first, ...further] = problems;
  if (first !== undefined) throw new CliError(first, further);
  return config as Config;
}

// What a deployment sets: DIR/config.json and the environment, read once at start and judged setting by setting. Knows
// nothing of what a setting is for. No sentence here ever holds a value: it may be a secret.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { CliError } from "./errors.ts";
import { isLoopback } from "./network.ts";

/** A whole number, also as the text that an environment holds it in. */
const whole = (least: number, most: number, unit: string) => {
  const form = `must be a whole number of ${unit} from ${least} to ${most}`;
  const text = v.pipe(v.string(), v.trim(), v.regex(/^\d{1,15}$/), v.transform(Number));
  return v.pipe(v.union([v.number(), text], form), v.integer(form), v.minValue(least, form), v.maxValue(most, form));
};

/** A list of texts, in an environment separated by commas. */
const list = <T extends v.GenericSchema<string, string>>(item: T, form: string) => {
  const text = v.pipe(
    v.string(),
    v.transform((value) => value.split(",").map((part) => part.trim())),
    v.transform((parts) => parts.filter((part) => part !== "")),
  );
  return v.pipe(v.union([v.array(v.string()), text], form), v.array(item, form));
};

const webForm = "must be an http or https address without a user, a query or a fragment";
/** The address of a web service; answers without a slash at its end. */
const webAddress = v.pipe(
  v.string(webForm),
  v.trim(),
  v.check((value) => {
    const url = URL.parse(value);
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return false;
    return url.username === "" && url.password === "" && !/[?#]/.test(value);
  }, webForm),
  v.transform((value) => value.replace(/\/+$/, "")),
);

/** A web address that a credential always travels to, so not in the clear. */
const privateAddress = v.pipe(
  webAddress,
  v.check(
    (value) => value.startsWith("https:") || isLoopback(new URL(value).hostname),
    "must be an https address, or an http one on this machine: the key travels there",
  ),
);

const originForm = "must be web origins such as https://set.example.com";
const origin = v.pipe(
  v.string(),
  v.check(
    (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? "") && URL.parse(value)?.origin === value,
    originForm,
  ),
);

/** A credential: what an HTTP header can carry. */
const secret = v.pipe(
  v.string("must be text"),
  v.trim(),
  v.regex(/^[\x21-\x7e]{1,512}$/, "must be 1 to 512 printable characters without spaces"),
);

const flagForm = "must be true or false";
const flag = v.pipe(
  v.union([v.boolean(), v.pipe(v.string(), v.picklist(["true", "false", "1", "0"]))], flagForm),
  v.transform((value) => value === true || value === "true" || value === "1"),
);

const name = v.pipe(
  v.string("must be text"),
  v.trim(),
  v.minLength(1, "must not be empty"),
  v.maxLength(200, "must have at most 200 characters"),
);

/**
 * Every setting. `a_setting` of config.json is TALLYLIGHT_A_SETTING in the environment, and the environment wins; an empty
 * variable is as good as none.
 */
const settings = {
  /** The restyle provider, which makes client tokens. */
  restyle_url: v.optional(privateAddress, "https://api.decart.ai"),
  /** Its permanent key; without one there are no session tokens. */
  restyle_key: v.optional(secret),
  /** How long a session token may be used to start a session, in seconds. */
  restyle_lifetime: v.optional(whole(60, 3600, "seconds"), 600),
  /** The web origins that a session token works from; empty: any. */
  restyle_origins: v.optional(list(origin, originForm), []),
  /** The root of an OpenAI-compatible service, such as http://127.0.0.1:11434/v1; without it there are no look briefs. */
  look_url: v.optional(webAddress),
  /** The vision model to ask for. */
  look_model: v.optional(name),
  /** Where that service wants a key. */
  look_key: v.optional(secret),
  /** How long one look brief may take, tries together, in seconds. */
  look_timeout: v.optional(whole(1, 300, "seconds"), 60),
  /** The web origins whose pages may read answers; none by default. */
  cors_origins: v.optional(list(origin, originForm), []),
  /** How many requests a minute one key may make; no limit by default. */
  rate_limit: v.optional(whole(1, 1_000_000, "requests a minute")),
  /** How many keys and tickets that are none one network may present a minute before it is told to wait. */
  failed_keys: v.optional(whole(1, 1_000_000, "failures a minute"), 1_000),
  /** The most bytes of one uploaded file. */
  upload_limit: v.optional(whole(1, 2 ** 46, "bytes"), 2 ** 36),
  /** How many uploads of one key may be under way at once; all keys together may have eight times as many. */
  uploads_at_once: v.optional(whole(1, 10_000, "uploads"), 32),
  /** The free bytes that uploads leave on the disk. */
  disk_reserve: v.optional(whole(0, 2 ** 46, "bytes"), 256 * 1024 * 1024),
  /** How many connections may be open at once. */
  connections: v.optional(whole(1, 1_000_000, "connections"), 2_000),
  /** Whether a proxy stands before this server whose X-Forwarded-For names the caller's address. */
  trust_proxy: v.optional(flag, false),
};

const schema = v.object(settings);
export type Config = v.InferOutput<typeof schema>;
export type Environment = Readonly<Record<string, string | undefined>>;
type Setting = keyof typeof settings;

const variableOf = (setting: string): string => `TALLYLIGHT_${setting.toUpperCase()}`;

/** What config.json holds; nothing where there is none. */
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
    throw new CliError(`${file} is not valid JSON`); // the parser's own words quote what stands there
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CliError(`${file} must hold one JSON object of settings`);
  return value as Record<string, unknown>;
}

/**
 * The settings of a data directory: environment, then config.json, then what stands in their place. Throws CliError
 * with a sentence for every setting that is no good, none of which holds its value.
 */
export function readConfig(folder: string, environment: Environment): Config {
  const given = readFile(folder);
  const known = Object.keys(settings) as Setting[];
  const problems = Object.keys(given)
    .filter((key) => !Object.hasOwn(settings, key))
    .map((key) => `${key} in config.json is not a setting; the settings are ${known.join(", ")}`);
  const config: Record<string, unknown> = {};
  for (const setting of known) {
    const variable = environment[variableOf(setting)] || undefined;
    const result = v.safeParse(settings[setting], variable ?? given[setting]);
    const place = variable === undefined ? `${setting} in config.json` : variableOf(setting);
    if (result.success) config[setting] = result.output;
    else problems.push(`${place} ${result.issues[0].message}`);
  }
  if (problems.length === 0 && config.look_url !== undefined && config.look_model === undefined)
    problems.push(`look_model in config.json or ${variableOf("look_model")} is required where look_url is set`);
  const [first, ...further] = problems;
  if (first !== undefined) throw new CliError(first, further);
  return config as Config;
}

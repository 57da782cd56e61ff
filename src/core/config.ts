// Reads and validates the settings of DIR/config.json and of the environment. No error message contains a setting's
// value, because the value may be a secret.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { CliError, codeOf } from "./errors.ts";
import { features } from "./features.ts";
import { invalidJson } from "./json_fault.ts";
import { blocks, type SettingSchemas } from "./settings.ts";

const { setting, wholeNumber } = blocks;
/**
 * The settings of the core. `a_setting` of config.json is TALLYLIGHT_A_SETTING in the environment. The environment
 * takes precedence; an empty variable counts as unset. docs/reference.md, "Settings", is made from this table.
 */
const coreSettings = {
  cors_origins: setting("the web origins whose pages may read answers", blocks.origins, []),
  rate_limit: setting("how often one key may ask in a minute", wholeNumber(1, 1_000_000, "requests a minute")),
  failed_keys: setting(
    "how many wrong keys and tickets one network may send in a minute before it gets 429",
    wholeNumber(1, 1_000_000, "failures a minute"),
    1_000,
  ),
  upload_limit: setting("the size of one uploaded file, in bytes", wholeNumber(1, 2 ** 46, "bytes"), 2 ** 36),
  uploads_at_once: setting(
    "the uploads of one key that may run at once; all keys together may have eight times as many",
    wholeNumber(1, 10_000, "uploads"),
    32,
  ),
  engagement_quota: setting(
    "what one engagement may submit in all, with the resumable uploads that it began; `submissions remove` makes room",
    blocks.quota,
    {},
  ),
  disk_reserve: setting(
    "the free space that uploads leave on the disk, in bytes",
    wholeNumber(0, 2 ** 46, "bytes"),
    256 * 1024 * 1024,
  ),
  connections: setting("the connections that may be open at once", wholeNumber(1, 1_000_000, "connections"), 2_000),
  host: setting("the address to listen on, unless `--host` names one; 127.0.0.1 without both", blocks.name),
  port: setting("the port to listen on, unless `--port` names one; 8787 without both", wholeNumber(0, 65_535)),
  public_url: setting("the address that clients use, unless `--public-url` names one", blocks.webAddress),
  tls_cert: setting("the file with the certificate, unless `--tls-cert` names one", blocks.name),
  tls_key: setting("the file with its private key, unless `--tls-key` names one", blocks.name),
  trust_proxy: setting(
    "takes the address of a client from `X-Forwarded-For`: only safe behind a proxy that sets it",
    blocks.flag,
    false,
  ),
  log_addresses: setting("adds the address of the client to each line of the request log", blocks.flag, false),
};

type CoreSettings = v.InferOutput<v.ObjectSchema<typeof coreSettings, undefined>>;

/** The settings of the core and of the features, each of which adds its own to this interface. */
export interface Config extends CoreSettings {}

/** Every setting of the program: those of the core, then those of each feature. */
export const allSettings = (): SettingSchemas =>
  features().reduce((all, { settings }) => Object.assign(all, settings?.(blocks)), { ...coreSettings });

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const variableOf = (setting: string): string => `TALLYLIGHT_${setting.toUpperCase()}`;

/** The file with the settings in a data directory. */
export const configName = "config.json";

/**
 * The content of config.json; empty if the file does not exist. Throws CliError if it cannot be read or is not a JSON
 * object.
 */
export function readSettings(folder: string): Record<string, unknown> {
  const file = join(folder, configName);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return {};
    throw new CliError(`${file} cannot be read; check its owner and permissions`);
  }
  const content = text.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new CliError(invalidJson(file, content)); // the parser's message would quote the content
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CliError(`${file} must contain one JSON object with the settings`);
  return { ...value };
}

/**
 * The settings that a running server reads again: only the lists, because each request reads them; the others were used
 * at the start.
 */
const listsOf = (config: object): [string, unknown[]][] =>
  Object.entries(config).filter((setting): setting is [string, unknown[]] => Array.isArray(setting[1]));

/**
 * Reads the lists of a running server's settings again. Returns a sentence that says what changed, or which invalid
 * setting keeps the former lists.
 */
export function readListsAgain(config: Config, folder: string, environment: Environment): string {
  let current: Config;
  try {
    current = readConfig(folder, environment);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return `the settings were read again and are invalid, so the former lists stay: ${[error.message, ...error.lines].join("; ")}`;
  }
  const former = new Map(listsOf(config));
  const lists = listsOf(current).filter(([name, list]) => String(former.get(name)) !== String(list));
  Object.assign(config, Object.fromEntries(lists));
  const changed = lists.map(([name]) => name);
  return `the settings were read again: ${changed.length === 0 ? "no list has" : changed.join(", ")} changed`;
}

/**
 * What is wrong with the setting `replication` of version 1.1. Its default, none, is ignored: a server of 1.1 that
 * wrote it starts.
 */
const replicationProblems = (value: unknown): string[] =>
  value === undefined || value === "none"
    ? []
    : [
        "replication is no longer a setting: SQLite makes its checkpoints itself, so the copies of another program that reads the write-ahead log, " +
          "such as Litestream, are damaged; stop that program, use follow or backup instead, and remove the setting",
      ];

/**
 * Reads the settings of a data directory: from the environment, then from config.json, then the defaults. Throws
 * CliError with one sentence for each invalid setting.
 */
export function readConfig(folder: string, environment: Environment): Config {
  const { replication, ...given } = readSettings(folder);
  const settings = allSettings();
  const known = Object.keys(settings);
  const problems = Object.keys(given)
    .filter((key) => !Object.hasOwn(settings, key))
    .map((key) => `${key} in config.json is not a setting; the settings are ${known.join(", ")}`);
  for (const problem of replicationProblems(environment[variableOf("replication")] || replication))
    problems.push(problem);
  const config: Record<string, unknown> = {};
  for (const [setting, schema] of Object.entries(settings)) {
    const variable = environment[variableOf(setting)] || undefined;
    const result = v.safeParse(schema, variable ?? given[setting]);
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
  const checked: object = config;
  const whole = checked as Config; // safe if there is no problem: every setting was checked
  if (problems.length === 0)
    for (const { settingsProblem } of features()) {
      const problem = settingsProblem?.(whole);
      if (problem !== undefined) problems.push(problem);
    }
  const [first, ...further] = problems;
  if (first !== undefined) throw new CliError(first, further);
  return whole;
}

// Reads and checks the agent's settings before anything else happens. Flags win over the environment, and the
// environment wins over the configuration file. No error message contains the key.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import * as v from "valibot";
import { AgentError, AgentMisuse, reasonOf } from "./errors.ts";
import { withoutLastSlashes } from "./ignore.ts";

const text = v.pipe(v.string("must be text"), v.regex(/\S/, "must be text"));
const number = (least: number, most: number) => {
  const message = `must be a number from ${least} to ${most}`;
  return v.pipe(v.number(message), v.minValue(least, message), v.maxValue(most, message));
};
const texts = v.array(v.string("must be a list of texts"), "must be a list of texts");

const schema = v.strictObject(
  {
    url: text,
    key: text,
    filespace: text,
    root: text,
    state: v.optional(text, "agent"),
    /** Patterns of what is not reported, besides the usual ones. */
    ignore: v.optional(texts, []),
    full_pass_hours: v.optional(number(0.01, 1000), 6),
    partial_pass_minutes: v.optional(number(0.01, 10_000), 2),
    /** 0 is no limit; undefined is gentle on networks and without a limit on local disks. */
    files_per_second: v.optional(number(0, 1_000_000)),
    /** How often approved moves are asked for. */
    moves_seconds: v.optional(number(0.1, 3600), 5),
    stand_ins: v.optional(v.boolean("must be true or false"), true),
    ffmpeg: v.optional(text, "ffmpeg"),
  },
  "is not a setting",
);
const usual = v.getDefaults(schema);
export type Settings = v.InferOutput<typeof schema>;

/** The settings on the command line; each is optional. */
export type GivenSettings = Partial<Record<"url" | "key" | "filespace" | "root" | "state" | "config", string>>;

/** The settings in a file. Throws AgentError for a file that cannot be read, and for each setting that is not valid. */
export function readSettingsFile(file: string): Partial<Settings> {
  let config: unknown;
  try {
    config = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is not JSON" : reasonOf(error);
    throw new AgentError(`${file} cannot be read: ${reason}`);
  }
  if (typeof config !== "object" || config === null || Array.isArray(config))
    throw new AgentError(`${file} must contain one JSON object with the settings`);
  const { success, issues, output } = v.safeParse(v.partial(schema), config);
  if (!success) throw new AgentError(`${file}: ${issues[0].path?.[0]?.key} ${issues[0].message}`);
  return output as Partial<Settings>; // no field is undefined in JSON
}

function addressOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.search !== "" || parsed.hash !== "")
    throw new AgentError(`--url takes an http or https address, not ${url}`);
  return withoutLastSlashes(parsed.href).replace(/\/api\/v1$/, "");
}

/** Everything an agent needs. Throws AgentError with one sentence if a setting is missing or not valid. */
export function agentSettingsOf(
  given: GivenSettings,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const { config, ...flags } = given;
  const key = flags.key ?? (environment.TALLYLIGHT_KEY || undefined);
  const named = Object.fromEntries(Object.entries({ ...flags, key }).filter(([, value]) => value !== undefined));
  const settings = { ...usual, ...(config !== undefined && readSettingsFile(config)), ...named };
  for (const name of ["url", "key", "filespace", "root"] as const)
    if (settings[name] === undefined || settings[name] === "") {
      const variable = name === "key" ? ", TALLYLIGHT_KEY" : "";
      const file = config === undefined ? "a configuration file" : `a setting in ${config}`;
      throw new AgentMisuse(`the ${name} is missing: give --${name}${variable} or ${file}`);
    }
  // safe: every field has a usual value or was just found
  const whole = settings as Settings;
  if (!/^[\x21-\x7e]+$/.test(whole.key)) throw new AgentError("the key contains characters that a key cannot have");
  return { ...whole, url: addressOf(whole.url), root: resolve(whole.root), state: resolve(whole.state) };
}

/** The state folder that a command line or a configuration file names. */
export const stateFolderOf = ({ state, config }: GivenSettings): string =>
  resolve(state ?? (config === undefined ? undefined : readSettingsFile(config).state) ?? usual.state);

/** A folder with all that it is in, innermost first. */
const withFoldersAbove = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...withFoldersAbove(dirname(folder))];

/** The folders right inside a folder; none if it cannot be read, which the first pass says. */
function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/**
 * Throws AgentMisuse if the root is the data directory of a server, is in one or has one right inside: the agent would
 * report its database. Throws AgentError if the state is inside the root: it would report its own files.
 */
export function checkPlaces(root: string, state: string): void {
  const data = [...withFoldersAbove(root), ...foldersIn(root)].find((one) => existsSync(join(one, "tallylight.db")));
  if (data !== undefined) {
    const relation = data === root ? "is" : data.startsWith(root) ? "holds" : "is inside";
    throw new AgentMisuse(
      `the root ${root} ${relation} a data directory of a Tallylight server${data === root ? "" : `, ${data}`}, whose files are no production files; give another --root`,
    );
  }
  if (state === root || state.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new AgentError(`the state ${state} must not be inside the root; give another --state`);
}

// The building blocks of settings. A feature is given them, so that describing its settings loads nothing.
import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import * as v from "valibot";
import { isLoopback } from "./http/request_head.ts";

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

/** How many files and bytes may be used; no limit for a part that is absent. */
const quota = object(
  {
    files: v.optional(wholeNumber(1, 10 ** 12, "files")),
    bytes: v.optional(wholeNumber(1, 2 ** 50, "bytes")),
  },
  '{"files": 10000, "bytes": 1000000000000}',
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

const folderMessage = "must be the whole path of a folder";
const folder = v.pipe(v.string(folderMessage), v.check(isAbsolute, folderMessage));

/** A setting: what it does, what it may be, and what it is by default. */
const setting = <const S extends v.GenericSchema, const D extends v.Default<S, undefined> = undefined>(
  what: string,
  schema: S,
  fallback?: D,
) => Object.assign(v.optional(schema, fallback as D), { what }); // without a default, D is undefined

/** What settings are made of. */
export const blocks = {
  setting,
  optional: v.optional,
  strictObject: v.strictObject,
  picklist: v.picklist,
  wholeNumber,
  list,
  webAddress,
  credentialAddress,
  origins: list(origin, originMessage),
  hosts: list(host, hostMessage),
  folder,
  object,
  quota,
  secret,
  flag,
  name,
} as const;

export type Blocks = typeof blocks;

/** The schemas of settings, by their names. */
export type SettingSchemas = Readonly<
  Record<string, v.OptionalSchema<v.GenericSchema, unknown> & { readonly what: string }>
>;

/** The values of the settings that a function describes. */
export type SettingsOf<F extends (blocks: Blocks) => SettingSchemas> = v.InferOutput<
  v.ObjectSchema<ReturnType<F>, undefined>
>;

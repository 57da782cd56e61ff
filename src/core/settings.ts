// The building blocks of settings. A feature is given them, so that describing its settings loads nothing.
import * as v from "valibot";
import { withoutEnd } from "./wording.ts";

/** A whole number. Environment variables give it as text. */
const wholeNumber = (min: number, max: number, unit?: string) => {
  const message = `must be a whole number ${unit === undefined ? "" : `of ${unit} `}from ${min} to ${max}`;
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
  v.transform((value) => withoutEnd(value, /\//)),
);

const originMessage = "must be web origins such as https://set.example.com";
const origin = v.pipe(
  v.string(),
  v.check(
    (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? "") && URL.parse(value)?.origin === value,
    originMessage,
  ),
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

const maxName = 200;
const name = v.pipe(
  v.string("must be text"),
  v.trim(),
  v.minLength(1, "must not be empty"),
  v.maxLength(maxName, `must have at most ${maxName} characters`),
);

/** A setting: what it does, what it may be, and what it is by default. */
const setting = <const S extends v.GenericSchema, const D extends v.Default<S, undefined> = undefined>(
  what: string,
  schema: S,
  fallback?: D,
) => Object.assign(v.optional(schema, fallback as D), { what }); // without a default, D is undefined

/** What settings are made of; `v` is valibot, for what one feature alone needs. */
export const blocks = {
  setting,
  v,
  wholeNumber,
  list,
  webAddress,
  origins: list(origin, originMessage),
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

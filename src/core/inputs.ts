// Schemas of path, query and body fields, which other files put together, `validate`, which checks an input by its
// schema, and the uploaded file as an input. Every message completes the sentence "<field> …".
import * as v from "valibot";
import { maxFiles } from "./body_limits.ts";
import { unprocessable } from "./errors.ts";
import type { Staged } from "./store/blobs.ts";
import { cut, directionControls, withCommas } from "./wording.ts";

/** A schema with its description in the API reference. */
export const describe = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.pipe(schema, v.description(description));

/**
 * A schema of records whose output is its input. valibot leaves out the keys __proto__, constructor and prototype, so
 * that nothing would refuse them.
 */
export const withEveryKey = <T extends v.GenericSchema<object, object>>(schema: T): T => ({
  ...schema,
  "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
    const { value } = dataset;
    const found = schema["~run"](dataset, config);
    return found.issues === undefined ? { ...found, value } : found;
  },
});

/** One of a closed set of values. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `must be one of ${values.join(", ")}`);

/** All control characters except tab and line ends. SQLite's JSON functions truncate a text at a NUL. */
const controlCharacters = /[^\P{Cc}\t\n\r]/u;

/** The dataset, as one that failed: _addIssue has added an issue to it. */
// safe: that is what _addIssue makes of it
const failed = <I extends v.BaseIssue<unknown>>(dataset: object): v.FailureDataset<I> => dataset as v.FailureDataset<I>;

/** A string of at most `max` characters. A longer one is refused before any other check reads its characters. */
function boundedString<const M extends string>(
  max: number,
  message: M,
  tooLong: string = `must have at most ${withCommas(max)} characters`,
): v.StringSchema<M> {
  const schema = v.string(message);
  return {
    ...schema,
    "~run"(dataset, config) {
      if (typeof dataset.value !== "string" || dataset.value.length <= max) return schema["~run"](dataset, config);
      // The dataset stays untyped, so the rest of a pipe skips it.
      v._addIssue(schema, "length", dataset, config, { message: tooLong });
      return failed(dataset);
    },
  };
}

const tooManyItems = (max: number): string => `must have at most ${withCommas(max)} items`;

/** A list of at most `max` items. A longer one is refused before its items are validated. */
export function list<const T extends v.GenericSchema>(
  item: T,
  max: number,
  message = "must be a list",
): v.ArraySchema<T, string> {
  const schema = v.array(item, message);
  return {
    ...schema,
    "~run"(dataset, config) {
      if (!Array.isArray(dataset.value) || dataset.value.length <= max) return schema["~run"](dataset, config);
      v._addIssue(schema, "length", dataset, config, { message: tooManyItems(max) });
      return failed(dataset);
    },
  };
}

/** Marks a text field that is a list with commas: in a query or a form, the field may also be repeated. */
interface Separated extends v.BaseMetadata<string> {
  type: "separated";
  /** The possible values; undefined if they are not listed. */
  values: readonly string[] | undefined;
}
/** The mark. `values` are the possible values, for the description of the API. */
export const separated = (values?: readonly string[]): Separated => ({
  kind: "metadata",
  type: "separated",
  values,
  reference: separated,
});

/** Values of a closed set, separated by commas; the output is a list without repetitions. */
export const listOf = <const T extends readonly string[]>(values: T) =>
  v.pipe(
    boundedString(1_000, "must be text"),
    separated(values),
    v.transform((text) => [...new Set(text.split(",").map((value) => value.trim()))]),
    v.check(
      (given) => given.every((value) => values.includes(value)),
      `must be some of ${values.join(", ")}, separated by commas`,
    ),
    v.transform((given) => given as T[number][]), // safe: the check before
  );

/**
 * The schema, whose checks do not run for a value of which `isPlain` says that they would return it as it is: most
 * values are such.
 */
function shortened<T extends v.GenericSchema<string, string>>(schema: T, isPlain: (value: string) => boolean): T {
  const run = schema["~run"].bind(schema);
  const shorter: v.GenericSchema<string, string>["~run"] = (dataset, config) =>
    typeof dataset.value === "string" && isPlain(dataset.value)
      ? { typed: true, value: dataset.value }
      : run(dataset, config);
  return Object.assign(schema, { "~run": shorter });
}

/** Printable ASCII that does not begin with a space. */
const plainText = /^[!-~][ -~]*$/;
/** Text of at most `max` characters that is not only white space. */
export const text = (max = 10_000) =>
  shortened(
    v.pipe(
      boundedString(max, "must be text"),
      v.regex(/\S/, "must not be empty"),
      // boundedString has refused more; this is for the JSON Schema
      v.maxLength(max, `must have at most ${withCommas(max)} characters`),
      v.check((value) => value.isWellFormed(), "must be well-formed Unicode"),
      v.check((value) => !controlCharacters.test(value), "must not contain control characters"),
    ),
    (value) => value.length <= max && plainText.test(value),
  );

/** In code points. */
const maxExternalId = 200;
/** The id that another program has for something, in NFC. */
export const externalId = v.pipe(
  text(4 * maxExternalId), // in NFC it may be shorter
  v.description("The id that your program has for it."),
  v.transform((written) => written.normalize("NFC")),
  v.check((written) => [...written].length <= maxExternalId, `must have at most ${maxExternalId} characters`),
);

const direction = new RegExp(directionControls.source);
/** Something that is seen: neither white space nor a character without a picture. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What something is called: text of which something is seen, and that nothing turns round. */
export const label = (max: number) =>
  shortened(
    v.pipe(
      text(max),
      v.check((value) => visible.test(value) || !/\S/.test(value), "must have a visible character"),
      v.check((value) => !direction.test(value), "must not contain characters that turn the direction of text"),
    ),
    (value) => value.length <= max && plainText.test(value),
  );

/** A label, title or name that a caller gives: one line, because every list shows it in one. */
export const lineLabel = (max: number) =>
  v.pipe(
    label(max),
    v.check((value) => !/[\t\n\r\u2028\u2029]/.test(value), "must be one line without tabs"),
  );

const maxSlug = 64;
/** A lower-case identifier for addresses, such as `art-department`. */
export const slug = v.pipe(
  boundedString(maxSlug, "must be text"),
  v.regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/, "must be a slug: lower-case letters, digits, - and _"),
  v.maxLength(maxSlug, `must have at most ${maxSlug} characters`),
);

const idMessage = "must be a positive integer up to 9007199254740991";
/** An id: a positive integer up to 2^53 - 1. */
export const id = v.pipe(v.number(idMessage), v.safeInteger(idMessage), v.minValue(1, idMessage));

const maxIds = 1000;
/** One id or a list of ids; the output is always a list. */
export const ids = v.pipe(
  v.union([id, list(id, maxIds, idMessage)], ({ input }) =>
    Array.isArray(input) && input.length > maxIds ? tooManyItems(maxIds) : idMessage,
  ),
  v.description("One id or several."),
  v.transform((value): number[] => (Array.isArray(value) ? value : [value])),
);

const limitMessage = "must be an integer of at least 1";
const limitTo = (max: number) =>
  v.pipe(
    v.number(limitMessage),
    v.integer(limitMessage),
    v.minValue(1, limitMessage),
    v.description(`The maximum number of rows; values above ${max} become ${max}.`),
    v.transform((value) => Math.min(value, max)),
  );
/**
 * The most rows of a page of a feed, which always comes in pages: activity, jobs, the audit log, search, events and
 * what webhooks sent.
 */
export const maxFeedRows = 200;
/** The most rows of a page of a list, which is whole unless the caller asks for pages. */
export const maxListRows = 500;
/** The page size of a feed. */
export const limit = limitTo(maxFeedRows);
/** The page size of a list. */
export const pageLimit = limitTo(maxListRows);

/** A boolean; in a query 1, true, 0 or false. */
export const flag = v.boolean("must be one of 1, true, 0, false");

const isDate = (value: string): boolean => new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true;

/**
 * A timestamp in UTC that is valid without a look at the calendar: all but those of February 29. Most timestamps match.
 */
const plainTimestamp =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

/** The length of a timestamp in the stored format. */
const storedLength = 24;
const timestampMessage = "must be an ISO-8601 timestamp such as 2026-03-01T09:00:00Z";
const isYear = (value: string): boolean => /^\d{4}-/.test(value);
const yearMessage = "must be in the years 0000 to 9999";
const writtenTimestamp = v.pipe(
  boundedString(40, timestampMessage, timestampMessage),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/, timestampMessage),
  // isDate is needed because Date.parse reads February 30 as March 2
  v.check(
    (value) => plainTimestamp.test(value) || (!Number.isNaN(Date.parse(value)) && isDate(value.slice(0, 10))),
    timestampMessage,
  ),
);
function storedTimestamp(value: string): string {
  if (!plainTimestamp.test(value)) return new Date(value).toISOString();
  return value.length === storedLength ? value : value.replace("Z", ".000Z");
}
/** A timestamp in UTC or with an offset; the output has the stored format YYYY-MM-DDTHH:MM:SS.sssZ. */
export const timestamp = v.pipe(writtenTimestamp, v.transform(storedTimestamp), v.check(isYear, yearMessage));
/**
 * The same, but it keeps more digits of the second than three, without zeros at their end. Two of them are compared
 * with isBefore.
 */
export const preciseTimestamp = shortened(
  v.pipe(
    writtenTimestamp,
    v.transform((value) => {
      const [, further = ""] = /\.\d{3}(\d*[1-9])0*(?:Z|[+-]\d\d:\d\d)$/.exec(value) ?? [];
      return storedTimestamp(value).replace("Z", `${further}Z`);
    }),
    v.check(isYear, yearMessage),
  ),
  (value) => value.length === storedLength && plainTimestamp.test(value),
);
/** Whether a stored time is before another one; both may have more digits than three. */
export const isBefore = (one: string, other: string): boolean => one.replace("Z", "") < other.replace("Z", "");

const dateMessage = "must be a date such as 2026-03-01";
/** A calendar date, YYYY-MM-DD. */
export const date = v.pipe(
  boundedString(10, dateMessage, dateMessage),
  v.regex(/^\d{4}-\d\d-\d\d$/, dateMessage),
  v.check(isDate, dateMessage),
);

/** Before film: programs write such years, as 0001, for a date that nobody gave. */
const firstYear = "1900";
/** The date of a shoot day. */
export const shootDate = v.pipe(
  date,
  v.check((value) => value >= firstYear, `must be a date from ${firstYear} on`),
);

/** 64 lower- or upper-case hex characters; the output is lower case. */
export const sha256 = v.pipe(
  boundedString(64, "must be 64 hex characters", "must be 64 hex characters"),
  v.regex(/^[0-9a-fA-F]{64}$/, "must be 64 hex characters"),
  v.toLowerCase(),
);

/** The message of an issue, without its path: the end of a sentence that begins with the path. */
export function messageOf({ received, expected, message }: v.BaseIssue<unknown>): string {
  if (received === "undefined") return "is required";
  return expected === "never" ? "is not a known field" : message;
}

/** One sentence for each issue, with its path: "events[3].path must be text". `root` names the input itself. */
function sentences(issues: readonly v.BaseIssue<unknown>[], root = "the input"): string[] {
  return issues.map((issue) => {
    const place = (issue.path ?? [])
      .map((step, at) =>
        typeof step.key === "number" ? `[${step.key}]` : `${at === 0 ? "" : "."}${cut(String(step.key))}`,
      )
      .join("");
    return `${place === "" ? root : place} ${messageOf(issue)}`;
  });
}

const maxSentences = 20;

/**
 * One text with the first 20 issues and the number of further ones. An issue that two checks of a value report is there
 * once.
 */
export function detailOf(issues: readonly v.BaseIssue<unknown>[], root?: string): string {
  const all = [...new Set(sentences(issues, root))];
  const more = all.length - maxSentences;
  const first = all.slice(0, maxSentences);
  return [...first, ...(more > 0 ? [`and ${more} more ${more === 1 ? "problem" : "problems"}`] : [])].join("; ");
}

/**
 * Returns the value as the schema outputs it. Throws 422 with a sentence for each problem, at most 20.
 * docs/reference.md, "Limits".
 */
export function validate<T extends v.GenericSchema>(schema: T, given: unknown): v.InferOutput<T> {
  const result = v.safeParse(schema, given);
  if (!result.success) throw unprocessable(detailOf(result.issues));
  return result.output;
}

/**
 * A finished upload that a request names instead of sending its bytes. It can be used once. docs/api.md, "Resumable
 * uploads".
 */
interface EarlierUpload {
  readonly id: string;
  /** Keeps other requests from using it. Throws 422 if it was used, 409 if another request is using it. */
  claim(): void;
  /** Marks it as used, within the write transaction that stores its bytes. Throws 422 if it was used before. */
  use(): void;
  /** Ends the claim: removes the bytes of an upload that was used, and keeps the others. */
  release(): Promise<void>;
}

/**
 * An uploaded file of a request. Its bytes are already on disk; the client's file name is only used as a label. It is a
 * class so that JSON from a client can never match its schema.
 */
export class Upload {
  readonly file_name: string | null;
  readonly staged: Staged;
  /** The earlier upload that brought the bytes; undefined if they came with the request. */
  readonly earlier: EarlierUpload | undefined;
  constructor(file_name: string | null, staged: Staged, earlier?: EarlierUpload) {
    this.file_name = file_name;
    this.staged = staged;
    this.earlier = earlier;
  }
}

/** One file. Transports create it from a multipart part or from base64. */
export const upload = v.instance(Upload, "must be a file");

/** One or more files under one field name. */
export const uploads = v.pipe(
  list(upload, maxFiles, "must have at least one file"),
  v.minLength(1, "must have at least one file"),
);

// Path, query and body shapes, and the closed sets of values. Knows no HTTP and no JSON-RPC: a door turns its wire into
// plain values, these schemas judge them. Every message completes the sentence "<field> …".
import * as v from "valibot";
import { maxFiles, tooLarge } from "./errors.ts";
import type { Staged } from "./store/blobs.ts";

export const nodeStatuses = ["planned", "active", "blocked", "done"] as const;
export const approvalStatuses = ["pending", "approved", "changes_requested", "rejected"] as const;
export const approvalModes = ["chain", "decision"] as const;
export const approvalDecisions = ["approved", "changes"] as const;
export const deliveryStatuses = ["draft", "blocked", "ready", "sent", "accepted"] as const;
export const deliveryKinds = ["internal", "external"] as const;
export const purchaseOrderStatuses = ["open", "partial", "closed"] as const;
export const scriptChangeStatuses = ["pending", "approved", "dismissed"] as const;
export const scriptChangeKinds = ["added", "changed", "omitted"] as const;
export const productionFormats = ["single", "episodic"] as const;
export const jobKinds = ["image", "video"] as const;
export const jobStatuses = ["queued", "running", "done", "failed"] as const;
export const storageEventTypes = ["create", "modify", "delete"] as const;
export const storageEventSources = ["audit_tail", "reconciler"] as const;
export const storageTaskStatuses = ["pending", "done", "failed"] as const;
export const grantVerbs = ["read", "submit", "read:own_po"] as const;
/** What a grant of each verb may name: one target. */
export const grantTargets = {
  read: ["node", "department", "delivery"],
  submit: ["delivery"],
  "read:own_po": ["department"],
} as const satisfies Record<(typeof grantVerbs)[number], readonly string[]>;
/** Every scope, with what a key that has it may do. */
export const scopeMeanings = {
  read: "read what the key reaches, except money and storage tasks",
  write: "create assets, notes and versions, decide approvals, and act as the storage agent",
  "submit:turnover": "submit work on deliveries",
  "read:money": "read the vendor's own purchase orders",
} as const;
export const restyleModels = ["lucy-2.5", "lucy-restyle-2"] as const;
/** The curated palette that a production's `accent` is a key into. */
export const accents = [
  "amber",
  "coral",
  "crimson",
  "forest",
  "indigo",
  "ocean",
  "plum",
  "sand",
  "slate",
  "teal",
] as const;

export type Scope = keyof typeof scopeMeanings;
export const scopes = Object.keys(scopeMeanings) as readonly Scope[] as readonly [Scope, ...Scope[]]; // the keys of the object

/** A schema with what the reference says of it. */
export const describe = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.pipe(schema, v.description(description));

/** One of a closed set of values. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `must be one of ${values.join(", ")}`);

/** All but tab and line ends: SQLite's JSON functions end a text at a NUL. */
const controlCharacters = /[^\P{Cc}\t\n\r]/u;

/** A string of at most `max` characters: a longer one is refused before anything looks at its characters. */
function boundedString<const M extends string>(
  max: number,
  message: M,
  tooLong: string = `must have at most ${max.toLocaleString("en")} characters`,
): v.StringSchema<M> {
  const schema = v.string(message);
  return {
    ...schema,
    "~run"(dataset, config) {
      if (typeof dataset.value !== "string" || dataset.value.length <= max) return schema["~run"](dataset, config);
      // The dataset stays untyped: what follows in a pipe does not see it.
      v._addIssue(schema, "length", dataset, config, { message: tooLong });
      return dataset as unknown as v.FailureDataset<v.StringIssue>; // _addIssue has made it one
    },
  };
}

const tooManyItems = (max: number): string => `must have at most ${max.toLocaleString("en")} items`;

/** A list of at most `max` items: a longer one is refused before anything looks at its items. */
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
      return dataset as unknown as v.FailureDataset<v.ArrayIssue>; // _addIssue has made it one
    },
  };
}

/** Text with something in it; at most `most` characters. */
export const text = (most = 10_000) =>
  v.pipe(
    boundedString(most, "must be text"),
    v.regex(/\S/, "must not be empty"),
    v.maxLength(most, `must have at most ${most.toLocaleString("en")} characters`),
    v.check((value) => value.isWellFormed(), "must be well-formed Unicode"),
    v.check((value) => !controlCharacters.test(value), "must not have control characters"),
  );

/** A lower-case address part such as `art-department`. */
export const slug = v.pipe(
  boundedString(64, "must be text"),
  v.regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/, "must be a slug: lower-case letters, digits, - and _"),
  v.maxLength(64, "must have at most 64 characters"),
);

const wholeNumber = "must be a positive integer up to 9007199254740991";
/** An id: a positive integer up to 2^53 - 1. */
export const id = v.pipe(v.number(wholeNumber), v.safeInteger(wholeNumber), v.minValue(1, wholeNumber));

const maxIds = 1000;
/** One id, or several: answers always with a list. */
export const ids = v.pipe(
  v.union([id, list(id, maxIds, wholeNumber)], ({ input }) =>
    Array.isArray(input) && input.length > maxIds ? tooManyItems(maxIds) : wholeNumber,
  ),
  v.description("May be given several times."),
  v.transform((value): number[] => (Array.isArray(value) ? value : [value])),
);

const atLeastOne = "must be an integer of at least 1";
/** A page size: above 200 it is capped to 200. */
export const limit = v.pipe(
  v.number(atLeastOne),
  v.integer(atLeastOne),
  v.minValue(1, atLeastOne),
  v.description("How many; above 200 it is 200."),
  v.transform((value) => Math.min(value, 200)),
);

/** A yes or no; in a query 1, true, 0 or false. */
export const flag = v.boolean("must be one of 1, true, 0, false");

const isDate = (value: string): boolean => new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true;

/** A moment in the stored form whose day every month has: the most usual, and known to be good without a calendar. */
const plainTimestamp = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const timestampForm = "must be an ISO-8601 timestamp such as 2026-03-01T09:00:00Z";
/** A moment in UTC or with an offset; answers in the stored form YYYY-MM-DDTHH:MM:SS.sssZ. */
export const timestamp = v.pipe(
  boundedString(40, timestampForm, timestampForm),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/, timestampForm),
  // Date.parse takes the 30th of February for the 2nd of March
  v.check(
    (value) => plainTimestamp.test(value) || (!Number.isNaN(Date.parse(value)) && isDate(value.slice(0, 10))),
    timestampForm,
  ),
  v.transform((value) => (plainTimestamp.test(value) ? value : new Date(value).toISOString())),
  v.check((value) => value.length === 24, "must lie within the years 0000 to 9999"),
);

const dateForm = "must be a date such as 2026-03-01";
/** A calendar date, YYYY-MM-DD. */
export const date = v.pipe(
  boundedString(10, dateForm, dateForm),
  v.regex(/^\d{4}-\d\d-\d\d$/, dateForm),
  v.check(isDate, dateForm),
);

/** 64 lower- or upper-case hex characters; answers in lower case. */
export const sha256 = v.pipe(
  boundedString(64, "must be 64 hex characters", "must be 64 hex characters"),
  v.regex(/^[0-9a-fA-F]{64}$/, "must be 64 hex characters"),
  v.toLowerCase(),
);

/** What is wrong at the place of an issue: the rest of a sentence that begins with the place. */
export function messageOf({ received, expected, message }: v.BaseIssue<unknown>): string {
  if (received === "undefined") return "is required";
  return expected === "never" ? "is not a known field" : message;
}

/** One sentence for each problem of `issues`, each naming its place: "events[3].path must be text". */
export function sentences(issues: readonly v.BaseIssue<unknown>[], whole = "the input"): string[] {
  return issues.map((issue) => {
    const place = (issue.path ?? [])
      .map((step, at) => (typeof step.key === "number" ? `[${step.key}]` : `${at === 0 ? "" : "."}${String(step.key)}`))
      .join("");
    return `${place === "" ? whole : place} ${messageOf(issue)}`;
  });
}

const maxSentences = 20;

/** The first problems of `issues` as one text, and how many more there are. */
export function detailOf(issues: readonly v.BaseIssue<unknown>[], whole?: string): string {
  const more = issues.length - maxSentences;
  const named = sentences(issues.slice(0, maxSentences), whole);
  return [...named, ...(more > 0 ? [`and ${more} more ${more === 1 ? "problem" : "problems"}`] : [])].join("; ");
}

/**
 * A file of a request: its bytes are on disk already, and the client's name for it is a label and nothing more. A class, so
 * that no JSON that a client sends can pass for one.
 */
export class Upload {
  readonly file_name: string | null;
  readonly staged: Staged;
  constructor(file_name: string | null, staged: Staged) {
    this.file_name = file_name;
    this.staged = staged;
  }
}

/** One file. A door makes it of a multipart part or of base64. */
export const upload = v.instance(Upload, "must be a file");

/** One file or more, under one field name. */
export const uploads = v.pipe(
  list(upload, maxFiles, "must hold at least one file"),
  v.minLength(1, "must hold at least one file"),
);

/** A kind of node that can be created: a scene comes from the script alone. */
export const assetKind = v.pipe(
  slug,
  v.check((value) => value !== "scene", "must not be scene: scenes come from the script breakdown"),
);

const maxPathBytes = 4096;
/** Empty, `.` and `..` parts, control characters, backslashes. */
const strayPath = /[\\\p{Cc}]|(?:^|\/)\.{0,2}(?:\/|$)/u;

/** The leading / of a path, which is the root of the filespace, dropped. */
const fromRoot = (path: string): string => (path.startsWith("/") ? path.slice(1) : path);

/**
 * A file's path inside a filespace, wherever it comes from: events, stand-ins, moves, imported documents. One leading / is
 * dropped; what is left must be relative and normalised, so that the same file always has the same path.
 */
export const filePath = v.pipe(
  text(maxPathBytes),
  v.check(
    (value) => !strayPath.test(fromRoot(value)) && !/^[A-Za-z]:\//.test(fromRoot(value)),
    "must be relative to the filespace and normalised: parts joined by /, none of them empty, . or .., without control characters and backslashes",
  ),
  v.check((value) => Buffer.byteLength(value) <= maxPathBytes, `must have at most ${maxPathBytes} bytes`),
  v.transform(fromRoot),
);

const nanosecondsForm = "must be an integer of at most 64 bits";
/** Nanoseconds: 64 bits. Beyond 2^53 a door hands them over as bigint, with every digit. */
const nanoseconds = v.union(
  [
    v.pipe(v.number(), v.safeInteger(nanosecondsForm)),
    v.pipe(
      v.bigint(),
      v.check((value) => BigInt.asIntN(64, value) === value, nanosecondsForm),
    ),
  ],
  nanosecondsForm,
);

const byteCount = "must be a number of bytes, an integer of at least 0";

/** One thing that the storage agent saw happen to a file. */
export const storageEvent = v.object(
  {
    event_type: oneOf(storageEventTypes),
    path: filePath,
    source: oneOf(storageEventSources),
    dedupe_key: text(500),
    detected_at: timestamp,
    size: v.nullish(v.pipe(v.number(byteCount), v.safeInteger(byteCount), v.minValue(0, byteCount))),
    mtime_ns: v.nullish(nanoseconds),
  },
  "must be an object",
);
export type StorageEvent = v.InferOutput<typeof storageEvent>;

/** What stands in an event's place where it is refused. */
export interface RefusedEvent {
  reason: string;
}

export const maxStorageEvents = 1000;
const judgedEvents = v.array(
  v.fallback(storageEvent, (dataset): never => {
    const refused: RefusedEvent = { reason: detailOf(dataset?.issues ?? [], "the event") };
    return refused as never;
  }) as v.GenericSchema<unknown, StorageEvent | RefusedEvent>,
  "must be a list",
);

/** Events, each judged by itself: a bad one becomes its refusal and the others stand. Throws 413 before judging too many. */
export const storageEvents: typeof judgedEvents = {
  ...judgedEvents,
  "~run"(dataset, config) {
    if (Array.isArray(dataset.value) && dataset.value.length > maxStorageEvents)
      throw tooLarge(`events must have at most ${maxStorageEvents.toLocaleString("en")} events`);
    return judgedEvents["~run"](dataset, config);
  },
};

// The schemas of the events that the storage agent reports, and of paths in a filespace. docs/agent.md, "What it
// reports".
import * as v from "valibot";
import { tooLarge } from "../core/errors.ts";
import * as input from "../core/inputs.ts";
import { describe, detailOf, oneOf } from "../core/inputs.ts";
import { withCommas } from "../core/wording.ts";

const storageEventTypes = ["create", "modify", "delete"] as const;

const storageEventSources = ["audit_tail", "reconciler"] as const;

/** In bytes of UTF-8. */
const maxPathBytes = 4096;

/** Matches backslashes, control characters, and parts that are empty, `.` or `..`. */
const invalidPath = /[\\\p{Cc}]|(?:^|\/)\.{0,2}(?:\/|$)/u;

/** The path without its leading /, which means the root of the filespace. */
const withoutLeadingSlash = (path: string): string => (path.startsWith("/") ? path.slice(1) : path);

const isWithinBytes = (value: string): boolean => Buffer.byteLength(value) <= maxPathBytes;
const bytesMessage = `must have at most ${maxPathBytes} bytes`;

/**
 * Where a move puts a file. One leading / is removed; the rest must be relative and normalised. It keeps its Unicode
 * form, because a folder of the disk can have its name in another form than NFC.
 */
export const destinationPath = v.pipe(
  input.text(maxPathBytes),
  v.check(
    (value) => !invalidPath.test(withoutLeadingSlash(value)) && !/^[A-Za-z]:\//.test(withoutLeadingSlash(value)),
    "must be relative to the filespace and normalised: parts joined by /, none of them empty, . or .., without control characters and backslashes",
  ),
  v.check(isWithinBytes, bytesMessage),
  v.transform(withoutLeadingSlash),
);

/**
 * The path of a file in a filespace, in events, stand-ins, moves and imported documents: in NFC, so that the same file
 * always has the same path, whichever Unicode form the disk has.
 */
export const filePath = v.pipe(
  destinationPath,
  v.transform((path) => path.normalize("NFC")),
  v.check(isWithinBytes, `${bytesMessage} in NFC`),
);

const nanosecondsMessage = "must be an integer of at most 64 bits";

/** Nanoseconds: a 64-bit integer. Transports parse a number above 2^53 as bigint, so that no digit is lost. */
const nanoseconds = v.union(
  [
    v.pipe(
      v.bigint(),
      v.check((value) => BigInt.asIntN(64, value) === value, nanosecondsMessage),
    ),
    v.pipe(v.number(), v.safeInteger(nanosecondsMessage)),
  ],
  nanosecondsMessage,
);

const byteCountMessage = "must be a number of bytes, an integer of at least 0";

/** One file event that the storage agent reports. */
const storageEvent = v.object(
  {
    event_type: describe(oneOf(storageEventTypes), "What happened to the file."),
    path: describe(filePath, "The file's path from the root of the filespace."),
    source: describe(oneOf(storageEventSources), "How the agent learnt of it."),
    dedupe_key: describe(input.text(500), "Names this fact: an event whose key was reported before is a duplicate."),
    detected_at: describe(input.preciseTimestamp, "When the agent saw it."),
    size: describe(
      v.nullish(v.pipe(v.number(byteCountMessage), v.safeInteger(byteCountMessage), v.minValue(0, byteCountMessage))),
      "The size in bytes; null where there is none.",
    ),
    mtime_ns: describe(v.nullish(nanoseconds), "When the file was last changed, in nanoseconds since 1970."),
  },
  "must be an object",
);

/** A valid event. */
export type StorageEvent = v.InferOutput<typeof storageEvent>;

/** Takes the place of an invalid event in the list. */
export interface RefusedEvent {
  reason: string;
}

/** The most events of one request. */
export const maxStorageEvents = 1000;

const validatedEvents = v.array(
  v.fallback(storageEvent, (dataset): never => {
    const refused: RefusedEvent = { reason: detailOf(dataset?.issues ?? [], "the event") };
    return refused as never; // a fallback has the type of the schema, and this one replaces a value that has another
  }) as v.GenericSchema<unknown, StorageEvent | RefusedEvent>, // so the output has both
  "must be a list",
);

/**
 * A list of events. Each is validated separately: an invalid event becomes a RefusedEvent and the others are accepted.
 * Throws 413 for more than 1,000 events before it validates any.
 */
export const storageEvents: typeof validatedEvents = {
  ...validatedEvents,
  "~run"(dataset, config) {
    if (Array.isArray(dataset.value) && dataset.value.length > maxStorageEvents)
      throw tooLarge(`events must have at most ${withCommas(maxStorageEvents)} events`);
    return validatedEvents["~run"](dataset, config);
  },
};

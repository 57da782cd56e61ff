// What the table of fields (schema.ts) is made of: the schemas of values, of lists and of objects, and what is said of
// a field.
import * as v from "valibot";
import * as input from "../../../core/inputs.ts";
import { withCommas } from "../../../core/wording.ts";
import type { Noun } from "../../names/name_rules.ts";

/** How many problems of a list are kept. */
const maxIssues = 200;

/** The settings of one check. The number of problems that were not kept is stored by them. */
export type CheckConfig = v.Config<v.BaseIssue<unknown>>;
const dropped = new WeakMap<CheckConfig, number>();
/** How many problems a check with these settings did not keep. */
export const countDropped = (config: CheckConfig): number => dropped.get(config) ?? 0;

const unkept = new WeakMap<object, number>();
/** How often the same as an issue was found in its list after that, and not kept. */
export const countUnkept = (issue: v.BaseIssue<unknown>): number => unkept.get(issue) ?? 0;

/** What an issue says, whatever item of the list it is about. */
const mistakeOf = ({ path, message, received }: v.BaseIssue<unknown>): string =>
  JSON.stringify([path?.slice(1).map(({ key }) => (typeof key === "number" ? 0 : String(key))), message, received]);

interface Whole {
  typed: boolean;
  value: unknown[];
  issues: v.BaseIssue<unknown>[];
}

export function boundedList<const T extends v.GenericSchema>(item: T): v.ArraySchema<T, "must be a list"> {
  const schema = v.array(item, "must be a list");
  return {
    ...schema,
    "~run"(dataset, config) {
      const { value } = dataset;
      if (!Array.isArray(value)) return schema["~run"](dataset, config);
      const whole: Whole = { typed: true, value: [], issues: [] };
      const mistakes = new Map<string, v.BaseIssue<unknown>>(); // each with its first issue
      for (const [at, given] of value.entries()) {
        const part = schema["~run"]({ value: [given] }, config);
        whole.typed &&= part.typed;
        for (const one of Array.isArray(part.value) ? part.value : []) whole.value.push(one);
        for (const issue of part.issues ?? [])
          if (whole.issues.length === maxIssues) {
            dropped.set(config, countDropped(config) + 1);
            const first = mistakes.get(mistakeOf(issue));
            if (first !== undefined) unkept.set(first, countUnkept(first) + 1);
          } else {
            const [first] = issue.path ?? [];
            if (first !== undefined) Object.assign(first, { key: at });
            whole.issues.push(issue);
            const mistake = mistakeOf(issue);
            if (!mistakes.has(mistake)) mistakes.set(mistake, issue);
          }
      }
      const { typed, issues } = whole;
      // The items are checked by the schema itself, so together they are what it would return.
      return { typed, value: whole.value, ...(issues.length > 0 && { issues }) } as ReturnType<(typeof schema)["~run"]>;
    },
  };
}

/**
 * What is said of a field beside its type: in docs/format.md, in the forms of the pages, and to who edits. All of it is
 * optional.
 */
interface Description {
  /** What docs/format.md says after the type. */
  about?: string;
  /** Its label in a form, if its name does not give it. */
  label?: string;
  /** What stands beside the label. */
  hint?: string;
  /** What a form shows of an object though it is not there yet, with the labels. */
  parts?: Readonly<Record<string, string>>;
  /** Its text is a date as a rule, which a form offers to choose. */
  dated?: true;
  /** Only an admin gives it, and no form has it: it says what others did. */
  recorded?: true;
  /** It follows from what is recorded, or from other fields, and no form has it. */
  follows?: true;
}

const descriptions = new WeakMap<object, Description>();

/** A field with its description. */
export function described<const T extends v.GenericSchema>(schema: T, description: Description): T {
  const own = { ...schema };
  descriptions.set(own, description);
  return own;
}

export const saidOf = (schema: object): Description => descriptions.get(schema) ?? {};

export const trueOrFalse = v.boolean("must be true or false");
export const whole = v.pipe(v.number("must be a number"), v.safeInteger("must be an integer"));
export const positive = v.pipe(whole, v.minValue(1, "must be at least 1"));
export const fraction = v.pipe(
  v.number("must be a number"),
  v.minValue(0, "must be at least 0"),
  v.maxValue(1, "must be at most 1"),
);
export const amount = v.pipe(v.number("must be a number"), v.finite("must be a finite number"));
export const optionalList = <T extends v.GenericSchema>(item: T) => v.optional(boundedList(item), []);
/** An array is an object to JavaScript, but not to this format. */
const noList = <T extends v.GenericSchema>(schema: T): T => ({
  ...schema,
  "~run"(dataset, config) {
    return schema["~run"](Array.isArray(dataset.value) ? { value: null } : dataset, config);
  },
});
/** A field that any object of a document may have, and that is ignored. */
const comment = "$comment";
function withoutComment(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !(comment in value)) return value;
  const { [comment]: _, ...fields } = value;
  return fields;
}
/** An object that has no other fields. */
export function object<const T extends v.ObjectEntries>(entries: T): v.ObjectSchema<T, "must be an object"> {
  const schema = v.object(entries, "must be an object");
  const strict = v.objectWithRest(entries, v.never("is not a known field"), "must be an object");
  return noList({
    ...schema,
    "~run"({ value }, config) {
      // The strict one returns what the schema would return, and a problem for each further field.
      return strict["~run"]({ value: withoutComment(value) }, config) as ReturnType<(typeof schema)["~run"]>;
    },
  });
}
export const freeRecord = noList(v.record(v.string(), v.any(), "must be an object"));

/** The most characters of a field of any form, as JSON: lists and pages read it whole. */
const maxFree = 262_144;
/**
 * Whether a value is that short. What cannot be written as JSON, such as a number of too many digits, is refused with
 * its place elsewhere.
 */
function isShort(value: unknown): boolean {
  try {
    return JSON.stringify(value).length <= maxFree;
  } catch {
    return true;
  }
}
export const short = <T extends v.GenericSchema>(schema: T) =>
  v.pipe(
    schema,
    v.check<v.InferOutput<T>, string>(isShort, `must have at most ${withCommas(maxFree)} characters as JSON`),
  );

/**
 * A field with a usual value: it may be absent when a document is read. It is always written, unlike a field whose
 * default is fixed by `v.optional(schema, value)`.
 */
export const usually = <const T extends v.GenericSchema>(schema: T, value: v.InferOutput<T>) =>
  // valibot takes a function for the input's type, which a valid output also has
  v.optional(schema, () => value as never);

/** When a thing was created or changed. */
export const time = described(v.optional(v.pipe(input.timestamp, v.metadata({ cell: "time" }))), {
  about: "the time of the import by default",
  follows: true,
});
/** Text that may be empty. */
export const maybeEmpty = v.union([v.literal(""), input.text()], "must be text");

export const name = input.text(500);
/** A reference by name: a label, a title, a person's name, a scene's number or an episode's `code/number`. */
export const reference = (noun: Noun) => v.pipe(name, v.metadata({ noun }));
/** The name of something of the production, or any text. */
export const referenceOrText = (...nouns: Noun[]) => v.pipe(name, v.metadata({ nouns }));
/** Tells apart two things of one name: other things refer to it by this in place of the name. */
export const ref = described(v.optional(name), { about: "see References", follows: true });

/** 64-bit nanoseconds, as a string of digits: a JSON number has fewer digits in most readers. A number is read too. */
export const nanoseconds = v.pipe(
  v.union([v.number(), v.string()], "must be an integer"),
  v.check((value) => /^-?\d{1,19}$/.test(String(value)), "must be an integer"),
  v.transform((value) => String(BigInt(value))),
  v.check((value) => BigInt.asIntN(64, BigInt(value)) === BigInt(value), "must fit in 64 bits"),
);

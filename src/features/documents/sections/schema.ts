// The production document: the one JSON format that a whole production is imported from and exported to. References are natural
// (a slug, a scene number, a label), never database ids. docs/format.md describes it for people.
import * as v from "valibot";
import { date, oneOf, preciseTimestamp, sha256, slug, text, timestamp } from "../../../core/inputs.ts";
import { withCommas } from "../../../core/wording.ts";
import { filePath } from "../../../graph/storage_events.ts";
import {
  accents,
  approvalModes,
  approvalStatuses,
  deliveryKinds,
  deliveryStatuses,
  grantVerbs,
  jobKinds,
  jobStatuses,
  nodeStatuses,
  productionFormats,
  purchaseOrderStatuses,
  scriptChangeKinds,
  scriptChangeStatuses,
  storageTaskStatuses,
} from "../../../graph/values.ts";
import type { Noun } from "../../names/name_rules.ts";

/** How many items are checked before their problems are counted, and how many problems of a list are kept. */
const [batch, maxIssues] = [100, 200];

/** The settings of one check. The number of problems that were not kept is stored by them. */
export type CheckConfig = v.Config<v.BaseIssue<unknown>>;
const dropped = new WeakMap<CheckConfig, number>();
/** How many problems a check with these settings did not keep. */
export const countDropped = (config: CheckConfig): number => dropped.get(config) ?? 0;

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
      for (let from = 0; from < value.length; from += batch) {
        const part = schema["~run"]({ value: value.slice(from, from + batch) }, config);
        whole.typed &&= part.typed;
        for (const one of Array.isArray(part.value) ? part.value : []) whole.value.push(one);
        for (const issue of part.issues ?? [])
          if (whole.issues.length === maxIssues) dropped.set(config, countDropped(config) + 1);
          else {
            const [first] = issue.path ?? [];
            if (first !== undefined) Object.assign(first, { key: Number(first.key) + from }); // its index in the part
            whole.issues.push(issue);
          }
      }
      const { typed, issues } = whole;
      // The parts are checked by the schema itself, so together they are what it would return.
      return { typed, value: whole.value, ...(issues.length > 0 && { issues }) } as ReturnType<(typeof schema)["~run"]>;
    },
  };
}

const flag = v.boolean("must be true or false");
const whole = v.pipe(v.number("must be a number"), v.safeInteger("must be an integer"));
const positive = v.pipe(whole, v.minValue(1, "must be at least 1"));
const fraction = v.pipe(
  v.number("must be a number"),
  v.minValue(0, "must be at least 0"),
  v.maxValue(1, "must be at most 1"),
);
const amount = v.pipe(v.number("must be a number"), v.finite("must be a finite number"));
const list = <T extends v.GenericSchema>(item: T) => v.optional(boundedList(item), []);
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
const free = noList(v.record(v.string(), v.any(), "must be an object"));

/** The most characters of a field of any form, as JSON: lists and pages read it whole. */
const maxFree = 262_144;
/** Whether a value is that short. What cannot be written as JSON, such as a number of too many digits, is refused with its place elsewhere. */
function isShort(value: unknown): boolean {
  try {
    return JSON.stringify(value).length <= maxFree;
  } catch {
    return true;
  }
}
const short = <T extends v.GenericSchema>(schema: T) =>
  v.pipe(
    schema,
    v.check<v.InferOutput<T>, string>(isShort, `must have at most ${withCommas(maxFree)} characters as JSON`),
  );

/**
 * A field with a usual value: it may be absent when a document is read. It is always written, unlike a field whose default is
 * fixed by `v.optional(schema, value)`.
 */
const usually = <const T extends v.GenericSchema>(schema: T, value: v.InferOutput<T>) =>
  v.optional(schema, () => value as never); // valibot takes a function for the input's type, which a valid output also has

/** When a thing was created or changed: the time of the import by default. */
const time = v.optional(v.pipe(timestamp, v.metadata({ cell: "time" })));
/** Text that may be empty. */
const maybeEmpty = v.union([v.literal(""), text()], "must be text");

const name = text(500);
/** A reference by name: a label, a title, a person's name, a scene's number or an episode's `code/number`. */
const reference = (noun: Noun) => v.pipe(name, v.metadata({ noun }));
/** The name of something of the production, or any text. */
const referenceOrText = (...nouns: Noun[]) => v.pipe(name, v.metadata({ nouns }));
/** Tells apart two things of one name: other things refer to it by this in place of the name. */
const ref = v.optional(name);

/** 64-bit nanoseconds, as a string of digits: a JSON number has fewer digits in most readers. A number is read too. */
const nanoseconds = v.pipe(
  v.union([v.number(), v.string()], "must be an integer"),
  v.check((value) => /^-?\d{1,19}$/.test(String(value)), "must be an integer"),
  v.transform((value) => String(BigInt(value))),
  v.check((value) => BigInt.asIntN(64, BigInt(value)) === BigInt(value), "must fit in 64 bits"),
);

const media = object({
  label: text(300),
  kind: slug,
  /** A file beside the document, by its path relative to it … */
  file: v.optional(text(1000)),
  /** … or the bytes themselves: one of the two. */
  base64: v.optional(v.string("must be text")),
  created_by: v.optional(text(300)),
  created_at: v.optional(timestamp),
});

const version = object({
  version: positive,
  variant: usually(text(200), "Main"),
  status: usually(text(100), "wip"),
  note: v.optional(text()),
  created_by: v.optional(text(300)),
  /** The person's name. */
  created_by_person: v.optional(reference("person")),
  archived: v.optional(flag, false),
  released: v.optional(flag, false),
  created_at: v.optional(timestamp),
  media: v.optional(media),
  ingredients: list(object({ ingredient: reference("ingredient"), relation: v.optional(text(200)) })),
});

const scene = object({
  number: text(50),
  /** The episode's code; on an episodic production only, and there always. */
  episode: v.optional(reference("episode")),
  slugline: text(500),
  synopsis: v.optional(text()),
  status: usually(oneOf([...nodeStatuses, "omitted"]), "planned"),
  revision_color: usually(text(100), "white"),
  elements: v.optional(short(free), {}),
  /** The assets that the scene needs. */
  assets: list(reference("asset")),
  created_at: time,
  updated_at: time,
});

const asset = object({
  ref,
  label: text(300),
  kind: v.pipe(
    slug,
    v.check((value) => value !== "scene", "must not be scene: list scenes in the section scenes"),
  ),
  status: usually(oneOf(nodeStatuses), "planned"),
  department: v.optional(reference("department")),
  /** On a character only. */
  cast_number: v.optional(text(50)),
  performer: v.optional(text(300)),
  /** A character's costumes. */
  costumes: list(reference("asset")),
  /** The scenes that need it: the other side of their `assets`, as which they are stored and exported. */
  scenes: list(reference("scene")),
  created_at: time,
  updated_at: time,
  versions: list(version),
});

export const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** What a call sheet says in place of the time of a call: on call, will notify, hold, to be confirmed. In any case. */
export const callWords = ["O/C", "W/N", "HOLD", "TBC"];

const shootDay = object({
  day_number: positive,
  date,
  /** What is given new is a time of day, and that of a call may be one of callWords; older versions stored any text. */
  general_call: v.optional(text(100)),
  status: usually(text(100), "planned"),
  location: v.optional(text(500)),
  notes: v.optional(text()),
  wrap: v.optional(v.pipe(text(5), v.regex(timeOfDay, "must be a time of day such as 19:30"))),
  /** In the order of the board. */
  scenes: list(reference("scene")),
  calls: list(
    object({
      who: referenceOrText("asset", "person", "department"),
      time: text(100),
      note: v.optional(text(1000)),
    }),
  ),
  /** What stands between the scenes, such as a company move: before a scene, otherwise after the last one. */
  banners: list(object({ before: v.optional(v.nullable(reference("scene"))), text: text(500) })),
});

const delivery = object({
  ref,
  title: text(300),
  status: usually(oneOf(deliveryStatuses), "draft"),
  kind: usually(oneOf(deliveryKinds), "internal"),
  due: v.optional(text(100)),
  /** Whom an external delivery goes to; on an external one only, and there always. */
  external_to: v.optional(text(300)),
  from_department: v.optional(reference("department")),
  to_department: v.optional(reference("department")),
  spec: v.optional(short(boundedList(free)), []),
  sent_at: v.optional(timestamp),
  /** What the delivery is about. */
  scenes: list(reference("scene")),
  assets: list(reference("asset")),
  /** The delivery's own media, not the media that vendors submitted. */
  media: list(media),
  submissions: list(
    object({
      engagement: reference("engagement"),
      status: usually(text(100), "submitted"),
      title: text(300),
      note: v.optional(text()),
      /** What the production answered. */
      decision_note: v.optional(text()),
      created_by: v.optional(text(300)),
      created_at: v.optional(timestamp),
      media: list(media),
    }),
  ),
});

const step = object({
  person: reference("person"),
  status: usually(oneOf(approvalStatuses), "pending"),
  decided_at: v.optional(timestamp),
  note: v.optional(text()),
  /** The person's name; absent on a step that was decided through a key, in nobody's name. */
  decided_by: v.optional(reference("person")),
  /** The name that the step was signed with; by default the present name of the person. */
  signed_as: v.optional(text(300)),
  /** The number of the version of the asset that was signed; absent where none is known. */
  version: v.optional(positive),
});

const approval = object({
  ref,
  title: text(300),
  status: usually(oneOf(approvalStatuses), "pending"),
  mode: usually(oneOf(approvalModes), "chain"),
  due: v.optional(text(100)),
  /** What it gates: one of the three, or nothing. */
  scene: v.optional(reference("scene")),
  asset: v.optional(reference("asset")),
  delivery: v.optional(reference("delivery")),
  /** The number of the version of `asset` that it is about. */
  version: v.optional(positive),
  /** The status that the version had before the decision: reopening gives it back. */
  version_status: v.optional(text(100)),
  steps: v.pipe(boundedList(step), v.minLength(1, "must have at least one step")),
  /** The steps of former rounds, oldest round first: the approval was reopened after them. */
  rounds: list(list(step)),
});

const engagement = object({
  ref,
  vendor: reference("vendor"),
  title: text(300),
  created_at: time,
  ended_at: v.optional(timestamp),
  grants: list(
    object({
      verb: oneOf(grantVerbs),
      /** One target. */
      scene: v.optional(reference("scene")),
      asset: v.optional(reference("asset")),
      department: v.optional(reference("department")),
      delivery: v.optional(reference("delivery")),
      created_at: time,
      expires_at: v.optional(timestamp),
      revoked_at: v.optional(timestamp),
    }),
  ),
});

const storageInstall = object({
  filespace: text(300),
  active: usually(flag, true),
  created_at: time,
  files: list(
    object({
      path: filePath,
      state: oneOf(["present", "gone"]),
      size: v.optional(v.pipe(whole, v.minValue(0, "must be at least 0"))),
      mtime_ns: v.optional(nanoseconds),
      detected_at: preciseTimestamp,
      /** The stand-in that was uploaded for it. */
      media: v.optional(media),
    }),
  ),
  moves: list(
    object({
      src: filePath,
      dst: filePath,
      status: oneOf(storageTaskStatuses),
      note: v.optional(text()),
      src_sha256: v.optional(sha256),
      created_at: timestamp,
      settled_at: v.optional(timestamp),
    }),
  ),
});

export const documentSchema = object({
  document: v.literal("tallylight production", 'must be "tallylight production"'),
  document_version: v.literal(1, "must be 1, the only version there is"),
  production: object({
    title: text(300),
    logline: usually(maybeEmpty, ""),
    status: usually(text(100), "active"),
    phase: usually(text(100), "prep"),
    accent: usually(oneOf(accents), "slate"),
    format: usually(oneOf(productionFormats), "single"),
    /** On an episodic production only, and there always. */
    season_number: v.optional(positive),
    /** The code of the episode that /script-changes shows unasked. */
    current_episode: v.optional(reference("episode")),
    created_at: time,
  }),
  episodes: list(object({ code: text(50), title: text(300) })),
  departments: list(
    object({
      slug,
      name: text(300),
      cluster: usually(text(100), "Crew"),
      phases: list(text(100)),
      mission: usually(maybeEmpty, ""),
      key_roles: list(text(200)),
      privacy: usually(text(100), "open"),
      unveiled: usually(flag, true),
      registry: v.optional(short(free), {}),
    }),
  ),
  people: list(
    object({
      name: text(300),
      role: text(300),
      department: v.optional(reference("department")),
      is_hod: v.optional(flag, false),
      is_admin: v.optional(flag, false),
      /** False: the person left. They stay in the history and cannot be named in a new step or decision. */
      active: v.optional(flag, true),
    }),
  ),
  ingredients: list(object({ ref, kind: slug, label: text(300), media: v.optional(media) })),
  /** In script order. */
  scenes: list(scene),
  assets: list(asset),
  schedule: list(shootDay),
  /** In the order of the engagements' vendors. Contains every vendor that anything names. */
  vendors: list(text(300)),
  engagements: list(engagement),
  deliveries: list(delivery),
  approvals: list(approval),
  department_notes: list(
    object({
      department: reference("department"),
      scene: reference("scene"),
      summary: text(),
      created_at: v.optional(timestamp),
    }),
  ),
  notes: list(
    object({
      asset: reference("asset"),
      /** The number of the version it landed on. */
      version: v.optional(positive),
      text: text(),
      author: text(300),
      created_at: timestamp,
      /** The place on the still of the version, as fractions of its width and height. */
      place: v.optional(object({ x: fraction, y: fraction })),
    }),
  ),
  purchase_orders: list(
    object({
      /** The key of the order, if it has one. */
      number: v.optional(text(100)),
      account: text(100),
      vendor: reference("vendor"),
      description: text(),
      amount,
      status: usually(oneOf(purchaseOrderStatuses), "open"),
      date,
      /** Left out: a production-wide commitment. */
      department: v.optional(reference("department")),
    }),
  ),
  cost_reports: list(
    object({
      week_of: date,
      active: usually(flag, false),
      lines: list(
        object({
          account: text(100),
          department: reference("department"),
          budget: v.optional(amount),
          /** Further columns of the report, served beside account and budget. */
          figures: v.optional(short(free), {}),
        }),
      ),
    }),
  ),
  script_changes: list(
    object({
      episode: v.optional(reference("episode")),
      /** The reference of the scene, if the scene still exists or already exists. */
      scene: v.optional(reference("scene")),
      scene_number: text(50),
      kind: oneOf(scriptChangeKinds),
      status: usually(oneOf(scriptChangeStatuses), "pending"),
      summary: text(),
      revision_color: usually(text(100), "white"),
      detected_at: timestamp,
      decided_at: v.optional(timestamp),
    }),
  ),
  jobs: list(
    object({
      kind: oneOf(jobKinds),
      status: oneOf(jobStatuses),
      summary: text(),
      model: v.optional(text(100)),
      scene: v.optional(reference("scene")),
      asset: v.optional(reference("asset")),
      created_by: v.optional(text(300)),
      created_at: timestamp,
      finished_at: v.optional(timestamp),
    }),
  ),
  /** Oldest first. */
  activity: list(
    object({
      verb: text(100),
      summary: text(),
      actor: text(300),
      /** The name of the person accountable. */
      actor_person: v.optional(reference("person")),
      scene: v.optional(reference("scene")),
      asset: v.optional(reference("asset")),
      created_at: timestamp,
    }),
  ),
  storage: list(storageInstall),
});

export type ProductionDocument = v.InferOutput<typeof documentSchema>;
/** A document as it is written: fields with a default may be absent. */
export type ProductionDocumentInput = v.InferInput<typeof documentSchema>;

// The production document: the one JSON format that a whole production is imported from and exported to.
// References are natural (a slug, a scene number, a label), never database ids. fixtures/README.md describes it for people.
import * as v from "valibot";
import {
  accents,
  approvalModes,
  approvalStatuses,
  date,
  deliveryKinds,
  deliveryStatuses,
  filePath,
  grantVerbs,
  jobKinds,
  jobStatuses,
  nodeStatuses,
  oneOf,
  productionFormats,
  purchaseOrderStatuses,
  scriptChangeKinds,
  scriptChangeStatuses,
  sha256,
  slug,
  storageTaskStatuses,
  text,
  timestamp,
} from "../inputs.ts";

const flag = v.boolean("must be true or false");
const whole = v.pipe(v.number("must be a number"), v.safeInteger("must be an integer"));
const positive = v.pipe(whole, v.minValue(1, "must be at least 1"));
const amount = v.pipe(v.number("must be a number"), v.finite("must be a finite number"));
const list = <T extends v.GenericSchema>(item: T) => v.optional(v.array(item, "must be a list"), []);
/** A list is no object, though JavaScript says so: its items are not looked at under the names of fields. */
const noList = <T extends v.GenericSchema>(schema: T): T => ({
  ...schema,
  "~run"(dataset, config) {
    return schema["~run"](Array.isArray(dataset.value) ? { value: null } : dataset, config);
  },
});
/** Fields that are not among these are found by unknownFields, all of them at once. */
const object = <T extends v.ObjectEntries>(entries: T) => noList(v.object(entries, "must be an object"));
const free = noList(v.record(v.string(), v.any(), "must be an object"));

/** A reference by name: a label, a title, a person's name, a scene's number or an episode's `code/number`. */
const reference = text(500);
/** Tells apart two things of one name: what else in the document refers to, in place of the name. */
const ref = v.optional(reference);

/** 64-bit nanoseconds. The reader of a document keeps every digit: it hands them over as text or bigint. */
const nanoseconds = v.pipe(
  v.union([v.bigint(), v.number(), v.string()], "must be an integer"),
  v.check((value) => /^-?\d{1,19}$/.test(String(value)), "must be an integer"),
  v.transform((value) => BigInt(value)),
  v.check((value) => BigInt.asIntN(64, value) === value, "must fit in 64 bits"),
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
  variant: text(200),
  status: text(100),
  note: v.optional(text()),
  created_by: v.optional(text(300)),
  /** The person's name. */
  created_by_person: v.optional(reference),
  archived: v.optional(flag, false),
  released: v.optional(flag, false),
  created_at: v.optional(timestamp),
  media: v.optional(media),
  ingredients: list(object({ ingredient: reference, relation: v.optional(text(200)) })),
});

const scene = object({
  number: text(50),
  /** The episode's code; on an episodic production only, and there always. */
  episode: v.optional(reference),
  slugline: text(500),
  synopsis: v.optional(text()),
  status: oneOf([...nodeStatuses, "omitted"]),
  revision_color: text(100),
  elements: v.optional(free, {}),
  /** The assets that the scene needs. */
  assets: list(reference),
  created_at: timestamp,
  updated_at: timestamp,
});

const asset = object({
  ref,
  label: text(300),
  kind: v.pipe(
    slug,
    v.check((value) => value !== "scene", "must not be scene: scenes stand under scenes"),
  ),
  status: oneOf(nodeStatuses),
  department: v.optional(reference),
  /** A character's costumes. */
  costumes: list(reference),
  created_at: timestamp,
  updated_at: timestamp,
  versions: list(version),
});

const delivery = object({
  ref,
  title: text(300),
  status: oneOf(deliveryStatuses),
  kind: oneOf(deliveryKinds),
  due: v.optional(text(100)),
  /** Whom an external delivery goes to; on an external one only, and there always. */
  external_to: v.optional(text(300)),
  from_department: v.optional(reference),
  to_department: v.optional(reference),
  spec: list(free),
  sent_at: v.optional(timestamp),
  /** What the delivery is about. */
  scenes: list(reference),
  assets: list(reference),
  /** The delivery's own media, not what vendors handed in. */
  media: list(media),
  submissions: list(
    object({
      engagement: reference,
      status: text(100),
      title: text(300),
      note: v.optional(text()),
      created_by: v.optional(text(300)),
      created_at: v.optional(timestamp),
      media: list(media),
    }),
  ),
});

const approval = object({
  title: text(300),
  status: oneOf(approvalStatuses),
  mode: oneOf(approvalModes),
  due: v.optional(text(100)),
  /** What it gates: one of the three, or nothing. */
  scene: v.optional(reference),
  asset: v.optional(reference),
  delivery: v.optional(reference),
  steps: v.pipe(
    v.array(
      object({
        person: reference,
        status: oneOf(approvalStatuses),
        decided_at: v.optional(timestamp),
        note: v.optional(text()),
        /** The person's name; left out on a decided step that was decided through a key, by nobody's name. */
        decided_by: v.optional(reference),
      }),
      "must be a list",
    ),
    v.minLength(1, "must have at least one step"),
  ),
});

const engagement = object({
  ref,
  vendor: reference,
  title: text(300),
  created_at: timestamp,
  ended_at: v.optional(timestamp),
  grants: list(
    object({
      verb: oneOf(grantVerbs),
      /** One target. */
      scene: v.optional(reference),
      asset: v.optional(reference),
      department: v.optional(reference),
      delivery: v.optional(reference),
      created_at: timestamp,
      expires_at: v.optional(timestamp),
      revoked_at: v.optional(timestamp),
    }),
  ),
});

const storageInstall = object({
  filespace: text(300),
  active: flag,
  created_at: timestamp,
  files: list(
    object({
      path: filePath,
      state: oneOf(["present", "gone"]),
      size: v.optional(v.pipe(whole, v.minValue(0, "must be at least 0"))),
      mtime_ns: v.optional(nanoseconds),
      detected_at: timestamp,
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
    logline: text(),
    status: text(100),
    phase: text(100),
    accent: oneOf(accents),
    format: oneOf(productionFormats),
    /** On an episodic production only, and there always. */
    season_number: v.optional(positive),
    /** The code of the episode that /script-changes shows unasked. */
    current_episode: v.optional(reference),
    created_at: timestamp,
  }),
  episodes: list(object({ code: text(50), title: text(300) })),
  departments: list(
    object({
      slug,
      name: text(300),
      cluster: text(100),
      phases: list(text(100)),
      mission: text(),
      key_roles: list(text(200)),
      privacy: text(100),
      unveiled: flag,
      registry: v.optional(free, {}),
    }),
  ),
  people: list(
    object({
      name: text(300),
      role: text(300),
      department: v.optional(reference),
      is_hod: v.optional(flag, false),
      is_admin: v.optional(flag, false),
    }),
  ),
  ingredients: list(object({ ref, kind: slug, label: text(300), media: v.optional(media) })),
  /** In script order. */
  scenes: list(scene),
  assets: list(asset),
  schedule: list(
    object({
      day_number: positive,
      date,
      general_call: v.optional(text(100)),
      status: text(100),
      /** In the order of the board. */
      scenes: list(reference),
    }),
  ),
  /** In the order of the engagements' vendors; every vendor that anything names stands here. */
  vendors: list(text(300)),
  engagements: list(engagement),
  deliveries: list(delivery),
  approvals: list(approval),
  department_notes: list(
    object({ department: reference, scene: reference, summary: text(), created_at: v.optional(timestamp) }),
  ),
  notes: list(
    object({
      asset: reference,
      /** The number of the version it landed on. */
      version: v.optional(positive),
      text: text(),
      author: text(300),
      created_at: timestamp,
    }),
  ),
  purchase_orders: list(
    object({
      account: text(100),
      vendor: reference,
      description: text(),
      amount,
      status: oneOf(purchaseOrderStatuses),
      date,
      /** Left out: a production-wide commitment. */
      department: v.optional(reference),
    }),
  ),
  cost_reports: list(
    object({
      week_of: date,
      active: flag,
      lines: list(
        object({
          account: text(100),
          department: reference,
          budget: v.optional(amount),
          /** Further columns of the report, served beside account and budget. */
          figures: v.optional(free, {}),
        }),
      ),
    }),
  ),
  script_changes: list(
    object({
      episode: v.optional(reference),
      /** The scene's reference where it still or already stands. */
      scene: v.optional(reference),
      scene_number: text(50),
      kind: oneOf(scriptChangeKinds),
      status: oneOf(scriptChangeStatuses),
      summary: text(),
      revision_color: text(100),
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
      scene: v.optional(reference),
      asset: v.optional(reference),
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
      actor_person: v.optional(reference),
      scene: v.optional(reference),
      asset: v.optional(reference),
      created_at: timestamp,
    }),
  ),
  storage: list(storageInstall),
});

export type ProductionDocument = v.InferOutput<typeof documentSchema>;
/** A document as it is written: fields with a default may be absent. */
export type ProductionDocumentInput = v.InferInput<typeof documentSchema>;

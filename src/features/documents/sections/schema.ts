// The production document: the one JSON format that a whole production is imported from and exported to. References are
// natural (a slug, a scene number, a label), never database ids. This table is what schemas, plans, exports, the forms
// of the pages and the tables of docs/format.md derive from.
import * as v from "valibot";
import * as input from "../../../core/inputs.ts";
import { oneOf } from "../../../core/inputs.ts";
import { isZone, spelledZone } from "../../../core/zones.ts";
import { destinationPath, filePath } from "../../../graph/storage_events.ts";
import { unitOf } from "../../../graph/units.ts";
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
import { isCurrency } from "../../names/currencies.ts";
import {
  amount,
  boundedList,
  described,
  fraction,
  freeRecord,
  maybeEmpty,
  nanoseconds,
  object,
  optionalList,
  positive,
  ref,
  reference,
  referenceOrText,
  short,
  time,
  trueOrFalse,
  usually,
  whole,
} from "./values.ts";

const media = object({
  label: input.label(300),
  kind: described(input.slug, { about: "such as `image` or `video`" }),
  file: described(v.optional(input.text(1000)), {
    about: "a path relative to the document, which must stay inside the folder of the document: this or `base64`",
  }),
  base64: described(v.optional(v.string("must be text")), { about: "the bytes: this or `file`" }),
  created_by: v.optional(input.text(300)),
  created_at: v.optional(input.timestamp),
});

const version = object({
  version: described(positive, { about: "versions are numbered 1, 2, 3 … in that order" }),
  variant: usually(input.text(200), "Main"),
  status: described(usually(input.text(100), "wip"), { about: "such as `wip`, `review` or `approved`" }),
  note: v.optional(input.text()),
  external_id: described(v.optional(input.externalId), {
    label: "External ID",
    about: "the id that another program has for it. No two versions have the same",
  }),
  created_by: v.optional(input.text(300)),
  created_by_person: v.optional(reference("person")),
  archived: v.optional(trueOrFalse, false),
  released: v.optional(trueOrFalse, false),
  created_at: v.optional(input.timestamp),
  media: v.optional(media),
  ingredients: optionalList(
    object({
      ingredient: reference("ingredient"),
      relation: described(v.optional(input.text(200)), { about: "such as `cut from`" }),
    }),
  ),
});

const scene = object({
  number: described(input.text(50), { about: "such as `24A`" }),
  episode: described(v.optional(reference("episode")), {
    about: "required on an episodic production, refused on any other",
  }),
  slugline: input.text(500),
  synopsis: v.optional(input.text()),
  status: usually(oneOf([...nodeStatuses, "omitted"]), "planned"),
  revision_color: usually(input.text(100), "white"),
  elements: described(v.optional(short(freeRecord), {}), {
    about: "cast, background, stunts, pages, …",
    parts: {
      int_ext: "INT or EXT",
      set: "Set",
      time_of_day: "Time of day",
      pages: "Pages",
      script_day: "Script day",
      cast: "Cast",
    },
  }),
  assets: described(optionalList(reference("asset")), { about: "those that the scene needs" }),
  created_at: time,
  updated_at: time,
});

const asset = object({
  ref,
  label: input.label(300),
  kind: described(
    v.pipe(
      input.slug,
      v.check((value) => value !== "scene", "must not be scene: list scenes in the section scenes"),
    ),
    { about: "`asset`, `character`, `costume`, `location`, `prop`, `vehicle`, `set`, …; `scene` is refused" },
  ),
  status: usually(oneOf(nodeStatuses), "planned"),
  department: v.optional(reference("department")),
  cast_number: described(v.optional(input.text(50)), {
    about: "only on a character: its number in the cast list. Two characters with one number are a warning",
  }),
  performer: described(v.optional(input.text(300)), { about: "only on a character: who plays it" }),
  external_id: described(v.optional(input.externalId), {
    label: "External ID",
    about:
      "the id that another program has for it, of 1 to 200 characters, compared exactly. No two assets have the same",
  }),
  costumes: described(optionalList(reference("asset")), { about: "only on a character: those of kind `costume`" }),
  scenes: described(optionalList(reference("scene")), { about: "the other side of `assets` of a scene. See below" }),
  created_at: time,
  updated_at: time,
  versions: described(optionalList(version), { recorded: true }),
});

/** A code of ISO 4217. */
const currency = v.pipe(input.text(3), v.check(isCurrency, "must be the code of a currency (ISO 4217), such as EUR"));
const timeZone = v.pipe(
  input.text(100),
  v.check(isZone, "must be the name of a time zone such as Europe/Budapest"),
  v.transform(spelledZone),
);

export const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** What a call sheet says in place of the time of a call: on call, will notify, hold, to be confirmed. In any case. */
export const callWords = ["O/C", "W/N", "HOLD", "TBC"];

const aboutCall = "a time such as `07:30`, or `O/C`, `W/N`, `HOLD` or `TBC`";

/** The unit of a shoot day. The main unit is none. */
const unit = v.pipe(
  input.text(40),
  v.transform((name) => unitOf(name) || null),
  v.metadata({ cell: "blank" }),
);

const shootDay = object({
  day_number: described(positive, { about: "unique within the unit" }),
  unit: described(v.optional(unit), {
    about:
      "the unit whose day it is; absent: the main unit. `Main`, `First` and `1st`, with or without `Unit`, are the main unit; `Second` and `2nd` are `2nd Unit`",
  }),
  date: input.shootDate,
  // What is given new is a time of day, and that of a call may be one of callWords; older versions stored any text.
  general_call: described(v.optional(input.text(100)), { about: "a time such as `07:00`" }),
  status: usually(input.text(100), "planned"),
  location: v.optional(input.text(500)),
  notes: v.optional(input.text()),
  wrap: described(v.optional(v.pipe(input.text(5), v.regex(timeOfDay, "must be a time of day such as 19:30"))), {
    about: "the expected wrap: a time such as `19:30`. If it is not after the crew call, it is on the next date",
  }),
  time_zone: described(v.optional(timeZone), { about: "the IANA name of the day's own; by default the production's" }),
  scenes: described(optionalList(reference("scene")), {
    about: "the strips of the day, in the order of the board. A scene may be on several days, but only once on a day",
  }),
  calls: described(
    optionalList(
      object({
        who: described(referenceOrText("asset", "person", "department"), { about: "who is called. See below" }),
        time: described(input.text(100), { about: aboutCall }),
        pickup: described(v.optional(input.text(100)), { label: "Pick-up", about: aboutCall }),
        makeup: described(v.optional(input.text(100)), { label: "Make-up", about: aboutCall }),
        costume: described(v.optional(input.text(100)), { about: aboutCall }),
        on_set: described(v.optional(input.text(100)), { about: aboutCall }),
        note: v.optional(input.text(1000)),
      }),
    ),
    { about: "who is called" },
  ),
  banners: described(
    optionalList(
      object({
        before: described(v.optional(v.nullable(reference("scene"))), {
          about: "the one that follows; absent after the last one",
        }),
        text: input.text(500),
      }),
    ),
    { about: "what stands between the strips, such as a company move" },
  ),
  parts: described(
    optionalList(
      object({
        scene: described(reference("scene"), { about: "one that is on the day" }),
        text: described(input.text(50), { about: "which part of it, such as pt 2" }),
        pages: described(v.optional(input.text(20)), { about: "the length of this part, such as 1 3/8" }),
      }),
    ),
    {
      label: "Parts of scenes",
      about:
        "the scenes of which the day has a part, each once. Days that have other parts of a scene do not clash; a day without an entry has the whole scene",
    },
  ),
  lines: described(optionalList(object({ label: input.text(100), text: input.text(1000) })), {
    label: "Lines of the call sheet",
    about:
      "what else the call sheet says, in this order. A label may be any text. The sheet has places for Base, Hospital, Emergency, Weather, Sunrise, Sunset, First shot, Lunch, Channels and Warning",
  }),
});

const delivery = object({
  ref,
  title: input.label(300),
  status: usually(oneOf(deliveryStatuses), "draft"),
  kind: usually(oneOf(deliveryKinds), "internal"),
  due: described(v.optional(input.text(100)), { dated: true }),
  external_to: described(v.optional(input.text(300)), {
    about: "whom it goes to: required on an external delivery, refused on an internal one",
  }),
  from_department: v.optional(reference("department")),
  to_department: v.optional(reference("department")),
  spec: described(v.optional(short(boundedList(freeRecord)), []), {
    label: "Item",
    about: "what is to be delivered",
    parts: { item: "Item", format: "Format" },
  }),
  sent_at: v.optional(input.timestamp),
  scenes: described(optionalList(reference("scene")), { about: "what the delivery is about" }),
  assets: described(optionalList(reference("asset")), { about: "what the delivery is about" }),
  media: described(optionalList(media), { about: "the delivery's own, not those that vendors submitted" }),
  submissions: described(
    optionalList(
      object({
        engagement: reference("engagement"),
        status: usually(input.text(100), "submitted"),
        title: input.label(300),
        note: v.optional(input.text()),
        decision_note: described(v.optional(input.text()), { about: "what the production answered" }),
        decided_at: v.optional(input.timestamp),
        decided_by: described(v.optional(input.text(300)), { about: "the name of the person who answered" }),
        external_id: described(v.optional(input.externalId), {
          label: "External ID",
          about: "the id that the vendor has for it. No two submissions of an engagement have the same",
        }),
        answers: described(v.optional(positive), {
          about:
            "the number, counted from 1 in this list, of the earlier submission of the engagement that this one answers",
        }),
        created_by: v.optional(input.text(300)),
        created_at: v.optional(input.timestamp),
        media: optionalList(media),
      }),
    ),
    { about: "what vendors submitted", recorded: true },
  ),
});

const step = object({
  person: reference("person"),
  status: described(usually(oneOf(approvalStatuses), "pending"), { follows: true }),
  decided_at: described(v.optional(input.timestamp), { about: "required on a decided step, refused on a pending one" }),
  note: described(v.optional(input.text()), { follows: true }),
  decided_by: described(v.optional(reference("person")), {
    about: "absent on a step that was decided through a key, in nobody's name",
    follows: true,
  }),
  signed_as: described(v.optional(input.text(300)), {
    about: "on a decided step, the name that it was signed with, if the person has another one now",
    follows: true,
  }),
  version: described(v.optional(positive), {
    about: "on a decided step, the number of the version of `asset` that was signed, where it is known",
    follows: true,
  }),
});

const approval = object({
  ref,
  title: input.label(300),
  status: described(usually(oneOf(approvalStatuses), "pending"), { about: "see below", follows: true }),
  mode: usually(oneOf(approvalModes), "chain"),
  due: described(v.optional(input.text(100)), { dated: true }),
  scene: described(v.optional(reference("scene")), { about: "what it is about: at most one of the three" }),
  asset: described(v.optional(reference("asset")), { about: "what it is about: at most one of the three" }),
  delivery: described(v.optional(reference("delivery")), { about: "what it is about: at most one of the three" }),
  version: described(v.optional(positive), {
    label: "Version of the asset",
    about: "the number of a version of `asset`, if the approval is about that",
  }),
  version_status: described(v.optional(input.text(100)), {
    about: "the status that the version had before the decision; reopening gives it back",
    recorded: true,
  }),
  steps: described(v.pipe(boundedList(step), v.minLength(1, "must have at least one step")), { about: "at least one" }),
  rounds: described(optionalList(optionalList(step)), {
    about:
      "the steps of former rounds, the oldest round first: as they were before the approval was reopened or asked again",
    recorded: true,
  }),
});

const engagement = object({
  ref,
  vendor: reference("vendor"),
  title: input.label(300),
  created_at: time,
  ended_at: described(v.optional(input.timestamp), {
    about: "from then on, the engagement reaches nothing; it may be in the future",
  }),
  grants: optionalList(
    object({
      verb: oneOf(grantVerbs),
      scene: described(v.optional(reference("scene")), { about: "the target: exactly one of the four" }),
      asset: described(v.optional(reference("asset")), { about: "the target: exactly one of the four" }),
      department: described(v.optional(reference("department")), {
        about: "the target: exactly one of the four, and the only one of `read:own_po`",
      }),
      delivery: described(v.optional(reference("delivery")), {
        about: "the target: exactly one of the four, and the only one of `submit`",
      }),
      created_at: time,
      expires_at: v.optional(input.timestamp),
      revoked_at: v.optional(input.timestamp),
    }),
  ),
});

const storageInstall = object({
  filespace: described(input.text(300), { about: "unique" }),
  active: described(usually(trueOrFalse, true), { about: "true on at most one" }),
  created_at: time,
  files: optionalList(
    object({
      path: described(filePath, { about: "unique in its install" }),
      state: oneOf(["present", "gone"]),
      size: v.optional(v.pipe(whole, v.minValue(0, "must be at least 0"))),
      mtime_ns: described(v.optional(nanoseconds), {
        about: "nanoseconds, up to 64 bits, as a string of digits; a number is read too",
      }),
      detected_at: input.preciseTimestamp,
      media: described(v.optional(media), { about: "the stand-in that was uploaded for it" }),
    }),
  ),
  moves: optionalList(
    object({
      src: filePath,
      dst: described(destinationPath, { about: "another path than `src`" }),
      status: oneOf(storageTaskStatuses),
      note: v.optional(input.text()),
      src_sha256: described(v.optional(input.sha256), { about: "64 hex characters" }),
      created_at: input.timestamp,
      settled_at: described(v.optional(input.timestamp), {
        about: "required on a settled move, refused on a pending one",
      }),
    }),
  ),
});

export const documentSchema = object({
  document: v.literal("tallylight production", 'must be "tallylight production"'),
  document_version: v.literal(1, "must be 1, the only version there is"),
  production: object({
    title: described(input.label(300), { about: "unique among the productions of one database" }),
    logline: usually(maybeEmpty, ""),
    status: usually(input.text(100), "active"),
    phase: usually(input.text(100), "prep"),
    accent: usually(oneOf(accents), "slate"),
    format: usually(oneOf(productionFormats), "single"),
    season_number: described(v.optional(positive), {
      about: "required on an episodic production, refused on any other",
    }),
    current_episode: described(v.optional(reference("episode")), {
      about: "whose changes `GET /script-changes` returns if the request names no episode",
    }),
    time_zone: described(v.optional(timeZone), {
      about: "the IANA name of its time zone, such as `Europe/Budapest`; by default the server's",
    }),
    created_at: time,
  }),
  episodes: optionalList(object({ code: input.label(50), title: input.label(300) })),
  departments: optionalList(
    object({
      slug: described(input.slug, { label: "Short name", about: "the name of the department in URLs and references" }),
      name: input.label(300),
      cluster: usually(input.text(100), "Crew"),
      phases: optionalList(input.text(100)),
      mission: usually(maybeEmpty, ""),
      key_roles: optionalList(input.text(200)),
      privacy: described(usually(input.text(100), "open"), { about: "such as `open`, `internal` or `closed`" }),
      unveiled: usually(trueOrFalse, true),
      registry: v.optional(short(freeRecord), {}),
    }),
  ),
  people: optionalList(
    object({
      name: input.label(300),
      role: input.text(300),
      department: v.optional(reference("department")),
      is_hod: described(v.optional(trueOrFalse, false), {
        label: "Head of the department",
        about: "whether the person is the head of the department",
      }),
      is_admin: described(v.optional(trueOrFalse, false), { recorded: true }),
      active: described(v.optional(trueOrFalse, true), {
        label: "Works on the production",
        hint: "if not, every key, browser and sign-in of this person stops at once, until this says yes again",
        about: "false if the person left",
      }),
    }),
  ),
  ingredients: optionalList(
    object({
      ref,
      kind: described(input.slug, { about: "such as `swatch`, `trim` or `pattern`" }),
      label: input.label(300),
      media: v.optional(media),
    }),
  ),
  /** In script order. */
  scenes: optionalList(scene),
  assets: optionalList(asset),
  schedule: optionalList(shootDay),
  /** In the order of the engagements' vendors. Contains every vendor that anything names. */
  vendors: optionalList(input.label(300)),
  engagements: optionalList(engagement),
  deliveries: optionalList(delivery),
  approvals: optionalList(approval),
  department_notes: optionalList(
    object({
      department: reference("department"),
      scene: reference("scene"),
      summary: input.text(),
      created_at: v.optional(input.timestamp),
    }),
  ),
  notes: optionalList(
    object({
      asset: reference("asset"),
      version: described(v.optional(positive), { about: "the number of the version that the note is on" }),
      text: input.text(),
      author: input.text(300),
      created_at: input.timestamp,
      place: described(v.optional(object({ x: fraction, y: fraction })), {
        about: "the place on the still of the version: `x` and `y`, as fractions of its width and height",
      }),
    }),
  ),
  purchase_orders: optionalList(
    object({
      number: described(v.optional(input.text(100)), { about: "the key of the order, if it has one" }),
      account: input.text(100),
      vendor: reference("vendor"),
      description: input.text(),
      amount,
      currency: described(v.optional(currency), { about: "a code of ISO 4217, such as `EUR`" }),
      status: usually(oneOf(purchaseOrderStatuses), "open"),
      date: input.date,
      department: described(v.optional(reference("department")), {
        about: "absent on a production-wide commitment, which the API never returns",
      }),
    }),
  ),
  cost_reports: optionalList(
    object({
      week_of: described(input.date, { about: "unique" }),
      active: described(usually(trueOrFalse, false), { about: "true on at most one report" }),
      lines: optionalList(
        object({
          account: described(input.text(100), { about: "unique in its report" }),
          department: reference("department"),
          budget: v.optional(amount),
          figures: described(v.optional(short(freeRecord), {}), {
            about: "further columns, which the API returns next to account and budget",
          }),
        }),
      ),
    }),
  ),
  script_changes: optionalList(
    object({
      episode: v.optional(reference("episode")),
      scene: described(v.optional(reference("scene")), {
        about: "absent if the scene does not exist yet, or no longer exists",
      }),
      scene_number: input.text(50),
      kind: oneOf(scriptChangeKinds),
      status: usually(oneOf(scriptChangeStatuses), "pending"),
      summary: input.text(),
      revision_color: usually(input.text(100), "white"),
      detected_at: input.timestamp,
      decided_at: described(v.optional(input.timestamp), {
        about: "required on a decided change, refused on a pending one",
      }),
    }),
  ),
  jobs: optionalList(
    object({
      kind: oneOf(jobKinds),
      status: oneOf(jobStatuses),
      summary: input.text(),
      model: v.optional(input.text(100)),
      scene: v.optional(reference("scene")),
      asset: v.optional(reference("asset")),
      created_by: v.optional(input.text(300)),
      created_at: input.timestamp,
      finished_at: v.optional(input.timestamp),
    }),
  ),
  /** Oldest first. */
  activity: optionalList(
    object({
      verb: input.text(100),
      summary: input.text(),
      actor: described(input.text(300), { about: "a person, a key, a tool" }),
      actor_person: described(v.optional(reference("person")), { about: "who is accountable" }),
      scene: v.optional(reference("scene")),
      asset: v.optional(reference("asset")),
      created_at: input.timestamp,
    }),
  ),
  storage: optionalList(storageInstall),
});

export type ProductionDocument = v.InferOutput<typeof documentSchema>;
/** A document as it is written: fields with a default may be absent. */
export type ProductionDocumentInput = v.InferInput<typeof documentSchema>;

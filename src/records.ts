// The shapes of every answer, in the order in which the API's reference lists them. Nothing here reads or writes: the doors
// describe answers by these schemas, and the tests hold every answer against them.
import * as v from "valibot";
import {
  accents,
  approvalModes,
  approvalStatuses,
  deliveryKinds,
  deliveryStatuses,
  describe,
  jobKinds,
  jobStatuses,
  nodeStatuses,
  productionFormats,
  purchaseOrderStatuses,
  scriptChangeKinds,
  scriptChangeStatuses,
} from "./inputs.ts";

const id = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = v.string();
const timestamp = v.pipe(v.string(), v.isoTimestamp());
const date = v.pipe(v.string(), v.isoDate());
const free = v.record(v.string(), v.any());

export const production = v.object({
  id,
  title: text,
  logline: text,
  status: text,
  phase: text,
  accent: describe(v.picklist(accents), "A key into a small curated palette, never a raw colour."),
  format: v.picklist(productionFormats),
  season_number: describe(v.optional(count), "Present only on an episodic production."),
  stats: v.object({
    departments: count,
    open_approvals: describe(count, "Pending approvals."),
    deliveries_in_flight: describe(count, "Deliveries that are blocked, ready or sent."),
    scenes: count,
    nodes: describe(count, "Every node, scenes included."),
  }),
});

export const departmentRow = v.object({
  id,
  slug: text,
  name: text,
  cluster: text,
  phases: v.array(text),
  mission: text,
  key_roles: v.array(text),
  privacy: text,
  unveiled: v.boolean(),
});

export const departmentPerson = v.object({ id, name: text, role: text, is_hod: v.boolean() });

export const departmentDetail = v.object({
  id,
  slug: text,
  name: text,
  cluster: text,
  registry: free,
  people: v.array(departmentPerson),
  assets: describe(count, "How many asset nodes the department owns."),
});

export const scene = v.object({
  node_id: id,
  number: text,
  slugline: text,
  synopsis: v.optional(text),
  status: describe(text, "Open set: planned, active, blocked, done, and omitted, set by a script revision."),
  revision_color: text,
  elements: free,
  episode_id: describe(v.optional(id), "Present only on an episodic production."),
  episode_code: describe(v.optional(text), "Present only on an episodic production."),
});

export const assetRow = v.object({
  node_id: id,
  label: text,
  kind: text,
  status: v.picklist(nodeStatuses),
  department: describe(v.nullable(text), "The department's slug; null where the asset has none."),
  versions: describe(count, "How many versions it has."),
  updated_at: timestamp,
});

export const versionSummary = v.object({
  id,
  version: count,
  variant: text,
  status: text,
  note: v.nullable(text),
  media_path: describe(
    v.nullable(text),
    "Goes behind /media/ as it is, with a media ticket; null if the version has no media.",
  ),
  media_id: describe(v.nullable(id), "Its bytes are at /media/{media_id}/content; null if the version has no media."),
  created_by: v.nullable(text),
  created_by_person_id: v.nullable(id),
  archived: v.boolean(),
  created_at: v.nullable(timestamp),
  released: v.literal(true),
});

export const lockedVersion = v.object({
  id,
  version: count,
  variant: text,
  status: text,
  released: v.literal(false),
  locked: v.literal(true),
});

export const assetDetail = v.object({
  ...assetRow.entries,
  versions: describe(
    v.array(v.union([versionSummary, lockedVersion])),
    "Newest last. Released versions whole, others as a locked stub.",
  ),
});

export const strip = v.object({
  node_id: id,
  number: text,
  slugline: text,
  matches: describe(v.optional(v.boolean()), "On an episodic production, where episode_id was asked."),
});

export const shootDay = v.object({
  id,
  day_number: count,
  date,
  general_call: v.nullable(text),
  status: text,
  scenes: v.array(strip),
});

export const shootDayRow = v.object({ id, day_number: count, date, status: text, general_call: v.nullable(text) });

export const sceneAsset = v.object({
  node_id: id,
  label: text,
  kind: text,
  status: v.picklist(nodeStatuses),
  released_versions: v.array(versionSummary),
});

export const approvalRow = v.object({
  id,
  title: text,
  status: v.picklist(approvalStatuses),
  mode: v.picklist(approvalModes),
  due: v.optional(v.nullable(text)),
});

export const approvalStep = v.object({
  position: count,
  person_id: id,
  person: text,
  status: v.picklist(approvalStatuses),
  decided_at: v.nullable(timestamp),
  note: v.nullable(text),
  decided_by: describe(v.nullable(text), "Null on a decided step: decided through a key, by nobody's name."),
});

export const approval = v.object({
  ...approvalRow.entries,
  node_id: v.nullable(id),
  delivery_id: v.nullable(id),
  steps: v.array(approvalStep),
});

export const departmentNote = v.object({ id, summary: text, created_at: v.nullable(timestamp) });

const shapeVersion = describe(v.literal(1), "The bundle document's own shape version.");
const etag = describe(text, "Character for character the ETag header's value, quotes included.");

export const sceneBundle = v.object({
  version: shapeVersion,
  scene,
  assets: v.array(sceneAsset),
  shoot_days: v.array(shootDayRow),
  approvals: v.array(approvalRow),
  department_notes: v.array(departmentNote),
  etag,
});

export const ingredient = v.object({
  id,
  kind: text,
  label: text,
  relation: v.optional(v.nullable(text)),
  media_path: describe(v.optional(v.nullable(text)), "Left out for an engagement-bound key, whose reach it is not in."),
  media_id: describe(v.optional(v.nullable(id)), "Left out for an engagement-bound key, like media_path."),
});

export const costume = v.object({
  node_id: id,
  label: text,
  status: v.picklist(nodeStatuses),
  released_versions: v.array(versionSummary),
  ingredients: describe(v.array(ingredient), "The union of what fed every released version, each once."),
});

export const characterBundle = v.object({
  version: shapeVersion,
  character: v.object({ node_id: id, label: text, status: v.picklist(nodeStatuses) }),
  costumes: v.array(costume),
  etag,
});

export const turnover = v.object({
  id: describe(id, "The delivery's id."),
  title: text,
  status: v.picklist(deliveryStatuses),
  due: v.optional(text),
  external_to: v.optional(text),
  spec: v.array(free),
  sent_at: v.nullable(timestamp),
  can_submit: v.boolean(),
});

export const turnoverSubmission = v.object({
  id,
  delivery_id: id,
  status: text,
  title: text,
  note: v.optional(text),
  created_at: v.optional(v.nullable(timestamp)),
  media: v.array(v.object({ id, label: text, kind: text })),
});

export const mediaDetail = v.object({
  id,
  kind: text,
  label: text,
  node_id: v.optional(v.nullable(id)),
  delivery_id: v.optional(v.nullable(id)),
  work_item_id: describe(v.optional(v.nullable(id)), "Set only for media submitted on a turnover."),
  created_by: v.optional(v.nullable(text)),
  created_at: v.optional(v.nullable(timestamp)),
});

export const purchaseOrder = v.object({
  id,
  account: text,
  vendor: text,
  description: text,
  amount: v.number(),
  status: v.picklist(purchaseOrderStatuses),
  date,
  department_id: v.optional(v.nullable(id)),
});

export const costReportLine = v.looseObject({ account: text, budget: v.optional(v.number()) });

export const purchaseOrders = v.object({
  purchase_orders: v.array(purchaseOrder),
  line: describe(v.array(costReportLine), "From the production's active weekly cost report."),
  week_of: v.nullable(date),
});

export const mediaTicket = v.object({ ticket: text, expires_at: timestamp, production_id: id });
export const sessionToken = v.object({ token: text, expires_at: timestamp, model: text });
export const lookBrief = v.looseObject({
  environment: text,
  palette: text,
  lighting: text,
  era: text,
  materials: text,
  texture: text,
});

export const delivery = v.object({
  id,
  title: text,
  status: v.picklist(deliveryStatuses),
  due: v.optional(text),
  external_to: v.optional(text),
  spec: v.array(free),
  sent_at: v.nullable(timestamp),
  kind: v.picklist(deliveryKinds),
  from_department: v.nullable(text),
  to_department: v.nullable(text),
  approval: v.nullable(
    v.object({ id, title: text, status: v.picklist(approvalStatuses), mode: v.picklist(approvalModes) }),
  ),
});

export const person = v.object({
  id,
  name: text,
  role: text,
  department: v.nullable(text),
  is_hod: v.boolean(),
  is_admin: v.boolean(),
});

export const scriptChange = v.object({
  id,
  kind: v.picklist(scriptChangeKinds),
  status: v.picklist(scriptChangeStatuses),
  scene_number: text,
  node_id: v.nullable(id),
  summary: text,
  revision_color: text,
  detected_at: timestamp,
  decided_at: v.nullable(timestamp),
  episode_id: describe(v.optional(v.nullable(id)), "Present only on an episodic production."),
  episode_code: describe(v.optional(v.nullable(text)), "Present only on an episodic production."),
});

export const activityEntry = v.object({
  id,
  verb: text,
  summary: text,
  actor: text,
  actor_person_id: v.nullable(id),
  node_id: v.nullable(id),
  created_at: timestamp,
});

export const job = v.object({
  id,
  kind: v.picklist(jobKinds),
  status: v.picklist(jobStatuses),
  summary: text,
  model: v.nullable(text),
  node_id: v.nullable(id),
  created_by: v.nullable(text),
  created_at: timestamp,
  finished_at: v.nullable(timestamp),
});

export const note = v.object({
  id,
  node_id: id,
  version_id: describe(v.nullable(id), "Null where the asset had no version and the note became an activity entry."),
  text,
  author: text,
  created_at: timestamp,
});

export const landedVersion = v.object({
  id,
  node_id: id,
  version: count,
  variant: text,
  status: v.literal("wip"),
  note: v.nullable(text),
  created_at: timestamp,
  released: v.literal(false),
});

export const storageEventAck = v.object({
  accepted: count,
  duplicates: count,
  refused: v.optional(v.array(v.object({ index: count, reason: text }))),
});
export const mediaProxy = v.object({ ok: v.boolean(), media_path: text, bytes: count });
export const storageTasks = v.object({ tasks: v.array(v.object({ task_id: id, src: text, dst: text })) });
export const storageTaskAck = v.object({ ok: v.boolean(), fingerprinted: v.optional(v.boolean()) });
export const problem = describe(v.object({ detail: text }), "What was wrong, and where.");

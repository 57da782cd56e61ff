// THE TABLE: every operation is one row. Who may call it (scope, reach), with what (path, input), what comes back (output,
// errors) and under which names (path, tool, resource) stands here and nowhere else; every door walks these rows.
import * as v from "valibot";
import type { Context } from "./context.ts";
import * as input from "./inputs.ts";
import type { Answer } from "./operations/answers.ts";
import { decideApproval, requireOpenStep } from "./operations/approvals.ts";
import { createAsset, createNote, createVersion, requireAsset } from "./operations/assets.ts";
import { getCharacterBundle, getSceneBundle } from "./operations/bundles.ts";
import { getMediaContent, getMediaTicket } from "./operations/media.ts";
import { putMediaProxy } from "./operations/media_proxy.ts";
import { createLookBrief, createSessionToken } from "./operations/percep.ts";
import { read } from "./operations/read.ts";
import { postStorageEvents, requireInstall } from "./operations/storage.ts";
import { acknowledgeStorageTask } from "./operations/storage_tasks.ts";
import { requireTurnover, submitTurnover } from "./operations/turnovers.ts";
import * as record from "./records.ts";

export interface Operation {
  /** Its name everywhere: the MCP tool, the SQL block, and in camelCase the function. */
  name: string;
  /** What it is for, in a line: the reference's and the tool's description. */
  summary: string;
  method: "GET" | "POST";
  /** Below /api/v1; `:field` is a field of the input. What is no path field comes from the query or the body. */
  path: string;
  scope: input.Scope;
  /** engagement: works for both key shapes, clamped for an engagement-bound one. production: refuses an engagement-bound key. */
  reach: "production" | "engagement";
  input: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** How a POST's fields travel; json where it is left out. */
  body?: "json" | "multipart" | "json or multipart" | "none";
  /** The most bytes that the body may have; 1 MiB where it is left out. Uploaded files have the configured ceiling. */
  body_limit?: number;
  output: v.GenericSchema | "bytes";
  /** Statuses beyond 200, 401, 403, and 422 where there is an input to judge. */
  errors: readonly number[];
  /** Stands among the MCP tools under its name; `omit` are inputs that the tool does not take. */
  tool?: { omit?: readonly string[] };
  /** Its resource's URI on MCP. */
  resource?: string;
  /** Differs at every call: no ETag, never kept, no-store. */
  noStore?: boolean;
  /** Refuses before the body is read, by the path alone. */
  authorize?: (context: Context, path: never) => unknown;
  run: (context: Context, input: never) => Answer | Promise<Answer>;
}

const nothing = v.object({});
const node = v.object({ node_id: input.id });

/** A read whose whole answer is the statement of its own name, over its input. */
const statement =
  (name: string, parameters: (given: Record<string, unknown>) => object = (given) => given) =>
  (context: Context, given: object) =>
    read(context, name, parameters({ ...given }));

export const operations = [
  {
    name: "get_production",
    summary: "The production: title, logline, phase, format and its counts.",
    method: "GET",
    path: "/production",
    scope: "read",
    reach: "production",
    input: nothing,
    output: record.production,
    errors: [],
    tool: {},
    resource: "service://production",
    run: statement("get_production"),
  },
  {
    name: "list_departments",
    summary: "Every department.",
    method: "GET",
    path: "/departments",
    scope: "read",
    reach: "production",
    input: nothing,
    output: v.array(record.departmentRow),
    errors: [],
    tool: {},
    resource: "service://departments",
    run: statement("list_departments"),
  },
  {
    name: "get_department",
    summary: "One department by its slug, with its people and how many assets it owns.",
    method: "GET",
    path: "/departments/:slug",
    scope: "read",
    reach: "production",
    input: v.object({ slug: input.describe(input.text(64), "The department's slug.") }),
    output: record.departmentDetail,
    errors: [404],
    tool: {},
    run: statement("get_department"),
  },
  {
    name: "list_scenes",
    summary: "Every scene in script order.",
    method: "GET",
    path: "/scenes",
    scope: "read",
    reach: "production",
    input: nothing,
    output: v.array(record.scene),
    errors: [],
    tool: {},
    resource: "service://script",
    run: statement("list_scenes"),
  },
  {
    name: "list_assets",
    summary:
      "Every node that is not a scene, narrowed by department, kind, status or to those with a released version.",
    method: "GET",
    path: "/assets",
    scope: "read",
    reach: "production",
    input: v.object({
      department: v.optional(input.describe(input.text(64), "A department's slug: its assets alone.")),
      kind: v.optional(input.describe(input.text(64), "One kind alone, such as character, costume or location.")),
      status: v.optional(input.describe(input.oneOf(input.nodeStatuses), "One status alone.")),
      released: v.optional(input.describe(input.flag, "Whether to leave out what has no released version.")),
    }),
    output: v.array(record.assetRow),
    errors: [],
    tool: { omit: ["released"] },
    run: statement("list_assets", ({ department = null, kind = null, status = null, released = false }) => ({
      department,
      kind,
      status,
      released: released ? 1 : 0,
    })),
  },
  {
    name: "get_asset",
    summary: "One asset: released versions with their media, the others as locked stubs.",
    method: "GET",
    path: "/assets/:node_id",
    scope: "read",
    reach: "production",
    input: node,
    output: record.assetDetail,
    errors: [404],
    tool: {},
    run: statement("get_asset"),
  },
  {
    name: "get_schedule",
    summary: "The shoot days with their strips; on an episodic production episode_id marks the strips that match.",
    method: "GET",
    path: "/schedule",
    scope: "read",
    reach: "production",
    input: v.object({
      episode_id: v.optional(input.ids),
    }),
    output: v.array(record.shootDay),
    errors: [],
    tool: {},
    resource: "service://schedule",
    run: statement("get_schedule", ({ episode_id }) => ({
      episode_ids: episode_id === undefined ? null : JSON.stringify(episode_id),
    })),
  },
  {
    name: "list_deliveries",
    summary: "Every delivery, between departments and to the outside, with its gating approval if it has one.",
    method: "GET",
    path: "/deliveries",
    scope: "read",
    reach: "production",
    input: nothing,
    output: v.array(record.delivery),
    errors: [],
    tool: {},
    resource: "service://deliveries",
    run: statement("list_deliveries"),
  },
  {
    name: "list_approvals",
    summary: "The approvals with their steps.",
    method: "GET",
    path: "/approvals",
    scope: "read",
    reach: "production",
    input: v.object({
      status: v.optional(input.describe(input.oneOf(input.approvalStatuses), "One status alone.")),
    }),
    output: v.array(record.approval),
    errors: [],
    tool: {},
    resource: "service://approvals",
    run: statement("list_approvals", ({ status = null }) => ({ status })),
  },
  {
    name: "list_script_changes",
    summary:
      "Differences between script drafts that await a decision; on an episodic production those of the current episode, unless episode_id or all_episodes widens it.",
    method: "GET",
    path: "/script-changes",
    scope: "read",
    reach: "production",
    input: v.object({
      status: v.optional(input.oneOf([...input.scriptChangeStatuses, "all"]), "pending"),
      episode_id: v.optional(input.describe(input.id, "This episode instead of the current one.")),
      all_episodes: v.optional(input.describe(input.flag, "Whether to widen to every episode."), false),
    }),
    output: v.array(record.scriptChange),
    errors: [],
    run: statement("list_script_changes", ({ status, episode_id = null, all_episodes }) => ({
      status,
      episode_id,
      all_episodes: all_episodes ? 1 : 0,
    })),
  },
  {
    name: "list_activity",
    summary: "The activity feed, newest first.",
    method: "GET",
    path: "/activity",
    scope: "read",
    reach: "production",
    input: v.object({ limit: v.optional(input.limit, 50) }),
    output: v.array(record.activityEntry),
    errors: [],
    tool: {},
    run: statement("list_activity"),
  },
  {
    name: "list_people",
    summary: "The crew directory, without contact details.",
    method: "GET",
    path: "/people",
    scope: "read",
    reach: "production",
    input: nothing,
    output: v.array(record.person),
    errors: [],
    run: statement("list_people"),
  },
  {
    name: "list_jobs",
    summary: "Recent generation jobs, newest first.",
    method: "GET",
    path: "/jobs",
    scope: "read",
    reach: "production",
    input: v.object({ limit: v.optional(input.limit, 50) }),
    output: v.array(record.job),
    errors: [],
    run: statement("list_jobs"),
  },
  {
    name: "get_scene_bundle",
    summary:
      "One scene with its assets' released versions, shoot days, approvals and department notes, in one round trip.",
    method: "GET",
    path: "/bundles/scene/:node_id",
    scope: "read",
    reach: "engagement",
    input: node,
    output: record.sceneBundle,
    errors: [404],
    tool: {},
    run: getSceneBundle,
  },
  {
    name: "get_character_bundle",
    summary:
      "One character with its costumes, their released versions and the ingredients that fed them, in one round trip.",
    method: "GET",
    path: "/bundles/character/:node_id",
    scope: "read",
    reach: "engagement",
    input: node,
    output: record.characterBundle,
    errors: [404],
    tool: {},
    run: getCharacterBundle,
  },
  {
    name: "list_turnovers",
    summary: "The deliveries that the key's engagement may read or hand work in on; none for a production-wide key.",
    method: "GET",
    path: "/turnovers",
    scope: "read",
    reach: "engagement",
    input: nothing,
    output: v.array(record.turnover),
    errors: [],
    tool: {},
    run: statement("list_turnovers"),
  },
  {
    name: "submit_turnover",
    summary: "Hands work in on a delivery: one or more files, each of which becomes a medium of its own.",
    method: "POST",
    path: "/turnovers/:delivery_id/submissions",
    scope: "submit:turnover",
    reach: "engagement",
    body: "multipart",
    input: v.object({
      delivery_id: input.id,
      title: v.optional(input.describe(input.text(300), "The delivery's title where left out.")),
      note: v.optional(input.text()),
      files: input.uploads,
    }),
    output: record.turnoverSubmission,
    errors: [404, 413, 507],
    tool: {},
    authorize: requireTurnover,
    run: submitTurnover,
  },
  {
    name: "get_media",
    summary: "What is known of one medium.",
    method: "GET",
    path: "/media/:id",
    scope: "read",
    reach: "engagement",
    input: v.object({ id: input.id }),
    output: record.mediaDetail,
    errors: [404],
    run: statement("get_media"),
  },
  {
    name: "get_media_content",
    summary: "The bytes of one medium; bundles name a version's by its `media_id`.",
    method: "GET",
    path: "/media/:id/content",
    scope: "read",
    reach: "engagement",
    input: v.object({ id: input.id }),
    output: "bytes",
    errors: [404, 416],
    run: getMediaContent,
  },
  {
    name: "get_media_ticket",
    summary:
      "A short-lived ticket for the media route, which reaches what this key reaches. A vendor's key fetches bytes at /media/{id}/content instead.",
    method: "GET",
    path: "/media-ticket",
    scope: "read",
    reach: "production",
    input: nothing,
    output: record.mediaTicket,
    errors: [],
    noStore: true,
    run: getMediaTicket,
  },
  {
    name: "create_session_token",
    summary: "A short-lived client token for the restyle provider, whose permanent key stays here.",
    method: "POST",
    path: "/percep/session-token",
    scope: "read",
    reach: "production",
    input: v.object({ model: v.optional(input.oneOf(input.restyleModels), "lucy-2.5") }),
    output: record.sessionToken,
    errors: [502, 503],
    noStore: true,
    run: createSessionToken,
  },
  {
    name: "create_look_brief",
    summary: "The look brief of a released version's still, distilled once and kept.",
    method: "POST",
    path: "/percep/looks/:version_id/brief",
    scope: "read",
    reach: "production",
    body: "none",
    input: v.object({ version_id: input.id }),
    output: record.lookBrief,
    errors: [404, 502, 503],
    run: createLookBrief,
  },
  {
    name: "get_purchase_orders",
    summary:
      "The engagement's vendor's own purchase orders and the cost report lines of the departments it was granted.",
    method: "GET",
    path: "/purchase-orders",
    scope: "read:money",
    reach: "engagement",
    input: nothing,
    output: record.purchaseOrders,
    errors: [],
    tool: {},
    run: statement("get_purchase_orders"),
  },
  {
    name: "create_asset",
    summary: "Creates an asset of any kind but scene; it is planned and of no department unless said otherwise.",
    method: "POST",
    path: "/assets",
    scope: "write",
    reach: "production",
    input: v.object({
      label: input.text(300),
      kind: v.optional(input.describe(input.assetKind, "Any kind but scene: scenes come from the script."), "asset"),
      department: v.optional(input.describe(input.slug, "The slug of the department that owns it.")),
      status: v.optional(input.oneOf(input.nodeStatuses), "planned"),
    }),
    output: record.assetRow,
    errors: [],
    run: createAsset,
  },
  {
    name: "create_note",
    summary:
      "Attaches a note to an asset: to its newest version, which then shows it, or to the activity feed alone where it has none.",
    method: "POST",
    path: "/assets/:node_id/notes",
    scope: "write",
    reach: "production",
    // The activity entry shows the text after the asset's label and the author, within 10,000 characters.
    input: v.object({
      node_id: input.id,
      text: input.text(9_000),
      author: v.optional(input.describe(input.text(300), "Who says it; the key's label where left out.")),
    }),
    output: record.note,
    errors: [404],
    authorize: requireAsset,
    run: createNote,
  },
  {
    name: "create_version",
    summary: "Lands an on-set still as the asset's next version, a reviewable work in progress.",
    method: "POST",
    path: "/assets/:node_id/versions",
    scope: "write",
    reach: "production",
    body: "multipart",
    input: v.object({
      node_id: input.id,
      file: input.upload,
      note: v.optional(input.text()),
      variant: v.optional(input.text(200), "On-Set"),
    }),
    output: record.landedVersion,
    errors: [404, 413, 507],
    authorize: requireAsset,
    run: createVersion,
  },
  {
    name: "decide_approval",
    summary:
      "Decides the current step of an approval in the name of the person whose step it is; a chain may leave the name out.",
    method: "POST",
    path: "/approvals/:approval_id/decide",
    scope: "write",
    reach: "production",
    input: v.object({
      approval_id: input.id,
      decision: input.oneOf(input.approvalDecisions),
      decided_by: v.optional(
        input.describe(input.text(300), "The person whose step it is, by full name or id; a chain may leave it out."),
      ),
      note: v.optional(input.text()),
    }),
    output: record.approval,
    errors: [404, 409],
    authorize: requireOpenStep,
    run: decideApproval,
  },
  {
    name: "post_storage_events",
    summary:
      "Takes up to 1,000 file events of the active filespace; replays count as duplicates, and a bad event is refused alone.",
    method: "POST",
    path: "/storage/events",
    scope: "write",
    reach: "production",
    body_limit: 8 << 20,
    input: v.object({
      filespace: input.describe(input.text(300), "The active install's filespace."),
      events: input.storageEvents,
    }),
    output: record.storageEventAck,
    errors: [409, 413],
    authorize: requireInstall,
    run: postStorageEvents,
  },
  {
    name: "put_media_proxy",
    summary: "Puts a JPEG of at most 4,096 pixels a side as the stand-in for a library file, over the one that it had.",
    method: "POST",
    path: "/storage/media-proxy",
    scope: "write",
    reach: "production",
    body: "json or multipart",
    body_limit: 8 << 20,
    input: v.object({
      filespace: input.describe(input.text(300), "The active install's filespace."),
      path: input.describe(input.filePath, "The library file that the picture stands in for."),
      bytes: input.upload,
    }),
    output: record.mediaProxy,
    errors: [404, 409, 413, 507],
    authorize: requireInstall,
    run: putMediaProxy,
  },
  {
    name: "list_storage_tasks",
    summary: "The approved file moves of the active filespace that are still to be done, oldest first.",
    method: "GET",
    path: "/storage/tasks",
    scope: "write",
    reach: "production",
    input: nothing,
    output: record.storageTasks,
    errors: [],
    run: statement("list_storage_tasks"),
  },
  {
    name: "acknowledge_storage_task",
    summary:
      "Settles a file move as done or failed, or, without ok, records the source's fingerprint before it; a settled move stays as it is.",
    method: "POST",
    path: "/storage/tasks/ack",
    scope: "write",
    reach: "production",
    input: v.object({
      task_id: input.id,
      ok: v.optional(
        input.describe(input.flag, "Whether the file was moved; left out, the fingerprint alone is recorded."),
      ),
      note: v.optional(input.text(9_000)),
      src_sha256: v.optional(input.describe(input.sha256, "The source's SHA-256 before the move, in hex.")),
    }),
    output: record.storageTaskAck,
    errors: [404],
    run: acknowledgeStorageTask,
  },
] as const satisfies readonly Operation[];

/** Every row, under the one type that doors work with. */
export const table: readonly Operation[] = operations;

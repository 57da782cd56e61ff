// One valid request for every row of the table, against the imported demo, and the function that sends it. Used by
// every test that goes through all rows and by the recorder of the description's examples.
import type { Store } from "../../src/core/store/store.ts";
import { addWebhook } from "../../src/features/webhooks/webhooks.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { importedAt, one, type TestServer } from "./app.ts";
import { jpeg } from "./jpeg.ts";
import type { SeedData } from "./seed_data.ts";

export interface Case {
  /** Below /api/v1. */
  path: string;
  json?: object;
  form?: Record<string, string | Blob>;
  /** The production of the key; by default the one with the shared delivery. */
  production?: number;
  /** The engagement that reaches the object. */
  engagement?: number;
  /** The person of the key. */
  person?: number;
  /** The status that a production-wide key with every scope gets, if it is not 200. */
  productionWideStatus?: number;
}

const file = () => new Blob([jpeg(16, 16)], { type: "image/jpeg" });

export type Cases = Readonly<Record<string, () => Case>>;

/** The case of a row, with ids as they are now. Throws an Error if the row has none. */
export function caseOf(cases: Cases, name: string): Case {
  const arrange = cases[name];
  if (arrange === undefined) throw new Error(`${name} has no case in test/support/cases.ts`);
  return arrange();
}

/** The cases by row name; each one reads its ids from the database when it is called. */
export function casesOf(store: Store, seedData: SeedData): Cases {
  const productionOf = (list: "nodes" | "engagements", id: number) =>
    one(store, `SELECT production_id FROM ${list} WHERE id = ?`, id);
  const presentFile = () =>
    one<string>(
      store,
      "SELECT path FROM asset_files f JOIN storage_installs i ON i.id = f.install_id WHERE i.active = 1 AND state = 'present'",
    );
  const filespace = () => one<string>(store, "SELECT filespace FROM storage_installs WHERE active = 1");
  const releasedVersion = () => one(store, "SELECT version_id FROM media WHERE id = ?", seedData.releasedStill);
  const last = (table: string, production: number, condition: string) =>
    one(store, `SELECT max(id) FROM ${table} WHERE production_id = ? AND ${condition}`, production);
  const first = (table: string) =>
    one(store, `SELECT min(id) FROM ${table} WHERE production_id = ?`, seedData.production);
  const { delivery, submitter, storageProduction, otherProduction } = seedData;
  /** An address at which no receiver listens. */
  const receiver = "http://127.0.0.1:9/hook";
  const webhook = () => {
    const { production: production_id } = seedData;
    const types = ["production.removed"]; // never recorded, so nothing is delivered
    return addWebhook(localAdmin(store, importedAt), { production_id, url: receiver, types }).id;
  };
  return {
    get_me: () => ({ path: "/me", engagement: submitter }),
    get_manifest: () => ({ path: "/me/manifest", engagement: submitter, productionWideStatus: 403 }),
    get_manifest_changes: () => ({ path: "/me/changes", engagement: submitter, productionWideStatus: 403 }),
    get_production: () => ({ path: "/production" }),
    list_departments: () => ({ path: "/departments" }),
    get_department: () => ({ path: `/departments/${seedData.department}` }),
    list_scenes: () => ({ path: "/scenes" }),
    list_assets: () => ({ path: "/assets?status=active&released=1" }),
    get_asset: () => ({ path: `/assets/${seedData.asset}` }),
    get_scene: () => ({
      path: `/scenes/${seedData.scene}`,
      production: productionOf("nodes", seedData.scene as number),
    }),
    get_scene_script: () => ({
      path: `/scenes/${seedData.scene}/script`,
      production: productionOf("nodes", seedData.scene as number),
    }),
    get_asset_usage: () => ({ path: `/assets/${seedData.asset}/usage` }),
    create_assets: () => ({ path: "/batch/assets", json: { assets: [{ label: "Batch lamp" }] } }),
    create_versions: () => ({
      path: "/batch/versions",
      form: { versions: JSON.stringify([{ node_id: seedData.asset, file: 0 }]), files: file() },
    }),
    set_asset_status: () => ({ path: `/assets/${seedData.asset}/status`, json: { status: "blocked" } }),
    list_media: () => ({ path: "/media?limit=3" }),
    get_shoot_day: () => ({ path: `/schedule/${first("shoot_days")}` }),
    get_delivery: () => ({ path: `/deliveries/${first("deliveries")}` }),
    get_approval: () => ({ path: `/approvals/${first("approvals")}` }),
    get_person: () => ({ path: `/people/${first("people")}` }),
    list_episodes: () => ({ path: "/episodes" }),
    list_vendors: () => ({ path: "/vendors" }),
    list_notes: () => ({
      path: `/assets/${one(store, "SELECT node_id FROM notes WHERE production_id = ?", seedData.production)}/notes`,
    }),
    get_note: () => ({ path: `/notes/${first("notes")}` }),
    list_versions: () => ({ path: `/assets/${seedData.asset}/versions` }),
    get_schedule: () => ({ path: "/schedule" }),
    list_cast_days: () => ({ path: "/cast/days" }),
    issue_day: () => ({ path: `/days/${first("shoot_days")}/issue` }),
    list_day_issues: () => ({ path: `/days/${first("shoot_days")}/issues` }),
    get_day_issue: () => ({ path: `/days/${first("shoot_days")}/issues/1` }),
    get_progress: () => ({ path: "/progress" }),
    list_deliveries: () => ({ path: "/deliveries" }),
    list_approvals: () => ({ path: "/approvals" }),
    list_script_changes: () => ({ path: "/script-changes?status=all&all_episodes=true" }),
    list_activity: () => ({ path: "/activity?limit=200" }),
    list_people: () => ({ path: "/people" }),
    list_jobs: () => ({ path: "/jobs" }),
    search: () => ({ path: "/search?q=breck" }),
    list_events: () => ({ path: "/events?after=start&limit=200" }),
    get_scene_bundle: () => ({ path: `/bundles/scene/${seedData.scene}`, engagement: seedData.sceneGrantee }),
    get_character_bundle: () => ({
      path: `/bundles/character/${seedData.character}`,
      engagement: seedData.characterGrantee,
      production: productionOf("nodes", seedData.character as number),
    }),
    get_asset_bundle: () => ({
      path: `/bundles/asset/${seedData.character}`,
      engagement: seedData.characterGrantee,
      production: productionOf("nodes", seedData.character as number),
    }),
    get_day_bundle: () => ({ path: `/bundles/day?date=${seedData.shootDate}` }),
    list_turnovers: () => ({ path: "/turnovers", engagement: submitter }),
    list_submissions: () => ({
      path: `/turnovers/${seedData.submittedDelivery}/submissions`,
      production: productionOf("engagements", seedData.submitted),
      engagement: seedData.submitted,
    }),
    list_all_submissions: () => ({
      path: "/submissions?status=submitted,returned",
      production: productionOf("engagements", seedData.submitted),
    }),
    submit_turnover: () => ({
      path: `/turnovers/${delivery}/submissions`,
      form: { title: "Comp v4", note: "Grain matched to the plate.", files: file() },
      engagement: submitter,
      productionWideStatus: 403,
    }),
    get_media: () => ({ path: `/media/${seedData.releasedStill}` }),
    get_media_content: () => ({ path: `/media/${seedData.releasedStill}/content` }),
    get_media_ticket: () => ({ path: "/media-ticket" }),
    get_purchase_orders: () => ({
      path: "/purchase-orders",
      engagement: seedData.moneyGrantee,
      production: productionOf("engagements", seedData.moneyGrantee),
    }),
    list_orders: () => ({ path: "/orders" }),
    create_asset: () => ({
      path: "/assets",
      json: { label: "Storm lantern", department: seedData.department, status: "planned" },
    }),
    create_note: () => ({
      path: `/assets/${seedData.asset}/notes`,
      json: { text: "Darker at the hem.", author: "Second unit" },
    }),
    create_version: () => ({
      path: `/assets/${seedData.asset}/versions`,
      form: { file: file(), note: "Before the rain came in." },
    }),
    decide_submission: () => ({
      path: `/submissions/${one(store, "SELECT min(id) FROM submissions")}/decide`,
      json: { decision: "returned", note: "The grain does not match the plate." },
      production: one(store, "SELECT production_id FROM submissions ORDER BY id LIMIT 1"),
    }),
    decide_approval: () => ({ path: `/approvals/${seedData.pendingChain}/decide`, json: { decision: "approved" } }),
    take_back_approval: () => {
      const { database } = store;
      const decided = database
        .prepare(
          `SELECT approval_id, decided_by_person_id AS person FROM approval_steps step
           WHERE production_id = ? AND decided_by_person_id IS NOT NULL AND NOT EXISTS (
             SELECT 1 FROM approval_steps WHERE approval_id = step.approval_id AND position > step.position AND status <> 'pending')`,
        )
        .get(seedData.production) as { approval_id: number; person: number };
      return { path: `/approvals/${decided.approval_id}/take-back`, json: {}, person: decided.person };
    },
    ask_again_approval: () => {
      const asked = store.database
        .prepare(
          `SELECT a.id, v.id AS version_id, step.person_id AS person
           FROM approvals a JOIN approval_steps step ON step.approval_id = a.id
           JOIN versions v ON v.node_id = a.node_id AND v.archived = 0 AND (v.id IS NOT a.version_id OR a.status <> 'pending')
             AND v.variant = (SELECT variant FROM versions WHERE id = ifnull(a.version_id, v.id))
           WHERE a.production_id = ? AND a.status IN ('pending', 'changes_requested') ORDER BY a.status DESC, a.id DESC, v.id LIMIT 1`,
        )
        .get(seedData.production) as { id: number; version_id: number; person: number };
      const { id, version_id, person } = asked;
      return { path: `/approvals/${id}/ask-again`, json: { version_id }, person };
    },
    post_storage_events: () => ({
      path: "/storage/events",
      json: {
        filespace: filespace(),
        events: [
          {
            event_type: "modify",
            path: presentFile(),
            source: "audit_tail",
            dedupe_key: "audit-41873",
            detected_at: "2026-11-20T07:55:12.000Z",
            size: 48211968,
            mtime_ns: 1763625312000000000,
          },
        ],
      },
      production: storageProduction,
    }),
    put_media_proxy: () => ({
      path: "/storage/media-proxy",
      json: { filespace: filespace(), path: presentFile(), bytes: Buffer.from(jpeg(16, 16)).toString("base64") },
      production: storageProduction,
    }),
    list_storage_tasks: () => ({ path: "/storage/tasks", production: storageProduction }),
    acknowledge_storage_task: () => ({
      path: "/storage/tasks/ack",
      json: { task_id: seedData.pendingMove, src_sha256: "ab".repeat(32) },
      production: storageProduction,
    }),
    import_documents: () => ({
      path: "/admin/import?dry_run=1",
      json: { people: [{ name: "Isla Rae", role: "Script supervisor" }] },
    }),
    get_production_document: () => ({ path: "/admin/export" }),
    list_keys: () => ({ path: "/admin/keys" }),
    mint_key: () => ({
      path: "/admin/keys",
      json: { label: "Dailies viewer", scopes: ["read"], expires: "2099-12-31" },
    }),
    revoke_key: () => ({
      path: `/admin/keys/${one(store, "SELECT min(id) FROM api_keys WHERE production_id = ?", seedData.production)}/revoke`,
      json: {},
    }),
    list_engagements: () => ({ path: "/admin/engagements" }),
    add_engagement: () => ({
      path: "/admin/engagements",
      json: { vendor: "Northlight Grading", title: "Grade, reels 1 to 4" },
    }),
    end_engagement: () => ({
      path: `/admin/engagements/${last("engagements", otherProduction, "ended_at IS NULL")}/end`,
      json: {},
      production: otherProduction,
    }),
    add_grant: () => ({
      path: "/admin/grants",
      json: { engagement_id: submitter, verb: "read", node_id: seedData.asset, expires: "2099-12-31" },
    }),
    revoke_grant: () => ({
      path: `/admin/grants/${last("grants", otherProduction, "revoked_at IS NULL")}/revoke`,
      json: {},
      production: otherProduction,
    }),
    release_version: () => ({
      path: `/admin/versions/${last("versions", seedData.production, "released = 0")}/release`,
      json: {},
    }),
    archive_version: () => ({
      path: `/admin/versions/${last("versions", seedData.production, "archived = 0")}/archive`,
      json: {},
    }),
    reopen_approval: () => ({
      path: `/admin/approvals/${last("approvals", seedData.production, "status = 'changes_requested'")}/reopen`,
      json: {},
    }),
    decide_script_change: () => ({
      path: `/script-changes/${last("script_changes", seedData.production, "status = 'pending'")}/decide`,
      json: { decision: "dismissed", note: "The director keeps the scene." },
    }),
    decide_script_changes: () => ({
      path: "/script-changes/decide",
      json: { ids: [last("script_changes", seedData.production, "status = 'pending'")], decision: "dismissed" },
    }),
    remove_thing: () => ({
      path: "/admin/remove",
      json: { section: "schedule", id: first("shoot_days"), dry_run: true },
    }),
    change_files: () => ({ path: "/admin/files", form: { delivery_id: String(delivery), files: file() } }),
    list_storage_moves: () => ({ path: "/admin/storage/moves", production: storageProduction }),
    add_storage_move: () => ({
      path: "/admin/storage/moves",
      json: { src: "dailies/day_12/A012.mov", dst: "editorial/day_12/A012.mov" },
      production: storageProduction,
    }),
    install_storage: () => ({
      path: "/admin/storage/install",
      json: { filespace: filespace() },
      production: storageProduction,
    }),
    list_history: () => ({ path: "/admin/history?limit=200" }),
    get_change_set: () => ({ path: `/admin/history/${last("change_sets", seedData.production, "undone_by IS NULL")}` }),
    undo_change_set: () => ({
      path: `/admin/history/${last("change_sets", seedData.production, "undone_by IS NULL AND source <> 'script changes'")}/undo?dry_run=1`,
      json: {},
    }),
    list_audit: () => ({ path: "/admin/audit?limit=200" }),
    list_webhooks: () => ({ path: "/admin/webhooks" }),
    add_webhook: () => ({ path: "/admin/webhooks", json: { url: receiver, types: ["version.released"] } }),
    pause_webhook: () => ({ path: `/admin/webhooks/${webhook()}/pause`, json: {} }),
    resume_webhook: () => ({ path: `/admin/webhooks/${webhook()}/resume`, json: {} }),
    remove_webhook: () => ({ path: `/admin/webhooks/${webhook()}/remove`, json: {} }),
    set_webhook: () => ({ path: `/admin/webhooks/${webhook()}`, json: { types: ["production.removed"] } }),
    rotate_webhook: () => ({ path: `/admin/webhooks/${webhook()}/rotate`, json: {} }),
    test_webhook: () => ({ path: `/admin/webhooks/${webhook()}/test`, json: {} }),
    replay_webhook: () => ({ path: `/admin/webhooks/${webhook()}/replay`, json: { after: "start" } }),
    list_set_aside_events: () => ({ path: `/admin/webhooks/${webhook()}/set-aside` }),
    list_webhook_deliveries: () => ({ path: `/admin/webhooks/${webhook()}/deliveries` }),
    create_session_token: () => ({ path: "/percep/session-token", json: {}, productionWideStatus: 503 }),
    create_look_brief: () => ({
      path: `/percep/looks/${releasedVersion()}/brief`,
      json: {},
      productionWideStatus: 503,
    }),
  };
}

/** Sends the request of a case. */
export function sendCase(
  server: TestServer,
  { path, json, form }: Case,
  method: string,
  token: string | undefined,
): Promise<Response> {
  if (method === "GET") return server.ask(token, `/api/v1${path}`);
  if (form === undefined)
    return server.ask(token, `/api/v1${path}`, {
      method,
      body: JSON.stringify(json),
      headers: { "content-type": "application/json" },
    });
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === "string") body.append(name, value);
    else body.append(name, value, "still.jpg");
  }
  return server.ask(token, `/api/v1${path}`, { method, body });
}

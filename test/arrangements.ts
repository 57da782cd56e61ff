// One sound request for every row of the table, against the imported demo; and how it is sent. Whoever walks the rows (the
// table's own test, the contract's, the examples of the description) walks them with these.
import type { Store } from "../src/store/database.ts";
import { one, type TestServer } from "./app.ts";
import { jpeg } from "./jpeg.ts";
import type { World } from "./world.ts";

export interface Arrangement {
  /** Below /api/v1. */
  path: string;
  json?: object;
  form?: Record<string, string | Blob>;
  /** The production whose key is called with; the one with the shared delivery where left out. */
  production?: number;
  /** The engagement that reaches it. */
  engagement?: number;
  /** What a production-wide key with every scope gets, where it is not 200. */
  wide?: number;
}

const file = () => new Blob([jpeg(16, 16)], { type: "image/jpeg" });

export type Arrangements = Readonly<Record<string, () => Arrangement>>;

/** By the rows' names; each is looked up when it is asked for. */
export function arrangementsOf(store: Store, world: World): Arrangements {
  const productionOf = (list: "nodes" | "engagements", id: number) =>
    one(store, `SELECT production_id FROM ${list} WHERE id = ?`, id);
  const presentFile = () =>
    one<string>(
      store,
      "SELECT path FROM asset_files f JOIN storage_installs i ON i.id = f.install_id WHERE i.active = 1 AND state = 'present'",
    );
  const filespace = () => one<string>(store, "SELECT filespace FROM storage_installs WHERE active = 1");
  const releasedVersion = () => one(store, "SELECT version_id FROM media WHERE id = ?", world.releasedStill);
  const { delivery, submitter, storageProduction } = world;
  return {
    get_production: () => ({ path: "/production" }),
    list_departments: () => ({ path: "/departments" }),
    get_department: () => ({ path: `/departments/${world.department}` }),
    list_scenes: () => ({ path: "/scenes" }),
    list_assets: () => ({ path: "/assets?status=active&released=1" }),
    get_asset: () => ({ path: `/assets/${world.asset}` }),
    get_schedule: () => ({ path: "/schedule" }),
    list_deliveries: () => ({ path: "/deliveries" }),
    list_approvals: () => ({ path: "/approvals" }),
    list_script_changes: () => ({ path: "/script-changes?status=all&all_episodes=true" }),
    list_activity: () => ({ path: "/activity?limit=200" }),
    list_people: () => ({ path: "/people" }),
    list_jobs: () => ({ path: "/jobs" }),
    get_scene_bundle: () => ({ path: `/bundles/scene/${world.scene}`, engagement: world.sceneGrantee }),
    get_character_bundle: () => ({
      path: `/bundles/character/${world.character}`,
      engagement: world.characterGrantee,
      production: productionOf("nodes", world.character as number),
    }),
    list_turnovers: () => ({ path: "/turnovers", engagement: submitter }),
    submit_turnover: () => ({
      path: `/turnovers/${delivery}/submissions`,
      form: { title: "Comp v4", note: "Grain matched to the plate.", files: file() },
      engagement: submitter,
      wide: 403,
    }),
    get_media: () => ({ path: `/media/${world.releasedStill}` }),
    get_media_content: () => ({ path: `/media/${world.releasedStill}/content` }),
    get_media_ticket: () => ({ path: "/media-ticket" }),
    get_purchase_orders: () => ({
      path: "/purchase-orders",
      engagement: world.moneyGrantee,
      production: productionOf("engagements", world.moneyGrantee),
    }),
    create_asset: () => ({
      path: "/assets",
      json: { label: "Storm lantern", department: world.department, status: "planned" },
    }),
    create_note: () => ({
      path: `/assets/${world.asset}/notes`,
      json: { text: "Darker at the hem.", author: "Second unit" },
    }),
    create_version: () => ({
      path: `/assets/${world.asset}/versions`,
      form: { file: file(), note: "Before the rain came in." },
    }),
    decide_approval: () => ({ path: `/approvals/${world.pendingChain}/decide`, json: { decision: "approved" } }),
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
      json: { task_id: world.pendingMove, src_sha256: "ab".repeat(32) },
      production: storageProduction,
    }),
    create_session_token: () => ({ path: "/percep/session-token", json: {}, wide: 503 }),
    create_look_brief: () => ({ path: `/percep/looks/${releasedVersion()}/brief`, json: {}, wide: 503 }),
  };
}

/** Sends an arranged request. */
export function callArranged(
  server: TestServer,
  { path, json, form }: Arrangement,
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

// Every read of the interface of 1.0.0 as requests: the recorder sends them to a released version for every key.

export interface Read {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

/** Sends a GET below /api/v1 and returns the parsed answer. */
type Get = (path: string) => Promise<any>;

const get = (path: string): Read => ({ method: "GET", path: `/api/v1${path}` });
const rpc = (method: string, params?: object): Read => ({
  method: "POST",
  path: "/mcp",
  body: { jsonrpc: "2.0", id: 1, method, ...(params && { params }) },
});
const tool = (name: string, given: object = {}): Read => rpc("tools/call", { name, arguments: given });

const lists = [
  "/production",
  "/departments",
  "/scenes",
  "/assets",
  "/assets?released=1",
  "/assets?kind=character&status=active",
  "/schedule",
  "/deliveries",
  "/approvals",
  "/approvals?status=pending",
  "/script-changes",
  "/script-changes?status=all&all_episodes=true",
  "/activity",
  "/activity?limit=3",
  "/people",
  "/jobs",
  "/storage/tasks",
  "/turnovers",
  "/purchase-orders",
];

const tools = [
  "get_production",
  "list_departments",
  "list_scenes",
  "list_assets",
  "get_schedule",
  "list_deliveries",
  "list_approvals",
  "list_activity",
  "get_purchase_orders",
  "list_turnovers",
];

const resources = ["production", "departments", "schedule", "script", "deliveries", "approvals"];

/** An id that no production has. */
const absent = 987_654_321;

/** The reads of every operation that takes no id. */
export const plainReads = (): Read[] => [
  ...lists.map(get),
  ...["tools/list", "resources/list", "prompts/list"].map((method) => rpc(method)),
  rpc("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "recorder", version: "1" },
  }),
  ...tools.map((name) => tool(name)),
  ...resources.map((name) => rpc("resources/read", { uri: `service://${name}` })),
  rpc("prompts/get", { name: "scene_status", arguments: { node_id: "1" } }),
];

/**
 * The reads of everything in the production that `ask`, a production-wide key, sees: each bundle, asset, medium,
 * department.
 */
export async function readsOfEach(ask: Get): Promise<Read[]> {
  const [scenes, assets, departments] = [await ask("/scenes"), await ask("/assets"), await ask("/departments")];
  const episodes = [...new Set(scenes.map((scene: any) => scene.episode_id).filter(Boolean))];
  const characters = assets.filter(({ kind }: any) => kind === "character").map(({ node_id }: any) => node_id);
  const media = Array.from({ length: 400 }, (_, at) => at + 1);
  const ids = (rows: any[]): number[] => [...rows.map(({ node_id }) => node_id), absent];
  return [
    ...ids(scenes).flatMap((id) => [get(`/bundles/scene/${id}`)]),
    ...[...characters, absent].map((id) => get(`/bundles/character/${id}`)),
    ...ids(assets).map((id) => get(`/assets/${id}`)),
    ...[...departments.map(({ slug }: any) => slug), "nothing"].map((slug) => get(`/departments/${slug}`)),
    ...media.flatMap((id) => [get(`/media/${id}`), ...(id % 10 === 0 ? [get(`/media/${id}/content`)] : [])]),
    ...episodes.flatMap((id) => [get(`/schedule?episode_id=${id}`), get(`/script-changes?episode_id=${id}`)]),
    tool("get_scene_bundle", { node_id: scenes[0].node_id }),
    tool("get_character_bundle", { node_id: characters[0] }),
    tool("get_asset", { node_id: assets[0].node_id }),
    tool("get_department", { slug: departments[0]?.slug ?? "nothing" }),
    tool("get_scene_bundle", { node_id: absent }),
  ];
}

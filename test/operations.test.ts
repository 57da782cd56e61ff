// Walks every row of the table with every key shape and scope: who is let in, who is refused and how, and that every 200 has
// the shape that the row promises. Fails when a row was never exercised.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { scopes } from "../src/inputs.ts";
import { table } from "../src/operations.ts";
import { assertRefused, mint, one, openTestServer } from "./app.ts";
import { jpeg } from "./jpeg.ts";
import { type World, worldOf } from "./world.ts";

const server = await openTestServer();
const { store } = server;
const world = worldOf(store);
const storageProduction = world.storageProduction;

interface Arrangement {
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

const arrangements: Record<string, (world: World) => Arrangement> = {
  get_production: () => ({ path: "/production" }),
  list_departments: () => ({ path: "/departments" }),
  get_department: ({ department }) => ({ path: `/departments/${department}` }),
  list_scenes: () => ({ path: "/scenes" }),
  list_assets: () => ({ path: "/assets?status=active&released=1" }),
  get_asset: ({ asset }) => ({ path: `/assets/${asset}` }),
  get_schedule: () => ({ path: "/schedule" }),
  list_deliveries: () => ({ path: "/deliveries" }),
  list_approvals: () => ({ path: "/approvals" }),
  list_script_changes: () => ({ path: "/script-changes?status=all&all_episodes=true" }),
  list_activity: () => ({ path: "/activity?limit=200" }),
  list_people: () => ({ path: "/people" }),
  list_jobs: () => ({ path: "/jobs" }),
  get_scene_bundle: ({ scene, sceneGrantee }) => ({ path: `/bundles/scene/${scene}`, engagement: sceneGrantee }),
  get_character_bundle: ({ character, characterGrantee }) => ({
    path: `/bundles/character/${character}`,
    engagement: characterGrantee,
    production: one(store, "SELECT production_id FROM nodes WHERE id = ?", character),
  }),
  list_turnovers: ({ submitter }) => ({ path: "/turnovers", engagement: submitter }),
  submit_turnover: ({ delivery, submitter }) => ({
    path: `/turnovers/${delivery}/submissions`,
    form: { title: "Comp v4", files: file() },
    engagement: submitter,
    wide: 403,
  }),
  get_media: ({ releasedStill }) => ({ path: `/media/${releasedStill}` }),
  get_media_content: ({ releasedStill }) => ({ path: `/media/${releasedStill}/content` }),
  get_media_ticket: ({ submitter }) => ({ path: "/media-ticket", engagement: submitter }),
  get_purchase_orders: ({ moneyGrantee }) => ({
    path: "/purchase-orders",
    engagement: moneyGrantee,
    production: one(store, "SELECT production_id FROM engagements WHERE id = ?", moneyGrantee),
  }),
  create_asset: () => ({ path: "/assets", json: { label: "Storm lantern" } }),
  create_note: ({ asset }) => ({ path: `/assets/${asset}/notes`, json: { text: "Darker at the hem." } }),
  create_version: ({ asset }) => ({ path: `/assets/${asset}/versions`, form: { file: file() } }),
  decide_approval: ({ pendingChain }) => ({
    path: `/approvals/${pendingChain}/decide`,
    json: { decision: "approved" },
  }),
  post_storage_events: () => ({
    path: "/storage/events",
    json: { filespace: filespace(), events: [] },
    production: storageProduction,
  }),
  put_media_proxy: () => ({
    path: "/storage/media-proxy",
    json: {
      filespace: filespace(),
      path: one(
        store,
        "SELECT path FROM asset_files f JOIN storage_installs i ON i.id = f.install_id WHERE i.active = 1 AND state = 'present'",
      ),
      bytes: Buffer.from(jpeg(16, 16)).toString("base64"),
    },
    production: storageProduction,
  }),
  list_storage_tasks: () => ({ path: "/storage/tasks", production: storageProduction }),
  acknowledge_storage_task: ({ pendingMove }) => ({
    path: "/storage/tasks/ack",
    json: { task_id: pendingMove, src_sha256: "ab".repeat(32) },
    production: storageProduction,
  }),
  create_session_token: () => ({ path: "/percep/session-token", json: {}, wide: 503 }),
  create_look_brief: () => ({ path: `/percep/looks/${releasedVersion()}/brief`, json: {}, wide: 503 }),
};

const filespace = () => one<string>(store, "SELECT filespace FROM storage_installs WHERE active = 1");
const releasedVersion = () => one(store, "SELECT version_id FROM media WHERE id = ?", world.releasedStill);

function call({ path, json, form }: Arrangement, method: string, token: string | undefined): Promise<Response> {
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

/** The row's schema with every object closed: an answer with a field that the row does not name fails. */
const walk = suite("every row of the table");

walk("has an arrangement here", () => {
  for (const { name } of table) assert.ok(Object.hasOwn(arrangements, name), `${name} is exercised by no test`);
  for (const name of Object.keys(arrangements))
    assert.ok(
      table.some((row) => row.name === name),
      `${name} is arranged for, and no row has it`,
    );
});

for (const row of table) {
  const arrange = () => (arrangements[row.name] as (world: World) => Arrangement)(world);
  const others = scopes.filter((scope) => scope !== row.scope);

  walk(`${row.name}: no key is 401, and so is a wrong one`, async () => {
    const response = await call(arrange(), row.method, undefined);
    assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer resource_metadata="http/);
    await assertRefused(response, 401);
    await assertRefused(await call(arrange(), row.method, `tl_${"x".repeat(43)}`), 401);
  });

  walk(`${row.name}: a key without ${row.scope} is 403 and told so`, async () => {
    const { production, engagement } = arrange();
    const bound = row.reach === "engagement" ? (engagement ?? null) : null;
    const token = mint(store, { production_id: production ?? world.production, engagement_id: bound, scopes: others });
    await assertRefused(await call(arrange(), row.method, token), 403, `key does not have the \`${row.scope}\` scope`);
  });

  walk(`${row.name}: a production-wide key with ${row.scope} is answered as the row says`, async () => {
    const arrangement = arrange();
    const token = mint(store, { production_id: arrangement.production ?? world.production, scopes: [row.scope] });
    const response = await call(arrangement, row.method, token);
    if (arrangement.wide !== undefined) return void (await assertRefused(response, arrangement.wide));
    await assertAnswers(row, response);
  });

  walk(
    `${row.name}: an engagement-bound key is ${row.reach === "engagement" ? "answered" : "403, whatever scopes it holds"}`,
    async () => {
      const arrangement = arrange();
      const bound = arrangement.engagement ?? world.submitter;
      const production_id = one(store, "SELECT production_id FROM engagements WHERE id = ?", bound);
      const token = mint(store, { production_id, engagement_id: bound, scopes });
      const response = await call(arrangement, row.method, token);
      if (row.reach === "production") return void (await assertRefused(response, 403, /bound to an engagement/));
      if (arrangement.engagement === undefined && response.status === 404)
        return void (await assertRefused(response, 404, "not found"));
      await assertAnswers(row, response);
    },
  );
}

async function assertAnswers(row: (typeof table)[number], response: Response): Promise<void> {
  if (row.output === "bytes") {
    assert.is(response.status, 200);
    assert.ok((await response.arrayBuffer()).byteLength > 0);
    return;
  }
  const text = await response.text();
  assert.is(response.status, 200, text);
  const answer = JSON.parse(text);
  const { success, issues, output } = v.safeParse(row.output, answer);
  assert.ok(success, `${row.name}: ${JSON.stringify(issues?.map((issue) => [v.getDotPath(issue), issue.message]))}`);
  assert.equal(output, answer, `${row.name} answers fields that its row does not name`);
}

walk.after(() => server.stop());
walk.run();

// Every operation at its limits.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isInstalled } from "../../../src/features/pictures/ffmpeg.ts";
import { one } from "../../../test/support/app.ts";
import { temporaryFolder } from "../../../test/support/folder.ts";
import { jpeg } from "../../../test/support/jpeg.ts";
import type { Asked, Cases, Measured, TurnCase } from "./case.ts";
import { changeSetsOf } from "./production.ts";

const base = "/api/v1";
const text = (length: number) => "What somebody said of it. ".repeat(length / 26);

export function operationCases({ server: { store }, ids, keys, send }: Measured): Cases {
  const { asset, character, day, delivery, production, scene } = ids;
  const read = (size: string, path: string, more: Partial<Asked> = {}): TurnCase => ({
    size,
    ask: () => ({ path: base + path, ...more }),
  });
  const write = (
    size: string,
    path: string | ((attempt: number) => string),
    body: (attempt: number) => object,
    more: Partial<Asked> = {},
  ): TurnCase => ({
    size,
    ask: (attempt) => ({
      path: base + (typeof path === "string" ? path : path(attempt)),
      body: body(attempt) as Exclude<Asked["body"], undefined>,
      ...more,
    }),
  });
  const find = (sql: string) => one(store, sql, production);
  const vendor = { key: keys.vendor };
  const wrong = { statuses: [503] };
  const file = (bytes: number) => new Blob([jpeg(16, 16), new Uint8Array(bytes)]);
  const inOneTransaction = { ratio: 6, why: "all or none, so it is one transaction of this thread" };
  const form = (fields: Record<string, string>, name: string, count: number, bytes: number) => {
    const made = new FormData();
    for (const [key, value] of Object.entries(fields)) made.append(key, value);
    for (let at = 0; at < count; at++) made.append(name, file(bytes + at), `sh${at}.jpg`);
    return made;
  };
  const filespace = one<string>(store, "SELECT filespace FROM storage_installs WHERE production_id = ?", production);
  const approval = find(
    "SELECT min(approval_id) FROM approval_steps JOIN approvals ON approvals.id = approval_id WHERE approvals.production_id = ? AND title LIKE 'Approve thing%'",
  );
  const medium = find("SELECT max(id) FROM media WHERE production_id = ?");
  const task = find("SELECT min(id) FROM storage_tasks WHERE production_id = ?");
  const submission = find("SELECT min(id) FROM submissions WHERE production_id = ?");
  const key = find("SELECT min(id) FROM api_keys WHERE label LIKE 'key %' AND production_id = ?");
  const last = find("SELECT max(id) FROM engagements WHERE production_id = ?");
  const grant = find("SELECT max(id) - 100 FROM grants WHERE production_id = ?");
  const version = find(
    "SELECT min(id) FROM versions WHERE note LIKE 'Pass %' AND version > 10 AND released = 0 AND production_id = ?",
  );
  const firstWaiting = find("SELECT min(id) FROM script_changes WHERE status = 'pending' AND production_id = ?");
  const waiting = () => find("SELECT max(id) FROM script_changes WHERE status = 'pending' AND production_id = ?");
  const hook = find("SELECT min(id) FROM webhooks WHERE production_id = ?");
  const sets = changeSetsOf(ids);
  const largestJpeg = Buffer.from(jpeg(4_096, 4_096)).toString("base64");
  let stored: Promise<number> | undefined;
  /** A film that browsers do not play; without ffmpeg, bytes that look like one. */
  const film = (): Promise<number> => {
    stored ??= (async (): Promise<number> => {
      const source = ["-f", "lavfi", "-i", "testsrc=duration=10", "-c:v", "prores_ks", "-f", "mov"];
      const path = join(temporaryFolder(), "film.mov");
      const made = isInstalled() && spawnSync("ffmpeg", ["-v", "error", ...source, path]).status === 0;
      const body = new FormData();
      body.append(
        "file",
        new Blob([made ? readFileSync(path) : Buffer.from("\0\0\0\x10ftypqt  ", "latin1")]),
        "film.mov",
      );
      const { id } = (await send({ path: `${base}/assets/${asset}/versions`, body })) as { id: number };
      return one<number>(store, "SELECT id FROM media WHERE version_id = ?", id);
    })();
    return stored;
  };
  return {
    get_me: read("a vendor of 2,000 scenes", "/me", vendor),
    get_production: read("2,000 scenes", "/production"),
    list_departments: read("8 departments", "/departments"),
    get_department: read("2,000 people", "/departments/art"),
    list_scenes: [
      read("2,000 scenes", "/scenes"),
      read("2,000 scenes with everything", "/scenes?include=assets,department_notes,shoot_days,script"),
    ],
    get_scene: read("500 notes of departments", `/scenes/${scene}`),
    list_assets: [
      read("2,000 assets", "/assets"),
      read("2,000 assets with everything", "/assets?include=versions,notes,still"),
    ],
    get_asset: read("500 versions", `/assets/${asset}`),
    create_asset: write("2,000 assets", "/assets", (at) => ({
      label: `New thing ${at}`,
      kind: "prop",
      department: "art",
    })),
    create_version: write("a file of 32 MiB", `/assets/${asset}/versions`, () => form({}, "file", 1, 32 << 20)),
    create_assets: {
      ...write("500 assets", "/batch/assets", (at) => ({
        assets: Array.from({ length: 500 }, (_, n) => ({ label: `Batch ${at} thing ${n}`, external_id: `${at}-${n}` })),
      })),
      beyond: inOneTransaction,
    },
    create_versions: {
      ...write("100 versions", "/batch/versions", (at) => {
        const versions = Array.from({ length: 100 }, (_, n) => ({
          node_id: asset,
          file: n,
          external_id: `version ${at}-${n}`,
        }));
        return form({ versions: JSON.stringify(versions) }, "files", 100, 100 + at);
      }),
      beyond: inOneTransaction,
    },
    set_asset_status: write("2,000 assets", `/assets/${asset}/status`, (at) => ({
      status: at % 2 === 0 ? "blocked" : "active",
    })),
    list_versions: read("500 versions", `/assets/${asset}/versions`),
    list_notes: read("2,000 notes", `/assets/${asset}/notes`),
    create_note: write("the longest text", `/assets/${asset}/notes`, () => ({ text: text(8_900) })),
    get_note: read("2,000 notes", `/notes/${find("SELECT max(id) FROM notes WHERE production_id = ?")}`),
    get_schedule: read("250 days", "/schedule"),
    get_shoot_day: read("50 scenes and 300 calls", `/schedule/${day}`),
    list_deliveries: [read("100 deliveries", "/deliveries"), read("2,000 scenes in one", "/deliveries?include=nodes")],
    get_delivery: read("2,000 scenes", `/deliveries/${delivery}`),
    list_approvals: read("2,000 approvals", "/approvals"),
    get_approval: read(
      "2,000 approvals",
      `/approvals/${find("SELECT max(id) FROM approvals WHERE production_id = ?")}`,
    ),
    decide_approval: write(
      "2,000 approvals",
      (at) => `/approvals/${approval + at}/decide`,
      () => ({ decision: "approved", note: text(1_000) }),
      { key: keys.person },
    ),
    take_back_approval: {
      size: "2,000 approvals",
      ask: async (at) => {
        const path = `${base}/approvals/${approval + 100 + at}`;
        await send({ path: `${path}/decide`, body: { decision: "approved" }, key: keys.person });
        return { path: `${path}/take-back`, body: {}, key: keys.person };
      },
    },
    list_script_changes: read(
      "200 that wait and 1,000 others",
      "/script-changes?status=all&all_episodes=true&include=concerns",
    ),
    list_activity: read("20,000 entries", "/activity?limit=200"),
    list_people: read("2,000 people", "/people"),
    get_person: read("2,000 people", `/people/${ids.person}`),
    list_jobs: read("2,000 jobs", "/jobs?limit=200"),
    list_episodes: read("a production without episodes", "/episodes"),
    get_scene_bundle: read("500 notes of departments", `/bundles/scene/${scene}`),
    get_character_bundle: read("300 scenes", `/bundles/character/${character}`),
    get_asset_bundle: read("500 versions", `/bundles/asset/${asset}`),
    get_day_bundle: read("50 scenes and 300 calls", `/bundles/day/${day}`),
    list_turnovers: read("2,000 scenes in one", "/turnovers?include=nodes", vendor),
    list_submissions: read("500 submissions of 2,000 files", `/turnovers/${delivery}/submissions`, vendor),
    submit_turnover: write(
      "1,000 files",
      `/turnovers/${delivery}/submissions`,
      (at) => form({ title: `Comp of attempt ${at}` }, "files", 1_000, 100 * at),
      vendor,
    ),
    list_media: read("2,500 files", "/media"),
    get_media: read("2,500 files", `/media/${medium}`),
    get_media_content: [
      read("a picture", `/media/${medium}/content`),
      read("a smaller picture", `/media/${medium}/content?width=160`),
      read("no film", `/media/${medium}/content?preview=true`, { statuses: [404] }),
      {
        size: "a film of ten seconds",
        ask: async (attempt) => {
          const path = `${base}/media/${await film()}/content?preview=true`;
          await sleep(attempt * 1_000); // the first answers are 503
          return { path, statuses: [200, 404, 503] };
        },
      },
    ],
    get_media_ticket: read("a ticket", "/media-ticket"),
    get_purchase_orders: read("2,000 orders and 2,000 lines", "/purchase-orders", vendor),
    list_orders: read("2,000 orders", "/orders"),
    post_storage_events: write("1,000 events of 7.5 KiB", "/storage/events", (at) => ({
      filespace,
      events: Array.from({ length: 1_000 }, (_, n) => ({
        event_type: "create",
        path: `turns/${n}`,
        source: "reconciler",
        dedupe_key: `turns-${at}-${n}`,
        detected_at: `2026-11-20T08:00:0${at}Z`,
        size: n,
        mtime_ns: 1,
        note: "x".repeat(7_500),
      })),
    })),
    put_media_proxy: write("8 MiB", "/storage/media-proxy", () => ({
      filespace,
      path: "dailies/1.mov",
      bytes: largestJpeg,
    })),
    list_storage_tasks: read("2,000 tasks", "/storage/tasks"),
    acknowledge_storage_task: write("2,000 tasks", "/storage/tasks/ack", (at) => ({
      task_id: task + at,
      ok: true,
      src_sha256: "ab".repeat(32),
    })),
    list_storage_moves: read("2,000 moves", "/admin/storage/moves"),
    add_storage_move: write("2,000 moves", "/admin/storage/moves", (at) => ({
      src: `new/${at}.mov`,
      dst: `newer/${at}.mov`,
    })),
    install_storage: write("5,000 files", "/admin/storage/install", () => ({ filespace })),
    list_all_submissions: read("500 submissions of 2,000 files", "/submissions?limit=500"),
    decide_submission: write(
      "500 submissions",
      (at) => `/submissions/${submission + at}/decide`,
      () => ({ decision: "returned", note: text(1_000) }),
    ),
    create_session_token: write("no provider", "/percep/session-token", () => ({}), wrong),
    create_look_brief: write(
      "no provider",
      `/percep/looks/${find("SELECT version_id FROM media WHERE version_id IS NOT NULL AND production_id = ?")}/brief`,
      () => ({}),
      wrong,
    ),
    list_events: read("20,000 events", "/events?after=start&limit=200"),
    search: [
      read("every thing", "/search?q=thing"),
      read("words that no one knows", `/search?q=${"wrod ".repeat(40)}`),
    ],
    get_asset_usage: read("500 versions", `/assets/${asset}/usage`),
    get_manifest: read("a vendor of 2,000 scenes", "/me/manifest", vendor),
    get_manifest_changes: read("a vendor of 2,000 scenes", "/me/changes?wait=1", vendor),
    list_cast_days: read("250 days", "/cast/days"),
    issue_day: write("50 scenes and 300 calls", `/days/${day}/issue`, () => ({})),
    list_day_issues: read("the issues of a day", `/days/${day}/issues`),
    get_day_issue: read("50 scenes and 300 calls", `/days/${day}/issues/1`),
    get_progress: read("250 days, 2,000 scenes", "/progress?on=2020-01-01"),
    list_keys: read("1,000 keys", "/admin/keys"),
    mint_key: write("1,000 keys", "/admin/keys", (at) => ({ label: `Turn ${at}`, scopes: ["read"] })),
    revoke_key: write(
      "1,000 keys",
      (at) => `/admin/keys/${key + at}/revoke`,
      () => ({}),
    ),
    list_engagements: read("100 engagements of 24 grants", "/admin/engagements"),
    add_engagement: write("100 engagements", "/admin/engagements", (at) => ({
      vendor: `Vendor of turn ${at}`,
      title: "Grade",
    })),
    end_engagement: write(
      "100 engagements",
      (at) => `/admin/engagements/${last - at}/end`,
      () => ({}),
    ),
    add_grant: write("100 engagements", "/admin/grants", (at) => ({
      engagement_id: ids.engagement,
      verb: "read",
      node_id: asset + at,
    })),
    revoke_grant: write(
      "2,400 grants",
      (at) => `/admin/grants/${grant + at}/revoke`,
      () => ({}),
    ),
    list_audit: read("5,000 entries", "/admin/audit?limit=200"),
    release_version: write(
      "500 versions",
      (at) => `/admin/versions/${version + 2 * at}/release`,
      () => ({}),
    ),
    archive_version: write(
      "500 versions",
      (at) => `/admin/versions/${version + 1 + 2 * at}/archive`,
      () => ({}),
    ),
    list_vendors: read("100 vendors", "/vendors"),
    import_documents: [
      write("a document of 8 MiB", "/admin/import?dry_run=1&limit=500", () => ({
        scenes: Array.from({ length: 2_000 }, (_, n) => ({ number: `${n + 1}`, synopsis: "y".repeat(4_000) })),
      })),
      write("a document of 50,000 values", "/admin/import?dry_run=1&limit=500", () => ({
        scenes: Array.from({ length: 2_000 }, (_, n) => ({
          number: `${n + 1}`,
          assets: Array.from({ length: 20 }, (_, k) => `Thing ${k}`),
        })),
      })),
      write(
        "40 files",
        "/admin/import?dry_run=1",
        () => {
          const files = new FormData();
          for (let n = 0; n < 40; n++)
            files.append("files", new Blob([`Name,Role\n${`Crew Member ${n},Crew\n`.repeat(6_000)}`]), `crew${n}.csv`);
          return files;
        },
        { statuses: [200, 422] },
      ),
    ],
    get_production_document: read("2,000 scenes", "/admin/export"),
    remove_thing: write("2,000 scenes", "/admin/remove", () => ({ section: "scenes", id: scene, dry_run: true }), {
      statuses: [200, 422],
    }),
    change_files: write("100 files", "/admin/files", (at) =>
      form({ delivery_id: String(delivery) }, "files", 100, at * 100),
    ),
    list_history: read("500 change sets", "/admin/history?limit=200"),
    get_change_set: [
      read("500 synopses of 1.3 KB", `/admin/history/${sets.synopses}`),
      read("2,000 things of 8 MB", `/admin/history/${sets.large}`),
    ],
    undo_change_set: write("2,000 things of 8 MB", `/admin/history/${sets.large}/undo?dry_run=1&limit=500`, () => ({})),
    reopen_approval: {
      size: "2,000 approvals",
      ask: async (at) => {
        const path = `/approvals/${approval + 200 + at}`;
        await send({ path: `${base}${path}/decide`, body: { decision: "changes", note: "Darker." }, key: keys.person });
        return { path: `${base}/admin${path}/reopen`, body: {} };
      },
    },
    ask_again_approval: {
      size: "2,000 approvals",
      ask: async (at) => {
        const path = `${base}/approvals/${approval + 300 + at}`;
        const { node_id } = (await send({ path })) as { node_id: number };
        await send({ path: `${base}/assets/${node_id}/versions`, body: form({}, "file", 1, 100) });
        return { path: `${path}/ask-again`, body: {} };
      },
    },
    decide_script_change: write(
      "200 that wait",
      (at) => `/script-changes/${waiting() - at}/decide`,
      () => ({ decision: "dismissed" }),
    ),
    decide_script_changes: write("50 of 200 at once", "/script-changes/decide", (at) => ({
      ids: Array.from({ length: 30 }, (_, n) => firstWaiting + 30 * at + n),
      decision: at % 2 === 0 ? "dismissed" : "approved",
    })),
    get_scene_script: read("2,000 scenes", `/scenes/${scene}/script`),
    list_webhooks: read("20 webhooks", "/admin/webhooks"),
    add_webhook: write("20 webhooks", "/admin/webhooks", (at) => ({
      url: `http://127.0.0.1:9/turn${at}`,
      types: ["version.released"],
    })),
    list_webhook_deliveries: read("1,000 deliveries", `/admin/webhooks/${hook}/deliveries`),
    list_set_aside_events: read("none", `/admin/webhooks/${hook}/set-aside`),
    ...Object.fromEntries(
      Object.entries({
        set_webhook: ["", { types: ["production.removed"] }],
        pause_webhook: ["/pause", {}],
        resume_webhook: ["/resume", {}],
        rotate_webhook: ["/rotate", {}],
        test_webhook: ["/test", {}],
        replay_webhook: ["/replay", { after: "start" }],
      } as const).map(([name, [end, body]]) => [
        name,
        write("20,000 events", `/admin/webhooks/${hook}${end}`, () => body),
      ]),
    ),
    remove_webhook: {
      size: "20,000 events",
      ask: async () => {
        const added = await send({
          path: `${base}/admin/webhooks`,
          body: { url: "http://127.0.0.1:9/gone", types: ["version.released"] },
        });
        const { id } = added as { id: number }; // the answer of add_webhook
        return { path: `${base}/admin/webhooks/${id}/remove`, body: {} };
      },
    },
  };
}

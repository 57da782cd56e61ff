// The second use of every capability beside documents and paperwork, on the demo's series and its feature: the same again, the next one,
// the reverse, after a rename, after a removal. One table says what each use gives; what changes nothing records nothing.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localAdmin } from "../src/core/admin.ts";
import { scopes } from "../src/core/inputs.ts";
import { updateFrom } from "../src/features/documents/production_update.ts";
import { partialDocument } from "../src/features/documents/read/read.ts";
import { mint, one, openTestServer, temporaryFolder } from "./support/app.ts";
import { tallylight } from "./support/command.ts";
import { jpeg } from "./support/jpeg.ts";
import { isThorough } from "./support/proportion.ts";
import {
  completion,
  environmentOf,
  goodBrief,
  openScriptedProvider,
  respond,
  shortPauses,
} from "./support/scripted_provider.ts";

type Json = any; // answers are taken apart field by field
/** What is done, and what that gives: an expression matches the text. */
type Use = [that: string, does: () => Promise<unknown>, gives: unknown, records?: typeof quiet];
/** No audit entry, no activity and no event. */
const quiet = "nothing";

const provider = await openScriptedProvider();
/** How many files an engagement may submit. */
const quota = 6;
const server = await openTestServer({
  environment: {
    ...environmentOf(provider.url),
    TALLYLIGHT_ENGAGEMENT_QUOTA: `{"files": ${quota}}`,
    TALLYLIGHT_WEBHOOK_HOSTS: "127.0.0.1",
  },
  outbound: shortPauses,
});
const { store, folder } = server;

/** What a request answers: its JSON, or the status and the sentence of the refusal. */
async function send(token: string, method: string, path: string, body?: object, headers: object = {}): Promise<Json> {
  const init =
    body === undefined
      ? { headers: { ...headers } }
      : { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } };
  const response = await server.ask(token, `/api/v1${path}`, { method, ...init });
  const text = await response.text();
  if (response.status === 304) return "304";
  const answer = JSON.parse(text);
  return response.status === 200 ? answer : `${response.status} ${answer.detail}`;
}

/** What a command prints, or its refusal. */
async function command(...argv: string[]): Promise<string> {
  const { out, err } = await tallylight(...argv, "--data", folder);
  return (out + err).trim();
}

const records = () => ["audit", "activity", "events"].map((table) => one(store, `SELECT count(*) FROM ${table}`));

/** Exports a production with its media. Returns the path of the document. */
async function exported(production_id: number): Promise<string> {
  const out = temporaryFolder();
  await command("export", "--production", String(production_id), "--out", out);
  return join(out, readdirSync(out).find((name) => name.endsWith(".json")) as string);
}

/** The capabilities on one production, with the uses of each in their order. */
function usesOn(production_id: number, title: string): Record<string, Use[]> {
  const key = (given: object) => mint(store, { production_id, ...given });
  const admin = key({ scopes });
  const get = (path: string, token = admin) => send(token, "GET", path);
  const post = (path: string, body: object = {}, token = admin, headers = {}) =>
    send(token, "POST", path, body, headers);
  const update = async (document: object) => {
    const given = [await partialDocument(document, "a.json", undefined)];
    const request = { production_id, exact: false, dry_run: false };
    const desk = localAdmin(store, new Date().toISOString());
    return updateFrom(desk, server.blobs, given, request, async (work) => store.writeSync(work));
  };
  const changes = async (document: object) => (await update(document)).changes.length;
  const first = (sql: string): Json => one(store, sql, production_id);
  const picked = async (answer: Promise<Json>, ...fields: string[]) => {
    const found = await answer;
    return typeof found === "string" ? found : fields.map((field) => found[field]);
  };
  const s: Record<string, Json> = {};
  const keep = async (name: string, answer: Promise<Json>) => {
    s[name] = await answer;
    return s[name];
  };
  const scene = first("SELECT node_id FROM scenes WHERE production_id = ? ORDER BY script_order");
  const picture = (shade: number) => Buffer.from(jpeg(16, 16, shade)).toString("base64");
  const sceneKey = (): Json => {
    const [number, episode] = store.database
      .prepare("SELECT number, code FROM scenes s LEFT JOIN episodes e ON e.id = s.episode_id WHERE node_id = ?")
      .raw()
      .get(scene) as [string, string | null];
    return { number, ...(episode !== null && { episode }) };
  };
  const sceneName = (number = sceneKey().number) =>
    sceneKey().episode === undefined ? number : `${sceneKey().episode}/${number}`;
  const event = (path: string, dedupe_key: string, more: object = {}) => ({
    ...{
      event_type: "create",
      path,
      source: "reconciler",
      dedupe_key,
      detected_at: "2026-11-21T00:00:00.000Z",
      size: 1,
    },
    ...more,
  });
  const stateOf = (path: string) =>
    one<string | undefined>(
      store,
      "SELECT state FROM asset_files f JOIN storage_installs i ON i.id = f.install_id WHERE i.active = 1 AND i.production_id = ? AND path = ?",
      production_id,
      path,
    );
  const upload = async (path: string, shade: number): Promise<Json> => {
    const body = new FormData();
    body.append("file", new Blob([jpeg(16, 16, shade) as Uint8Array<ArrayBuffer>]), "lamp.jpg");
    return (await server.ask(admin, `/api/v1${path}`, { method: "POST", body })).json();
  };
  /** A vendor who may submit work on a delivery of its own. */
  const vendorOf = async (vendor = "Reelers", title = "First reel") => {
    await update({ deliveries: [{ title, kind: "internal" }] });
    const delivery = first("SELECT max(id) FROM deliveries WHERE production_id = ?");
    const { id: engagement } = await post("/admin/engagements", { vendor });
    await post("/admin/grants", { engagement_id: engagement, verb: "submit", delivery_id: delivery });
    const token = key({ engagement_id: engagement, scopes: ["read", "submit:turnover"] });
    return { engagement, delivery, token };
  };
  const submitForm = async ({ token, delivery }: Json, texts: readonly string[], headers = {}): Promise<Json> => {
    const body = new FormData();
    for (const text of texts) body.append("files", new Blob([text]), "work.txt");
    const path = `/api/v1/turnovers/${delivery}/submissions`;
    const response = await server.ask(token, path, { method: "POST", body, headers });
    const answer: Json = await response.json();
    return response.status === 200 ? answer : `${response.status} ${answer.detail}`;
  };
  const submit = (idempotency: string, text = "Work"): Promise<Json> =>
    submitForm(s.vendor, [text], { "idempotency-key": idempotency });
  const submitTo = (vendor: Json, count: number): Promise<Json> =>
    submitForm(
      vendor,
      Array.from({ length: count }, (_, at) => `file ${at}`),
    );
  const look = () => post(`/percep/looks/${s.second.id}/brief`);
  /** A request for resumable uploads. */
  const tus = (method: string, path: string, body = "", more: Record<string, string> = {}): Promise<Response> => {
    const headers = { "tus-resumable": "1.0.0", ...more };
    return server.ask(s.desk.token, `/api/v1${path}`, { method, headers, ...(body !== "" && { body }) });
  };
  const part = async (text: string, offset: number) => {
    const headers = { "upload-offset": String(offset), "content-type": "application/offset+octet-stream" };
    const response = await tus("PATCH", s.upload, text, headers);
    return [response.status, response.headers.get("upload-offset")];
  };
  const sendUpload = (key?: string) =>
    post(
      `/turnovers/${s.desk.delivery}/submissions`,
      { upload_ids: [s.upload.split("/").at(-1)] },
      s.desk.token,
      key === undefined ? {} : { "idempotency-key": key },
    );
  const lastSet = async () => (await get("/admin/history?limit=1"))[0];
  const undo = (id: number) => command("undo", String(id));
  const labels = async (q: string) => (await get(`/search?q=${q}`)).map(({ label }: Json) => label);
  /** Somebody whose step of an approval is next, with a key. */
  const personOf = async () => {
    const [approval, person_id, name] = store.database
      .prepare(
        `SELECT a.id, p.id, p.name FROM approvals a JOIN approval_steps t ON t.approval_id = a.id JOIN people p ON p.id = t.person_id
         WHERE a.production_id = ? AND a.status = 'pending' AND t.status = 'pending' AND p.active = 1
         AND (SELECT count(*) FROM approval_steps o JOIN approvals b ON b.id = o.approval_id WHERE o.person_id = p.id AND o.status = 'pending' AND b.status = 'pending') = 1
         AND NOT EXISTS (SELECT 1 FROM approval_steps o WHERE o.approval_id = a.id AND o.status = 'pending' AND o.position < t.position) ORDER BY a.id`,
      )
      .raw()
      .get(production_id) as [number, number, string];
    const other = first(`SELECT name FROM people WHERE production_id = ? AND id <> ${person_id}`);
    const { id, token } = await post("/admin/keys", { label: "Mine", scopes: ["read", "write"], person_id });
    return { approval, name, other, id, token, scopes: ["read", "write"] };
  };
  return {
    keys: [
      [
        "a key is minted",
        () => picked(keep("key", post("/admin/keys", { label: "Desk", scopes: ["read"] })), "label"),
        ["Desk"],
      ],
      [
        "the same again is another key",
        async () => (await post("/admin/keys", { label: "Desk", scopes: ["read"] })).id !== s.key.id,
        true,
      ],
      ["it is revoked", () => picked(post(`/admin/keys/${s.key.id}/revoke`), "live"), [false]],
      ["revoked again", () => picked(post(`/admin/keys/${s.key.id}/revoke`), "live"), [false], quiet],
      ["and used", () => get("/production", s.key.token), /^401/],
      [
        "by its prefix, on the command line",
        () => command("keys", "revoke", s.key.prefix),
        /was already revoked at/,
        quiet,
      ],
    ],
    "people's keys": [
      [
        "the key of somebody whose step is next",
        async () => picked(keep("person", personOf()), "scopes"),
        [["read", "write"]],
      ],
      [
        "names the person after a rename",
        async () => {
          await update({ people: [{ name: `${s.person.name} II`, was: s.person.name }] });
          return (await get("/admin/keys")).find(({ id }: Json) => id === s.person.id).person;
        },
        / II$/,
      ],
      [
        "decides as somebody else",
        () =>
          post(
            `/approvals/${s.person.approval}/decide`,
            { decision: "approved", decided_by: s.person.other },
            s.person.token,
          ),
        /^403 this key decides only as .* II,/,
        quiet,
      ],
      [
        "leaves",
        async () => (await update({ people: [{ name: `${s.person.name} II`, active: false }] })).warnings.length,
        1,
      ],
      [
        "decides after leaving",
        () =>
          post(
            `/approvals/${s.person.approval}/decide`,
            { decision: "approved", decided_by: `${s.person.name} II` },
            s.person.token,
          ),
        /^422 decided_by is .* who left/,
        quiet,
      ],
      [
        "comes back under the former name",
        () => changes({ people: [{ name: s.person.name, was: `${s.person.name} II`, active: true }] }),
        1,
      ],
      [
        "the same again",
        () => changes({ people: [{ name: s.person.name, was: `${s.person.name} II`, active: true }] }),
        0,
        quiet,
      ],
      [
        "asks for changes",
        () =>
          picked(
            post(
              `/approvals/${s.person.approval}/decide`,
              { decision: "changes", decided_by: s.person.name },
              s.person.token,
            ),
            "status",
          ),
        ["changes_requested"],
      ],
      [
        "decides once more",
        () =>
          post(
            `/approvals/${s.person.approval}/decide`,
            { decision: "approved", decided_by: s.person.name },
            s.person.token,
          ),
        /^409 the approval is changes_requested, not pending/,
        quiet,
      ],
      ["reopened", () => picked(post(`/admin/approvals/${s.person.approval}/reopen`), "status"), ["pending"]],
      ["reopened again", () => post(`/admin/approvals/${s.person.approval}/reopen`), /^409 .*is pending; only/, quiet],
      [
        "decides before the first step of the second round",
        () =>
          post(
            `/approvals/${s.person.approval}/decide`,
            { decision: "changes", decided_by: s.person.name },
            s.person.token,
          ),
        /^403 decided_by is not the person whose step it is/,
      ],
      [
        "after its key was revoked",
        async () => {
          await post(`/admin/keys/${s.person.id}/revoke`);
          return post(`/approvals/${s.person.approval}/decide`, { decision: "approved" }, s.person.token);
        },
        /^401/,
      ],
    ],
    engagements: [
      [
        "a vendor is engaged",
        () =>
          picked(
            keep("engagement", post("/admin/engagements", { vendor: "Twice Ltd", title: "Twice" })),
            "title",
            "existed",
          ),
        ["Twice", false],
      ],
      [
        "the same again",
        async () => (await post("/admin/engagements", { vendor: "twice LTD", title: "Twice" })).id === s.engagement.id,
        true,
        quiet,
      ],
      [
        "after its vendor was renamed",
        async () => {
          await update({ vendors: [{ name: "Thrice Ltd", was: "Twice Ltd" }] });
          return (await post("/admin/engagements", { vendor: "Thrice Ltd", title: "Twice" })).id === s.engagement.id;
        },
        true,
      ],
      [
        "a grant",
        () =>
          picked(
            keep("grant", post("/admin/grants", { engagement_id: s.engagement.id, verb: "read", node_id: scene })),
            "live",
            "existed",
          ),
        [true, false],
      ],
      [
        "the same grant again",
        async () =>
          (await post("/admin/grants", { engagement_id: s.engagement.id, verb: "read", node_id: scene })).id ===
          s.grant.id,
        true,
        quiet,
      ],
      [
        "with an expiry",
        () =>
          picked(
            post("/admin/grants", {
              engagement_id: s.engagement.id,
              verb: "read",
              node_id: scene,
              expires: "2099-01-01",
            }),
            "existed",
            "expires_at",
          ),
        [true, "2099-01-01T23:59:59.999Z"],
      ],
      [
        "with the same expiry",
        () =>
          picked(
            post("/admin/grants", {
              engagement_id: s.engagement.id,
              verb: "read",
              node_id: scene,
              expires: "2099-01-01",
            }),
            "existed",
            "expires_at",
          ),
        [true, "2099-01-01T23:59:59.999Z"],
        quiet,
      ],
      ["revoked", () => picked(post(`/admin/grants/${s.grant.id}/revoke`), "still_live"), [[]]],
      ["revoked again", () => picked(post(`/admin/grants/${s.grant.id}/revoke`), "still_live"), [[]], quiet],
      [
        "granted again",
        async () => {
          const again = await post("/admin/grants", { engagement_id: s.engagement.id, verb: "read", node_id: scene });
          return [again.existed, again.id !== s.grant.id];
        },
        [false, true],
      ],
      ["ended", () => picked(post(`/admin/engagements/${s.engagement.id}/end`), "active"), [false]],
      ["ended again", () => picked(post(`/admin/engagements/${s.engagement.id}/end`), "active"), [false], quiet],
      [
        "a grant after the end",
        () => post("/admin/grants", { engagement_id: s.engagement.id, verb: "read", node_id: scene }),
        /^409 .*has ended/,
        quiet,
      ],
      [
        "a key after the end",
        () => post("/admin/keys", { label: "x", engagement_id: s.engagement.id, scopes: ["read"] }),
        /^409 .*ended/,
        quiet,
      ],
      [
        "the same with the title of somebody else's",
        () => command("engagements", "end", "Twice", "--production", String(production_id)),
        /already ended/,
        quiet,
      ],
      [
        "the vendor is engaged again",
        async () => {
          const again = await post("/admin/engagements", { vendor: "Thrice Ltd", title: "Twice" });
          return [again.existed, again.id !== s.engagement.id, again.grants];
        },
        [false, true, []],
      ],
    ],
    versions: [
      [
        "an asset with a version",
        async () => {
          s.lamp = await post("/assets", { label: "Storm lamp", kind: "prop" });
          s.version = await upload(`/assets/${s.lamp.node_id}/versions`, 1);
          return [s.version.version, s.version.released];
        },
        [1, false],
      ],
      [
        "a second version",
        async () => {
          s.second = await upload(`/assets/${s.lamp.node_id}/versions`, 2);
          return [s.second.version, s.second.released];
        },
        [2, false],
      ],
      [
        "the same label again is another asset",
        async () => (await post("/assets", { label: "Storm lamp", kind: "prop" })).node_id !== s.lamp.node_id,
        true,
      ],
      [
        "released",
        () => picked(post(`/admin/versions/${s.version.id}/release`), "released", "archived"),
        [true, false],
      ],
      ["released again", () => picked(post(`/admin/versions/${s.version.id}/release`), "released"), [true], quiet],
      [
        "by the renamed asset and its number",
        async () => {
          await update({ assets: [{ label: "Storm lantern", ref: "Storm lantern", was: "Storm lamp" }] });
          return command("versions", "release", "1", "--asset", String(s.lamp.node_id));
        },
        /is already released/,
      ],
      ["archived", () => picked(post(`/admin/versions/${s.version.id}/archive`), "released", "archived"), [true, true]],
      ["archived again", () => picked(post(`/admin/versions/${s.version.id}/archive`), "archived"), [true], quiet],
      [
        "released after it was archived",
        () => picked(post(`/admin/versions/${s.second.id}/release`), "released", "archived"),
        [true, false],
      ],
      [
        "a note and another",
        async () => {
          for (const text of ["One.", "Two."]) await post(`/assets/${s.lamp.node_id}/notes`, { text, author: "Desk" });
          return (await get(`/assets/${s.lamp.node_id}/notes`)).map(({ text }: Json) => text);
        },
        ["Two.", "One."],
      ],
    ],
    looks: [
      [
        "a look of a version while the provider fails, twice",
        async () => {
          provider.respondWith(respond(500));
          return [await look(), await look()].map((one) => one.slice(0, 3));
        },
        ["502", "502"],
        quiet,
      ],
      [
        "once it answers",
        () => {
          provider.respondWith(respond(200, completion(goodBrief)));
          return look();
        },
        goodBrief,
      ],
      [
        "the same look again, while the provider fails",
        async () => {
          provider.respondWith(respond(500));
          return [await look(), provider.requests.length];
        },
        [goodBrief, 0],
        quiet,
      ],
      [
        "after the asset was renamed",
        async () => {
          await update({ assets: [{ label: "Lantern", ref: "Lantern", was: "Storm lantern" }] });
          return look();
        },
        goodBrief,
      ],
    ],
    "resumable uploads": [
      [
        "one that is begun",
        async () => {
          s.desk = await vendorOf("Uploaders", "Third reel");
          const { status, headers } = await tus("POST", "/uploads", "", { "upload-length": "4" });
          s.upload = `/uploads/${headers.get("location")?.split("/").at(-1)}`;
          return status;
        },
        201,
      ],
      ["its first part", () => part("ab", 0), [204, "2"], quiet],
      ["the same part again", () => part("ab", 0), [409, null], quiet],
      ["where it goes on", async () => (await tus("HEAD", s.upload)).headers.get("upload-offset"), "2", quiet],
      ["submitted before its end", () => sendUpload(), /^422 .*has 2 of 4 bytes/, quiet],
      ["its last part", () => part("cd", 2), [204, "4"], quiet],
      ["submitted", async () => (await keep("sent", sendUpload("u1"))).media.length, 1],
      ["the same request again", async () => (await sendUpload("u1")).id === s.sent.id, true, quiet],
      [
        "the same upload under another key",
        () => sendUpload("u2"),
        /^422 .*(?:was already used|does not exist or has expired)/,
        quiet,
      ],
      ["a part of what was submitted", async () => (await part("e", 4))[0], 404, quiet],
      [
        "another one, ended and ended again",
        async () => {
          const { headers } = await tus("POST", "/uploads", "", { "upload-length": "4" });
          const other = `/uploads/${headers.get("location")?.split("/").at(-1)}`;
          return [(await tus("DELETE", other)).status, (await tus("DELETE", other)).status];
        },
        [204, 404],
        quiet,
      ],
    ],
    "the quota of an engagement": [
      [
        "what fills it",
        async () => {
          s.full = await keep("filled", submitTo(s.desk, quota - 1));
          return s.full.media.length;
        },
        quota - 1,
      ],
      ["one more", () => submitTo(s.desk, 1), /^413 .*engagement_quota/, quiet],
      ["and again", () => submitTo(s.desk, 1), /^413 .*6 of 6 files are used/, quiet],
      [
        "another engagement",
        async () => {
          s.other = await vendorOf("Others", "Fourth reel");
          return (await submitTo(s.other, 1)).media.length;
        },
        1,
      ],
      [
        "after a submission was removed",
        async () => {
          await command("submissions", "remove", String(s.full.id));
          return (await submitTo(s.desk, quota - 1)).media.length;
        },
        quota - 1,
      ],
      ["full once more", () => submitTo(s.desk, 1), /^413/, quiet],
    ],
    storage: [
      [
        "a filespace",
        () => picked(post("/admin/storage/install", { filespace: "stage" }), "filespace", "active"),
        ["stage", true],
      ],
      ["the same again", () => picked(post("/admin/storage/install", { filespace: "stage" }), "active"), [true], quiet],
      [
        "a report",
        () => post("/storage/events", { filespace: "stage", events: [event("a.mov", "1")] }),
        { accepted: 1, duplicates: 0 },
      ],
      [
        "the same report again",
        () => post("/storage/events", { filespace: "stage", events: [event("a.mov", "1")] }),
        { accepted: 0, duplicates: 1 },
        quiet,
      ],
      [
        "an older report",
        async () => {
          await post("/storage/events", {
            filespace: "stage",
            events: [event("a.mov", "0", { event_type: "delete", detected_at: "2026-11-01T00:00:00.000Z" })],
          });
          return stateOf("a.mov");
        },
        "present",
      ],
      [
        "a picture",
        () => picked(post("/storage/media-proxy", { filespace: "stage", path: "a.mov", bytes: picture(1) }), "ok"),
        [true],
      ],
      [
        "the same picture again",
        async () => {
          const before = one(store, "SELECT count(*) FROM media");
          await post("/storage/media-proxy", { filespace: "stage", path: "a.mov", bytes: picture(1) });
          return one(store, "SELECT count(*) FROM media") - before;
        },
        0,
      ],
      [
        "another picture replaces it",
        async () => {
          const before = one(store, "SELECT count(*) FROM media");
          await post("/storage/media-proxy", { filespace: "stage", path: "a.mov", bytes: picture(3) });
          return one(store, "SELECT count(*) FROM media") - before;
        },
        0,
      ],
      [
        "it is gone",
        async () => {
          await post("/storage/events", {
            filespace: "stage",
            events: [event("a.mov", "2", { event_type: "delete", detected_at: "2026-11-22T00:00:00.000Z" })],
          });
          return [
            await stateOf("a.mov"),
            await post("/storage/media-proxy", { filespace: "stage", path: "a.mov", bytes: picture(1) }),
          ];
        },
        /gone.*404/,
      ],
      [
        "it comes back",
        async () => {
          await post("/storage/events", {
            filespace: "stage",
            events: [event("a.mov", "3", { detected_at: "2026-11-22T01:00:00.000Z" })],
          });
          return stateOf("a.mov");
        },
        "present",
      ],
      [
        "a move",
        () => picked(keep("move", post("/admin/storage/moves", { src: "a.mov", dst: "b/a.mov" })), "status"),
        ["pending"],
      ],
      [
        "the same move again",
        () => post("/admin/storage/moves", { src: "a.mov", dst: "b/a.mov" }),
        /^409 move \d+ of a.mov is pending already/,
        quiet,
      ],
      ["it fails", () => post("/storage/tasks/ack", { task_id: s.move.id, ok: false, note: "Busy." }), { ok: true }],
      [
        "it is settled once more",
        () => post("/storage/tasks/ack", { task_id: s.move.id, ok: true }),
        { ok: true },
        quiet,
      ],
      [
        "approved again after the failure",
        () => picked(keep("move", post("/admin/storage/moves", { src: "a.mov", dst: "b/a.mov" })), "status"),
        ["pending"],
      ],
      [
        "it is done",
        async () => {
          await post("/storage/tasks/ack", { task_id: s.move.id, ok: true });
          return [await stateOf("a.mov"), await stateOf("b/a.mov")];
        },
        [undefined, "present"],
      ],
      [
        "the reverse",
        async () => {
          const back = await post("/admin/storage/moves", { src: "b/a.mov", dst: "a.mov" });
          await post("/storage/tasks/ack", { task_id: back.id, ok: true });
          return [await stateOf("a.mov"), await stateOf("b/a.mov")];
        },
        ["present", undefined],
      ],
      ["the filespace is renamed", () => changes({ storage: [{ filespace: "stage 2", was: "stage" }] }), 1],
      [
        "a report under the former name",
        () => post("/storage/events", { filespace: "stage", events: [event("a.mov", "4")] }),
        /^422/,
        quiet,
      ],
      [
        "the same event under the new name",
        () => post("/storage/events", { filespace: "stage 2", events: [event("a.mov", "1")] }),
        { accepted: 0, duplicates: 1 },
        quiet,
      ],
      [
        "another filespace",
        () => picked(post("/admin/storage/install", { filespace: "stage" }), "filespace"),
        ["stage"],
      ],
      [
        "its files are its own",
        () => post("/storage/events", { filespace: "stage", events: [event("a.mov", "1")] }),
        { accepted: 1, duplicates: 0 },
      ],
      [
        "the former one again",
        async () => {
          await post("/admin/storage/install", { filespace: "stage 2" });
          return [
            await stateOf("a.mov"),
            await post("/storage/events", { filespace: "stage", events: [event("a.mov", "5")] }),
          ];
        },
        /present.*422/,
      ],
    ],
    webhooks: [
      [
        "a webhook",
        () =>
          picked(
            keep("hook", post("/admin/webhooks", { url: "http://127.0.0.1:9/hook", types: ["production.removed"] })),
            "types",
          ),
        [["production.removed"]],
      ],
      [
        "the same again is a second one",
        async () => {
          s.other = await post("/admin/webhooks", { url: "http://127.0.0.1:9/hook", types: ["production.removed"] });
          return s.other.id !== s.hook.id;
        },
        true,
      ],
      ["paused", () => picked(post(`/admin/webhooks/${s.hook.id}/pause`), "status"), ["paused"]],
      ["paused again", () => picked(post(`/admin/webhooks/${s.hook.id}/pause`), "status"), ["paused"], quiet],
      [
        "changed while it is paused",
        () => picked(post(`/admin/webhooks/${s.hook.id}`, { types: [] }), "types", "status"),
        [null, "paused"],
      ],
      [
        "the same change again",
        () => picked(post(`/admin/webhooks/${s.hook.id}`, { types: [] }), "types"),
        [null],
        quiet,
      ],
      [
        "the reverse",
        () => picked(post(`/admin/webhooks/${s.hook.id}`, { types: ["production.removed"] }), "types"),
        [["production.removed"]],
      ],
      ["resumed", () => picked(post(`/admin/webhooks/${s.hook.id}/resume`), "status"), ["active"]],
      ["resumed again", () => picked(post(`/admin/webhooks/${s.hook.id}/resume`), "status"), ["active"], quiet],
      [
        "rotated twice",
        async () =>
          new Set([
            s.hook.secret,
            ...(await Promise.all([1, 2].map(async () => (await post(`/admin/webhooks/${s.hook.id}/rotate`)).secret))),
          ]).size,
        3,
      ],
      ["removed", () => picked(post(`/admin/webhooks/${s.hook.id}/remove`), "url"), ["http://127.0.0.1:9/hook"]],
      ["removed again", () => post(`/admin/webhooks/${s.hook.id}/remove`), /^404/, quiet],
      [
        "paused after the removal, on the command line",
        () => command("webhooks", "pause", String(s.hook.id)),
        /there is no webhook/,
        quiet,
      ],
      [
        "the next one has an id of its own",
        async () => {
          const { id } = await post("/admin/webhooks", {
            url: "http://127.0.0.1:9/hook",
            types: ["production.removed"],
          });
          for (const one of [id, s.other.id]) await post(`/admin/webhooks/${one}/remove`);
          return id > s.hook.id;
        },
        true,
      ],
    ],
    submissions: [
      [
        "work is submitted",
        async () => {
          s.vendor = await vendorOf();
          s.work = await submit("k1");
          return [s.work.status, s.work.media.length];
        },
        ["submitted", 1],
      ],
      ["the same request again", async () => (await submit("k1")).id === s.work.id, true, quiet],
      ["the same work under another key", async () => (await submit("k2")).id !== s.work.id, true],
      [
        "other work under the first key",
        () => submit("k1", "Other"),
        /^422 Idempotency-Key was used for another request/,
        quiet,
      ],
      [
        "accepted",
        () =>
          picked(
            post(`/submissions/${s.work.id}/decide`, { decision: "accepted", note: "Good." }),
            "status",
            "decision_note",
          ),
        ["accepted", "Good."],
      ],
      [
        "accepted again",
        () => picked(post(`/submissions/${s.work.id}/decide`, { decision: "accepted", note: "Good." }), "status"),
        ["accepted"],
      ],
      [
        "returned without a note",
        () => picked(post(`/submissions/${s.work.id}/decide`, { decision: "returned" }), "status", "decision_note"),
        ["returned", undefined],
      ],
      [
        "after its delivery was renamed",
        async () => {
          await update({ deliveries: [{ title: "Second reel", was: "First reel" }] });
          return [
            (await get(`/turnovers/${s.vendor.delivery}/submissions`, s.vendor.token))
              .map(({ id }: Json) => id)
              .includes(s.work.id),
            (await submit("k3")).title,
          ];
        },
        [true, "Second reel"],
      ],
      ["removed", () => command("submissions", "remove", String(s.work.id)), /^Removed First reel/],
      ["removed again", () => command("submissions", "remove", String(s.work.id)), /there is no submission/, quiet],
      [
        "decided after the removal",
        () => post(`/submissions/${s.work.id}/decide`, { decision: "accepted" }),
        /^404/,
        quiet,
      ],
      ["the first request again has its first answer", async () => (await submit("k1")).id === s.work.id, true, quiet],
      ["its file", () => get(`/media/${s.work.media[0].id}`, s.vendor.token), /^404/],
      [
        "after the grant ended",
        async () => {
          await post(`/admin/engagements/${s.vendor.engagement}/end`);
          return [await submit("k4"), await submit("k3")];
        },
        /404.*404/,
      ],
    ],
    history: [
      [
        "a change",
        async () => {
          await update({ scenes: [{ ...sceneKey(), synopsis: "A new synopsis." }] });
          s.set = await lastSet();
          return s.set.counts;
        },
        { added: 0, changed: 1, removed: 0 },
      ],
      [
        "the same again",
        async () => [
          await changes({ scenes: [{ ...sceneKey(), synopsis: "A new synopsis." }] }),
          (await lastSet()).id === s.set.id,
        ],
        [0, true],
        quiet,
      ],
      [
        "undone",
        () => picked(post(`/admin/history/${s.set.id}/undo`), "counts"),
        [{ added: 0, changed: 1, removed: 0, unchanged: 0 }],
      ],
      ["undone again", () => undo(s.set.id), /^change set \d+ is undone already/, quiet],
      [
        "the undo undone",
        async () => {
          s.undo = await lastSet();
          await undo(s.undo.id);
          return (await get(`/scenes/${scene}`)).synopsis;
        },
        "A new synopsis.",
      ],
      [
        "undone once more",
        async () => {
          await undo(s.set.id);
          return (await get(`/scenes/${scene}`)).synopsis === "A new synopsis.";
        },
        false,
      ],
      [
        "of an addition",
        async () => {
          await update({ assets: [{ label: "Undone thing", kind: "prop" }] });
          s.set = await lastSet();
          await undo(s.set.id);
          return (await get("/search?q=undone")).length;
        },
        0,
      ],
      [
        "and taken back",
        async () => {
          await undo((await lastSet()).id);
          return (await get("/search?q=undone")).map(({ label }: Json) => label);
        },
        ["Undone thing"],
      ],
    ],
    search: [
      [
        "a new thing is found",
        async () => {
          await update({ assets: [{ label: "Quixotic barometer", kind: "prop" }] });
          return labels("quixotic");
        },
        ["Quixotic barometer"],
      ],
      [
        "by its new name alone after a rename",
        async () => {
          await update({ assets: [{ label: "Zephyric barometer", was: "Quixotic barometer" }] });
          return [await labels("quixotic"), await labels("zephyric")];
        },
        [[], ["Zephyric barometer"]],
      ],
      [
        "and after the reverse",
        async () => {
          await update({ assets: [{ label: "Quixotic barometer", was: "Zephyric barometer" }] });
          return [await labels("quixotic"), await labels("zephyric")];
        },
        [["Quixotic barometer"], []],
      ],
      [
        "not after its addition was undone",
        async () => {
          const [, , added] = await get("/admin/history?limit=3");
          const undone = await undo(added.id);
          return [/1 removed/.test(undone), await labels("quixotic")];
        },
        [true, []],
      ],
      [
        "a word of a synopsis that goes",
        async () => {
          const found = [];
          for (const synopsis of ["An ouroboros sleeps.", null, "An ouroboros wakes."]) {
            await update({ scenes: [{ ...sceneKey(), synopsis }] });
            found.push((await labels("ouroboros")).length);
          }
          return found;
        },
        [1, 0, 1],
      ],
      ["and one of another production is never found", async () => (await labels("ouroboros")).length, 1],
    ],
    manifest: [
      [
        "what a vendor reaches",
        async () => {
          s.vendor = await vendorOf();
          s.first = await get("/me/manifest", s.vendor.token);
          [s.own] = s.first.documents.map(({ path }: Json) => path);
          return s.first.documents.map(({ path }: Json) => path.replace(/\d+/, "N"));
        },
        ["/turnovers/N/submissions", "/turnovers"], // its submitted work outlives the grant
      ],
      [
        "the same again",
        () => send(s.vendor.token, "GET", "/me/manifest", undefined, { "if-none-match": s.first.etag }),
        "304",
        quiet,
      ],
      [
        "with one more grant",
        async () => {
          s.grant = await post("/admin/grants", { engagement_id: s.vendor.engagement, verb: "read", node_id: scene });
          return (await get("/me/manifest", s.vendor.token)).documents
            .map(({ path }: Json) => path)
            .filter((path: string) => path !== s.own);
        },
        [`/bundles/scene/${scene}`, "/turnovers"],
      ],
      [
        "after the scene was renumbered",
        async () => {
          const before = await get("/me/manifest", s.vendor.token);
          await update({ scenes: [{ ...sceneKey(), number: "999Z", was: sceneName() }] });
          const after = await get("/me/manifest", s.vendor.token);
          return before.documents.map((one: Json, at: number) => one.etag === after.documents[at].etag);
        },
        [false, true, true],
      ],
      [
        "after the reverse, as before",
        async () => {
          await update({ scenes: [{ ...sceneKey(), number: sceneKey().number, was: sceneName("999Z") }] });
          return (await get("/me/manifest", s.vendor.token)).documents.length;
        },
        3,
      ],
      [
        "after the grant was revoked",
        async () => {
          await post(`/admin/grants/${s.grant.id}/revoke`);
          const after = await get("/me/manifest", s.vendor.token);
          return [after.documents.length, after.etag === s.first.etag];
        },
        [2, true],
      ],
      [
        "after the engagement ended",
        async () => {
          await post(`/admin/engagements/${s.vendor.engagement}/end`);
          return (await get("/me/manifest", s.vendor.token)).documents.map(({ path }: Json) => path);
        },
        ["/turnovers"],
      ],
    ],
    productions: [
      ["an export", async () => basename(await keep("file", exported(production_id))), /\.json$/],
      [
        "it as a new production",
        () => command("import", s.file),
        /production.title is taken: production \d+ is .* already; --production \d+ updates it/,
        quiet,
      ],
      [
        "into itself",
        async () => {
          const { people } = JSON.parse(readFileSync(s.file, "utf8"));
          s.people = join(dirname(s.file), "people.json");
          writeFileSync(s.people, JSON.stringify({ people }));
          return command("import", s.file, "--production", String(production_id), "--exact");
        },
        /nothing changes/,
        quiet,
      ],
      [
        "its people again, by its title",
        () => command("import", s.people, "--production", title),
        /nothing changes/,
        quiet,
      ],
      [
        "renamed and named by the former title",
        async () => {
          await update({ production: { title: `${title} II` } });
          return command("import", s.people, "--production", title);
        },
        /there is no production/,
      ],
      ["the former title", () => changes({ production: { title } }), 1],
      [
        "over the API with one Idempotency-Key, twice",
        async () => {
          const body = { people: [{ name: "Ada Twice", role: "Grip" }] };
          const both = [
            await post("/admin/import", body, admin, { "idempotency-key": "import-1" }),
            await post("/admin/import", body, admin, { "idempotency-key": "import-1" }),
          ];
          return both.map(({ counts }) => counts.added);
        },
        [1, 1],
      ],
      ["the same without it", () => changes({ people: [{ name: "Ada Twice", role: "Grip" }] }), 0, quiet],
      [
        "set",
        () => command("set", "people", "Ada Twice", "role=Gaffer", "--production", String(production_id)),
        /role: Grip -> Gaffer/,
      ],
      [
        "set again",
        () => command("set", "people", "Ada Twice", "role=Gaffer", "--production", String(production_id)),
        /nothing changes/,
        quiet,
      ],
      [
        "the history of set, which names fields without their values",
        () => command("history", "--production", String(production_id)),
        /set people Ada Twice role(?!=)/,
        quiet,
      ],
      [
        "set under a former name",
        async () => {
          await command("set", "people", "Ada Twice", "name=Ada Thrice", "--production", String(production_id));
          return command("set", "people", "Ada Twice", "role=Grip", "--production", String(production_id));
        },
        /there is no person "Ada Twice"/,
      ],
    ],
  };
}

const backup = join(temporaryFolder(), "a.backup");
const copy = join(temporaryFolder(), "copy");
/** Of all productions together. */
const backups: Use[] = [
  ["a backup", () => command("backup", backup), /the database and \d+ media/],
  ["the same file again", () => command("backup", backup), /already exists; name another file/, quiet],
  ["restored", async () => (await tallylight("restore", backup, "--data", copy)).out, /^restored the backup/],
  [
    "restored again into the same folder",
    async () => (await tallylight("restore", backup, "--data", copy)).err,
    /is not empty .*; nothing was changed/,
  ],
  [
    "what was restored is the same",
    async () => (await tallylight("import", await exported(1), "--production", "1", "--exact", "--data", copy)).out,
    /nothing changes/,
  ],
];

/** The series; with --all, the feature too. */
const shows = store.database
  .prepare("SELECT id, title FROM productions WHERE format = 'episodic' OR ? ORDER BY id")
  .raw()
  .all(isThorough ? 1 : 0) as [number, string][];
for (const [id, title] of shows) {
  const isLast = id === shows.at(-1)?.[0];
  const test = suite(`the second use on ${title}`);
  for (const [capability, uses] of Object.entries({ ...usesOn(id, title), ...(isLast && { backups }) }))
    test(capability, async () => {
      for (const [that, does, gives, recorded] of uses) {
        const before = records();
        const given = await does();
        const place = `${capability}: ${that}`;
        if (gives instanceof RegExp)
          assert.match(typeof given === "string" ? given : JSON.stringify(given), gives, place);
        else assert.equal(given, gives, place);
        if (recorded === quiet) assert.equal(records(), before, `${place} records nothing`);
      }
    });
  if (isLast)
    test.after(async () => {
      await server.stop();
      await provider.stop();
    });
  test.run();
}

// GET /turnovers and POST /turnovers/{id}/submissions.
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { answersOf } from "../support/list_pages.ts";
import { isThorough } from "../support/proportion.ts";
import { grantDeliveries, seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

let now = Date.parse("2026-11-20T09:00:00.000Z");
const server = await openTestServer({ environment: { TALLYLIGHT_UPLOAD_LIMIT: String(1 << 20) }, clock: () => now });
const { store } = server;
const seedData = seedDataOf(store);
const production_id = seedData.production;
const submitter = mint(store, { production_id, engagement_id: seedData.submitter, scopes, label: "submitter" });
const reader = mint(store, { production_id, engagement_id: seedData.reader, scopes, label: "reader" });
const wide = mint(store, { production_id, scopes });

type Row = Record<string, any>;
type Part = string | [content: string | Uint8Array, name: string];
function form(parts: readonly (readonly [name: string, value: Part])[]): FormData {
  const body = new FormData();
  for (const [name, value] of parts)
    if (typeof value === "string") body.append(name, value);
    else body.append(name, new Blob([value[0] as string]), value[1]);
  return body;
}
const submit = (token: string, parts: readonly (readonly [string, Part])[], delivery = seedData.delivery) =>
  server.ask(token, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body: form(parts) });
/** The JSON of a submission. Fails if the status is not 200. */
async function submitted(response: Promise<Response>): Promise<Row> {
  const answer = await response;
  const text = await answer.text();
  assert.is(answer.status, 200, text);
  return JSON.parse(text);
}
const submissions = () => one(store, "SELECT count(*) FROM submissions");
const staged = () => readdirSync(join(server.folder, "media", "staging")).length;
const files = () => readdirSync(join(server.folder, "media"), { recursive: true }).length;

const list = suite("GET /turnovers");
/** It stores 900 files. */
const largest = isThorough ? list : list.skip;

list("sets can_submit to true for a submit grant and to false for a read grant", async () => {
  const of = async (token: string) =>
    (await server.get(token, "/turnovers")).find(({ id }: { id: number }) => id === seedData.delivery)?.can_submit;
  assert.is(await of(submitter), true);
  assert.is(await of(reader), false);
});

largest("has no submission whose file names have more than 256 KiB together", async () => {
  const before = submissions();
  const files = (length: number) =>
    Array.from({ length: 900 }, (_, at): [string, Part] => ["files", ["x", `${at}`.padEnd(length, "n")]]);
  await assertRefused(await submit(submitter, files(300)), 413, /names of the files/);
  assert.is(submissions(), before);
  await submitted(submit(submitter, files(200)));
});

list("comes in pages in the order of the deliveries, none of which is skipped or repeated", async () => {
  const granted = grantDeliveries(store, seedData.submitter, 3);
  const ids = (rows: Row[]) => rows.map(({ id }) => id);
  assert.equal(ids(await server.get(submitter, "/turnovers")), granted);
  for (const limit of [1, 2]) {
    const seen: number[] = [];
    for await (const answer of answersOf((path) => server.ask(submitter, path), `/api/v1/turnovers?limit=${limit}`)) {
      assert.is(answer.status, 200);
      const page = ids((await answer.json()) as Row[]);
      assert.equal(page, granted.slice(seen.length, seen.length + limit));
      seen.push(...page);
    }
    assert.equal(seen, granted);
  }
});

list("returns an empty list for a production-wide key", async () => {
  assert.equal(await server.get(wide, "/turnovers"), []);
});

list("names the nodes that the delivery is about and the engagement reaches", async () => {
  const about = store.database
    .prepare("SELECT node_id FROM delivery_nodes WHERE delivery_id = ? ORDER BY node_id")
    .pluck()
    .all(seedData.delivery) as number[];
  const { reach } = await server.get(submitter, "/me");
  const reached = reach.nodes.filter(({ node_id }: Row) => about.includes(node_id));
  const { nodes } = (await server.get(submitter, "/turnovers")).find(({ id }: Row) => id === seedData.delivery);
  assert.equal(nodes, reached);
  assert.ok(nodes.length > 0 || about.length > 0, "the delivery is about something");
});

list("omits fields that a delivery does not have, except sent_at, which is null", async () => {
  for (const turnover of await server.get(submitter, "/turnovers")) {
    assert.ok(turnover.due !== null && turnover.external_to !== null);
    assert.ok("sent_at" in turnover);
  }
});
list.run();

const listed = suite("GET /turnovers/{id}/submissions");

listed("shows a production-wide key the work of every vendor, newest first, with the vendor", async () => {
  const before: Row[] = await server.get(wide, `/turnovers/${seedData.delivery}/submissions`);
  now += 1000;
  const own = await submitted(
    submit(submitter, [
      ["note", "First"],
      ["files", ["a", "a.txt"]],
    ]),
  );
  now += 1000;
  const newer = await submitted(submit(submitter, [["files", ["b", "b.txt"]]]));
  const rows: Row[] = await server.get(wide, `/turnovers/${seedData.delivery}/submissions`);
  const { engagement } = await server.get(submitter, "/me");
  assert.equal(
    rows.slice(0, 2),
    [newer, own].map((row) => ({ ...row, vendor: engagement.vendor })),
  );
  assert.equal(rows.slice(2), before);
});

listed("shows an engagement its own work, and nothing of another one's", async () => {
  const own: Row[] = await server.get(submitter, `/turnovers/${seedData.delivery}/submissions`);
  const everything: Row[] = await server.get(wide, `/turnovers/${seedData.delivery}/submissions`);
  const sql = "SELECT id FROM submissions WHERE delivery_id = ? AND engagement_id = ?";
  const ids = new Set(store.database.prepare(sql).pluck().all(seedData.delivery, seedData.submitter));
  assert.equal(
    own,
    everything.filter(({ id }) => ids.has(id)),
  );
  assert.ok(own.length > 0);
  assert.equal(await server.get(reader, `/turnovers/${seedData.delivery}/submissions`), []);
});

listed("every medium in it can be fetched by the same key", async () => {
  for (const token of [wide, submitter])
    for (const { media } of await server.get(token, `/turnovers/${seedData.delivery}/submissions`))
      for (const { id, label } of media.slice(0, 20)) assert.is((await server.get(token, `/media/${id}`)).label, label);
});

listed("a delivery that does not exist and one that is not reached are the same 404", async () => {
  const sql = `SELECT id FROM deliveries WHERE production_id = ? AND id NOT IN
    (SELECT delivery_id FROM grants WHERE engagement_id = ? AND delivery_id IS NOT NULL)`;
  const unreached = one(store, sql, production_id, seedData.submitter);
  const foreign = one(store, "SELECT id FROM deliveries WHERE production_id <> ?", production_id);
  for (const id of [unreached, foreign, 999_999])
    await assertRefused(await server.ask(submitter, `/api/v1/turnovers/${id}/submissions`), 404, "not found");
  await assertRefused(await server.ask(wide, `/api/v1/turnovers/${foreign}/submissions`), 404, "not found");
});

listed.run();

const post = suite("POST /turnovers/{id}/submissions");

post("stores each file as its own media object and uses the delivery's title by default", async () => {
  const response = await submit(submitter, [
    ["files", ["one", "a/b/plate.mov"]],
    ["files", ["two", "C:\\shots\\matte.exr"]],
  ]);
  const submission: Row = (await response.json()) as Row;
  assert.is(response.status, 200);
  assert.is(submission.status, "submitted");
  assert.is(submission.title, one(store, "SELECT title FROM deliveries WHERE id = ?", seedData.delivery));
  assert.not.ok("note" in submission);
  assert.equal(
    submission.media.map(({ label }: { label: string }) => label),
    ["a/b/plate.mov", "matte.exr"],
  );
  const bytes = await server.ask(submitter, `/api/v1/media/${submission.media[1].id}/content`);
  assert.is(await bytes.text(), "two");
});

post("stores title and note and writes an activity entry that names the key", async () => {
  const submission = await submitted(
    submit(submitter, [
      ["title", "Comp v7"],
      ["note", "QC passed"],
      ["files", ["x", "x.txt"]],
    ]),
  );
  assert.is(submission.title, "Comp v7");
  assert.is(submission.note, "QC passed");
  const [entry] = await server.get(wide, "/activity?limit=1");
  assert.is(entry.actor, "submitter");
  assert.match(entry.summary, /Comp v7/);
});

post("returns 422 and stores nothing if no file is sent", async () => {
  const before = submissions();
  await assertRefused(await submit(submitter, [["title", "empty"]]), 422, "files is required");
  assert.is(submissions(), before);
});

post("returns 422 if the body is not a form", async () => {
  const path = `/api/v1/turnovers/${seedData.delivery}/submissions`;
  const json = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  await assertRefused(await server.ask(submitter, path, json), 422, /multipart\/form-data/);
});

post("returns 403 with only a read grant, 404 without a grant, 403 without an engagement", async () => {
  await assertRefused(await submit(reader, [["files", ["x", "x"]]]), 403, /no live submit grant/);
  const ungranted = one(
    store,
    `SELECT id FROM deliveries WHERE production_id = ? AND id NOT IN (SELECT delivery_id FROM grants WHERE delivery_id IS NOT NULL)`,
    production_id,
  );
  await assertRefused(await submit(submitter, [["files", ["x", "x"]]], ungranted), 404, "not found");
  await assertRefused(await submit(wide, [["files", ["x", "x"]]]), 403, /no engagement/);
});

post("stores neither row nor file if an upload is refused", async () => {
  const before = files();
  await submit(submitter, [
    ["title", "x".repeat(301)],
    ["files", ["unplaced", "x"]],
  ]).then((r) => assertRefused(r, 422, /^title must have at most/));
  await submit(reader, [["files", ["unplaced", "x"]]]);
  assert.is(staged(), 0);
  assert.is(files(), before);
});

post("returns 413 and stores nothing if a file is over the limit", async () => {
  await assertRefused(await submit(submitter, [["files", [new Uint8Array((1 << 20) + 1), "big.exr"]]]), 413, /at most/);
  assert.is(staged(), 0);
});

post("stores nothing if the client closes the connection", async () => {
  const before = [submissions(), files()];
  const { port } = server;
  const socket = connect(port, "127.0.0.1");
  socket.write(
    `POST /api/v1/turnovers/${seedData.delivery}/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${submitter}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n` +
      `--b\r\nContent-Disposition: form-data; name="files"; filename="x.mov"\r\n\r\n${"x".repeat(5000)}`,
  );
  await until(() => staged() === 1); // the upload has started
  socket.destroy();
  await until(() => staged() === 0);
  assert.equal([submissions(), files()], before);
});

post(
  "treats a part with a file name as a file and any other part as a field, whatever their content types are",
  async () => {
    const body =
      '--b\r\nContent-Disposition: form-data; name="files"; filename="plate.dpx"\r\n\r\nbytes\r\n' +
      '--b\r\nContent-Disposition: form-data; name="title"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nTyped\r\n--b--\r\n';
    const response = await server.ask(submitter, `/api/v1/turnovers/${seedData.delivery}/submissions`, {
      method: "POST",
      body,
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
    const submission: Row = (await response.json()) as Row;
    assert.is(response.status, 200, JSON.stringify(submission));
    assert.is(submission.title, "Typed");
    assert.is(submission.media[0].label, "plate.dpx");
  },
);

post("stores the same bytes twice as two media objects and one file", async () => {
  const before = files();
  const { media } = await submitted(
    submit(submitter, [
      ["files", ["same bytes", "a"]],
      ["files", ["same bytes", "b"]],
    ]),
  );
  assert.is(media.length, 2);
  assert.ok(files() - before <= 2, "one file, and its folder if that is new");
});

post("returns 404 for submitted work to every other engagement, also with a read grant on the delivery", async () => {
  const { media } = await submitted(submit(submitter, [["files", ["secret", "s.txt"]]]));
  const path = `/api/v1/media/${media[0].id}`;
  await assertRefused(await server.ask(reader, path), 404, "not found");
  await assertRefused(await server.ask(reader, `${path}/content`), 404, "not found");
  assert.is((await server.ask(wide, path)).status, 200);
});

/** Sends half of a form, calls `meanwhile`, then sends the rest. Returns the status line. */
async function interrupted(token: string, meanwhile: () => void): Promise<string> {
  const half = `--b\r\nContent-Disposition: form-data; name="files"; filename="x.mov"\r\n\r\n${"x".repeat(3000)}`;
  const rest = `${"y".repeat(3000)}\r\n--b--\r\n`;
  const socket = connect(server.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk));
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.write(
    `POST /api/v1/turnovers/${seedData.delivery}/submissions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${half.length + rest.length}\r\n\r\n${half}`,
  );
  await until(() => staged() > 0);
  meanwhile();
  socket.write(rest);
  await closed;
  return answer.split("\r\n", 1)[0] ?? "";
}

post("refuses the submission if the key is revoked, or the grant alone expires, while the body arrives", async () => {
  const before = submissions();
  const token = mint(store, { production_id, engagement_id: seedData.submitter, scopes });
  const revoke = () =>
    store.writeSync(() =>
      store.database.exec(`UPDATE api_keys SET revoked_at = created_at WHERE prefix = '${token.slice(0, 11)}'`),
    );
  assert.match(await interrupted(token, revoke), / 401 /);
  assert.match(await interrupted(submitter, () => {}), / 200 /);
  const former = now;
  now = Date.parse("2100-01-01T00:00:00Z");
  const grant = "engagement_id = ? AND verb = 'submit' AND delivery_id = ?";
  const expire = (at: string | null) =>
    store.writeSync(() =>
      store.database
        .prepare(`UPDATE grants SET expires_at = ? WHERE ${grant}`)
        .run(at, seedData.submitter, seedData.delivery),
    );
  expire("2100-01-01T00:00:01.000Z");
  assert.match(await interrupted(submitter, () => (now += 1000)), / 404 /);
  expire(null);
  now = former;
  assert.is(submissions(), before + 1);
});

post("does not accept a JSON body as a staged file", async () => {
  const path = `/api/v1/turnovers/${seedData.delivery}/submissions`;
  const forged = {
    files: [
      { file_name: "x", staged: { file: "/etc/passwd", sha256: "a".repeat(64), size: 1, content_type: "image/jpeg" } },
    ],
  };
  await assertRefused(await server.ask(submitter, path, { method: "POST", body: JSON.stringify(forged) }), 422);
});

post("refuses submissions on the next call after the grant is revoked", async () => {
  const grant = one(
    store,
    "SELECT id FROM grants WHERE engagement_id = ? AND verb = 'submit' AND delivery_id = ?",
    seedData.submitter,
    seedData.delivery,
  );
  store.writeSync(() =>
    store.database.prepare("UPDATE grants SET revoked_at = '2026-01-01T00:00:00.000Z' WHERE id = ?").run(grant),
  );
  const refused = await submit(submitter, [["files", ["x", "x"]]]);
  assert.ok(refused.status === 404 || refused.status === 403);
  store.writeSync(() => store.database.prepare("UPDATE grants SET revoked_at = NULL WHERE id = ?").run(grant));
});

post.after(() => server.stop());
post.run();

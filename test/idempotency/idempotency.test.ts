// Idempotency-Key: a repeated request gets the first response and executes nothing.
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

let now = Date.parse("2026-11-20T09:00:00Z");
const server = await openTestServer({ clock: () => now });
const { store } = server;
const seedData = seedDataOf(store);
const key = mint(store, { production_id: seedData.production });
const second = mint(store, { production_id: seedData.production });

function send(path: string, body: object, idempotency: string, token = key): Promise<Response> {
  const headers: Record<string, string> = { "idempotency-key": idempotency };
  if (body instanceof FormData) return server.ask(token, `/api/v1${path}`, { method: "POST", body, headers });
  headers["content-type"] = "application/json";
  return server.ask(token, `/api/v1${path}`, { method: "POST", body: JSON.stringify(body), headers });
}
/** The row counts that executing a request would change. */
const rows = () =>
  ["nodes", "versions", "notes", "media", "blobs", "submissions", "activity"].map((table) =>
    one(store, `SELECT count(*) FROM ${table}`),
  );
function form(bytes: Uint8Array, name = "still.jpg", field = "file", note = "rain"): FormData {
  const body = new FormData();
  body.append(field, new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  body.append("note", note);
  return body;
}
async function assertRepeats(first: Response, again: () => Promise<Response>): Promise<void> {
  const text = await first.text();
  assert.is(first.status, 200, text);
  assert.is(first.headers.get("idempotency-replayed"), null);
  const before = rows();
  const repeat = await again();
  assert.is(await repeat.text(), text);
  assert.is(repeat.status, 200);
  assert.is(repeat.headers.get("idempotency-replayed"), "true");
  assert.equal(rows(), before);
}

const parsed = async (response: Response | Promise<Response>): Promise<any> => (await response).json();

const repeats = suite("a repeat with the same Idempotency-Key");

repeats("returns the same document and executes nothing", async () => {
  const create = () => send("/assets", { label: "Rope" }, "asset-1");
  await assertRepeats(await create(), create);
});

repeats("of an upload creates no second version", async () => {
  const upload = () => send(`/assets/${seedData.asset}/versions`, form(jpeg(24, 24)), "still-1");
  await assertRepeats(await upload(), upload);
});

repeats("of a submission creates no second submission", async () => {
  const vendor = mint(store, { production_id: seedData.production, engagement_id: seedData.submitter, scopes });
  const submit = () =>
    send(`/turnovers/${seedData.delivery}/submissions`, form(jpeg(8, 8), "comp.exr", "files"), "turnover-1", vendor);
  await assertRepeats(await submit(), submit);
});

repeats("of a decision returns the first response although the approval is no longer pending", async () => {
  const id = one(
    store,
    "SELECT id FROM approvals WHERE production_id = ? AND status = 'pending' AND mode = 'chain'",
    seedData.production,
  );
  const decide = () => send(`/approvals/${id}/decide`, { decision: "changes" }, "decision-1");
  await assertRepeats(await decide(), decide);
});

const admin = mint(store, { production_id: seedData.production, scopes: ["read", "write", "admin"] });
const pendingChange = () =>
  one(store, "SELECT id FROM script_changes WHERE production_id = ? AND status = 'pending'", seedData.production);
/** A request of each way to write: on the thread of the server, and on the thread of a job. */
const writes: Record<string, (idempotency: string) => Promise<Response>> = {
  asset: (key) => send("/assets", { label: `Rope of ${key}` }, key, admin),
  import: (key) => send("/admin/import", { people: [{ name: `Una ${key}`, role: "Stand-in" }] }, key, admin),
  decision: (key) => send(`/script-changes/${pendingChange()}/decide`, { decision: "dismissed" }, key, admin),
};
const lastEvent = () => one(store, "SELECT max(id) FROM events");

repeats("of an import and of a decision returns the first response", async () => {
  for (const name of ["import", "decision"]) {
    const change = pendingChange();
    const again = () =>
      name === "import"
        ? (writes.import as (key: string) => Promise<Response>)("job-import")
        : send(`/script-changes/${change}/decide`, { decision: "dismissed" }, "job-decision", admin);
    await assertRepeats(await again(), again);
  }
});

repeats("of an import that changed nothing, and of a dry run, returns the first response", async () => {
  const nothing = () => send("/admin/import", { people: [] }, "job-nothing", admin);
  await assertRepeats(await nothing(), nothing);
  const dry = () => send("/admin/import?dry_run=1", { people: [{ name: "Ona", role: "x" }] }, "job-dry", admin);
  await assertRepeats(await dry(), dry);
});

repeats(
  "finds the change and its response, or neither: a change whose response cannot be stored is not made",
  async () => {
    store.database.exec(
      "CREATE TRIGGER refuse_answers BEFORE INSERT ON idempotent_answers BEGIN SELECT raise(ABORT, 'no answers'); END",
    );
    try {
      for (const [name, write] of Object.entries(writes)) {
        const before = lastEvent();
        const headers = { authorization: `Bearer ${admin}` };
        assert.is((await write(`unstored ${name}`)).status, 500, name);
        assert.is(lastEvent(), before, name);
        assert.is((await fetch(`${server.url}/api/v1/production`, { headers })).status, 200);
      }
    } finally {
      store.database.exec("DROP TRIGGER refuse_answers");
    }
    for (const [name, write] of Object.entries(writes)) {
      const answer = await write(`unstored ${name}`);
      assert.equal([answer.status, answer.headers.get("idempotency-replayed")], [200, null], name);
    }
  },
);

repeats("returns 422 for another request: another body, path, file or file name", async () => {
  assert.is((await send("/assets", { label: "Crate" }, "other-1")).status, 200);
  const at = `/assets/${seedData.asset}/versions`;
  assert.is((await send(at, form(jpeg(40, 40)), "other-2")).status, 200);
  const before = rows();
  for (const [path, body, name] of [
    ["/assets", { label: "Crates" }, "other-1"],
    ["/assets", { label: "Crate", kind: "prop" }, "other-1"],
    [`/assets/${seedData.asset}/notes`, { text: "Crate" }, "other-1"],
    [at, form(jpeg(40, 48)), "other-2"],
    [at, form(jpeg(40, 40), "renamed.jpg"), "other-2"],
    [at, form(jpeg(40, 40), "still.jpg", "file", "sun"), "other-2"],
  ] as const)
    await assertRefused(await send(path, body, name), 422, /Idempotency-Key was used for another request/);
  assert.equal(rows(), before);
  await assertRepeats(await send("/assets", { label: "Nail" }, "other-3"), () =>
    send("/assets", { kind: "asset", label: "Nail" }, "other-3"),
  );
});

repeats("compares every value of a document, whatever its fields are called", async () => {
  const admin = mint(store, { production_id: seedData.production, scopes });
  const comment = (text: string, name: string) =>
    server.ask(admin, "/api/v1/admin/import?dry_run=1", {
      method: "POST",
      body: `{"$comment": ${text}}`,
      headers: { "content-type": "application/json", "idempotency-key": name },
    });
  for (const [at, [first, other]] of [
    ['{"staged": null}', "null"],
    ['{"staged": {"sha256": "a"}, "x": 1}', '{"staged": {"sha256": "a"}, "x": 2}'],
    ['{"staged": {"sha256": "a", "x": 1}}', '{"staged": {"sha256": "a", "x": 2}}'],
  ].entries()) {
    const name = `comment-${at}`;
    await assertRepeats(await comment(first as string, name), () => comment(first as string, name));
    await assertRefused(await comment(other as string, name), 422, /Idempotency-Key was used for another request/);
  }
});

repeats("with another API key is a separate request", async () => {
  const first = await parsed(send("/assets", { label: "Net" }, "shared"));
  const other = await parsed(send("/assets", { label: "Net" }, "shared", second));
  assert.is.not(first.node_id, other.node_id);
});

repeats("executes a corrected request after a refused one", async () => {
  await assertRefused(await send("/assets", { label: "" }, "refused"), 422, /label/);
  await assertRefused(await send("/assets", { label: "x", department: "none" }, "refused"), 422, /department/);
  assert.is((await send("/assets", { label: "Sail" }, "refused")).status, 200);
});

repeats("is executed again after 24 hours", async () => {
  const started = now;
  const first = await parsed(send("/assets", { label: "Oar" }, "daily"));
  now = started + 86_400_000 - 1;
  assert.is((await parsed(send("/assets", { label: "Oar" }, "daily"))).node_id, first.node_id);
  now = started + 86_400_000;
  const next = await send("/assets", { label: "Anchor" }, "daily");
  assert.is(next.status, 200);
  assert.is.not((await parsed(next)).node_id, first.node_id);
  now = started;
});

repeats("is authorised again: returns 403 if the key has lost the scope", async () => {
  const token = mint(store, { production_id: seedData.production });
  const create = () => send("/assets", { label: "Plank" }, "scoped", token);
  assert.is((await create()).status, 200);
  store.writeSync(() =>
    store.database.exec(`UPDATE api_keys SET scopes = '["read"]' WHERE id = (SELECT max(id) FROM api_keys)`),
  );
  await assertRefused(await create(), 403, /`write` scope/);
});

repeats("creates one asset for twenty simultaneous requests", async () => {
  const before = one(store, "SELECT count(*) FROM nodes");
  const answers = await Promise.all(Array.from({ length: 20 }, () => send("/assets", { label: "Gull" }, "flock")));
  const ids = new Set<number>();
  for (const answer of answers) {
    if (answer.status === 200) ids.add((await parsed(answer)).node_id);
    else await assertRefused(answer, 409, /still running/);
  }
  assert.is(ids.size, 1);
  assert.is(one(store, "SELECT count(*) FROM nodes"), before + 1);
});

repeats("returns 409 while the first request arrives, and is executed after that one broke off", async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const headers = [
    `POST /api/v1/assets/${seedData.asset}/versions HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    "Idempotency-Key: slow",
    "Content-Type: multipart/form-data; boundary=b",
    "Content-Length: 1000",
  ];
  socket.write(
    `${headers.join("\r\n")}\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n`,
  );
  const again = () => send(`/assets/${seedData.asset}/versions`, form(jpeg(56, 56)), "slow");
  const staging = () => readdirSync(join(server.folder, "media", "staging")).length;
  await until(() => staging() === 1);
  const refused = await again();
  assert.is(refused.headers.get("retry-after"), "1");
  await assertRefused(refused, 409, /still running/);
  socket.destroy();
  await until(() => staging() === 0);
  let landed = refused;
  await until(async () => {
    landed = await again();
    return landed.status !== 409; // until the server has ended the broken one
  });
  assert.equal([landed.status, landed.headers.get("idempotency-replayed")], [200, null]);
});

repeats("returns 422 for an invalid header", async () => {
  for (const header of ["", "x".repeat(256), "\u00e9", "a\tb"])
    await assertRefused(await send("/assets", { label: "x" }, header), 422, /Idempotency-Key must have 1 to 255/);
  assert.is((await send("/assets", { label: "Bell" }, "x".repeat(255))).status, 200);
});

repeats("has no effect on a GET", async () => {
  const response = await server.ask(key, "/api/v1/production", { headers: { "idempotency-key": "asset-1" } });
  assert.is(response.status, 200);
});
repeats.after(() => server.stop());
repeats.run();

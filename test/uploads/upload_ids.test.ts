// Resumable uploads as the files of submissions and versions, over REST and MCP: used once, by their key, if they are
// complete.
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { assertProtocolError, callTool, resultOf } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

let now = Date.parse("2026-11-20T09:00:00.000Z");
const server = await openTestServer({ clock: () => now });
const { store, folder, ask } = server;
const { production: production_id, submitter: engagement_id, delivery, asset } = seedDataOf(store);
const wide = mint(store, { production_id, scopes });
const vendor = mint(store, { production_id, engagement_id, scopes });
const staged = () => readdirSync(join(folder, "media", "staging"));
const submissions = () => one(store, "SELECT count(*) FROM submissions");

type Row = Record<string, any>;
/** Uploads bytes, or the first part of them, and returns the id of the upload. */
async function upload(token: string, bytes: Uint8Array, file_name?: string, length = bytes.length): Promise<string> {
  const headers = {
    "tus-resumable": "1.0.0",
    "upload-length": String(length),
    "content-type": "application/offset+octet-stream",
    ...(file_name !== undefined && { "upload-metadata": `filename ${Buffer.from(file_name).toString("base64")}` }),
  };
  const response = await ask(token, "/api/v1/uploads", {
    method: "POST",
    headers,
    body: bytes as Uint8Array<ArrayBuffer>,
  });
  assert.is(response.status, 201);
  return response.headers.get("location")?.split("/").at(-1) as string;
}
const post = (token: string, path: string, body: object, headers: Record<string, string> = {}) =>
  ask(token, `/api/v1${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
const submit = (body: object, headers?: Record<string, string>, token = vendor) =>
  post(token, `/turnovers/${delivery}/submissions`, body, headers);
async function answered(response: Promise<Response>): Promise<Row> {
  const text = await (await response).text();
  assert.is((await response).status, 200, text);
  return JSON.parse(text);
}
const contentOf = async (token: string, id: number) =>
  Buffer.from(await (await ask(token, `/api/v1/media/${id}/content`)).arrayBuffer());

const test = suite("upload_ids");

test("become the files of a submission, in their order, with their names", async () => {
  const files = [randomBytes(1000), randomBytes(10), randomBytes(1)];
  const names = ["comp v4.exr", undefined, "../notes.txt"];
  const upload_ids: string[] = [];
  for (const [at, bytes] of files.entries()) upload_ids.push(await upload(vendor, bytes, names[at]));
  const { media, title } = await answered(submit({ title: "Comp v4", upload_ids }));
  assert.is(title, "Comp v4");
  assert.equal(
    media.map(({ label }: Row) => label),
    ["comp v4.exr", "file 2", "notes.txt"],
  );
  for (const [at, { id }] of media.entries()) assert.ok((await contentOf(vendor, id)).equals(files[at] as Buffer));
  assert.equal(staged(), [], "nothing staged remains");
});

test("become the file of a version", async () => {
  const still = Buffer.from(jpeg(16, 16));
  const { id, version } = await answered(
    post(wide, `/assets/${asset}/versions`, { note: "Set", upload_ids: [await upload(wide, still)] }),
  );
  const medium = one(store, "SELECT id FROM media WHERE version_id = ?", id);
  assert.ok((await contentOf(wide, medium)).equals(still));
  assert.ok(version > 1);
  assert.equal(staged(), []);
});

test("stand in a form too, in the place of the files", async () => {
  const bytes = randomBytes(100);
  const [first, second] = [await upload(vendor, bytes, "one.exr"), await upload(vendor, randomBytes(10), "two.exr")];
  const form = new FormData();
  form.append("title", "By form");
  for (const id of [first, second]) form.append("upload_ids", id);
  const send = (body: FormData) => ask(vendor, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body });
  form.append("files", new Blob(["x"]), "x.txt");
  await assertRefused(await send(form), 422, /^upload_ids must not be given together with files/);
  form.delete("files");
  const { media, title } = await answered(send(form));
  assert.equal([title, ...media.map(({ label }: Row) => label)], ["By form", "one.exr", "two.exr"]);
  assert.ok((await contentOf(vendor, media[0].id)).equals(bytes));
  await assertRefused(await send(form), 422, new RegExp(first));
  assert.equal(staged(), []);
});

test("that are used, incomplete, unknown, expired or another key's are 422, which names them, and nothing is recorded", async () => {
  const used = await upload(vendor, Buffer.from("used"));
  await answered(submit({ upload_ids: [used] }));
  const before = submissions();
  const good = await upload(vendor, Buffer.from("good"));
  const incomplete = await upload(vendor, Buffer.from("half"), undefined, 8);
  const foreign = await upload(wide, Buffer.from("foreign"));
  const detail = (id: string, words: string) => `the upload "${id}" ${words}`;
  const missing = "does not exist or has expired";
  for (const [id, words] of [
    [used, "was already used"],
    [incomplete, "is incomplete: it has 4 of 8 bytes"],
    [foreign, missing],
    ["no-such-upload", missing],
    ["../../tallylight.db", missing],
  ] as const)
    await assertRefused(await submit({ upload_ids: [good, id] }), 422, detail(id, words));
  assert.is(submissions(), before);
  assert.is((await answered(submit({ upload_ids: [good] }))).media.length, 1, "the good one can still be used");
  const expired = await upload(vendor, Buffer.from("expired"));
  now += 86_400_000;
  await assertRefused(await submit({ upload_ids: [expired] }), 422, detail(expired, missing));
});

test("a submission with an Idempotency-Key is the same one with other uploads of the same bytes, or with a form", async () => {
  const bytes = randomBytes(300);
  const before = submissions();
  const headers = { "idempotency-key": "after-a-crash" };
  const send = async (name: string, content: Uint8Array) =>
    submit({ title: "Comp v5", upload_ids: [await upload(vendor, content, name)] }, headers);
  const first = await answered(send("comp.exr", bytes));
  assert.equal(await answered(send("comp.exr", bytes)), first);
  const body = new FormData();
  body.append("title", "Comp v5");
  body.append("files", new Blob([bytes as Uint8Array<ArrayBuffer>]), "comp.exr");
  const path = `/api/v1/turnovers/${delivery}/submissions`;
  assert.equal(await answered(ask(vendor, path, { method: "POST", body, headers })), first);
  await assertRefused(await send("other.exr", bytes), 422, /Idempotency-Key was used for another request/);
  await assertRefused(await send("comp.exr", randomBytes(300)), 422, /Idempotency-Key was used for another request/);
  assert.is(submissions(), before + 1);
});

test("that are no list of texts, are missing, or name an upload twice are 422", async () => {
  const id = await upload(vendor, Buffer.from("x"));
  const refused = async (body: object, detail: string | RegExp) => assertRefused(await submit(body), 422, detail);
  await refused({}, /^upload_ids is required in a JSON body/);
  await refused({ upload_ids: [] }, "upload_ids must have at least one upload");
  await refused({ upload_ids: id }, "upload_ids must be a list");
  await refused({ upload_ids: [7] }, "upload_ids[0] must be text");
  await refused({ upload_ids: [id, id] }, `upload_ids must name each upload once: ${id}`);
  await refused({ files: [{ staged: { file: "/etc/passwd" } }] }, /^upload_ids is required/);
  const two = [await upload(wide, Buffer.from("x")), await upload(wide, Buffer.from("y"))];
  await assertRefused(
    await post(wide, `/assets/${asset}/versions`, { upload_ids: two }),
    422,
    /^upload_ids must have at most 1/,
  );
});

test("a refused submission leaves its uploads for the next attempt", async () => {
  const upload_ids = [await upload(vendor, randomBytes(2000))];
  const revoke = (time: string | null) =>
    store.writeSync(() =>
      store.database
        .prepare("UPDATE grants SET revoked_at = ? WHERE engagement_id = ? AND verb = 'submit'")
        .run(time, engagement_id),
    );
  revoke("2026-01-01T00:00:00.000Z");
  assert.is.not((await submit({ upload_ids })).status, 200);
  revoke(null);
  await assertRefused(await submit({ upload_ids, title: 7 }), 422, "title must be text");
  assert.is((await answered(submit({ upload_ids }))).media.length, 1);
});

test("of two requests with one upload, one succeeds", async () => {
  for (let round = 0; round < 10; round++) {
    const upload_ids = [await upload(vendor, randomBytes(100_000))];
    const before = submissions();
    const statuses = (await Promise.all(Array.from({ length: 4 }, () => submit({ upload_ids })))).map(
      ({ status }) => status,
    );
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
    assert.ok(
      statuses.every((status) => [200, 409, 422].includes(status)),
      String(statuses),
    );
    assert.is(submissions(), before + 1);
  }
});

test("a repeated request with the same Idempotency-Key gets the first answer, although the upload is used", async () => {
  const upload_ids = [await upload(vendor, Buffer.from("once"))];
  const key = { "idempotency-key": "submit-once" };
  const first = await answered(submit({ upload_ids }, key));
  const repeated = submit({ upload_ids }, key);
  assert.is((await repeated).headers.get("idempotency-replayed"), "true");
  assert.equal(await answered(repeated), first);
  await assertRefused(
    await submit({ upload_ids: [await upload(vendor, Buffer.from("other"))] }, key),
    422,
    /^Idempotency-Key/,
  );
});

test("bytes that are stored already are not lost when the upload is used", async () => {
  const bytes = randomBytes(500);
  for (let round = 0; round < 2; round++) {
    const { media } = await answered(submit({ upload_ids: [await upload(vendor, bytes)] }));
    assert.ok((await contentOf(vendor, media[0].id)).equals(bytes));
  }
});

test("the MCP tool submit_turnover takes them, with another name or with their own", async () => {
  const bytes = randomBytes(3000);
  const [first, second] = [await upload(vendor, bytes, "a.exr"), await upload(vendor, bytes, "b.exr")];
  const files = [
    { upload_id: first },
    { upload_id: second, filename: "renamed.exr" },
    { filename: "small.txt", content_base64: Buffer.from("small").toString("base64") },
  ];
  const { structuredContent } = await resultOf(
    await callTool(server, vendor, "submit_turnover", { delivery_id: delivery, files }),
  );
  assert.equal(
    structuredContent.media.map(({ label }: Row) => label),
    ["a.exr", "renamed.exr", "small.txt"],
  );
  for (const at of [0, 1]) {
    const sha256 = createHash("sha256")
      .update(await contentOf(vendor, structuredContent.media[at].id))
      .digest("hex");
    assert.is(sha256, createHash("sha256").update(bytes).digest("hex"));
  }
  const again = await resultOf(
    await callTool(server, vendor, "submit_turnover", { delivery_id: delivery, files: [files[0]] }),
  );
  assert.is(again.isError, true);
  assert.is(again.content[0].text, `the upload "${first}" was already used`);
  const wrong = { delivery_id: delivery, files: [{ upload_id: 7 }] };
  await assertProtocolError(
    await callTool(server, vendor, "submit_turnover", wrong),
    -32602,
    "files[0].upload_id must be text",
  );
});

test("the tool create_version of all tools takes one", async () => {
  const file = { upload_id: await upload(wide, Buffer.from(jpeg(16, 16))), filename: "set.jpg" };
  const answer = await callTool(server, wide, "create_version", { node_id: asset, file }, "/mcp?tools=all");
  const { structuredContent } = await resultOf(answer);
  assert.is(structuredContent.status, "wip");
  assert.is(one<string>(store, "SELECT label FROM media WHERE version_id = ?", structuredContent.id), "set.jpg");
});

test.after(() => server.stop());
test.run();

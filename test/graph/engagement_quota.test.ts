// The quota of an engagement: what it has submitted counts until an admin removes it, whichever way it was sent.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { openStore } from "../../src/core/store/database.ts";
import { assertRefused, demoFolder, mint, one, openTestServer } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { callTool, resultOf } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

const folder = await demoFolder();
const store = openStore(join(folder, "tallylight.db"));
const { production: production_id, submitter, delivery } = seedDataOf(store);
const vendor = mint(store, { production_id, engagement_id: submitter, scopes });
const wide = mint(store, { production_id, scopes });

/** What triggers have counted; the same as what is stored. */
function used(): { files: number; bytes: number } {
  const stored = store.database
    .prepare(
      `SELECT count(*) AS files, ifnull(sum(size), 0) AS bytes
       FROM media JOIN submissions w ON w.id = work_item_id JOIN blobs USING (sha256) WHERE engagement_id = ?`,
    )
    .get(submitter) as { files: number; bytes: number };
  const counted = store.database.prepare("SELECT files, bytes FROM engagement_use WHERE engagement_id = ?");
  assert.equal(counted.get(submitter) ?? { files: 0, bytes: 0 }, stored);
  return stored;
}
const before = used();
const quota = { files: before.files + 3, bytes: before.bytes + 1000 };
const server = await openTestServer({
  data: folder,
  environment: { TALLYLIGHT_ENGAGEMENT_QUOTA: JSON.stringify(quota) },
});
const path = `/api/v1/turnovers/${delivery}/submissions`;
const json = { "content-type": "application/json" };

type Sender = (texts: readonly string[]) => Promise<Response>;
const form: Sender = (texts) => {
  const body = new FormData();
  for (const text of texts) body.append("files", new Blob([text]), "comp.txt");
  return server.ask(vendor, path, { method: "POST", body });
};
/** The response, after the uploads that it did not use were removed: they would count. */
async function ended(upload_ids: readonly string[], response: Response): Promise<Response> {
  const headers = { "tus-resumable": "1.0.0" };
  for (const id of upload_ids) await server.ask(vendor, `/api/v1/uploads/${id}`, { method: "DELETE", headers });
  return response;
}
const uploaded: Sender = async (texts) => {
  const upload_ids: string[] = [];
  for (const text of texts) {
    const headers = {
      "tus-resumable": "1.0.0",
      "upload-length": String(text.length),
      "content-type": "application/offset+octet-stream",
    };
    const created = await server.ask(vendor, "/api/v1/uploads", { method: "POST", headers, body: text });
    if (created.status !== 201) return ended(upload_ids, created); // it counts from its creation
    upload_ids.push(created.headers.get("location")?.split("/").at(-1) ?? "");
  }
  const body = JSON.stringify({ upload_ids });
  return ended(upload_ids, await server.ask(vendor, path, { method: "POST", headers: json, body }));
};
const tool = (texts: readonly string[]): Promise<Response> => {
  const files = texts.map((text) => ({ filename: "c.txt", content_base64: Buffer.from(text).toString("base64") }));
  return callTool(server, vendor, "submit_turnover", { delivery_id: delivery, files });
};

const counts = () => [
  one(store, "SELECT count(*) FROM submissions"),
  one(store, "SELECT count(*) FROM media"),
  one(store, "SELECT count(*) FROM activity"),
  readdirSync(join(folder, "media"), { recursive: true }).filter((name) => /[0-9a-f]{64}$/.test(String(name))).length,
];
const listed = async (): Promise<number[]> => (await server.get(vendor, path.slice(7))).map(({ id }: any) => id);
const remove = (id: number) => answerOf("submissions", "remove", String(id), "--data", folder);

const test = suite("engagement_quota");

test("refuses a form, uploads and a tool call beyond the files or the bytes, and stores nothing", async () => {
  for (const texts of [["a", "b", "c", "d"], ["x".repeat(1001)], ["y".repeat(500), "z".repeat(501)]]) {
    const unit = texts.length === 4 ? "files" : "bytes";
    const sentence = new RegExp(
      `quota .*: ${before[unit].toLocaleString("en")} of ${quota[unit].toLocaleString("en")} ${unit} are used; nothing`,
    );
    const state = counts();
    await assertRefused(await form(texts), 413, sentence);
    await assertRefused(
      await uploaded(texts),
      413,
      new RegExp(`of ${quota[unit].toLocaleString("en")} ${unit} are used`),
    );
    const { isError, content } = await resultOf(await tool(texts));
    assert.is(isError, true);
    assert.match(content[0].text, sentence);
    assert.equal(counts(), state);
    assert.equal(used(), before);
  }
});

test("a removed submission leaves the list of its vendor, and makes room; its bytes are deleted", async () => {
  const { id, media } = (await (await form(["one", "two", "three"])).json()) as any;
  assert.is(used().files, quota.files);
  await assertRefused(await form(["four"]), 413, /files are used/);
  const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE id = ?", media[0].id);
  const file = join(folder, "media", sha256.slice(0, 2), sha256);
  assert.ok(existsSync(file));
  assert.ok((await listed()).includes(id));
  const rows = await answerOf("submissions", "list", "--production", String(production_id), "--data", folder);
  assert.equal([rows.at(-1).id, rows.at(-1).files, rows.at(-1).bytes], [id, 3, 11]);

  assert.is((await remove(id)).id, id);
  assert.not.ok((await listed()).includes(id));
  assert.not.ok(existsSync(file));
  for (const { id } of media) assert.is((await server.ask(vendor, `/api/v1/media/${id}`)).status, 404);
  assert.equal(used(), before);
  const again = await tallylight("submissions", "remove", String(id), "--data", folder);
  assert.equal([again.status, again.out], [1, ""]);
  assert.match(again.err, new RegExp(`there is no submission ${id}`));

  const next = (await (await uploaded(["four"])).json()) as any;
  assert.ok(next.id > id, "no id is given twice");
  assert.is(used().files, before.files + 1);
  await remove(next.id);
});

test("removing is recorded: an activity entry, an entry of the audit log and an event", async () => {
  const { id, title } = (await (await form(["recorded"])).json()) as any;
  await remove(id);
  const [entry] = await server.get(wide, "/activity?limit=1");
  assert.is(entry.verb, "submission.removed");
  assert.match(entry.summary, new RegExp(`^Removed ${title} of .*, with 1 file$`));
  const audit = store.database.prepare("SELECT action, detail FROM audit ORDER BY id DESC LIMIT 1").get() as any;
  assert.equal([audit.action, JSON.parse(audit.detail).id], ["submission.removed", id]);
  const event = store.database.prepare("SELECT type, subject_id FROM events ORDER BY id DESC LIMIT 1").get() as any;
  assert.equal([event.type, event.subject_id], ["submission.removed", id]);
});

test("bytes that another submission needs stay", async () => {
  const [first, second] = [await form(["shared"]), await form(["shared"])].map((one) => one.json() as Promise<any>);
  const { id } = await first;
  const { id: kept, media } = await second;
  await remove(id);
  assert.is(await (await server.ask(vendor, `/api/v1/media/${media[0].id}/content`)).text(), "shared");
  await remove(kept);
});

test("submissions at the same time do not pass the quota together", async () => {
  const answers = await Promise.all(["p", "q", "r", "s", "t"].map((text) => form([text])));
  assert.equal(answers.map(({ status }) => status).sort(), [200, 200, 200, 413, 413]);
  assert.is(used().files, quota.files);
});

test("a submission that does not exist, or is no number, is refused with a sentence", async () => {
  for (const [id, status] of [
    ["99999999", 1],
    ["x", 2],
  ] as const) {
    const refused = await tallylight("submissions", "remove", id, "--data", folder);
    assert.is(refused.status, status);
    assert.match(refused.err, status === 1 ? /there is no submission/ : /ID/);
  }
});

test("an upload beyond the quota is 413 on a full disk too, and one within it 507 without figures", async () => {
  const full = await openTestServer({
    environment: { TALLYLIGHT_ENGAGEMENT_QUOTA: '{"bytes": 1000000000}', TALLYLIGHT_DISK_RESERVE: String(2 ** 46) },
  });
  const key = mint(full.store, { production_id, engagement_id: submitter, scopes });
  const create = (length: number) => {
    const headers = { "tus-resumable": "1.0.0", "upload-length": String(length) };
    return full.ask(key, "/api/v1/uploads", { method: "POST", headers });
  };
  await assertRefused(await create(10), 507, "the server's disk is full; nothing was stored");
  await assertRefused(await create(full.app.config.upload_limit), 413, /quota \(engagement_quota\) has no room/);
  await full.stop();
});

test("an upload counts from its creation, with its declared length, until it is submitted, removed or has expired", async () => {
  const create = (length: number) =>
    server.ask(vendor, "/api/v1/uploads", {
      method: "POST",
      headers: { "tus-resumable": "1.0.0", "upload-length": String(length) },
    });
  for (const id of await listed())
    if (one(store, "SELECT count(*) FROM submissions WHERE id = ?", id)) await remove(id);
  const { files, bytes } = used();
  const free = quota.bytes - bytes;
  const made = await create(free - 10);
  assert.is(made.status, 201);
  const own = made.headers.get("location") as string;
  const refused = await assertRefused(await create(11), 413, /quota .* has no room for this upload: .* bytes are used/);
  assert.match(refused, /of uploads that were not submitted yet; nothing was stored/);
  await assertRefused(await form(["more than ten bytes"]), 413, /quota .* submission/);
  assert.is((await create(5)).status, 201, "what fits");
  const waiting = () => one(store, "SELECT count(*) FROM uploads WHERE used_at IS NULL");
  const count = waiting();
  await Promise.all(Array.from({ length: 6 }, () => create(free)));
  assert.is(waiting(), count, "a refused one leaves no row");
  assert.is(
    (
      await server.ask(wide, "/api/v1/uploads", {
        method: "POST",
        headers: { "tus-resumable": "1.0.0", "upload-length": "99999" },
      })
    ).status,
    201,
    "a key of no engagement has no quota",
  );
  const removed = await server.ask(vendor, own, { method: "DELETE", headers: { "tus-resumable": "1.0.0" } });
  assert.is(removed.status, 204);
  assert.is((await create(free - 10)).status, 201, "its room is free again");
  store.writeSync(() => store.database.exec("UPDATE uploads SET expires_at = '2020-01-01T00:00:00.000Z'"));
  assert.is((await create(free)).status, 201, "what has expired is free, too");
  store.writeSync(() => store.database.exec("UPDATE uploads SET expires_at = '2020-01-01T00:00:00.000Z'"));
  assert.is((await uploaded(["a".repeat(free)])).status, 200, "uploads that fill the quota can be submitted");
  assert.equal(used(), { files: files + 1, bytes: quota.bytes });
});

test.after(async () => {
  store.close();
  await server.stop();
});
test.run();

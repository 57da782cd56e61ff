// The rows that remove one thing and that change the files of a delivery, and media that a document names again.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, delivery } = seedDataOf(store);
const token = mint(store, { production_id: production, scopes: ["read", "edit", "admin"] });

interface Answer {
  change_set?: number;
  detail?: string;
  problems?: { reason?: string; message: string }[];
}

async function send(path: string, body: object | FormData) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...(!isForm && { "content-type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

function form(fields: Record<string, string | Blob>): FormData {
  const made = new FormData();
  made.set("delivery_id", String(delivery));
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}

const media = async (): Promise<{ id: number; label: string; sha256: string }[]> =>
  (await server.get(token, `/deliveries/${delivery}`)).media;
const labels = async () => (await media()).map(({ label }) => label);

const edits = suite("the rows of single edits");

edits("add the same bytes to a delivery again, remove a file by its id, and are undone", async () => {
  const before = await labels();
  const still = () => form({ files: new File([jpeg(16, 16)], "still.jpg", { type: "image/jpeg" }) });
  assert.is((await send("/admin/files", still())).status, 200);
  const again = await send("/admin/files", still());
  assert.is(again.status, 200, JSON.stringify(again.body));
  assert.equal(await labels(), [...before, "still.jpg", "still.jpg"]);
  const [first] = (await media()).filter(({ label }) => label === "still.jpg");
  const removed = await send("/admin/files", form({ removed: String(first?.id) }));
  assert.equal(await labels(), [...before, "still.jpg"]);
  assert.is((await send(`/admin/history/${removed.body.change_set}/undo`, {})).status, 200);
  assert.equal(await labels(), [...before, "still.jpg", "still.jpg"]);
  const unknown = await send("/admin/files", form({ removed: "999999" }));
  assert.equal([unknown.status, unknown.body.detail], [422, "removed must be the id of a file of the delivery"]);
});

edits("keep the bytes of a file that a document gives another label", async () => {
  const document = await server.get(token, "/admin/export");
  const { title } = await server.get(token, `/deliveries/${delivery}`);
  const stored = document.deliveries.find((one: { title: string }) => one.title === title).media;
  const renamed = stored.map((one: object) => ({ ...one, label: "Light plan" }));
  const before = await media();
  const { status, body } = await send("/admin/import", { deliveries: [{ title, media: renamed }] });
  assert.is(status, 200, JSON.stringify(body));
  const after = await media();
  assert.equal(new Set(after.map(({ label }) => label)), new Set(["Light plan"]));
  assert.equal(
    after.map(({ sha256 }) => sha256),
    before.map(({ sha256 }) => sha256),
  );
  const response = await fetch(`${server.url}/api/v1/media/${after[0]?.id}/content`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.is(response.status, 200);
  assert.ok((await response.arrayBuffer()).byteLength > 0);
});

edits("refuse to remove what something refers to, with the reason beside the sentence", async () => {
  const id = one<number>(store, "SELECT min(node_id) FROM versions WHERE production_id = ?", production);
  const { status, body } = await send("/admin/remove", { section: "assets", id });
  assert.is(status, 422);
  const [problem] = body.problems ?? [];
  assert.equal([problem?.reason, problem?.message], ["it has versions", "cannot be removed: it has versions"]);
  assert.is((await send("/admin/remove", { section: "assets", id: 999_999 })).status, 404);
});

edits.after(() => server.close());
edits.run();

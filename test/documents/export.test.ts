// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exportDocument, exportWithMedia } from "../../src/features/documents/export/export.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { mintKey } from "../../src/graph/keys.ts";
import { fixtureFiles, mint, openTestServer } from "../support/app.ts";
import { sampleOf } from "../support/sampling.ts";
import { imported, joined, now, smallDocument, writeDocument } from "../support/small_document.ts";

const exporting = suite("export");

/** A parsed document in which the bytes of every media item are inline. */
function withBytes(value: unknown, folder: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withBytes(item, folder));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) =>
    key === "file" ? ["base64", readFileSync(join(folder, item)).toString("base64")] : [key, withBytes(item, folder)],
  );
  return Object.fromEntries(entries);
}

exporting("returns the imported document, byte for byte", async () => {
  const text = JSON.stringify(smallDocument());
  const { store, blobs, production_id } = await imported(writeDocument(text));
  const exported = await joined(exportDocument(store, blobs, production_id));
  // JSON.stringify of a parse would round mtime_ns, so the texts are compared without their line ends.
  assert.is(exported.replace(/\n */g, "").replace(/": /g, '":'), text.replace(/": /g, '":'));
});

for (const file of sampleOf(fixtureFiles, 2))
  exporting(`returns an imported ${file.split("/").at(-1)} unchanged, media included`, async () => {
    const { store, blobs, production_id } = await imported(file);
    const exported = JSON.parse(await joined(exportDocument(store, blobs, production_id)));
    assert.equal(exported, withBytes(JSON.parse(readFileSync(file, "utf8")), dirname(file)));
  });

exporting("returns the same bytes after its output was imported again", async () => {
  const { store, blobs, production_id } = await imported(fixtureFiles[0] as string);
  const exported = await joined(exportDocument(store, blobs, production_id));
  const again = await imported(writeDocument(exported));
  assert.is(await joined(exportDocument(again.store, again.blobs, again.production_id)), exported);
});

exporting("returns the same bytes for rows that were created through the API and imported again", async () => {
  const server = await openTestServer();
  const { store, blobs } = server;
  const token = mint(store);
  const post = async (path: string, init: RequestInit) => {
    const answer = await server.ask(token, path, { method: "POST", ...init });
    assert.is(answer.status, 200, await answer.text());
  };
  const json = { "content-type": "application/json" };
  for (let n = 0; n < 3; n++) {
    const body = JSON.stringify({ label: "Twin", kind: "prop" });
    await post("/api/v1/assets", { headers: json, body });
  }
  const [twin] = await server
    .get(token, "/assets?kind=prop")
    .then((rows) => rows.filter((row: { label: string }) => row.label === "Twin"));
  const form = new FormData();
  form.append("file", new Blob(["a still"]), "still.jpg");
  await post(`/api/v1/assets/${twin.node_id}/versions`, { body: form });
  const exported = await joined(exportDocument(store, blobs, 1));
  assert.match(exported, /"ref":"Twin #3"/);
  const again = await imported(writeDocument(exported));
  assert.is(await joined(exportDocument(again.store, again.blobs, 1)), exported);
  const beside = exportWithMedia(store, 1, "media/x");
  const besideAgain = exportWithMedia(again.store, 1, "media/x");
  assert.is([...beside.lines].join(""), [...besideAgain.lines].join(""));
  assert.equal([...beside.media].sort(), [...besideAgain.media].sort());
  await server.stop();
});

exporting("contains no key and no token", async () => {
  const { store, blobs, production_id } = await imported(writeDocument(smallDocument()));
  const { token, prefix } = mintKey(localAdmin(store, now), { production_id, label: "a secret label" });
  const exported = await joined(exportDocument(store, blobs, production_id));
  for (const secret of [token, prefix, "a secret label"]) assert.not.ok(exported.includes(secret));
});

exporting("splits a large media file into pieces that form valid base64", async () => {
  const document = smallDocument();
  const bytes = Buffer.alloc(3_000_001, "0123456789abcdef~");
  document.ingredients[0].media.base64 = bytes.toString("base64");
  const { store, blobs, production_id } = await imported(writeDocument(document));
  let largest = 0;
  let text = "";
  for await (const piece of exportDocument(store, blobs, production_id)) {
    largest = Math.max(largest, piece.length);
    text += piece;
  }
  assert.ok(largest < 2 ** 21, `a piece of ${largest} characters`);
  assert.ok(Buffer.from(JSON.parse(text).ingredients[0].media.base64, "base64").equals(bytes));
});

exporting("refuses a production that does not exist", async () => {
  const { store, blobs } = await imported(writeDocument(smallDocument()));
  try {
    await joined(exportDocument(store, blobs, 99));
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, "there is no production 99");
  }
});

exporting.run();

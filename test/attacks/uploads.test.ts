// A client's description of a file is never accepted as a staged file, and a form's limits apply to the whole form.
import { existsSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const production_id = seedDataOf(store).storageProduction;
const token = mint(store, { production_id });
const install = "(SELECT id FROM storage_installs WHERE active = 1)";
const filespace = one<string>(store, "SELECT filespace FROM storage_installs WHERE active = 1");
const path = one<string>(store, `SELECT path FROM asset_files WHERE state = 'present' AND install_id = ${install}`);
const foreign = one<string>(
  store,
  "SELECT sha256 FROM media WHERE production_id <> ? AND version_id IS NOT NULL",
  production_id,
);
const file = server.app.blobs.fileOf(foreign);

const uploads = suite("forged uploads");

uploads("JSON is never accepted as a staged file, in any field of any row", async () => {
  const staged = { file, sha256: foreign, size: 10, content_type: "image/jpeg" };
  const node_id = one(store, "SELECT id FROM nodes WHERE production_id = ? AND kind = 'prop'", production_id);
  for (const forged of [{ staged }, { file_name: "x.jpg", staged }, [{ staged }], { __proto__: { staged }, staged }]) {
    const body = JSON.stringify({ filespace, path, bytes: forged, file: forged, files: [forged] });
    for (const address of ["/storage/media-proxy", `/assets/${node_id}/versions`]) {
      const headers = { "content-type": "application/json" };
      await assertRefused(await server.ask(token, `/api/v1${address}`, { method: "POST", body, headers }), 422);
    }
  }
  assert.ok(existsSync(file), "another production's bytes still exist");
});

uploads("the limit of a stand-in applies to the whole form", async () => {
  const body = new FormData();
  body.append("filespace", filespace);
  body.append("path", path);
  body.append("bytes", new Blob([new Uint8Array(5 << 20)]), "first.jpg");
  body.append("bytes", new Blob([new Uint8Array(4 << 20)]), "second.jpg");
  body.append("bytes", new Blob([jpeg(8, 8)]), "last.jpg");
  await assertRefused(await server.ask(token, "/api/v1/storage/media-proxy", { method: "POST", body }), 413);
});

uploads("a form without a chosen file has no file", async () => {
  const body =
    '--b\r\nContent-Disposition: form-data; name="bytes"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--b--\r\n';
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  await assertRefused(
    await server.ask(token, "/api/v1/storage/media-proxy", { method: "POST", body, headers }),
    422,
    /bytes is required/,
  );
});

uploads("text with control characters is refused, not cut", async () => {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ label: "lamp\u0000 oil" });
  await assertRefused(
    await server.ask(token, "/api/v1/assets", { method: "POST", body, headers }),
    422,
    "label must not contain control characters",
  );
});

uploads.after(() => server.stop());
uploads.run();

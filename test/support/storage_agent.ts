// A server whose seed data has an active install, and a key with which tests post what a storage agent posts.
import * as assert from "uvu/assert";
import { mint, openTestServer } from "./app.ts";

export async function openStorageServer(options: Parameters<typeof openTestServer>[0] = {}) {
  const server = await openTestServer(options);
  const { store } = server;
  const install = store.database
    .prepare("SELECT id, production_id, filespace FROM storage_installs WHERE active = 1 LIMIT 1")
    .get() as { id: number; production_id: number; filespace: string };
  const key = mint(store, { production_id: install.production_id, label: "storage agent" });
  const post = (path: string, body: object | string, token = key): Promise<Response> =>
    server.ask(token, `/api/v1/storage/${path}`, {
      method: "POST",
      ...(body instanceof FormData
        ? { body }
        : {
            body: typeof body === "string" ? body : JSON.stringify(body),
            headers: { "content-type": "application/json" },
          }),
    });
  /** Posts what must be accepted. Returns the answer. */
  const posted = async (path: string, body: object | string): Promise<any> => {
    const response = await post(path, body);
    const text = await response.text();
    assert.is(response.status, 200, text);
    return JSON.parse(text);
  };
  return { server, store, install, key, post, posted };
}

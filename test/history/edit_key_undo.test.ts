// What an undo by an edit key may not bring back: the plan of an undo is checked as every plan is.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import type { Json } from "../support/update.ts";

const test = suite("an undo by an edit key");

test("gives nobody is_admin back, and undoes the rest of what edit keys may change", async () => {
  const server = await openTestServer();
  try {
    const admin = mint(server.store, { production_id: 1, scopes: ["read", "admin"] });
    const editor = mint(server.store, { production_id: 1, scopes: ["read", "edit"] });
    const post = async (key: string, path: string, body: object = {}): Promise<{ status: number; answer: Json }> => {
      const headers = { "content-type": "application/json" };
      const sent = await server.ask(key, `/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: sent.status, answer: await sent.json() };
    };
    const person = (fields: object) => ({ people: [{ name: "Ira Rae", role: "Coordinator", ...fields }] });
    const setOf = async (key: string, document: object): Promise<number> => {
      const { status, answer } = await post(key, "/admin/import", document);
      assert.is(status, 200, JSON.stringify(answer));
      return answer.change_set;
    };
    await setOf(admin, person({ is_admin: true }));
    const taken = await setOf(admin, person({ is_admin: false }));
    const refused = await post(editor, `/admin/history/${taken}/undo`);
    assert.is(refused.status, 403);
    assert.match(refused.answer.detail, /is_admin of the person "Ira Rae" needs a key with the `admin` scope/);
    const role = await setOf(editor, person({ role: "Manager" }));
    assert.is((await post(editor, `/admin/history/${role}/undo`)).status, 200);
    const removed = await setOf(admin, person({ is_admin: true }));
    const people: Json[] = await server.get(admin, "/people");
    const { id } = people.find(({ name }) => name === "Ira Rae");
    const removal = await post(admin, "/admin/remove", { section: "people", id });
    assert.is(removal.status, 200, JSON.stringify(removal.answer));
    const back = await post(editor, `/admin/history/${removal.answer.change_set}/undo`);
    assert.is(back.status, 403, "a removed admin comes back by an admin");
    assert.ok(removed > role);
  } finally {
    await server.stop();
  }
});

test.run();

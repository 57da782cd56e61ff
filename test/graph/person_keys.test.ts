// A key that is bound to a person decides as that person only: script changes, and approvals on the page.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";

const server = await openTestServer();
const { store } = server;
const production_id = 1;
const people = store.database
  .prepare("SELECT id, name FROM people WHERE production_id = ? ORDER BY id LIMIT 2")
  .all(production_id) as { id: number; name: string }[];
const [own, other] = people as [(typeof people)[0], (typeof people)[0]];
const key = mint(store, { production_id, person_id: own.id, label: "desk", scopes: ["read", "write", "admin"] });

const bound = suite("a key that is bound to a person");
bound.after(() => server.stop());

/** Adds a pending script change, which no draft has made. */
const scriptChange = (): number =>
  store.writeSync(() => {
    const kept = "production_id, episode_id, node_id, scene_number, kind, summary, revision_color, detected_at";
    const { lastInsertRowid } = store.database
      .prepare(
        `INSERT INTO script_changes (${kept}, status)
         SELECT ${kept}, 'pending' FROM script_changes WHERE production_id = ? AND kind = 'changed' LIMIT 1`,
      )
      .run(production_id);
    return Number(lastInsertRowid);
  });
const decideChange = (id: number, decided_by?: string) =>
  server.ask(key, `/api/v1/script-changes/${id}/decide`, {
    method: "POST",
    body: JSON.stringify({ decision: "dismissed", decided_by }),
    headers: { "content-type": "application/json" },
  });

bound("decides script changes as that person, named or not, and as nobody else", async () => {
  const refused = scriptChange();
  await assertRefused(await decideChange(refused, other.name), 403, new RegExp(`only as ${own.name}`));
  await assertRefused(await decideChange(refused, "Nobody Inparticular"), 422, /decided_by must be/);
  assert.is(one(store, "SELECT status FROM script_changes WHERE id = ?", refused), "pending");
  for (const decided_by of [undefined, own.name, String(own.id)]) {
    const answer = await decideChange(scriptChange(), decided_by);
    const row = (await answer.json()) as { status: string; decided_by: string };
    assert.equal([answer.status, row.status, row.decided_by], [200, "dismissed", own.name], `${decided_by}`);
  }
});

/** Adds a pending decision of one person. */
const approvalOf = ({ id: person_id, name }: { id: number; name: string }): number =>
  store.writeSync(() => {
    const { lastInsertRowid } = store.database
      .prepare("INSERT INTO approvals (production_id, title, status, mode) VALUES (?, ?, 'pending', 'decision')")
      .run(production_id, `Waits for ${name}`);
    store.database
      .prepare(
        "INSERT INTO approval_steps (production_id, approval_id, position, person_id, status) VALUES (?, ?, 1, ?, 'pending')",
      )
      .run(production_id, lastInsertRowid, person_id);
    return Number(lastInsertRowid);
  });

bound("is asked for no name on the page of approvals, and gets no form for another person's step", async () => {
  const [mine, theirs] = [approvalOf(own), approvalOf(other)];
  const page = await signIn(server, key);
  const text = await page.text(`/approvals/${mine}`);
  assert.match(text, `name="approval_id" value="${mine}"`);
  assert.match(text, `<input type="hidden" name="decided_by" value="${own.id}">`);
  assert.not.match(await page.text(`/approvals/${theirs}`), 'name="decision"');
  assert.not.match(text, "Who decides");
  const send = (id: number, { name }: { name: string }) =>
    page.send("/approvals", { approval_id: String(id), decision: "approved", decided_by: name });
  for (const person of [own, other]) {
    const refused = await send(theirs, person);
    assert.is(refused.status, 422);
    assert.is(one(store, "SELECT status FROM approvals WHERE id = ?", theirs), "pending");
  }
  assert.is((await send(mine, own)).status, 303);
  assert.is(one(store, "SELECT decided_by_person_id FROM approval_steps WHERE approval_id = ?", mine), own.id);
});

bound.run();

// POST /submissions/{id}/decide: what a vendor sees of the answer to its work.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const production_id = seedData.production;
const submitter = mint(store, { production_id, engagement_id: seedData.submitter, scopes, label: "submitter" });
const wide = mint(store, { production_id, scopes });

type Row = Record<string, any>;

/** Submits one file of this content. */
async function submit(content: string): Promise<Row> {
  const body = new FormData();
  body.append("files", new Blob([content]), `${content}.txt`);
  const path = `/api/v1/turnovers/${seedData.delivery}/submissions`;
  return (await server.ask(submitter, path, { method: "POST", body })).json() as Promise<Row>;
}

const answer = suite("POST /submissions/{id}/decide");

const decide = (token: string, id: number, json: object) =>
  server.ask(token, `/api/v1/submissions/${id}/decide`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  });

answer("the vendor sees the status and the note; a second decision without a note clears the first one's", async () => {
  const { id } = await submit("x");
  const seen = async () =>
    (await server.get<Row[]>(submitter, `/turnovers/${seedData.delivery}/submissions`)).find((row) => row.id === id);
  const returned = (await (await decide(wide, id, { decision: "returned", note: "Too dark." })).json()) as Row;
  assert.is(returned.status, "returned");
  assert.equal(await seen(), returned);
  assert.is((await seen())?.decision_note, "Too dark.");
  assert.is((await decide(wide, id, { decision: "accepted" })).status, 200);
  assert.is((await seen())?.status, "accepted");
  assert.not.ok("decision_note" in ((await seen()) ?? {}));
  const types = "SELECT count(*) FROM events WHERE type = 'submission.decided'";
  assert.is(one(store, types), 2);
});

answer("refuses a vendor, another production, an unknown submission and an unknown decision", async () => {
  const { id } = await submit("y");
  await assertRefused(await decide(submitter, id, { decision: "accepted" }), 403);
  await assertRefused(
    await decide(mint(store, { production_id, scopes: ["read"] }), id, { decision: "accepted" }),
    403,
  );
  const foreign = mint(store, { production_id: seedData.otherProduction, scopes: ["read", "write"] });
  const unknown = await assertRefused(await decide(foreign, id, { decision: "accepted" }), 404);
  assert.is(await assertRefused(await decide(wide, 999_999, { decision: "accepted" }), 404), unknown);
  await assertRefused(await decide(wide, id, { decision: "approved" }), 422, /decision must be one of/);
  assert.is(one<string>(store, "SELECT status FROM submissions WHERE id = ?", id), "submitted");
});

answer.after(() => server.stop());
answer.run();

// Every POST of the table writes in one transaction, and records in it an event of what changed, or is in a list here
// that says why not.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import type { Operation } from "../../src/core/operation.ts";
import { deliveriesOf } from "../../src/features/webhooks/state.ts";
import { importedAt, mint, one, openTestServer, untilUsed } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer({ clock: () => Date.parse(importedAt) });
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const all = [...scopes, "admin"] as unknown as typeof scopes;
const newestEvent = (): number => one(store, "SELECT ifnull(max(id), 0) FROM events");

await deliveriesOf(server.app).end(); // the webhooks of the cases would write by themselves

let commits = 0;
server.app.store.afterTransaction((wrote) => {
  if (wrote) commits++;
});

const audited = "webhooks are the admin's own; the audit log has an entry";
const dry = "the case is a trial run, which changes nothing";
/** Rows that record no event with their case, and why. */
const withoutEvent: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    table.flatMap(({ name }) => (name.endsWith("_webhook") && name !== "get_webhook" ? [[name, audited]] : [])),
  ),
  install_storage: "the filespace of the case is the active one already",
  import_documents: dry,
  remove_thing: dry,
  undo_change_set: dry,
};

const rows = suite("every POST of the table");
rows.after(() => server.stop());

for (const row of table as readonly Operation[]) {
  if (row.method !== "POST" || caseOf(cases, row.name).productionWideStatus === 503) continue; // that needs a provider
  rows(`${row.name} writes in one transaction, with an event`, async () => {
    const found = caseOf(cases, row.name); // read now: the rows before have changed the production
    const production_id = found.production ?? seedData.production;
    const isBound = row.reach === "bound" || found.productionWideStatus !== undefined;
    const engagement_id = isBound ? found.engagement : undefined;
    const token = mint(store, {
      production_id,
      scopes: all,
      ...(engagement_id !== undefined && { engagement_id }),
      ...(found.person !== undefined && { person_id: found.person }),
    });
    await untilUsed(store, token, async () => (await server.ask(token, "/api/v1/me")).text());
    const [before, event] = [commits, newestEvent()];
    const response = await sendCase(server, found, "POST", token);
    await response.arrayBuffer();
    assert.is(response.status, 200);
    assert.ok(commits - before <= 1, `${commits - before} transactions`);
    assert.is(newestEvent() > event, withoutEvent[row.name] === undefined, "whether an event was recorded");
  });
}

rows.run();

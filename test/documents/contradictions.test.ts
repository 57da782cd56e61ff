// What a document asks for against what was recorded: decisions, ended engagements, revoked grants, people who leave.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openProduction } from "../support/update.ts";

const contrary = suite("a document that contradicts the record");

contrary("is refused where it asks for another state of an approval, with the command that gives it", async () => {
  const production = await openProduction();
  const asked = async (title: string, status: string) => production.problems({ approvals: [{ title, status }] });
  const refused = (title: string, state: string, hint: string) => [
    `approvals[0] (approval ${title}).status must stay ${state}: it follows from the decisions on the steps; ${hint}`,
  ];
  const final = "the decision is final; another approval, with its own title or ref, asks again";
  const decide = "`steps` with decisions, or POST /approvals/{approval_id}/decide, decide it";
  const reopen = "`tallylight approvals reopen` opens it again";
  assert.equal(await asked("CG Covenant model", "pending"), refused("CG Covenant model", "approved", final));
  assert.equal(
    await asked("Night water with principals", "approved"),
    refused("Night water with principals", "pending", decide),
  );
  assert.equal(
    await asked("Heather rags, wet version", "pending"),
    refused("Heather rags, wet version", "changes_requested", reopen),
  );
  assert.equal(
    (await production.update({ approvals: [{ title: "CG Covenant model", status: "approved" }] })).changes,
    [],
  );
});

contrary("is refused where it opens an ended engagement", async () => {
  const production = await openProduction();
  assert.equal(
    await production.problems({
      engagements: [{ title: "Storm previs", vendor: "Corrie & Skerry VFX", ended_at: null }],
    }),
    [
      "engagements[0] (engagement Storm previs).ended_at contradicts what was recorded: this engagement ended at 2026-05-29T17:30:00.000Z; `tallylight engagements add` adds another one",
    ],
  );
});

contrary("is imported with a warning for each thing that stays, where it is an older export", async () => {
  const production = await openProduction();
  const older = await production.export();
  const [{ id }] = production.rows("SELECT id FROM grants WHERE verb = 'read' AND revoked_at IS NULL LIMIT 1");
  const { database } = production.store;
  database.prepare("UPDATE grants SET revoked_at = '2026-10-01T00:00:00.000Z' WHERE id = ?").run(id);
  database
    .prepare("UPDATE engagements SET ended_at = '2026-10-02T00:00:00.000Z' WHERE title = 'Coats and plaids'")
    .run();
  const decided = production.rows("SELECT id FROM approvals WHERE title = 'Night water with principals'")[0].id;
  database
    .prepare(
      `UPDATE approval_steps SET status = 'approved', decided_at = '2026-10-03T00:00:00.000Z',
         signed_as = (SELECT name FROM people WHERE id = person_id) WHERE approval_id = ?`,
    )
    .run(decided);
  database.prepare("UPDATE approvals SET status = 'approved' WHERE id = ?").run(decided);
  database
    .prepare("UPDATE asset_files SET detected_at = '2027-01-01T00:00:00.000Z', state = 'gone' WHERE id = 1")
    .run();
  older.scenes[0].created_at = "2020-01-01T00:00:00.000Z";
  older.production.created_at = "2020-01-01T00:00:00.000Z";
  const plan = await production.update(older, { exact: true, now: "2026-11-22T00:00:00.000Z" });
  assert.equal(plan.changes, []);
  const { path } = production.rows("SELECT path FROM asset_files WHERE id = 1")[0];
  const { filespace } = production.rows(
    "SELECT filespace FROM storage_installs i JOIN asset_files f ON f.install_id = i.id WHERE f.id = 1",
  )[0];
  assert.equal(plan.warnings.toSorted(), [
    'approval "Night water with principals": the decisions on its steps stay as they were recorded; `tallylight approvals reopen` opens an approval again for which changes were requested',
    'engagement "Coats and plaids": the engagement has ended and stays ended; `tallylight engagements add` adds another one',
    'read on scene "22" of engagement "Sea, storm and fog effects": the grant was revoked and stays revoked; `tallylight grants add` grants it again',
    `${path} of storage install "${filespace}": what the storage agent reported later stays`,
    `the production, scene "1": created_at stays as it was recorded`,
  ]);
});

contrary("warns of the approvals that wait for somebody who leaves", async () => {
  const production = await openProduction();
  const leaving = { people: [{ name: "Yusra Haddad", active: false }] };
  const { warnings } = await production.update(leaving);
  assert.equal(warnings, [
    '"Yusra Haddad" leaves, and a step waits for them in "Torran reef turnover release", "Fog collision turnover release"; `steps` of these name somebody else',
  ]);
  assert.equal(
    (await production.update(leaving)).warnings,
    [],
    "the second time says nothing, because nothing changes",
  );
});

contrary.run();

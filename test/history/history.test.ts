// The history of a production: what each change set says, and who sees it.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { trimTables } from "../../src/features/events/retention.ts";
import { reopenApproval } from "../../src/features/history/approval_reopening.ts";
import { findSet, listSets, shownSet } from "../../src/features/history/history.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openTestServer } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openAsAdmin } from "../support/pages.ts";
import { now } from "../support/small_document.ts";
import { type Json, openProduction, silverButton } from "../support/update.ts";

const history = suite("the history of a production");
const production = await openProduction();
const { store, blobs, production_id } = production;
const admin = localAdmin(store, now);
const sets = () => listSets(store, { production_id, limit: 50 });

history("begins with the import that created the production, which no undo takes back", async () => {
  const data = temporaryFolder();
  await answerOf("import", silverButton, "--data", data);
  const [created, ...others] = await answerOf("history", "--production", "1", "--data", data);
  assert.equal(others, []);
  assert.equal(
    [created.summary, created.source, created.counts],
    [
      "Created The Silver Button; this cannot be undone",
      "the-silver-button.json",
      { added: 1, changed: 0, removed: 0 },
    ],
  );
  const { status, err } = await tallylight("undo", String(created.id), "--data", data);
  assert.is(status, 1);
  assert.match(err, /the production cannot be undone: it was created by this; `tallylight productions delete`/);
  const server = await openTestServer({ data });
  const browser = await openAsAdmin(server, 1);
  assert.match(await browser.text("/settings/history"), /Created The Silver Button/);
  assert.not.match(await browser.text(`/settings/history/${created.id}`), /Undo…/);
  await server.stop();
});

history("names a set by all of its words, also if a name has a slash", async () => {
  const data = temporaryFolder();
  await answerOf("import", silverButton, "--data", data);
  const set = (...words: string[]) => answerOf("set", "assets", ...words, "--production", "1", "--data", data);
  await set("Cramond road", "label=Road / day");
  await set("Road / day", "label=Road");
  const [newest] = await answerOf("history", "--production", "1", "--data", data);
  assert.is(newest.source, "set assets Road / day label");
});

history("has the plan of an update as it was printed", async () => {
  const plan = await production.update({ scenes: [{ number: "12", status: "blocked" }] });
  const [row, ...others] = sets();
  assert.equal(others, []);
  assert.equal(row?.counts, { added: 0, changed: 1, removed: 0 });
  assert.is(row?.source, "given0.json");
  assert.match(row?.summary as string, /^Scenes: scene 12: status \w+ -> blocked$/);
  assert.equal(JSON.parse(shownSet(admin, row?.id as number)).changes, plan.changes);
});

history("has no set of an update that changes nothing, of a dry run and of a refusal", async () => {
  const before = sets();
  await production.update({ scenes: [{ number: "12", status: "blocked" }] });
  await production.update({ scenes: [{ number: "12", status: "active" }] }, { dry_run: true });
  await production.problems({ scenes: [{ number: "12", status: "bad" }] });
  assert.equal(sets(), before);
});

history("has a reopened approval with its steps before and after", () => {
  const { id } = production.rows("SELECT id FROM approvals WHERE status = 'changes_requested'")[0] as Json;
  const { summary } = reopenApproval(admin, { id });
  const set = JSON.parse(shownSet(admin, sets()[0]?.id as number));
  assert.is(set.summary, summary);
  assert.is(set.changes?.[0]?.section, "approvals");
  assert.is(set.changes?.[0]?.id, id);
  assert.equal(set.changes?.[0]?.fields.status, { from: "changes_requested", to: "pending" });
});

history("says of a change of scenes that no script changed", async () => {
  const { scenes } = await production.export();
  await production.update({
    scenes: scenes.map((scene: Json) => ({ ...scene, synopsis: "Another one.", status: "done" })),
  });
  const [row] = production.rows("SELECT script FROM change_sets ORDER BY id DESC");
  assert.is(row?.script, null);
});

history("is in a backup, and as it was", async () => {
  const file = join(temporaryFolder(), "set.backup");
  const copy = join(temporaryFolder(), "copy");
  await answerOf("backup", file, "--data", production.folder);
  const { status, err } = await tallylight("restore", file, "--data", copy);
  assert.is(status, 0, err);
  const restored = openStore(join(copy, "tallylight.db"));
  assert.equal(listSets(restored, { production_id, limit: 50 }), sets());
  const [{ id } = { id: 0 }] = sets();
  assert.equal(findSet(localAdmin(restored, now), id), findSet(admin, id));
  restored.close();
});

history("is not in the exported document", async () => {
  const before = await production.export();
  store.writeSync(() =>
    trimTables(store, "2999-01-01T00:00:00.000Z", { days: { change_sets: 400 } }, blobs.removeIfUnneeded),
  );
  assert.not.match(JSON.stringify(before), /"(?:change_sets|history)":/);
  assert.equal(sets(), [], "sets older than 400 days go");
  assert.equal(await production.export(), before);
});

history.after(() => store.close());
history.run();

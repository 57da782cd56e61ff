// A decision keeps the name that it was signed with, whatever people are called later and whichever way they were
// renamed.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { answerOf, root, tallylight } from "../support/command.ts";
import { signIn } from "../support/pages.ts";
import { imported, joined, writeDocument } from "../support/small_document.ts";

type Json = any; // documents and answers are taken apart field by field

const server = await openTestServer();
const { store } = server;
const admin = mint(store, { production_id: 1, scopes: ["read", "write", "admin"], label: "Desk" });
const editor = mint(store, { production_id: 1, scopes: ["read", "edit"], label: "Coordinator" });

const send = (path: string, body: object = {}, token = admin) =>
  server.ask(token, `/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const ok = async (response: Response): Promise<Json> => {
  assert.is(response.status, 200, await response.clone().text());
  return response.json();
};
const load = async (document: object, token = admin) => ok(await send("/admin/import", document, token));
const rename = (was: string, name: string, token = admin) => load({ people: [{ name, was }] }, token);
const undoNewest = async (token = admin) => {
  const [{ id }] = await server.get(admin, "/admin/history?limit=1");
  return ok(await send(`/admin/history/${id}/undo`, {}, token));
};
const exported = async (): Promise<Json> => (await server.ask(admin, "/api/v1/admin/export")).json();

let number = 0;
interface Made {
  title: string;
  /** The names of the people of the two steps, and their ids. */
  names: [string, string];
  ids: [number, number];
  id: number;
}
/** Two new people, and an approval that waits for the first of them. */
async function makeApproval(): Promise<Made> {
  number++;
  const names: Made["names"] = [`Petra Producer ${number}`, `Dora Director ${number}`];
  const title = `Signed ${number}`;
  await load({
    people: names.map((name) => ({ name, role: "Producer" })),
    approvals: [{ title, mode: "chain", steps: names.map((person) => ({ person })) }],
  });
  const ids = names.map((name) => one(store, "SELECT id FROM people WHERE name = ?", name)) as Made["ids"];
  return { title, names, ids, id: one(store, "SELECT id FROM approvals WHERE title = ?", title) };
}
const stored = (id: number): Promise<Json> => server.get(admin, `/approvals/${id}`);
const decide = async (id: number, decision: string, decided_by?: string) =>
  ok(await send(`/approvals/${id}/decide`, { decision, ...(decided_by !== undefined && { decided_by }) }));
const shown = ({ steps }: Json): Json[] =>
  steps.map(({ person_id, person, status, decided_by }: Json) => [person_id, person, status, decided_by]);
/** The names of two people are exchanged by three renames. */
async function exchange([one, other]: readonly [string, string]): Promise<void> {
  await rename(one, "Somebody Between");
  await rename(other, one);
  await rename("Somebody Between", other);
}

const names = suite("the name of a decision");

names(
  "stays through three renames that exchange two people, with the id, in every answer and on the page",
  async () => {
    const { title, names, ids, id } = await makeApproval();
    await decide(id, "approved", names[0]);
    const before = await stored(id);
    await exchange(names);
    const after = await stored(id);
    assert.equal(shown(after)[0], [ids[0], names[0], "approved", names[0]]);
    assert.equal(shown(after)[1], [ids[1], names[0], "pending", null], "a step that waits has the present name");
    assert.equal(after.steps[0], before.steps[0]);
    assert.equal(
      (await server.get(admin, "/approvals")).find((row: Json) => row.id === id),
      after,
    );
    const visitor = await signIn(server, mint(store, { production_id: 1, scopes: ["read"] }));
    const page = await visitor.text(`/approvals/${id}`);
    const [, card = ""] = page.split(`id="approval-${id}"`);
    const steps = card.slice(0, card.indexOf("</ol>"));
    const step = (person: number, state: string) =>
      `<b dir="auto">${names[0]}</b> <span class="under">person ${person}</span> <span class="under">${state}`;
    assert.match(steps, step(ids[0], "approved"));
    assert.match(steps, step(ids[1], "decides"));
    const document = (await exported()).approvals.find((row: Json) => row.title === title);
    assert.equal(
      [document.steps[0].person, document.steps[0].decided_by, document.steps[0].signed_as],
      [names[1], names[1], names[0]],
      "a document refers to the person by the present name, and has the signed one beside it",
    );
  },
);

names("is that of the person whose step it was, if it was decided in nobody's name", async () => {
  const { names, ids, id } = await makeApproval();
  await decide(id, "approved");
  await rename(names[0], `${names[0]} Married`);
  assert.equal(shown(await stored(id))[0], [ids[0], names[0], "approved", null]);
});

names("stays in a former round; the new round has the present names, and is signed with them", async () => {
  const { names, ids, id } = await makeApproval();
  await decide(id, "approved", names[0]);
  await decide(id, "changes", names[1]);
  await exchange(names);
  const before = (await stored(id)).steps;
  await ok(await send(`/admin/approvals/${id}/reopen`));
  const reopened = await stored(id);
  assert.equal(reopened.rounds, [before]);
  assert.equal(shown(reopened), [
    [ids[0], names[1], "pending", null],
    [ids[1], names[0], "pending", null],
  ]);
  assert.is(one(store, "SELECT count(signed_as) FROM approval_steps WHERE approval_id = ?", id), 0);
  await decide(id, "approved", String(ids[0]));
  const next = await stored(id);
  assert.equal(shown(next)[0], [ids[0], names[1], "approved", names[1]]);
  assert.equal(next.rounds, [before]);
});

names("stays when a key with the scope edit renames who signed, and such a key cannot sign or change it", async () => {
  const { title, names, ids, id } = await makeApproval();
  await decide(id, "approved", names[0]);
  await rename(names[0], `${names[0]} Neu`, editor);
  assert.equal(shown(await stored(id))[0], [ids[0], names[0], "approved", names[0]]);
  const decided = { status: "approved", decided_at: "2026-11-20T10:00:00Z" };
  const person = `${names[0]} Neu`;
  const before = await stored(id);
  const tries: object[] = [
    { approvals: [{ title, steps: [{ person, ...decided, signed_as: "Somebody" }, { person: names[1] }] }] },
    { approvals: [{ title, steps: [{ person, signed_as: "Somebody" }, { person: names[1] }] }] },
    { approvals: [{ title, steps: [{ person: names[1], signed_as: names[0] }] }] },
    { approvals: [{ title: "New", steps: [{ person, signed_as: names[0] }] }] },
    { approvals: [{ title, rounds: [[{ person, ...decided, signed_as: "Somebody" }]] }] },
    { people: [{ name: names[0], was: names[1] }] },
    { people: [{ name: names[0], role: "Extra" }] },
    { people: [{ name: names[0].toUpperCase(), role: "Extra" }] },
    { people: [{ name: names[0].replace(" ", "\u00a0"), role: "Extra" }] },
    { people: [{ name: names[0].replace("P", "\uff30"), role: "Extra" }] },
  ];
  for (const document of tries) await assertRefused(await send("/admin/import", document, editor), 403);
  const invisible: object[] = [
    { people: [{ name: names[0].replace("e", "e\u200b"), role: "Extra" }] },
    { people: [{ name: `${names[0]}\u00ad`, was: names[1] }] },
  ];
  for (const document of invisible)
    await assertRefused(await send("/admin/import", document, editor), 422, /invisible character/);
  assert.equal(await stored(id), before);
  await rename(person, names[0], editor);
});

names(
  "of somebody whose renames the history has forgotten, who was removed, or who decided a script change is free for no edit key",
  async () => {
    const { names, id } = await makeApproval();
    await decide(id, "approved", names[0]);
    await rename(names[0], `${names[0]} Neu`);
    await load({ people: [{ name: "Rita Removed", role: "Runner" }] }, editor);
    const person = one(store, "SELECT id FROM people WHERE name = 'Rita Removed'");
    await ok(await send("/admin/remove", { section: "people", id: person }, editor));
    const refused = (name: string) =>
      send("/admin/import", { people: [{ name, role: "Extra" }] }, editor).then((answer) =>
        assertRefused(answer, 403, /another person has or had/),
      );
    await refused("Rita Removed");
    await refused(" rita  REMOVED ");
    await undoNewest(editor);
    assert.is(one(store, "SELECT id FROM people WHERE name = 'Rita Removed'"), person, "an undo gives the person back");
    store.writeSync(() => {
      store.database.prepare("DELETE FROM change_sets WHERE instr(changes, ?)").run(names[0]);
      store.database
        .prepare(
          "UPDATE script_changes SET decided_by = 'Sid Signer' WHERE id = (SELECT min(id) FROM script_changes WHERE production_id = 1 AND status <> 'pending')",
        )
        .run();
    });
    assert.is(one(store, "SELECT count(*) FROM script_changes WHERE decided_by = 'Sid Signer'"), 1);
    await refused(names[0]);
    await refused("Sid Signer");
    await load({ people: [{ name: "Sid Signer", role: "Extra" }] });
    await load({ people: [{ name: "Sid Signer", role: "Grip" }] }, editor);
  },
);

const documents = suite("the name of a decision in documents");

documents("is by default the name that the document has; a later rename plans nothing again", async () => {
  const { title, names, ids, id } = await makeApproval();
  const at = "2026-11-20T10:00:00.000Z";
  const steps = [
    { person: names[0], status: "approved", decided_at: at, decided_by: names[0] },
    { person: names[1], status: "pending" },
  ];
  await load({ approvals: [{ title, steps }] });
  await rename(names[0], `${names[0]} Neu`);
  assert.equal(shown(await stored(id))[0], [ids[0], names[0], "approved", names[0]]);
  const older = {
    approvals: [
      { title, steps: [{ ...steps[0], person: `${names[0]} Neu`, decided_by: `${names[0]} Neu` }, steps[1]] },
    ],
  };
  assert.equal((await load(older)).changes, []);
  const other = structuredClone(older) as Json;
  other.approvals[0].steps[0].signed_as = "Somebody Else";
  await assertRefused(await send("/admin/import", other), 422, new RegExp(`${names[0]} decided this step`));
  const early = structuredClone(older) as Json;
  early.approvals[0].steps[1].signed_as = names[1];
  await assertRefused(await send("/admin/import", early), 422, /signed_as is allowed only on a decided step/);
  const own = structuredClone(older) as Json;
  own.approvals[0].steps[0].signed_as = names[0];
  assert.equal((await load(own)).changes, []);
});

documents("is read with a decision that is imported, also of two people, and of a former round", async () => {
  const { names, ids } = await makeApproval();
  const at = "2026-11-20T10:00:00.000Z";
  const decided = { status: "changes_requested", decided_at: at, decided_by: names[1], signed_as: "Dora Maiden" };
  const steps = [{ person: names[0], status: "pending" }];
  await load({ approvals: [{ title: "Former", mode: "chain", steps, rounds: [[{ person: names[0], ...decided }]] }] });
  const former = await stored(one(store, "SELECT id FROM approvals WHERE title = 'Former'"));
  const [[step]] = former.rounds;
  assert.equal([step.person_id, step.person, step.decided_by], [ids[0], names[0], "Dora Maiden"]);
});

documents("is exported, and read again: the same production plans nothing, a new one is the same", async () => {
  const document = await exported();
  assert.ok(document.approvals.some(({ steps }: Json) => steps.some(({ signed_as }: Json) => signed_as !== undefined)));
  assert.ok(document.approvals.some(({ rounds = [] }: Json) => rounds.length > 0));
  const same = await ok(
    await send("/admin/import?exact=1", { approvals: document.approvals, people: document.people }),
  );
  assert.equal(same.changes, []);
  const text = await joined(exportDocument(store, server.blobs, 1));
  const again = await imported(writeDocument(text));
  assert.is(await joined(exportDocument(again.store, again.blobs, 1)), text);
  const { out: list } = await tallylight("export", "--as", "approvals", "--production", "1", "--data", server.folder);
  assert.match(list, /Signed As|signed_as/i);
  const form = new FormData();
  form.append("files", new Blob([list]), "approvals.csv");
  const response = await server.ask(admin, "/api/v1/admin/import?as=approvals", { method: "POST", body: form });
  assert.equal((await ok(response)).changes, []);
});

const undo = suite("the name of a decision after an undo");

undo("stays when renames are undone and done again", async () => {
  const { names, ids, id } = await makeApproval();
  await decide(id, "approved", names[0]);
  await rename(names[0], `${names[0]} Neu`);
  for (let time = 0; time < 3; time++) {
    await undoNewest();
    assert.equal(shown(await stored(id))[0], [ids[0], names[0], "approved", names[0]]);
  }
});

for (const [what, isOld] of [
  ["of this version", false],
  ["that an older version recorded, without names", true],
] as const)
  undo(
    `comes back with the undo of reopening, goes with its undo, after renames, for a change set ${what}`,
    async () => {
      const { names, id } = await makeApproval();
      await decide(id, "approved", names[0]);
      await decide(id, "changes", names[1]);
      await rename(names[0], `${names[0]} Neu`);
      const before = await stored(id);
      await ok(await send(`/admin/approvals/${id}/reopen`));
      const reopened = await stored(id);
      if (isOld)
        store.writeSync(() => {
          const pattern = /,"signed_as":"[^"]*"/g;
          const sets = store.database
            .prepare("SELECT id, changes FROM change_sets WHERE source = 'approvals reopen' ORDER BY id DESC LIMIT 1")
            .all() as Json[];
          for (const set of sets) {
            assert.match(set.changes, pattern);
            store.database
              .prepare("UPDATE change_sets SET changes = ? WHERE id = ?")
              .run(set.changes.replace(pattern, ""), set.id);
          }
        });
      const [{ id: set }] = await server.get(admin, "/admin/history?limit=1");
      await rename(`${names[0]} Neu`, `${names[0]} Neuer`);
      await ok(await send(`/admin/history/${set}/undo`));
      assert.equal(await stored(id), before);
      await undoNewest();
      const rounds = (await stored(id)).rounds;
      assert.equal(rounds, reopened.rounds);
      assert.is(rounds[0][0].decided_by, names[0]);
      await undoNewest();
      assert.equal(await stored(id), before);
    },
  );

const migration = suite("the migration to signed names");

migration("signs former decisions with the present names, also of a frozen production", async () => {
  const older = await openTestServer();
  const { database } = older.store;
  const before = database.prepare("SELECT * FROM approval_steps ORDER BY approval_id, position").all();
  database.exec("ALTER TABLE approval_steps DROP COLUMN signed_as; ALTER TABLE former_steps DROP COLUMN signed_as");
  const guards = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'refuse^_frozen^_%' ESCAPE '^'")
    .all() as { name: string; sql: string }[];
  for (const { name } of guards) database.exec(`DROP TRIGGER ${name}`);
  const former = "INSERT ON table_revisions BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END";
  database.exec(
    `CREATE TABLE table_revisions (production_id, part, revision); CREATE TRIGGER refuse_frozen BEFORE ${former}`,
  );
  const frozen = one(older.store, "SELECT min(production_id) FROM approval_steps WHERE status <> 'pending'");
  database.prepare("INSERT INTO frozen_productions VALUES (?, '2026-11-20')").run(frozen);
  older.store.writeSync(() => database.exec(readFileSync(join(root, "sql/migrations/0035_signed_names.sql"), "utf8")));
  assert.equal(database.prepare("SELECT * FROM approval_steps ORDER BY approval_id, position").all(), before);
  assert.ok(before.some(({ signed_as }: Json) => signed_as !== null));
  for (const { sql } of guards) database.exec(sql);
  assert.throws(() => database.exec("UPDATE approval_steps SET note = 'x' WHERE production_id = 1"), /frozen/);
  await older.close();
});

const erasure = suite("the name of a decision of an erased person");

erasure(
  "goes everywhere, also a former one that another person has now; the signature of another person stays",
  async () => {
    const { names, ids, id } = await makeApproval();
    await decide(id, "approved", names[0]);
    await decide(id, "changes", names[1]);
    await ok(await send(`/admin/approvals/${id}/reopen`));
    await decide(id, "approved", names[0]);
    await rename(names[0], "Quilla Nova");
    await rename(names[1], names[0]);
    await answerOf("people", "erase", "Quilla Nova", "--production", "1", "--data", server.folder);
    const { steps, rounds } = await stored(id);
    const removed = one<string>(store, "SELECT name FROM people WHERE id = ?", ids[0]);
    assert.match(removed, /^Person removed/);
    assert.equal([steps[0].person, steps[0].decided_by], [removed, removed]);
    assert.equal([rounds[0][0].person, rounds[0][0].decided_by], [removed, removed]);
    assert.equal([rounds[0][1].person, rounds[0][1].decided_by], [names[1], names[1]]);
    assert.is(one(store, "SELECT count(*) FROM approval_steps WHERE signed_as = ?", names[0]), 0);
    assert.is(one(store, "SELECT count(*) FROM former_steps WHERE signed_as = ?", names[0]), 0);
  },
);

erasure.after(() => server.close());
for (const one of [names, documents, undo, migration, erasure]) one.run();

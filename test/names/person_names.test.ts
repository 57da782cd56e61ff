// The name of a person has nothing that nobody sees and mixes no scripts in a word, at every door; a decision says
// whose it is by its id.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { personNameProblem } from "../../src/features/names/person_names.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { editFields, signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const rule = suite("the name of a person");

rule("may be written as people write it", () => {
  const names = [
    ...["Ida Roth", "Zoë Łukasz", "Nguyễn Văn", "O’Brien", "ʻOkina", "Jean-Luc Анна", "J.R. Müller (2nd)", "Ида Рот"],
    ...["山田 太郎", "山田Taro", "ヤマダー", "ザ・ロック", "김철수", "김Kim漢", "श्रीमती", "மணி", "κΑ", "ᏣᎳᎩ"],
    ...["علی\u200Cرضا", "क्\u200Dष", "שרה", "Ida Рот", "😀 Ida", "ﷲ"],
  ];
  for (const name of names) assert.is(personNameProblem(name), undefined, name);
});

rule("has no character that nobody sees", () => {
  const codes = [
    ...[0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180b, 0x200b, 0x200c, 0x200d, 0x200e, 0x202e, 0x2060, 0x2064, 0x2066],
    ...[0x206f, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0x1bca0, 0x1d173, 0xe0001, 0xe0100, 0xe0fff],
  ];
  for (const code of codes)
    for (const [before, after] of [
      ["Ida", " Roth"],
      ["", "Ida"],
      ["Ida Roth", ""],
    ]) {
      const hex = code.toString(16).toUpperCase().padStart(4, "0");
      const name = `${before}${String.fromCodePoint(code)}${after}`;
      assert.is(personNameProblem(name), `must not have the invisible character U+${hex}`, hex);
    }
  for (const name of ["نور\u200Cا", "علی\u200Dرضا", "\u200Cعلی", "علی\u200C"])
    assert.match(personNameProblem(name) ?? "", /invisible character U\+200[CD]/, name);
});

rule("mixes no scripts in one word", () => {
  for (const [name, scripts] of [
    ["Аnna Roth", "Cyrillic and Latin"],
    ["Ida Rоth", "Latin and Cyrillic"],
    ["О'Brien", "Cyrillic and Latin"],
    ["Ωmega", "Greek and Latin"],
    ["Ӏda", "Cyrillic and Latin"],
    ["山бa", "Han and Cyrillic"],
    ["Idа", "Latin and Cyrillic"],
    ["𐍈a", "Latin and another script"],
    ["Տam", "Armenian and Latin"],
  ] as const)
    assert.match(personNameProblem(name) ?? "", new RegExp(`must not mix letters of ${scripts} in one word`), name);
});

const doors = suite("a name that could be read as another's");
const server = await openTestServer();
const { store } = server;
const { feature } = seedDataOf(store);
const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
const [producer, other] = store.database
  .prepare("SELECT id, name FROM people WHERE production_id = ? ORDER BY id LIMIT 2")
  .all(feature) as [{ id: number; name: string }, { id: number; name: string }]; // the demo has more
const people = () => JSON.stringify(store.database.prepare("SELECT id, name FROM people ORDER BY id").all());

const update = (body: object, key = admin, query = "") =>
  server.ask(key, `/api/v1/admin/import${query}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

doors("is refused in a document, a list, a page and a change of one person, by an admin too", async () => {
  const before = people();
  const hidden = /people\[0\] .*\.name must not have the invisible character U\+FE0F/;
  const name = `${producer.name}\uFE0F`;
  await assertRefused(await update({ people: [{ name, role: "Grip" }] }), 422, hidden);
  await assertRefused(await update({ people: [{ name, was: other.name }] }), 422, hidden);
  await assertRefused(await update({ people: [{ name, was: other.name }] }, admin, "?dry_run=1"), 422, hidden);
  const list = await server.ask(admin, "/api/v1/admin/import?as=people", {
    method: "POST",
    headers: { "content-type": "text/csv" },
    body: `Name,Role\n${name},Grip\n`,
  });
  await assertRefused(list, 422, /invisible character U\+FE0F/);
  const editor = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write", "edit"] }));
  for (const path of [`/edit/people/${other.id}`, "/edit/people"]) {
    const fields = await editFields(editor, path);
    const sent = await editor.send(path, { ...fields, name });
    assert.is(sent.status, 422, path);
    assert.match(await sent.text(), /invisible character U\+FE0F/, path);
  }
  assert.is(people(), before);
});

doors("stays where it is stored, until it is edited, and comes back by an undo", async () => {
  const stored = "Zo\uFE0F Old";
  store.writeSync(() => store.database.prepare("UPDATE people SET name = ? WHERE id = ?").run(stored, other.id));
  assert.is((await update({ people: [{ name: stored, role: "Best boy" }] })).status, 200);
  await assertRefused(await update({ people: [{ name: "Zo\uFE0F New", was: stored }] }), 422, /U\+FE0F/);
  const renamed = await update({ people: [{ name: "Zo New", was: stored }] });
  assert.is(renamed.status, 200);
  const { change_set } = (await renamed.json()) as { change_set: number };
  assert.is((await server.ask(admin, `/api/v1/admin/history/${change_set}/undo`, { method: "POST" })).status, 200);
  assert.is(one<string>(store, "SELECT name FROM people WHERE id = ?", other.id), stored);
  assert.is((await update({ people: [{ name: other.name, was: stored }] })).status, 200);
});

doors("does not decide in the name of the other, and an editor gives nobody the name", async () => {
  store.writeSync(() =>
    store.database.prepare("UPDATE people SET name = ? WHERE id = ?").run(`${producer.name}\u200B`, other.id),
  );
  const key = mint(store, { production_id: feature });
  const approval = one(
    store,
    "SELECT a.id FROM approvals a JOIN approval_steps s ON s.approval_id = a.id WHERE a.production_id = ? AND a.status = 'pending' LIMIT 1",
    feature,
  );
  const decided = await server.ask(key, `/api/v1/approvals/${approval}/decide`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ decision: "approved", decided_by: producer.name }),
  });
  await assertRefused(decided, 422, "decided_by is the name of more than one person; send the id instead");
  store.writeSync(() => store.database.prepare("UPDATE people SET name = ? WHERE id = ?").run(other.name, other.id));
  const editor = mint(store, { production_id: feature, scopes: ["read", "write", "edit"] });
  const wide = [...producer.name]
    .map((letter) => (/[A-Za-z]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter))
    .join("");
  await assertRefused(
    await update({ people: [{ name: wide, was: other.name }] }, editor),
    422,
    /there is already a person/,
  );
});

doors("shows whose a decision is by the id, on the approval and in the history", async () => {
  const browser = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write", "edit"] }));
  const step = store.database
    .prepare(
      `SELECT approval_id, person_id FROM approval_steps s JOIN approvals a ON a.id = s.approval_id
       WHERE a.production_id = ? AND a.status = 'pending' AND s.status = 'pending' AND a.mode = 'decision' ORDER BY position LIMIT 1`,
    )
    .get(feature) as { approval_id: number; person_id: number }; // the demo has one
  const key = mint(store, { production_id: feature, person_id: step.person_id });
  const sent = await server.ask(key, `/api/v1/approvals/${step.approval_id}/decide`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ decision: "approved", decided_by: String(step.person_id) }),
  });
  assert.is(sent.status, 200, await sent.text());
  assert.match(await browser.text(`/approvals/${step.approval_id}`), new RegExp(`person ${step.person_id}<`));
  assert.match(await browser.text("/settings/history"), new RegExp(`, person ${step.person_id}, `));
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", step.person_id);
  const renamed = await update({ people: [{ name: "Somebody Else", was: name }] });
  const { change_set } = (await renamed.json()) as { change_set: number };
  assert.match(await browser.text(`/settings/history/${change_set}`), new RegExp(`person ${step.person_id}<`));
});

rule.run();
doors.after(() => server.stop());
doors.run();

// Erasing a person: the name is in no record any more, what the person did stays, and other people keep their names.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { erasedColumns } from "../../src/features/productions/erased_columns.ts";
import { demoFolder, mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";

const test = suite("people erase");

/** The places of the database where a text occurs: tables and columns. */
function placesOf(folder: string, text: string): string[] {
  const store = openStore(join(folder, "tallylight.db"));
  const columns = store.database
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list t JOIN pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%'`,
    )
    .all() as { table: string; column: string }[];
  const places = columns.filter(
    ({ table, column }) =>
      store.database.prepare(`SELECT count(*) FROM "${table}" WHERE instr("${column}", ?)`).pluck().get(text) !== 0,
  );
  store.close();
  return places.map(({ table, column }) => `${table}.${column}`);
}

test("removes the name everywhere, keeps the steps, revokes the keys, and does nothing the second time", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const admin = mint(store, { scopes: ["read", "write", "admin"] });
  const json = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const post = async (path: string, body: unknown, token = admin) => {
    const answer = await server.ask(token, `/api/v1${path}`, json(body));
    const text = await answer.text();
    assert.is(answer.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  };
  const [name, longer] = ['Zoë "Z" Quill', 'Zoë "Z" Quill Marlowe'];
  await post("/admin/import", {
    people: [
      { name, role: "Editor" },
      { name: longer, role: "Colorist" },
    ],
    approvals: [{ title: "Reel 1", mode: "chain", steps: [{ person: name }, { person: longer }] }],
  });
  const people = (await server.get(admin, "/people")) as { id: number; name: string }[];
  const person = people.find((one) => one.name === name) as { id: number };
  const key = await post("/admin/keys", { label: `${name}'s laptop`, scopes: ["read", "write"], person_id: person.id });
  const approvals = (await server.get(admin, "/approvals")) as { id: number; title: string }[];
  const approval = approvals.find(({ title }) => title === "Reel 1") as { id: number };
  await post(
    `/approvals/${approval.id}/decide`,
    { decision: "approved", decided_by: name, note: `as ${name} said` },
    key.token,
  );
  const [asset] = await server.get(admin, "/assets");
  await post(`/assets/${asset.node_id}/notes`, { text: `ask ${longer}, not ${name}` }, key.token);
  const hat = `Hat of ${name}`;
  await post("/admin/import", { assets: [{ label: hat, kind: "prop" }] });
  await post("/admin/import", { assets: [{ label: "Bowler", was: hat }] }); // the search has the former name
  await post("/admin/import", {
    vendors: [{ name: "Rooms" }],
    purchase_orders: [
      {
        account: "Hotels",
        vendor: "Rooms",
        description: `Room of ${name}`,
        amount: 90,
        status: "open",
        date: "2026-11-01",
      },
    ],
    schedule: [
      {
        day_number: 900,
        date: "2026-12-30",
        location: `at ${name.toUpperCase()}'s`,
        calls: [{ who: name, time: "07:00", note: `${longer} drives ${name}` }],
        banners: [{ before: null, text: `${name} wraps` }],
      },
    ],
  });
  assert.ok(placesOf(folder, "Quill").length > 6, placesOf(folder, "Quill").join());

  store.database.pragma("secure_delete = OFF");
  store.database.exec(
    `CREATE TABLE former (name TEXT NOT NULL) STRICT; INSERT INTO former VALUES ('${name}'); DROP TABLE former`,
  );
  const erased = await answerOf("people", "erase", name, "--production", "1", "--data", folder);
  assert.equal([erased.name, erased.was_erased], ["Person removed", false]);
  const left = placesOf(folder, "Quill");
  assert.ok(left.length > 0, "the longer name of another person stays");
  const exact = store.database.prepare(
    "SELECT count(*) FROM activity WHERE replace(summary, ?, '') LIKE '%Quill%' OR replace(actor, ?, '') LIKE '%Quill%'",
  );
  assert.is(exact.pluck().get(longer, longer), 0);
  for (const [table, column] of [
    ["audit", "detail"],
    ["events", "data"],
    ["change_sets", "changes"],
    ["notes", "text"],
    ["purchase_orders", "description"],
    ["shoot_days", "location"],
    ["day_calls", "who"],
    ["day_calls", "note"],
    ["day_banners", "text"],
  ]) {
    const texts = store.database
      .prepare(`SELECT ${column} FROM ${table} WHERE production_id = 1`)
      .pluck()
      .all() as string[];
    const whole = texts.join("\n").replaceAll(JSON.stringify(longer).slice(1, -1), "").replaceAll(longer, "");
    assert.not.match(whole, /Quill/i, `${table}.${column}`);
    if (["detail", "data", "changes"].includes(String(column)))
      for (const text of texts) assert.not.throws(() => JSON.parse(text));
  }
  const after = (await server.get(admin, "/approvals")).find(({ id }: { id: number }) => id === approval.id);
  assert.equal(
    after.steps.map((step: { person: string; status: string; decided_by: string; note: string }) => [
      step.person,
      step.status,
    ]),
    [
      ["Person removed", "approved"],
      [longer, "pending"],
    ],
  );
  assert.is(after.steps[0].note, "as Person removed said");
  assert.is((await server.ask(key.token, "/api/v1/me")).status, 401, "the keys of the person are revoked");
  assert.equal(
    (await server.get(admin, "/search?q=Quill")).map(({ label }: { label: string }) => label),
    [longer],
  );

  const again = await answerOf("people", "erase", String(person.id), "--production", "1", "--data", folder);
  assert.equal([again.was_erased, again.rows], [true, 0]);
  assert.match(
    (await tallylight("people", "erase", name, "--production", "1", "--data", folder)).err,
    /there is no person/,
  );
  const second = await answerOf("people", "erase", longer, "--production", "1", "--data", folder);
  assert.is(second.name, "Person removed 2");
  assert.equal(placesOf(folder, "Quill"), []);
  for (const file of ["tallylight.db", "tallylight.db-wal"])
    assert.not.match(readFileSync(join(folder, file), "latin1"), /quill/i, file);
  const backup = join(temporaryFolder(), "after.tar");
  await answerOf("backup", backup, "--data", folder);
  assert.not.match(readFileSync(backup, "latin1"), /quill/i, "nor in free pages and in the search index");
  assert.equal(
    (await inspectData(folder, { deep: false, now: Date.now() + 86_400_000 })).filter(({ ok }) => !ok),
    [],
  );
  await server.stop();
});

test("a person who left is erased, with the keys from before", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const within = ["--production", "1", "--data", folder];
  const [{ id, key: name }] = (await answerOf("list", "people", ...within)) as [{ id: number; key: string }];
  mint(store, { production_id: 1, person_id: id });
  await answerOf("set", "people", name, "active=false", ...within);
  const erased = (await tallylight("people", "erase", String(id), ...within, "--json")).out;
  assert.is(JSON.parse(erased).was_erased, false, erased);
  assert.is(store.database.prepare("SELECT count(*) FROM people WHERE name = ?").pluck().get(name), 0);
  const live = "SELECT count(*) FROM api_keys WHERE person_id = ? AND revoked_at IS NULL";
  assert.is(store.database.prepare(live).pluck().get(id), 0);
  await server.stop();
});

test("a name of one word is not replaced inside of other texts, and another production keeps the name", async () => {
  const folder = await demoFolder();
  const store = openStore(join(folder, "tallylight.db"));
  store.writeSync(() => {
    const insert = store.database.prepare(
      "INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (?, 'Will', 'Grip', 0, 0)",
    );
    insert.run(1);
    insert.run(2);
    const note = store.database.prepare(
      "INSERT INTO notes (production_id, node_id, text, author, created_at) SELECT 1, min(id), ?, 'Will', '2026-11-20' FROM nodes WHERE production_id = 1",
    );
    note.run("Will it rain? Ask Will.");
    store.database
      .prepare(
        "INSERT INTO activity (production_id, verb, summary, actor, created_at) VALUES (?, 'x', 'Approved by Will', 'Will', '2026-11-20'), (2, 'x', 'Approved by Will', 'Will', '2026-11-20')",
      )
      .run(1);
  });
  const { status, err } = await tallylight("people", "erase", "Will", "--production", "1", "--data", folder);
  assert.is(status, 1);
  const noteId = store.database.prepare("SELECT id FROM notes WHERE created_at = '2026-11-20'").pluck().get();
  assert.match(err, new RegExp(`^still has the name: text of notes ${noteId}$`, "m"));
  const rows = store.database.prepare("SELECT text, author FROM notes WHERE created_at = '2026-11-20'").all();
  assert.equal(rows, [{ text: "Will it rain? Ask Will.", author: "Person removed" }]);
  const activity = store.database
    .prepare("SELECT production_id, summary, actor FROM activity WHERE created_at = '2026-11-20' ORDER BY 1")
    .all();
  assert.equal(activity, [
    { production_id: 1, summary: "Approved by Person removed", actor: "Person removed" },
    { production_id: 2, summary: "Approved by Will", actor: "Will" },
  ]);
  store.close();
});

test("goes from names of things and files, in whatever order and over two lines; what keeps it is listed, and the status is 1", async () => {
  const folder = await demoFolder();
  const store = openStore(join(folder, "tallylight.db"));
  const set = (sql: string, ...given: unknown[]) => store.writeSync(() => store.database.prepare(sql).run(...given));
  set("INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (1, 'Anna van Quill', 'Grip', 0, 0)");
  const first = (table: string, condition = "production_id = 1") =>
    store.database.prepare(`SELECT min(id) FROM ${table} WHERE ${condition}`).pluck().get() as number;
  const asset = first("nodes", "production_id = 1 AND kind <> 'scene'");
  set("UPDATE nodes SET label = 'Coat of Anna van Quill' WHERE id = ?", asset);
  set("UPDATE deliveries SET title = 'Reel, cut by ANNA VAN QUILL' WHERE id = ?", first("deliveries"));
  set("UPDATE deliveries SET external_to = 'Anna van Quill' WHERE id = ?", first("deliveries"));
  set("UPDATE vendors SET name = 'Anna van Quill Sewing' WHERE id = ?", first("vendors"));
  set("UPDATE departments SET name = 'Quill, Anna van' WHERE id = ?", first("departments"));
  set("UPDATE productions SET logline = 'By Anna  van\nQuill.' WHERE id = 1");
  set("UPDATE versions SET variant = 'van Quill, Anna' WHERE id = ?", first("versions"));
  set("UPDATE media SET label = 'anna_van_quill-headshot.jpg' WHERE id = ?", first("media"));
  set(
    "UPDATE notes SET text = 'Call Quill,Anna van; not Joanna van Quill or Anna van Quillen' WHERE id = ?",
    first("notes"),
  );
  const { status, err, out } = await tallylight(
    "people",
    "erase",
    "Anna van Quill",
    "--production",
    "1",
    "--data",
    folder,
  );
  assert.is(status, 0, `${err}${out}`);
  const text = (sql: string) => store.database.prepare(sql).pluck().get();
  assert.is(text(`SELECT label FROM nodes WHERE id = ${asset}`), "Coat of Person removed");
  assert.is(text("SELECT logline FROM productions WHERE id = 1"), "By Person removed.");
  assert.is(text(`SELECT label FROM media WHERE id = ${first("media")}`), "Person removed-headshot.jpg");
  assert.is(
    text(`SELECT text FROM notes WHERE id = ${first("notes")}`),
    "Call Person removed; not Joanna van Quill or Anna van Quillen",
  );
  for (const place of placesOf(folder, "Quill")) assert.is(place, "notes.text");

  set("INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (1, 'Rolf Ek', 'Grip', 0, 0)");
  set("UPDATE media SET path = '/lib/Rolf Ek/plate.exr' WHERE id = ?", first("media"));
  set("UPDATE scenes SET synopsis = 'Ek, Rolf enters' WHERE rowid = (SELECT min(rowid) FROM scenes)");
  const kept = await tallylight("people", "erase", "Rolf Ek", "--production", "1", "--data", folder, "--json");
  assert.is(kept.status, 1);
  assert.equal(
    JSON.parse(kept.out)
      .kept.map(({ table, column }: { table: string; column: string }) => `${table}.${column}`)
      .sort(),
    ["media.path", "scenes.synopsis"],
  );

  // What may be somebody else's is named and not replaced: the family name alone, or with an initial.
  set("INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (1, 'Jory Penhaligon', 'Grip', 0, 0)");
  set(
    "UPDATE notes SET text = 'Penhaligon, Jory says: ask J. Penhaligon or jory; Tom Penhaligon' WHERE id = ?",
    first("notes"),
  );
  set("UPDATE media SET label = 'Tom Penhaligon' WHERE id = ?", first("media"));
  const named = await tallylight("people", "erase", "Jory Penhaligon", "--production", "1", "--data", folder);
  assert.is(named.status, 1);
  assert.match(named.err + named.out, new RegExp(`still has the name: text of notes ${first("notes")}\n`));
  assert.not.match(named.err + named.out, /label of media/);

  // So is the first name alone, but for the texts of the script.
  for (const name of ["Ilse Vantongeren", "Ilse Bakkers"])
    set("INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (1, ?, 'Grip', 0, 0)", name);
  const notes = store.database.prepare("SELECT id FROM notes WHERE production_id = 1 ORDER BY id").pluck().all();
  set("UPDATE notes SET text = 'Ask Ilse, she has it' WHERE id = ?", notes[0]);
  set("UPDATE notes SET text = 'Ask Ilse Bakkers, or ilse; Ilse Moor has it' WHERE id = ?", notes[1]);
  set("UPDATE scenes SET synopsis = 'ILSE leaves' WHERE rowid = (SELECT min(rowid) FROM scenes)");
  const alone = await tallylight("people", "erase", "Ilse Vantongeren", "--production", "1", "--data", folder);
  assert.is(alone.status, 0, "nobody has to look at what may be somebody else's name");
  assert.equal(
    [...(alone.err + alone.out).matchAll(/still has the .*/g)].map(([line]) => line),
    [`still has the first name: text of notes ${notes[0]}`],
  );
  store.close();
});

test("a name with an apostrophe or a hyphen goes however a word processor writes them", async () => {
  const folder = await demoFolder();
  const store = openStore(join(folder, "tallylight.db"));
  const set = (sql: string, ...given: unknown[]) => store.writeSync(() => store.database.prepare(sql).run(...given));
  for (const name of ["Seán O'Neill-Holt", "Seán O’Neill-Holt Jr"])
    set("INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (1, ?, 'Grip', 0, 0)", name);
  const note = store.database.prepare("SELECT min(id) FROM notes WHERE production_id = 1").pluck().get();
  set("UPDATE notes SET text = 'Seán O’Neill‑Holt; O`Neill–Holt, Seán; Seán O''Neill-Holt Jr' WHERE id = ?", note);
  set("UPDATE productions SET logline = 'By SEÁN O’NEILL-HOLT.' WHERE id = 1");
  const { status, err } = await tallylight(
    "people",
    "erase",
    "Seán O'Neill-Holt",
    "--production",
    "1",
    "--data",
    folder,
  );
  assert.is(status, 0, err);
  const text = (sql: string) => store.database.prepare(sql).pluck().get();
  assert.is(text(`SELECT text FROM notes WHERE id = ${note}`), "Person removed; Person removed; Seán O'Neill-Holt Jr");
  assert.is(text("SELECT logline FROM productions WHERE id = 1"), "By Person removed.");
  store.close();
});

test("a name goes also where a text has no accents, others, ue for ü or ü for ue, or a space for its hyphen; who differs by an accent alone keeps the name", async () => {
  const folder = await demoFolder();
  const store = openStore(join(folder, "tallylight.db"));
  const set = (sql: string, ...given: unknown[]) => store.writeSync(() => store.database.prepare(sql).run(...given));
  for (const name of ["Anna-Maria Kvíz", "Anna Maria Kviz Jr", "Zoe Bøgh", "Zoë Bøgh", "Jürg Ößl", "Łucja İnan"])
    set("INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (1, ?, 'Grip', 0, 0)", name);
  const note = store.database.prepare("SELECT min(id) FROM notes WHERE production_id = 1").pluck().get();
  const after = async (name: string, text: string): Promise<unknown> => {
    set(`UPDATE notes SET text = ? WHERE id = ${note}`, text);
    const erased = await tallylight("people", "erase", name, "--production", "1", "--data", folder);
    assert.is(erased.status, 0, erased.err);
    return store.database.prepare(`SELECT text FROM notes WHERE id = ${note}`).pluck().get();
  };
  assert.is(
    await after(
      "Anna-Maria Kvíz",
      "Anna Maria Kviz, KVI\u0301Z, ANNA-MARIA, anna_maria_kviz.jpg; Anna-Maria Kvíz Jr, Anna Maria Kvizová",
    ),
    "Person removed, Person removed, Person removed.jpg; Anna-Maria Kvíz Jr, Anna Maria Kvizová",
  );
  assert.is(
    await after("Zoe Bøgh", "Zoe Bogh, Zoe Boegh, zoe bøgh, Zoë Bøgh"),
    [...Array(3).fill("Person removed 2"), "Zoë Bøgh"].join(", "),
  );
  assert.is(await after("Jürg Ößl", "Juerg Oessl, Jurg Oßl"), "Person removed 3, Person removed 3");
  assert.is(await after("Łucja İnan", "LUCJA INAN, Lucja i\u0307nan"), "Person removed 4, Person removed 4");
  for (const name of ["Grete Mueller", "Grete Müller", "Joel Saenz Strauss", "Manuel Goethe"])
    set("INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (1, ?, 'Grip', 0, 0)", name);
  assert.is(
    await after("Grete Mueller", "Grete Mueller, GRETE MUELLER, Grete Müller, Grete Mull, Grete Mu\u0308ller"),
    "Person removed 5, Person removed 5, Grete Müller, Grete Mull, Grete Mu\u0308ller",
    "somebody else is called so",
  );
  assert.is(
    await after("Grete Müller", "MUELLER, GRETE; Grete Muller, grete mu\u0308ller"),
    "Person removed 6; Person removed 6, Person removed 6",
  );
  assert.is(
    await after(
      "Joel Saenz Strauss",
      "Joel Sänz Strauß, JOEL SA\u0308NZ STRAUSS, Joel Sænz Strauss, Joel Sanz Strauss",
    ),
    "Person removed 7, Person removed 7, Person removed 7, Joel Sanz Strauss",
    "a spelling without its e is another name",
  );
  assert.is(
    await after("Manuel Goethe", "Manuel Göthe, Manuel Gøthe; Manül"),
    "Person removed 8, Person removed 8; Manül",
  );
  store.close();
});

/** Columns that sound as if they named people, and what they hold instead. */
const others: Readonly<Record<string, string>> = {
  "sessions.browser": "what the browser calls itself",
};

test("every column that can name people is looked at, also those of later migrations", async () => {
  const folder = await demoFolder();
  const store = openStore(join(folder, "tallylight.db"));
  const columns = store.database
    .prepare(
      `SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'TEXT'
         AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'production_id')
         AND c.name IN ('actor', 'author', 'created_by', 'decided_by', 'performer', 'who', 'summary', 'note', 'notes', 'text', 'detail',
           'data', 'changes', 'ids', 'script', 'label', 'decision_note', 'browser')`,
    )
    .pluck()
    .all() as string[];
  const ofPeople = store.database.prepare("SELECT name FROM pragma_table_info('people')").pluck().all();
  store.close();
  assert.equal(
    ofPeople,
    ["id", "production_id", "name", "role", "department_id", "is_hod", "is_admin", "active"],
    "erase_person in sql/productions.sql must clear a new column that says something about the person",
  );
  assert.equal(
    columns.filter((column) => !erasedColumns.includes(column) && others[column] === undefined),
    [],
  );
});

test.run();

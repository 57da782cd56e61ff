// The revision of an update: a hash of each table that its plan read. A row that changed there refuses it, and nothing else does.
import type Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { statementTexts } from "../../src/core/store/statements.ts";
import { exportedTables, hashesOf } from "../../src/features/documents/revision.ts";
import { openProduction } from "../support/update.ts";

const hashes = suite("the hashes of a revision");

hashes("are of every table that an export reads", async () => {
  const { store } = await openProduction();
  const tables = store.database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  const exports = [...statementTexts()].filter(([name]) => name.startsWith("export_")).map(([, text]) => text);
  const read = new Set(exports.flatMap((text) => text.match(/\w+/g) ?? []).filter((word) => tables.includes(word)));
  assert.ok(read.size > 8 && exportedTables.length > 25 && exportedTables.length <= 36);
  const others = [...read].filter((table) => !exportedTables.includes(table));
  assert.equal(others, ["blobs"], "the blob of a hash never changes, and the rows of media name the hash");
});

/** Sets a column of all rows of a table to other values. Returns whether the column has a type that allows one of them. */
function setColumn(database: Database.Database, table: string, column: string): boolean {
  for (const value of ["'other'", "77", "7.5"])
    try {
      const { changes } = database.prepare(`UPDATE "${table}" SET "${column}" = ${value}`).run();
      return changes > 0;
    } catch (error) {
      if (!/cannot store|datatype mismatch/.test(String(error))) throw error;
    }
  return false;
}

hashes(
  "change with every column of every row but the time of its last change, and are the same again after it is changed back",
  async () => {
    const { store, production_id } = await openProduction();
    const { database } = store;
    database.pragma("foreign_keys = OFF");
    database.pragma("ignore_check_constraints = ON");
    const hashOf = (table: string) => hashesOf(store, production_id, [table]).get(table);
    let columns = 0;
    for (const table of exportedTables) {
      const before = hashOf(table);
      assert.match(before ?? "", /^[0-9a-f]{12}$/);
      const owner = table === "productions" ? "id" : "production_id";
      const names = database
        .prepare("SELECT name FROM pragma_table_info(?) WHERE name <> ?")
        .pluck()
        .all(table, owner) as string[];
      const others = `DELETE FROM "${table}" WHERE rowid <> (SELECT min(rowid) FROM "${table}")`;
      const keyed = /WITHOUT ROWID/.test(
        String(database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").pluck().get(table)),
      );
      if (keyed) continue; // its rows have keys of several columns, and are hashed in the same way
      for (const name of names) {
        database.exec("BEGIN");
        database.exec(others); // one row, so that no value is there twice
        const alone = hashOf(table);
        if (setColumn(database, table, name)) {
          columns++;
          // What other rows have moves this time, too: it says nothing of what the row says.
          assert.is(hashOf(table) === alone, name === "updated_at", `${table}.${name}`);
        }
        database.exec("ROLLBACK");
      }
      assert.is(hashOf(table), before);
    }
    assert.ok(columns > 100, String(columns));
  },
);

hashes.run();

const revisions = suite("a revision");
const synopsis = (text: string) => ({ scenes: [{ number: "1", synopsis: text }] });
const person = (name: string) => ({ people: [{ name, role: "Stand-in" }] });
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    ({ message }) => message,
  );

revisions("refuses after a change of what the plan read, and not once that is changed back", async () => {
  const production = await openProduction();
  const { store } = production;
  const set = (role: string) =>
    store.writeSync(() => store.database.prepare("UPDATE people SET role = ? WHERE id = 1").run(role));
  const role = production.rows("SELECT role FROM people WHERE id = 1")[0].role;
  const { revision: if_revision } = await production.update(person("Una Rae"), { dry_run: true });
  set("Other");
  assert.match(await refusal(production.update(person("Una Rae"), { if_revision })), /: people changed since; nothing/);
  set(role);
  assert.is((await production.update(person("Una Rae"), { if_revision })).counts.added, 1);
});

revisions("after an update serves one of another section, until the production is changed again", async () => {
  const production = await openProduction();
  const { revision: first } = await production.update(synopsis("One."));
  const { revision: second } = await production.update(person("Una Rae"), { if_revision: first });
  await production.update(person("Ona Rae"), { if_revision: second });
  const refused = await refusal(production.update({ vendors: ["Net Makers"] }, { if_revision: second }));
  assert.match(refused, /it was changed since, and that revision does not tell of .*vendors; nothing was changed$/);
  assert.match(await refusal(production.update(person("Ina Rae"), { if_revision: second })), /people changed since/);
});

revisions("of another database, or no revision at all, is refused before anything is compared", async () => {
  const production = await openProduction();
  const { revision } = await production.update(person("Una Rae"), { dry_run: true });
  const [, rest] = revision.split(/-(.*)/s);
  const others = [
    ...["", "-", "x", "0", revision.slice(0, -1), `${revision}0`, `${revision}.`, `${revision}.0`, ` ${revision}`],
    ...[`${revision}\n`, `00000000-${rest}`, revision.toUpperCase(), revision.replaceAll("-", "."), "a-b-c", "NaN-NaN"],
    ...["0".repeat(500), `${"a".repeat(8)}-.${"0000000000000".repeat(30)}`, "__proto__", "ａ-１"],
  ];
  for (const if_revision of others)
    assert.match(
      await refusal(production.update(person("Una Rae"), { if_revision })),
      /it is no revision of this production any more; nothing was changed$/,
      JSON.stringify(if_revision),
    );
});

revisions("with parts that no table has compares the others", async () => {
  const production = await openProduction();
  const { revision } = await production.update(person("Una Rae"), { dry_run: true });
  const if_revision = `${revision}z000000000000`;
  assert.is((await production.update(person("Una Rae"), { if_revision })).counts.added, 1);
});

revisions("has at most 500 characters, also of a whole production", async () => {
  const production = await openProduction();
  const { revision } = await production.update(await production.export(), { dry_run: true });
  assert.ok(revision.length < 450, String(revision.length));
});

revisions.run();

// A reference of the database from one thing of a production to another also names the production, so that SQLite
// refuses one that leads into another production, whatever a statement forgot.
import { join } from "node:path";
import type Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { layoutOf } from "../../src/features/documents/sections/form.ts";
import { sectionNames, sections } from "../../src/features/documents/sections/sections.ts";
import { temporaryFolder } from "../support/folder.ts";

/** ALTER TABLE adds no reference of several columns, so what writes these looks the thing up in the production. */
const added = [
  "approval_steps.version_id",
  "approvals.version_id",
  "former_steps.version_id",
  "script_changes.draft_id",
  "script_changes.superseded_by",
  "submissions.answers",
];
/** The same for the references of documents, which are looked up by their names in the production. */
const named = new Set(
  sectionNames.flatMap((section) =>
    layoutOf(section).fields.flatMap(({ name, noun }) =>
      noun === undefined ? [] : `${sections[section].table}.${name}_id`,
    ),
  ),
);
/** The production is that of the key: both are written together. */
const ofKeys = ["invitations.key_id", "sessions.key_id"];

/** The references between tables with a production that do not name it, as `table.column`. */
function referencesWithoutProduction(database: Database.Database): string[] {
  return database
    .prepare<[], string>(
      `SELECT owner.name || '.' || reference."from"
       FROM sqlite_schema owner, pragma_foreign_key_list(owner.name) reference
       WHERE owner.type = 'table' AND reference."table" <> 'productions'
         AND (SELECT count(*) FROM pragma_table_info(owner.name) WHERE name = 'production_id') = 1
         AND (SELECT count(*) FROM pragma_table_info(reference."table") WHERE name = 'production_id') = 1
         AND NOT EXISTS (
           SELECT 1 FROM pragma_foreign_key_list(owner.name) part WHERE part.id = reference.id AND part."from" = 'production_id')
       ORDER BY 1`,
    )
    .pluck()
    .all();
}

const test = suite("references");

test("name the production too, but for those that have a reason here", () => {
  const { database, close } = openStore(join(temporaryFolder(), "tallylight.db"));
  const found = referencesWithoutProduction(database).filter((one) => !named.has(one));
  const forgotten = found.filter((one) => ![...added, ...ofKeys].includes(one));
  assert.equal(forgotten, [], "FOREIGN KEY (production_id, …) REFERENCES … (production_id, id)");
  assert.equal(found, [...added, ...ofKeys].sort());
  database.exec("CREATE TABLE loose (production_id INTEGER, person_id INTEGER REFERENCES people (id))");
  assert.ok(referencesWithoutProduction(database).includes("loose.person_id"));
  close();
});

test.run();

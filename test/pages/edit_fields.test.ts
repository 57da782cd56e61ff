// Every field of the sections that have edit pages has a control there by what the table of fields says of it, but for
// what is recorded or follows.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as input from "../../src/core/inputs.ts";
import { editableSections } from "../../src/features/documents/edit_scope.ts";
import { formOf, itemSchemaOf } from "../../src/features/documents/sections/form.ts";
import { type Noun, namings, sections } from "../../src/features/documents/sections/sections.ts";
import { saidOf } from "../../src/features/documents/sections/values.ts";
import { demoFolder, one, openTestServer } from "../support/app.ts";
import { begins } from "../support/format_tables.ts";
import { openAsAdmin } from "../support/pages.ts";
import type { Json } from "../support/update.ts";

const server = await openTestServer({ data: await demoFolder() });
const { store } = server;
const production_id = one(store, "SELECT id FROM productions WHERE format = 'episodic' LIMIT 1");
const admin = await openAsAdmin(server, production_id);

const inner = (schema: Json): Json => (schema.wrapped === undefined ? schema : inner(schema.wrapped));
const isMedia = (schema: Json): boolean => formOf(schema).medium === true || formOf(schema).item?.medium === true;

/** The fields that a form has. */
const editable = (schema: Json): [name: string, schema: Json][] =>
  Object.entries(schema.entries as Json).filter(([, entry]) => {
    const { recorded, follows } = saidOf(entry as Json);
    return !recorded && !follows && !begins(inner(entry), input.timestamp) && !isMedia(entry as Json);
  });

const nameOf = (noun: Noun): string => {
  const table = sections[namings[noun].list].table;
  return one<string>(
    store,
    `SELECT ${namings[noun].field} FROM ${table} WHERE production_id = ? LIMIT 1`,
    production_id,
  );
};

/** What the control of a value has in HTML, after its name. */
function control(schema: Json): RegExp {
  const own = inner(schema);
  const { noun } = formOf(own);
  if (begins(own, input.date)) return / type="date"/;
  if (own.type === "picklist") return new RegExp(own.options.map((one: string) => `value="${one}"`).join("[^]*"));
  if (own.type === "boolean") return /value="yes"[\s\S]*value="no"/;
  if (noun !== undefined && !["scene", "asset"].includes(noun)) return new RegExp(`value="${nameOf(noun)}"`);
  return /./;
}

const test = suite("an edit page");
test.after(() => server.close());

function check(page: string, schema: Json, place: string, start = ""): void {
  for (const [name, entry] of editable(schema)) {
    const here = `${place}.${name}`;
    const own = inner(entry);
    const fields = own.item === undefined ? undefined : inner(own.item).entries;
    if (fields !== undefined) {
      check(page, inner(own.item), here, `${start}${name}.0.`);
      continue;
    }
    const isGroup = own.type === "record" || own.item?.type === "record";
    const pattern = isGroup ? `name="${start}${name}\\.(?:\\d+\\.)?[\\w+]+"` : `name="${start}${name}"`;
    const at = page.search(new RegExp(pattern));
    assert.ok(at >= 0, `${here} has a control`);
    if (isGroup) continue;
    assert.match(page.slice(page.lastIndexOf("<", at)), control(entry), `${here} has the control of its type`);
    const [, label] = new RegExp(`<label for="${start}${name}">([^<]+)`).exec(page) ?? [];
    const said = saidOf(entry).label;
    assert.ok(label !== undefined, `${here} has a label`);
    if (said !== undefined) assert.is(label.trim(), said, `${here} has the label of the table`);
  }
}

for (const section of editableSections)
  test(`of ${section} has a control for every field, for a new thing and for a stored one`, async () => {
    const { table, rest } = sections[section];
    const where = section === "assets" ? " AND kind = 'character'" : "";
    const column = rest?.key ?? "id";
    const sql = `SELECT ${column} FROM ${rest?.table ?? table} WHERE production_id = ?${where} ORDER BY 1 LIMIT 1`;
    for (const end of ["", `/${one(store, sql, production_id)}`])
      check(await admin.text(`/edit/${section}${end}`), itemSchemaOf(section), section);
  });

test.run();

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
import { demoFolder, mint, one, openTestServer } from "../support/app.ts";
import { begins } from "../support/format_tables.ts";
import { editFields, openAsAdmin, signIn } from "../support/pages.ts";
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
  if (noun !== undefined && !["scene", "asset"].includes(noun))
    return new RegExp(`value="${nameOf(noun).replaceAll("&", "&amp;")}"`);
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

for (const section of [...editableSections, "purchase_orders"] as const)
  test(`of ${section} has a control for every field, for a new thing and for a stored one`, async () => {
    const { table, rest } = sections[section];
    const where = section === "assets" ? " AND kind = 'character'" : "";
    const column = rest?.key ?? "id";
    const sql = `SELECT ${column} FROM ${rest?.table ?? table} WHERE production_id = ?${where} ORDER BY 1 LIMIT 1`;
    for (const end of ["", `/${one(store, sql, production_id)}`])
      check(await admin.text(`/edit/${section}${end}`), itemSchemaOf(section), section);
  });

test("offers a date where a text is one as a rule, and keeps another text", async () => {
  const id = one<number>(store, "SELECT max(id) FROM deliveries WHERE production_id = ?", production_id);
  for (const [due, type] of [
    ["2026-12-04", "date"],
    ["", "date"],
    ["before the wrap", "text"],
  ]) {
    store.writeSync(() => store.database.prepare("UPDATE deliveries SET due = ? WHERE id = ?").run(due, id));
    const page = await admin.text(`/edit/deliveries/${id}`);
    assert.match(page, new RegExp(`id="due" name="due" type="${type}" value="${due}"`));
  }
});

test("of an order gives it a number, a department and a currency, and is an admin's who may see money", async () => {
  const vendor = one<string>(store, "SELECT name FROM vendors WHERE production_id = ? LIMIT 1", production_id);
  const department = one<string>(store, "SELECT slug FROM departments WHERE production_id = ? LIMIT 1", production_id);
  const order = { number: "PO-77", account: "4100", vendor, description: "Lamp oil", amount: "12.50", currency: "EUR" };
  const save = async (path: string, fields: Record<string, string>) =>
    admin.send(path, { ...(await editFields(admin, path)), ...fields });
  const added = { ...order, status: "open", date: "2026-11-20", department };
  const wrong = await save("/edit/purchase_orders", { ...added, currency: "Euro" });
  assert.is(wrong.status, 422);
  const page = await wrong.text();
  for (const text of ["Euro", "PO-77", "Lamp oil"]) assert.match(page, text);
  assert.is((await save("/edit/purchase_orders", added)).status, 303);
  const id = one(store, "SELECT id FROM purchase_orders WHERE number = 'PO-77'");
  assert.match(await admin.text("/orders"), `href="/edit/purchase_orders/${id}"`);
  assert.is((await save(`/edit/purchase_orders/${id}`, { number: "PO-78" })).status, 303);
  const stored = store.database.prepare("SELECT number, currency, department_id FROM purchase_orders WHERE id = ?");
  const department_id = one(store, "SELECT id FROM departments WHERE slug = ?", department);
  assert.equal({ ...(stored.get(id) as object) }, { number: "PO-78", currency: "EUR", department_id });
  for (const scopes of [
    ["read", "write", "edit", "read:money"],
    ["read", "write", "edit"],
    ["read", "admin"],
  ] as const) {
    const other = await signIn(server, mint(store, { production_id, scopes: [...scopes], label: scopes.join(" ") }));
    const answer = await other.get(`/edit/purchase_orders/${id}`);
    assert.is(answer.status, 403, scopes.join(" "));
    assert.not.match(await answer.text(), "Lamp oil");
  }
});

test.run();

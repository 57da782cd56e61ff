// The forms by which an admin lets a vendor in: a key with the scopes that it needs, and grants by name.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production: production_id, asset, delivery, submitter } = seedDataOf(store);
const key = mint(store, { production_id, scopes: ["read", "write", "admin"] });
const admin = await signIn(server, key);
const mintIn = async (fields: Record<string, string | string[]>): Promise<string[]> => {
  const answer = await admin.send("/settings/keys", { action: "mint", expires: "", person_id: "", ...fields });
  const text = await answer.text();
  assert.match(text, `The key “${fields.label}” was made`);
  return JSON.parse(one<string>(store, "SELECT scopes FROM api_keys WHERE label = ?", fields.label));
};
const engagementWith = async (title: string, ...grants: object[]): Promise<number> => {
  const headers = { "content-type": "application/json" };
  const post = async (path: string, body: object) => {
    const answer = await server.ask(key, `/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.is(answer.status, 200);
    return ((await answer.json()) as { id: number }).id;
  };
  const engagement_id = await post("/admin/engagements", { vendor: title, title });
  for (const grant of grants) await post("/admin/grants", { engagement_id, ...grant });
  return engagement_id;
};
const department_id = one(store, "SELECT department_id FROM nodes WHERE id = ?", asset);

const keys = suite("a key that is made on the settings page");

keys("has what the vendor's grants need, if no scope is chosen", async () => {
  const read = { verb: "read", node_id: asset };
  const submit = { verb: "submit", delivery_id: delivery };
  const orders = { verb: "read:own_po", department_id };
  const cases: [object[], string[]][] = [
    [[read], ["read"]],
    [
      [read, submit],
      ["read", "submit:turnover"],
    ],
    [[submit], ["read", "submit:turnover"]],
    [[orders], ["read", "read:money"]],
    [
      [submit, orders],
      ["read", "submit:turnover", "read:money"],
    ],
    [[], ["read", "submit:turnover", "read:money"]],
  ];
  for (const [at, [grants, scopes]] of cases.entries()) {
    const engagement_id = String(await engagementWith(`Vendor ${at}`, ...grants));
    assert.equal(await mintIn({ label: `Key ${at}`, engagement_id }), scopes, JSON.stringify(grants));
  }
});

keys("has read and write for the production, and otherwise what is chosen", async () => {
  assert.equal(await mintIn({ label: "Production", engagement_id: "" }), ["read", "write"]);
  assert.equal(await mintIn({ label: "Chosen", engagement_id: "", scopes: "read" }), ["read"]);
  assert.equal(await mintIn({ label: "Bound", engagement_id: String(submitter), scopes: ["read", "write"] }), [
    "read",
    "write",
  ]);
});

const grants = suite("the grant form");
const engagement_id = await engagementWith("By name");
const grant = async (target: string, verb = "read"): Promise<string> => {
  const fields = { action: "change", engagement_id: String(engagement_id), verb, target, expires: "" };
  const answer = await admin.send("/settings/vendors", fields);
  return answer.status === 303 ? "granted" : answer.text();
};
const newest = () =>
  store.database
    .prepare("SELECT node_id, department_id, delivery_id FROM grants WHERE engagement_id = ? ORDER BY id DESC LIMIT 1")
    .get(engagement_id);
const label = one<string>(store, "SELECT label FROM nodes WHERE id = ?", asset);
const title = one<string>(store, "SELECT title FROM deliveries WHERE id = ?", delivery);
const [name, slug] = ["name", "slug"].map((column) =>
  one<string>(store, `SELECT ${column} FROM departments WHERE id = ?`, department_id),
) as [string, string];
const node = { node_id: asset, department_id: null, delivery_id: null };
const toDelivery = { node_id: null, department_id: null, delivery_id: delivery };
const toDepartment = { node_id: null, department_id, delivery_id: null };

for (const [text, target] of [
  [label, node],
  [label.toUpperCase(), node],
  [`  ${label.toLowerCase()} `, node],
  [label.normalize("NFD"), node],
  [`anything (asset ${asset})`, node],
  [title, toDelivery],
  [title.replace(/ /, "   "), toDelivery],
  [name, toDepartment],
  [slug, toDepartment],
] as const)
  grants(`accepts ${JSON.stringify(text)}`, async () => {
    store.writeSync(() => store.database.prepare("DELETE FROM grants WHERE engagement_id = ?").run(engagement_id));
    assert.is(await grant(text), "granted");
    assert.equal(newest(), target);
  });

grants("says what is missing, and keeps what was chosen", async () => {
  for (const empty of ["", "   "]) {
    const text = await grant(empty, "submit");
    assert.match(text, "write the name of a scene, an asset, a department or a delivery.");
    assert.match(text, /<option value="submit" selected/);
  }
});

grants("refuses a name that nothing has, and names the things that share one", async () => {
  assert.match(await grant(`${label} of nobody`), "Choose what they may see from the list of names");
  assert.match(await grant(label.slice(0, 2)), "Choose what they may see from the list of names");
  const other = store.writeSync(() =>
    store.database
      .prepare(
        "INSERT INTO nodes (production_id, kind, label, status, created_at, updated_at) VALUES (?, 'prop', ?, 'planned', '2026', '2026') RETURNING id",
      )
      .pluck()
      .get(production_id, label.toLowerCase()),
  );
  const text = await grant(label);
  assert.match(text, "What is the name of several things");
  for (const id of [asset, other]) assert.match(text, `(asset ${id})`);
});

const days = suite("the number of a day");

days("stands beside the count of days only where it is one of them", async () => {
  const [first, last] = ["min(id)", "max(id)"].map((id) =>
    one(store, `SELECT ${id} FROM shoot_days WHERE production_id = ?`, production_id),
  );
  assert.match(await admin.text(`/days/${first}`), /<h1>Day 1 <span class="count">of \d+</);
  store.writeSync(() => store.database.prepare("UPDATE shoot_days SET day_number = 925 WHERE id = ?").run(last));
  for (const path of [`/days/${last}`, `/days/${last}/sheet`])
    assert.not.match(await admin.text(path), /925[^<]{0,3}(<[^>]*>)?of \d/);
});

for (const one of [keys, grants]) one.run();
days.after(() => server.stop());
days.run();

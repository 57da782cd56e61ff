// A week of changes on a running server, next to clients that note, submit, decide and read: every change is made, and
// every id, key, grant, submission, note and decision is still there.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Json = any;
const server = await openTestServer();
const { store } = server;
const seed = seedDataOf(store);
const production_id = seed.production;
const admin = mint(store, { production_id, scopes: ["read", "write", "admin"] });
const writer = mint(store, { production_id, scopes: ["read", "write"] });
const vendor = mint(store, { production_id, engagement_id: seed.submitter, scopes: ["read", "submit:turnover"] });

const rowsOf = (sql: string): Json[] => store.database.prepare(sql).all(production_id);
const tables = [
  "nodes",
  "people",
  "deliveries",
  "shoot_days",
  "versions",
  "engagements",
  "grants",
  "api_keys",
  "vendors",
];
const ids = () =>
  new Set(
    tables.flatMap((name) =>
      rowsOf(`SELECT '${name} ' || id AS id FROM ${name} WHERE production_id = ?`).map(({ id }) => id),
    ),
  );

async function post(token: string, path: string, body: object | FormData): Promise<Json> {
  const json = !(body instanceof FormData);
  const response = await server.ask(token, `/api/v1${path}`, {
    method: "POST",
    ...(json && { headers: { "content-type": "application/json" } }),
    body: json ? JSON.stringify(body) : body,
  });
  assert.is(response.status, 200, `${path}: ${await response.clone().text()}`);
  return response.json();
}

const scenes = rowsOf(
  "SELECT s.number, e.code AS episode FROM scenes s LEFT JOIN episodes e ON e.id = s.episode_id WHERE s.production_id = ? ORDER BY s.script_order",
).map(({ number, episode }) => ({ number, ...(episode !== null && { episode }) }));
const days = rowsOf("SELECT day_number, date FROM shoot_days WHERE production_id = ? ORDER BY day_number");
const [person] = rowsOf(
  "SELECT name FROM people WHERE production_id = ? AND id NOT IN (SELECT person_id FROM approval_steps) LIMIT 1",
);
const [ready] = rowsOf(
  "SELECT title, id FROM deliveries WHERE production_id = ? AND status IN ('draft', 'ready') ORDER BY id LIMIT 1",
);
const [order] = rowsOf(
  "SELECT p.account, v.name AS vendor, p.description, p.date FROM purchase_orders p JOIN vendors v ON v.id = p.vendor_id WHERE p.production_id = ? AND p.status <> 'closed' LIMIT 1",
);
const [department] = rowsOf("SELECT slug FROM departments WHERE production_id = ? LIMIT 1");

/** The changes of the week, one import each. */
const week: readonly Json[] = [
  {
    scenes: [
      { ...scenes[3], synopsis: "New." },
      { ...scenes[4], status: "omitted" },
    ],
  },
  { scenes: [scenes[5], { ...scenes[5], number: `${scenes[5]?.number}X`, slugline: "INT. WHEELHOUSE - NIGHT" }] },
  {
    schedule: [
      { day_number: days[0].day_number, date: days[1].date },
      { day_number: days[1].day_number, date: days[0].date },
    ],
  },
  {
    people: [
      { name: "Isla Rae", role: "Script supervisor" },
      { name: person.name, active: false },
    ],
  },
  { deliveries: [{ title: "Second unit plates" }, { title: ready.title, status: "sent" }] },
  { purchase_orders: [{ ...order, status: "closed" }] },
  {
    cost_reports: [
      {
        week_of: "2031-01-06",
        active: true,
        lines: [{ account: order.account, department: department.slug, budget: 5 }],
      },
    ],
  },
];

const test = suite("a week on a server under load");

test("makes every change and keeps every id and everything that was recorded", async () => {
  const before = ids();
  let done = false;
  const counts = { notes: 0, submissions: 0, reads: 0 };
  const until = async (work: () => Promise<unknown>) => {
    while (!done) await work();
  };
  const load = [
    until(async () => {
      await post(writer, `/assets/${seed.character}/notes`, { text: `Note ${counts.notes}` });
      counts.notes++;
    }),
    until(async () => {
      const form = new FormData();
      form.append("files", new Blob([`take ${counts.submissions}`]), "take.txt");
      await post(vendor, `/turnovers/${seed.delivery}/submissions`, form);
      counts.submissions++;
    }),
    until(async () => {
      assert.is((await server.ask(vendor, "/api/v1/turnovers")).status, 200);
      await server.get(writer, `/bundles/scene/${seed.scene}`);
      counts.reads++;
    }),
  ];
  // With its first note, the note that a document gave a version becomes a note of its own.
  const addedNotes = () => rowsOf("SELECT id FROM notes WHERE production_id = ? AND text LIKE 'Note %'").length;
  const notesBefore = addedNotes();
  const submissionsBefore = rowsOf("SELECT id FROM submissions WHERE production_id = ?").length;
  const plans: Json[] = [];
  const again: Json[] = [];
  let decided: Json;
  try {
    for (const document of week) plans.push(await post(admin, "/admin/import", document));
    decided = await post(writer, `/approvals/${seed.pendingChain}/decide`, { decision: "approved" });
    for (const document of week) again.push(await post(admin, "/admin/import?dry_run=1", document));
  } finally {
    done = true;
    await Promise.all(load);
  }

  assert.equal(
    plans.map(({ changes }) => changes.length),
    [2, 1, 2, 2, 2, 1, plans[6].changes.length],
  );
  assert.equal(
    again.map(({ changes }) => changes),
    week.map(() => []),
    "every change was made",
  );
  assert.equal([...before.difference(ids())], []);
  assert.is(addedNotes(), notesBefore + counts.notes);
  assert.is(
    rowsOf("SELECT id FROM submissions WHERE production_id = ?").length,
    submissionsBefore + counts.submissions,
  );
  assert.ok(counts.notes > 3 && counts.submissions > 3 && counts.reads > 3, JSON.stringify(counts));
  assert.ok(decided.steps.some(({ status }: Json) => status === "approved"));
  for (const token of [admin, writer, vendor]) assert.is((await server.ask(token, "/api/v1/me")).status, 200);
  assert.equal(store.database.pragma("foreign_key_check"), []);
});

test.after(() => server.stop());
test.run();

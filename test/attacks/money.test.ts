// Figures of purchase orders and cost reports: no answer to a key without the scope read:money or admin has one.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { table } from "../support/operations.ts";
import { signIn } from "../support/pages.ts";
import { sampleOf } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const { production } = seedData;
const admin = mint(store, { production_id: production, scopes: ["read", "admin"] });
const keys = {
  reader: mint(store, { production_id: production, scopes: ["read", "write"] }),
  editor: mint(store, { production_id: production, scopes: ["read", "write", "edit"] }),
};

const send = (token: string, path: string, body: object | string) =>
  server.ask(token, `/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": typeof body === "string" ? "text/csv" : "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const load = async (document: object): Promise<number> => {
  const response = await send(admin, "/admin/import", document);
  const text = await response.text();
  assert.is(response.status, 200, text);
  return JSON.parse(text).change_set;
};
/** The figures, descriptions and numbers of what is imported here. */
const figures = /7134\.25|7135\.25|71360|71370|71380|Diving bell|PO-71|A71/;

const reads = table.filter(({ method }) => method === "GET");

const money = suite("figures of money");

money(
  "are in no answer to a key without read:money, after they were imported, changed, removed and undone",
  async () => {
    const order = {
      number: "PO-71",
      account: "A71",
      vendor: "Havn",
      description: "Diving bell",
      date: "2026-11-01",
    };
    const line = { account: "A71", department: seedData.department };
    const report = { week_of: "2027-01-04", lines: [{ ...line, budget: 71_360, figures: { spent: 71_380 } }] };
    await load({ vendors: ["Havn"], purchase_orders: [{ ...order, amount: 7134.25 }], cost_reports: [report] });
    await load({
      purchase_orders: [{ number: "PO-71", amount: 7135.25 }],
      cost_reports: [{ week_of: "2027-01-04", lines: [{ ...line, budget: 71_370 }] }],
    });
    const sets = await server.get(admin, "/admin/history?limit=1");
    assert.is((await send(admin, `/admin/history/${sets[0].id}/undo`, {})).status, 200);
    assert.match(JSON.stringify(await server.get(admin, `/admin/history/${sets[0].id}`)), /7135\.25/);

    const cases = casesOf(store, seedData);
    for (const [who, token] of Object.entries(keys)) {
      for (const { name, method } of sampleOf(reads, 3)) {
        const answer = await sendCase(server, caseOf(cases, name), method, token);
        assert.not.match(await answer.text(), figures, `${who}: ${name}`);
      }
      const events = JSON.stringify(await server.get(token, "/events?after=start"));
      assert.match(events, /"purchase_order\.changed"[^}]*}[^}]*"data":{"key":null,"fields":{}}/);
      const feed = JSON.stringify(await server.get(token, "/activity"));
      assert.match(feed, /"Purchase orders: 1 added"/);
      assert.match(feed, /"Undid: Purchase orders: 1 changed. Cost reports: 1 changed"/);
      assert.not.match(events, figures, who);
      for (const { id } of who === "editor" ? await server.get(token, "/admin/history?limit=10") : [])
        assert.not.match(JSON.stringify(await server.get(token, `/admin/history/${id}`)), figures);
      const session = await signIn(server, token);
      for (const path of ["/", "/activity", "/settings/history"])
        assert.not.match(await session.text(path), figures, path);
    }
  },
);

money("are not compared for an editor: a list of them is refused before it is read", async () => {
  const lists = {
    vendors: "Vendor\nNew\n",
    "purchase-orders": "Number\nPO-71\n",
    "cost-report": "Account,Budget\nA71,1\n",
  };
  for (const [kind, list] of Object.entries(lists))
    for (const query of ["", "&dry_run=1"])
      await assertRefused(
        await send(keys.editor, `/admin/import?as=${kind}${query}`, list),
        403,
        /a list of the section (vendors|purchase_orders|cost_reports) needs a key with the `admin` scope/,
      );
});

money.after(() => server.close());
money.run();

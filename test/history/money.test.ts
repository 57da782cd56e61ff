// What the history says of purchase orders to a key that may not see money: how many changed, and nothing of theirs.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { folderWith } from "../support/template.ts";
import { silverButton } from "../support/update.ts";

const test = suite("the history of purchase orders");

test("names neither vendor nor description nor amount for an edit key, and no activity or event does", async () => {
  const data = await folderWith([silverButton], "2026-11-20T08:00:00.000Z");
  const server = await openTestServer({ data });
  try {
    const admin = mint(server.store, { production_id: 1, scopes: ["read", "admin"] });
    const [order] = (await server.get(admin, "/admin/export")).purchase_orders;
    const key = order.number ?? [order.account, order.vendor, order.description, order.date].join(" / ");
    const set = ["set", "purchase_orders", key, "amount=98765.25", "--production", "1", "--data", data];
    assert.is((await tallylight(...set)).status, 0);
    const editor = mint(server.store, { production_id: 1, scopes: ["read", "edit"] });
    const [row] = await server.get(editor, "/admin/history?limit=1");
    assert.equal(
      [row.source, row.summary, row.counts.changed],
      ["set purchase_orders amount", "Purchase orders: 1 changed", 1],
    );
    const { changes, ...alone } = await server.get(editor, `/admin/history/${row.id}`);
    assert.is(changes, undefined);
    const told = JSON.stringify([
      row,
      alone,
      await server.get(editor, "/activity?limit=1"),
      (await server.get(editor, "/events?after=start&types=purchase_order.changed")).events,
    ]);
    for (const secret of [key, order.vendor, order.description, "98765"]) assert.ok(!told.includes(secret), secret);
  } finally {
    await server.stop();
  }
});

test.run();

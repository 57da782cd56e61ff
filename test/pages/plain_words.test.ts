// What pages say: no page names a command where a page can do it or has a backtick, empty pages lead to the import, and
// lists can be filtered.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { addressesOf } from "../support/page_looks.ts";
import { importOnPage, openAsAdmin, signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { unsaid } from "../support/unsaid.ts";

const server = await openTestServer();
const { store } = server;
const { feature, production, submitterKey } = seedDataOf(store);
const plain = (text: string) =>
  text
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

const words = suite("the words of every page");

words("have no backtick, and name no command that a page can replace", async () => {
  const browsers = [
    [await openAsAdmin(server, feature), addressesOf(store, feature)],
    [await openAsAdmin(server, production), addressesOf(store, production).slice(0, 8)],
    [
      await signIn(server, mint(store, { production_id: feature, scopes: ["read", "admin"] })),
      ["/settings/health", "/settings/keys"],
    ],
    [await signIn(server, mint(store, { production_id: feature })), ["/settings", "/", "/schedule"]],
    [await signIn(server, mint(store, submitterKey)), ["/turnovers", "/orders", "/nowhere"]],
  ] as const;
  for (const [browser, paths] of browsers)
    for (const path of paths) {
      const text = plain(await browser.text(path));
      assert.ok(text.length > 40, path);
      assert.not.match(text, /`/, path);
      assert.not.match(
        text,
        /\bcurl\b|tallylight (?:import|export|keys|history|undo|script|approvals|productions|backup|doctor|open)/,
        path,
      );
    }
});

words("are those of a crew, and none of the program", async () => {
  const browsers = [
    [await openAsAdmin(server, feature), [...addressesOf(store, feature), "/orders", "/progress"]],
    [await openAsAdmin(server, production), addressesOf(store, production).slice(0, 24)],
    [await signIn(server, mint(store, { production_id: feature })), ["/", "/settings", "/schedule", "/approvals"]],
    [await signIn(server, mint(store, submitterKey)), ["/turnovers", "/orders", "/nowhere"]],
  ] as const;
  for (const [browser, paths] of browsers)
    for (const path of paths) {
      if (path === "/settings/health") continue; // names tables of the database
      const page = await browser.text(path);
      const attributes = [...page.matchAll(/ (?:title|aria-label|placeholder)="([^"]{1,300})"/g)].map(
        ([, said]) => said,
      );
      const said = [plain(page), ...attributes]
        .join("\n")
        .replace(/\b[a-z_]{1,40}\.[a-z_]{1,40}\b/g, "") // an event
        .replace(/\bnode, (?:since|\d)/g, "") // what the browser of these tests calls itself
        .replace(/\bread the Torran reef turnover|on the Torran reef turnover/g, ""); // entries of the demo
      const found = unsaid.exec(said);
      assert.is(found?.[0], undefined, `${path}: ${said.slice((found?.index ?? 0) - 60).slice(0, 140)}`);
    }
});

words("lead from an empty list to its import", async () => {
  const admin = await openAsAdmin(server, production);
  const page = await importOnPage(server, admin, [{ people: [] }]);
  assert.ok(page);
  const bare = { document: "tallylight production", document_version: 1, production: { title: "Bare" } };
  const { importDocument } = await import("../../src/features/documents/changes/creating.ts");
  const { checkedDocument } = await import("../../src/features/documents/read/whole.ts");
  await importDocument(store, server.blobs, checkedDocument(bare, "bare", ""), { now: new Date().toISOString() });
  const { id } = store.database.prepare("SELECT id FROM productions WHERE title = 'Bare'").get() as { id: number };
  const editor = await signIn(server, mint(store, { production_id: id, scopes: ["read", "edit"] }));
  const reader = await signIn(server, mint(store, { production_id: id, scopes: ["read"] }));
  for (const [path, kind] of [
    ["/", "schedule"],
    ["/schedule", "schedule"],
    ["/scenes", "fountain"],
    ["/people", "people"],
    ["/assets", "assets"],
    ["/deliveries", "deliveries"],
    ["/cast", "breakdown"],
  ] as const) {
    assert.match(
      await editor.text(path),
      new RegExp(`class="empty">[^<]*<a href="/settings/import\\?as=${kind}">`),
      path,
    );
    assert.not.match(await reader.text(path), /settings\/import/, path);
  }
});

words("say of a delivery in a column of its status only what the column does not", async () => {
  const text = await (await openAsAdmin(server, feature)).text("/deliveries");
  const accepted = /<details[^>]*><summary>Accepted[\s\S]*?<\/details>/.exec(text)?.[0] ?? "";
  assert.match(accepted, /<a class="name" href="\/deliveries\//);
  assert.not.match(accepted, /class="chip/);
});

words("of the settings stand in three groups", async () => {
  const text = await (await openAsAdmin(server, feature)).text("/settings");
  assert.equal(
    [...text.matchAll(/<section><h2>([^<]+)<\/h2>/g)].map(([, title]) => title),
    ["Show", "Access", "Server"],
  );
  const editor = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "edit"] }));
  assert.not.match(await editor.text("/settings"), /<h2>The server/, "without what it may not see");
});

words("of the activity can be filtered by subject and days", async () => {
  const admin = await openAsAdmin(server, feature);
  const key = mint(store, { production_id: feature, scopes: ["read", "edit", "write"] });
  const [asset] = await server.get(key, "/assets");
  const headers = { "content-type": "application/json" };
  await server.ask(key, `/api/v1/assets/${asset.node_id}/notes`, {
    method: "POST",
    headers,
    body: JSON.stringify({ text: "Found here." }),
  });
  const today = new Date();
  const date = (days: number) => {
    const moment = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, 12);
    return moment.toISOString().slice(0, 10);
  };
  assert.match(await admin.text("/activity?about=asset"), /Found here\./);
  assert.match(await admin.text(`/activity?from=${date(0)}&to=${date(0)}`), /Found here\./);
  assert.not.match(await admin.text(`/activity?to=${date(-1)}`), /Found here\./);
  assert.not.match(await admin.text("/activity?about=script"), /Found here\./);
  assert.match(await admin.text(`/activity?from=${date(30)}`), /Nothing matches/);
  assert.match(await admin.text("/activity?from=soon&about=nothing"), /Found here\./, "what is no filter is none");
});

words.after(() => server.stop());
words.run();

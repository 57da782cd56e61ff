// What people do on the pages, in a real browser, with and without JavaScript. Skipped with a message without Chromium,
// and on Deno.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one } from "../support/app.ts";
import { reasonToSkip, skipped } from "../support/chromium.ts";
import { poison } from "../support/hostile_text.ts";
import { jpeg } from "../support/jpeg.ts";
import { addressesOf } from "../support/page_looks.ts";
import { openProductionPages } from "../support/production_pages.ts";
import { openReceiver } from "../support/receiver.ts";

if (reasonToSkip === undefined) await testPages();
else skipped("the pages were");

async function testPages(): Promise<void> {
  const { server, store, openAsAdmin, signIn, find, finish, ...seedData } = await openProductionPages();
  const { production, feature, delivery, submitter, submitterKey } = seedData;
  const titleOf = (id: number) => one<string>(store, "SELECT title FROM productions WHERE id = ?", id);

  const flows = suite("what people do");

  for (const javaScriptEnabled of [true, false])
    flows(`the admin mints a key, which works at once and is shown once, JavaScript ${javaScriptEnabled}`, async () => {
      const { context, page } = await openAsAdmin(feature, { javaScriptEnabled });
      await page.goto(`${server.url}/settings/keys`);
      await page.click('summary:has-text("Key for a program")');
      await page.fill("#label-program", `dailies ${javaScriptEnabled}`);
      await Promise.all([page.waitForNavigation(), page.click("text=Make the key")]);
      const token = (await page.textContent("#token"))?.trim() ?? "";
      assert.is((await server.get(token, "/production")).title, titleOf(feature));
      await page.goto(`${server.url}/settings/keys`);
      assert.not.ok((await page.content()).includes(token));
      await Promise.all([page.waitForNavigation(), page.click(`[aria-label="End dailies ${javaScriptEnabled}"]`)]);
      assert.match((await page.textContent("[role=alert]")) ?? "", /End the key/);
      await Promise.all([page.waitForNavigation(), page.click("text=End it")]);
      assert.is((await server.ask(token, "/api/v1/production")).status, 401);
      await context.close();
    });

  for (const javaScriptEnabled of [true, false])
    flows(`the admin adds a webhook, tests it and removes it, JavaScript ${javaScriptEnabled}`, async () => {
      const { context, page } = await openAsAdmin(feature, { javaScriptEnabled });
      const secrets: string[] = [];
      const receiver = await openReceiver({ secrets: () => secrets });
      const click = (text: string) => Promise.all([page.waitForNavigation(), page.click(`button:has-text("${text}")`)]);
      await page.goto(`${server.url}/settings/webhooks`);
      await page.fill("#url", receiver.url);
      await click("Add it");
      secrets.push((await page.textContent("#secret"))?.trim() ?? "");
      await click("Test");
      assert.match((await page.textContent("main [role=status]")) ?? "", /delivered\s*204/);
      await click("Remove");
      await click("Remove it");
      assert.match((await page.textContent("main")) ?? "", /No program is notified yet/);
      assert.equal([receiver.delivered.length, receiver.invalid], [1, []]);
      await Promise.all([context.close(), receiver.close()]);
    });

  flows("the admin of the server downloads a backup and stays on the page", async () => {
    const { context, page } = await openAsAdmin(feature);
    await page.goto(`${server.url}/settings/health`);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download a backup")]);
    assert.match(download.suggestedFilename(), /^tallylight-.*\.tar$/);
    assert.is(await download.failure(), null);
    assert.match(page.url(), /\/settings\/health$/);
    await context.close();
  });

  flows("an approval is decided in the name of the person whose step it is, and not in another's", async () => {
    const { context, page } = await openAsAdmin(feature, { javaScriptEnabled: false });
    const approval = find(
      "SELECT min(id) FROM approvals WHERE status = 'pending' AND mode = 'decision' AND production_id = ?",
      feature,
    );
    const card = `#approval-${approval}`;
    const person = find(
      "SELECT s.person_id FROM approval_steps s WHERE s.approval_id = ? AND s.status = 'pending' ORDER BY s.position",
      approval,
    );
    const nameOf = (id: number) => one<string>(store, "SELECT name FROM people WHERE id = ?", id);
    const another = one<number>(
      store,
      "SELECT min(id) FROM people WHERE production_id = ? AND id <> ?",
      feature,
      person,
    );
    const status = () => one<string>(store, "SELECT status FROM approvals WHERE id = ?", approval);
    const signed = () =>
      one(store, "SELECT count(*) FROM approval_steps WHERE approval_id = ? AND status <> 'pending'", approval);
    const approve = async () => {
      await page.fill(`#note-${approval}`, "Seen on the floor.");
      await Promise.all([page.waitForNavigation(), page.click(`${card} >> button:has-text("Approve")`)]);
    };
    await page.goto(`${server.url}/approvals`);
    await Promise.all([page.waitForNavigation(), page.click(`${card} a.name`)]);
    assert.match((await page.textContent(card)) ?? "", new RegExp(`In the name of ${nameOf(person)}`));
    assert.is(await page.locator(`${card} select`).count(), 0, "nobody else can be chosen");
    await page.evaluate(`document.querySelector("${card} [name=decided_by]").value = "${another}"`);
    await approve();
    assert.match((await page.textContent(card)) ?? "", /is not the person whose step it is; nothing was recorded/);
    assert.equal([status(), signed()], ["pending", 0]);
    await page.goto(`${server.url}/approvals/${approval}`);
    await approve();
    assert.match(
      (await page.textContent(card)) ?? "",
      new RegExp(`${nameOf(person)}[\\s\\S]*approved[\\s\\S]*Seen on the floor`),
    );
    assert.is(status(), "approved");
    assert.is(
      find("SELECT decided_by_person_id FROM approval_steps WHERE approval_id = ? AND status = 'approved'", approval),
      person,
    );
    await context.close();
  });

  for (const javaScriptEnabled of [true, false])
    flows(`a vendor submits files, which the production then sees, JavaScript ${javaScriptEnabled}`, async () => {
      const vendor = await signIn(mint(store, submitterKey), { javaScriptEnabled });
      await vendor.page.goto(`${server.url}/turnovers/${delivery}`);
      const title = `Round three, ${javaScriptEnabled}`;
      await vendor.page.fill("#title", title);
      const file = (name: string) => ({ name, mimeType: "image/jpeg", buffer: Buffer.from(jpeg(16, 16)) });
      await vendor.page.setInputFiles("#files", [file("one.jpg"), file("two.jpg")]);
      await Promise.all([vendor.page.waitForNavigation(), vendor.page.click("button:has-text('Submit')")]);
      assert.match(
        (await vendor.page.textContent("main")) ?? "",
        new RegExp(`${title}[\\s\\S]*one.jpg[\\s\\S]*two.jpg`),
      );
      await vendor.context.close();
      const member = await signIn(mint(store, { production_id: production }));
      await member.page.goto(`${server.url}/deliveries/${delivery}`);
      assert.match((await member.page.textContent("main")) ?? "", new RegExp(title));
      await member.context.close();
    });

  flows("the admin grants a scene by its name, and the vendor sees it", async () => {
    const { context, page } = await openAsAdmin(production);
    const scene = find(
      `SELECT min(n.id) FROM nodes n WHERE kind = 'scene' AND production_id = ?
         AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.node_id = n.id)`,
      production,
    );
    const vendor = await signIn(mint(store, submitterKey));
    assert.is((await vendor.page.goto(`${server.url}/scenes/${scene}`))?.status(), 404);
    await page.goto(`${server.url}/settings/vendors?show=${submitter}&change=1`);
    const name = await page.getAttribute(`#targets option[value$="(scene ${scene})"]`, "value");
    await page.fill("[name=target] >> nth=0", name ?? "");
    await Promise.all([page.waitForNavigation(), page.click('button:text-is("Save")')]);
    assert.is((await vendor.page.goto(`${server.url}/scenes/${scene}`))?.status(), 200);
    await Promise.all([context.close(), vendor.context.close()]);
  });

  flows("a scene number finds its scene, and a label finds assets", async () => {
    const { context, page } = await openAsAdmin(feature);
    const number = one<string>(
      store,
      "SELECT number FROM scenes WHERE production_id = ? ORDER BY script_order LIMIT 1",
      feature,
    );
    await page.fill("[type=search]", number);
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.match(page.url(), /\/scenes\/\d+$/);
    await page.fill("[type=search]", "coat");
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.match((await page.textContent("main")) ?? "", /coat/i);
    await context.close();
  });

  flows("Today prints as a sheet without the frame", async () => {
    const { context, page } = await openAsAdmin(feature);
    const pdf = await page.pdf({ format: "A4", printBackground: true });
    assert.is(pdf.subarray(0, 5).toString(), "%PDF-");
    await page.emulateMedia({ media: "print" });
    assert.not.ok(await page.isVisible(".bar"));
    assert.ok(await page.locator(".day-scene").first().isVisible());
    await context.close();
  });

  flows("the first page loads at most two files besides its stills, and moves nothing while it loads", async () => {
    // a worker, which a load installs, may answer a later one in place of the server
    const { context, page } = await openAsAdmin(feature, { serviceWorkers: "block" });
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname.replace(/\/[0-9a-f]{16}\//, "/")));
    await page.addInitScript(`window.shift = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });`);
    // A busy machine may draw a page of which it has read a part, so what moves must move in each of three loads.
    let shift: unknown = 1;
    for (let load = 0; load < 3 && shift !== 0; load++) {
      requested.length = 0;
      await page.goto(`${server.url}/`, { waitUntil: "load" });
      shift = await page.evaluate("window.shift");
      const files = requested.filter((path) => !/^\/(stills|live)/.test(path));
      assert.equal(files, ["/", "/docs/pages.css", "/docs/pages.js"]);
    }
    assert.is(shift, 0);
    await context.close();
  });

  flows("the pages are reached by keyboard", async () => {
    const { context, page } = await openAsAdmin(feature);
    await page.keyboard.press("Tab");
    assert.is(await page.evaluate("document.activeElement.textContent"), "Skip to the content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate("document.querySelector('main').contains(document.activeElement)"));
    await context.close();
  });

  const attacks = suite("hostile text in a browser");

  attacks("runs nothing on any page", async () => {
    poison(store);
    const { context, page } = await openAsAdmin(feature);
    for (const path of addressesOf(store, feature)) await page.goto(server.url + path);
    await context.close();
  });

  finish(attacks);
  flows.run();
  attacks.run();
}

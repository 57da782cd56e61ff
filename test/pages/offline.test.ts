// What an open page says and shows when its server is killed, its line is cut, or a clock passes midnight or jumps.
// Skipped with a message without Chromium, and on Deno.
// Thorough: only --all runs it.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { demoFolder, mint, one, openTestServer, revoke, type TestServer } from "../support/app.ts";
import { browseWith, launchChromium, reasonToSkip, skipped } from "../support/chromium.ts";
import { openCutLine } from "../support/cut_line.ts";
import { freePort } from "../support/free_port.ts";
import { startKillable } from "../support/killable_server.ts";
import { linkFor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

if (reasonToSkip === undefined) await testOffline();
else skipped("the pages without a connection were");

const isOffline = (page: Page) => page.waitForSelector(".live.offline");
const textOf = async (page: Page, selector: string) => ((await page.textContent(selector)) ?? "").replace(/\s+/g, " ");
/** Waits until the page is live. A failure tells which page there is instead. */
const isLive = (page: Page) =>
  page.waitForSelector(".live:not(.offline):not([hidden])").catch(async (error: Error) => {
    throw new Error(`${error.message}\n${page.url()}: ${await textOf(page, "body").catch(String)}`, { cause: error });
  });
/** Waits until an expression is true in the page, without polling there, which the policy of the pages forbids. */
async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(() => page.evaluate<boolean>(expression), 200);
}
/** Waits until the worker has no copy of any page: it removes them beside the answer that it gives the page. */
const hasNoCopies = (page: Page) => untilTrue(page, "caches.keys().then((names) => names.length === 0)");
/** Waits until the worker has a copy of the page. */
const isKept = (page: Page) => untilTrue(page, "caches.match(location.href).then((copy) => copy !== undefined)");

/** Changes the production by a document, as an admin does over the API. */
async function change(server: Pick<TestServer, "url">, key: string, document: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${server.url}/api/v1/admin/import`, {
    method: "POST",
    headers,
    body: JSON.stringify(document),
  });
  assert.is(response.status, 200, await response.text());
}

async function testOffline(): Promise<void> {
  const browser = await launchChromium();
  const folder = await demoFolder();
  const server = await openTestServer({ data: folder });
  const { store } = server;
  const { feature, submitterKey, delivery, production } = seedDataOf(store);
  const day_number = one(
    store,
    "SELECT day_number FROM shoot_days WHERE production_id = ? ORDER BY date DESC LIMIT 1",
    feature,
  );
  const day = one(store, "SELECT id FROM shoot_days WHERE production_id = ? AND day_number = ?", feature, day_number);
  const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"], label: "Coordinator" });
  const callAt = (general_call: string) => ({ schedule: [{ day_number, general_call }] });

  const offline = suite("an open page");

  offline("marks and announces what changed, with its former text", async () => {
    const browsing = await browseWith(server, browser);
    await change(server, admin, callAt("06:45"));
    const { page } = await browsing.openAsAdmin(feature);
    await page.goto(`${server.url}/days/${day}`);
    await isLive(page);
    await change(server, admin, callAt("05:11"));
    await page.waitForSelector('.facts [data-was="06:45"]');
    assert.is(await textOf(page, ".facts b >> nth=0"), "05:11");
    assert.match(await textOf(page, "#spoken"), /05:11.*was 06:45/);
    assert.equal(browsing.violations, []);
    await browsing.close();
  });

  offline("that has lost its line says so, stays readable, also after a reload, and catches up", async () => {
    const line = await openCutLine(server.port);
    const browsing = await browseWith({ ...server, url: line.url }, browser);
    const { page } = await browsing.openAsAdmin(feature);
    await change(server, admin, callAt("07:00"));
    await page.goto(`${line.url}/days/${day}`);
    await isLive(page);
    await isKept(page);
    const cutAt = Date.now();
    line.cut();
    await isOffline(page);
    console.log(`    a cut line was noticed after ${Date.now() - cutAt} ms`);
    assert.match(await textOf(page, "#live"), /^Offline since (?:\d\d\.\d\d\. )?\d\d:\d\d$/);
    await change(server, admin, callAt("08:30"));
    await page.reload();
    await isOffline(page);
    assert.is(await textOf(page, ".facts b >> nth=0"), "07:00");
    line.mend();
    await isLive(page);
    await page.waitForSelector('.facts [data-was="07:00"]');
    assert.is(await textOf(page, ".facts b >> nth=0"), "08:30");
    await browsing.close();
    line.close();
  });

  offline("keeps what it took over last, and nothing after signing out or of another session", async () => {
    const line = await openCutLine(server.port);
    const browsing = await browseWith({ ...server, url: line.url }, browser);
    const { page } = await browsing.openAsAdmin(feature);
    await page.goto(`${line.url}/days/${day}`);
    await isLive(page);
    await isKept(page);
    await change(server, admin, callAt("09:15"));
    await untilTrue(
      page,
      "caches.match(location.href).then((copy) => copy.text()).then((text) => text.includes('09:15'))",
    );
    const names = () => page.evaluate<string[]>("caches.keys()");
    const [own] = await names();
    await page.goto(line.url + linkFor(server, production)); // another session of the same browser
    await isLive(page);
    await isKept(page);
    assert.not.ok((await names()).includes(own as string));
    assert.is(await page.evaluate(`caches.match("${line.url}/days/${day}").then((copy) => copy === undefined)`), true);
    await Promise.all([page.waitForNavigation(), page.click("text=Sign out")]);
    assert.equal(await names(), []);
    line.cut();
    await page.goto(line.url);
    assert.is(await textOf(page, "h1"), "Offline", "no former page is shown");
    await browsing.close();
    line.close();
  });

  /** The sessions that the server has. */
  const sessions = () => one<number>(store, "SELECT count(*) FROM sessions");

  offline(
    "signs out without a line, and the server hears it before any page is shown, also after a restart",
    async () => {
      const line = await openCutLine(server.port);
      const browsing = await browseWith({ ...server, url: line.url }, browser);
      const { page } = await browsing.openAsAdmin(feature);
      const before = sessions();
      await page.goto(`${line.url}/days/${day}`);
      await isLive(page);
      await isKept(page);
      const other = await page.context().newPage();
      await other.goto(`${line.url}/scenes`);
      await isLive(other);
      line.cut();
      await isOffline(page);
      await page.click("text=Sign out", { noWaitAfter: true });
      await page.waitForSelector("h1:has-text('Signed out')");
      for (const address of [
        `${line.url}/days/${day}`,
        line.url,
        `${line.url}/scenes`,
        `${line.url}/settings/health`,
      ]) {
        await page.goto(address, { timeout: 30_000 }).catch(() => null); // the page asks again by itself meanwhile
        await page.waitForSelector("h1");
        assert.is(await textOf(page, "h1"), "Signed out", address);
      }
      assert.is(sessions(), before, "nothing was heard");
      const workers = await page.context().newCDPSession(page);
      await workers.send("ServiceWorker.enable");
      await workers.send("ServiceWorker.stopAllWorkers");
      line.mend();
      // While the line is still reset, the browser may replace what is shown by an error page of its own, so one
      // expression reads the address and the page.
      const shown = async () => {
        await page.goto(`${line.url}/days/${day}`, { timeout: 30_000 }).catch(() => null);
        const reading = `location.protocol === "http:" && document.readyState === "complete" ? [document.querySelector("h1")?.textContent, document.querySelectorAll("#key").length] : []`;
        return (await page.evaluate(reading).catch(() => [])) as [heading?: string, keys?: number];
      };
      let first: [heading?: string, keys?: number] = [];
      await until(async () => {
        first = await shown();
        return ![undefined, "Signed out"].includes(first[0]);
      });
      assert.is(first[1], 1, `the first page is the sign-in, not ${first[0]}`);
      assert.is(sessions(), before - 1);
      assert.equal(await page.evaluate("caches.keys()"), []);
      await other.waitForSelector("#key");
      await page.fill("#key", mint(store, { production_id: feature }));
      await Promise.all([page.waitForNavigation(), page.press("#key", "Enter")]);
      await page.goto(`${line.url}/days/${day}`);
      await isLive(page);
      assert.is(await page.locator("#key").count(), 0, "a later session stays");
      await browsing.close();
      line.close();
    },
  );

  offline("whose key is revoked meanwhile is dropped with the first answer of the server", async () => {
    const line = await openCutLine(server.port);
    const browsing = await browseWith({ ...server, url: line.url }, browser);
    const { page } = await browsing.signIn(mint(store, { production_id: feature, label: "to be revoked" }));
    await page.goto(`${line.url}/days/${day}`);
    await isLive(page);
    await isKept(page);
    line.cut();
    await isOffline(page);
    revoke(store, "to be revoked");
    await page.reload();
    await isOffline(page);
    line.mend();
    await page.waitForSelector("#key");
    await hasNoCopies(page);
    line.cut();
    await page.goto(`${line.url}/days/${day}`);
    assert.is(await textOf(page, "h1"), "Offline");
    await browsing.close();
    line.close();
  });

  offline("in which somebody writes stays as it is when its session ends, and says so", async () => {
    const browsing = await browseWith(server, browser);
    const label = "ends while writing";
    const { page } = await browsing.signIn(mint(store, { production_id: feature, label }));
    const asset = one(store, "SELECT min(id) FROM nodes WHERE kind = 'prop' AND production_id = ?", feature);
    await page.goto(`${server.url}/assets/${asset}`);
    await isLive(page);
    await page.click("summary:has-text('Add a note')");
    await page.fill("#text", "Half a note.");
    revoke(store, label);
    await change(server, admin, callAt("09:40"));
    await page.waitForSelector("#live:has-text('Signed out')");
    assert.is(await page.inputValue("#text"), "Half a note.");
    await page.fill("#text", "");
    await page.evaluate("document.activeElement.blur()");
    await page.waitForSelector("#key");
    await browsing.close();
  });

  offline("that a session may no longer see is dropped with the first answer, and the others stay", async () => {
    const line = await openCutLine(server.port);
    const browsing = await browseWith({ ...server, url: line.url }, browser);
    const label = "loses edit";
    const { page } = await browsing.signIn(mint(store, { production_id: feature, scopes: ["read", "edit"], label }));
    const form = `${line.url}/edit/schedule/${day}`;
    for (const address of [line.url, form]) {
      await page.goto(address);
      await isLive(page);
      await isKept(page);
    }
    store.writeSync(() =>
      store.database.prepare("UPDATE api_keys SET scopes = json_array('read') WHERE label = ?").run(label),
    );
    assert.is((await page.goto(form))?.status(), 403);
    await untilTrue(page, `caches.match(${JSON.stringify(form)}).then((copy) => copy === undefined)`);
    assert.is(
      await page.evaluate(`caches.match(${JSON.stringify(`${line.url}/`)}).then((copy) => copy !== undefined)`),
      true,
    );
    await browsing.close();
    line.close();
  });

  offline("shows the form again to who goes back to what a form answered", async () => {
    const browsing = await browseWith(server, browser);
    const { page } = await browsing.signIn(admin);
    await page.goto(`${server.url}/edit/schedule/${day}`);
    await isKept(page);
    await page.fill("[name=general_call]", "25:00");
    await Promise.all([page.waitForNavigation(), page.click("button:has-text('Save')")]);
    await page.waitForSelector("[name=general_call][aria-invalid=true]");
    await page.goto(`${server.url}/people`);
    await page.goBack();
    assert.is(await textOf(page, "h1"), `Day ${day_number}`);
    await page.waitForSelector("[name=general_call]:not([aria-invalid])");
    await browsing.close();
  });

  offline("says in its own words that a page was not kept or a form not sent, and what was written stays", async () => {
    const browsing = await browseWith(server, browser);
    const { page, context } = await browsing.signIn(mint(store, { production_id: feature, scopes: ["read", "write"] }));
    const asset = one(store, "SELECT min(id) FROM nodes WHERE kind = 'prop' AND production_id = ?", feature);
    await page.goto(`${server.url}/assets/${asset}`);
    await isLive(page);
    await isKept(page);
    await context.setOffline(true); // new requests fail; the page's open line goes on, so the page may say "Live"
    await page.click("summary:has-text('Add a note')");
    await page.fill("#text", "Written without a line.");
    // As one that is sent before the page knows that the line is cut: the script of the page does not see it.
    await page.evaluate("document.querySelector('form:has(#text)').submit()").catch(() => null);
    await page.waitForSelector("h1:has-text('Not sent')");
    assert.match(await textOf(page, "main"), /Go back and send it again: what you wrote is still there/);
    await page.goBack();
    assert.is(await page.inputValue("#text"), "Written without a line.");
    await page.goto(`${server.url}/people`);
    assert.match(await textOf(page, "main"), /The server cannot be reached. This browser has no copy of this page/);
    await context.setOffline(false);
    await page.click("text=Try again");
    await page.waitForSelector("h1:has-text('People')");
    assert.is(one(store, "SELECT count(*) FROM notes WHERE text = 'Written without a line.'"), 0);
    await browsing.close();
  });

  const waits = ".problem:has-text('Not sent: offline')";
  const callForm = `/edit/schedule/${day}`;
  const save = (page: Page) => page.click(".panel button:has-text('Save')", { noWaitAfter: true });
  const callOf = () => one<string>(store, "SELECT general_call FROM shoot_days WHERE id = ?", day);

  offline(
    "sends a form that was saved without a line once the line is back, once, unless it was edited again",
    async () => {
      const line = await openCutLine(server.port);
      const browsing = await browseWith({ ...server, url: line.url }, browser);
      const { page } = await browsing.signIn(
        mint(store, { production_id: feature, scopes: ["read", "write", "edit"] }),
      );
      const sets = () => one<number>(store, "SELECT count(*) FROM change_sets");
      const before = sets();
      await page.goto(line.url + callForm);
      await isLive(page);
      line.cut();
      await isOffline(page);
      await page.fill("#general_call", "04:10");
      await save(page);
      await save(page);
      await page.waitForSelector(waits);
      assert.is(await page.locator(waits).count(), 1, "it says so once");
      await page.fill("#general_call", "04:20");
      assert.is(await page.locator(waits).count(), 0, "what is edited again is not sent half");
      line.mend();
      await isLive(page);
      assert.is(sets(), before);
      line.cut();
      await isOffline(page);
      await save(page);
      await page.waitForSelector(waits);
      line.mend();
      await page.waitForURL(/saved=/);
      assert.equal([callOf(), sets(), await page.locator(waits).count()], ["04:20", before + 1, 0]);
      await browsing.close();
      line.close();
    },
  );

  offline("shows a form that waited with what another person saved meanwhile, or after the sign-in", async () => {
    const line = await openCutLine(server.port);
    const browsing = await browseWith({ ...server, url: line.url }, browser);
    const label = "waits and is revoked";
    const { page } = await browsing.signIn(
      mint(store, { production_id: feature, scopes: ["read", "write", "edit"], label }),
    );
    const saveOffline = async (call: string) => {
      await page.goto(line.url + callForm);
      await isLive(page);
      line.cut();
      await isOffline(page);
      await page.fill("#general_call", call);
      await save(page);
      await page.waitForSelector(waits);
    };
    await saveOffline("04:30");
    await change(server, admin, callAt("04:40"));
    line.mend();
    await page.waitForSelector(".problem:has-text('was changed meanwhile')");
    assert.equal([await page.inputValue("#general_call"), callOf()], ["04:30", "04:40"]);
    await saveOffline("04:50");
    revoke(store, label);
    line.mend();
    await page.waitForSelector("#key");
    assert.is(callOf(), "04:40");
    await page.fill("#key", mint(store, { production_id: feature, scopes: ["read", "write", "edit"] }));
    await Promise.all([page.waitForNavigation(), page.press("#key", "Enter")]);
    assert.is(await page.inputValue("#general_call"), "04:50", "the form is there again, to be sent");
    await browsing.close();
    line.close();
  });

  offline("passes midnight, and fetches anew after a clock has jumped", async () => {
    const date = one<string>(
      store,
      "SELECT date FROM shoot_days WHERE production_id = ? ORDER BY date DESC LIMIT 1",
      feature,
    );
    const midnight = new Date(`${date}T00:00:00`).getTime();
    let ahead = midnight - 3_600_000 - Date.now();
    const late = await openTestServer({ data: await demoFolder(), clock: () => Date.now() + ahead });
    const browsing = await browseWith(late, browser);
    const { page } = await browsing.signIn(mint(late.store, { production_id: feature }));
    assert.match(await textOf(page, ".over"), /tomorrow/);
    // On a busy machine midnight may pass while the page is loaded.
    for (let left = 8_000, isBefore = false; !isBefore; left *= 2) {
      ahead = midnight - left - Date.now();
      await page.reload();
      isBefore = /tomorrow/.test(await textOf(page, ".over"));
    }
    await untilTrue(page, "document.querySelector('.over').textContent.includes('today')");
    const again = page.waitForRequest((request) => "tallylight-rows" in request.headers());
    await page.evaluate("{ const now = Date.now; Date.now = () => now() + 3_600_000; }");
    await again;
    await browsing.close();
    await late.stop();
  });

  offline("of a vendor follows what it reaches, and nothing else", async () => {
    const browsing = await browseWith(server, browser);
    const { page } = await browsing.signIn(mint(store, submitterKey));
    let [lines, fetched] = [0, 0];
    page.on("response", (response) => {
      if (new URL(response.url()).pathname === "/live") lines++;
    });
    page.on("request", (request) => {
      if ("tallylight-rows" in request.headers()) fetched++;
    });
    await page.goto(`${server.url}/turnovers/${delivery}`);
    await isLive(page);
    const key = mint(store, { production_id: production, scopes: ["read", "write", "admin"] });
    await until(() => fetched > 0); // a page that becomes live fetches once, on a busy machine with each line again
    const secret = one(
      store,
      "SELECT min(id) FROM nodes n WHERE production_id = ? AND kind = 'prop' AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.node_id = n.id)",
      production,
    );
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const note = { method: "POST", headers, body: JSON.stringify({ text: "Not for vendors." }) };
    assert.is((await fetch(`${server.url}/api/v1/assets/${secret}/notes`, note)).status, 200);
    await page.waitForTimeout(6_000);
    assert.ok(fetched <= lines, `${fetched} fetches with ${lines} lines`);
    const title = one<string>(store, "SELECT title FROM deliveries WHERE id = ?", delivery);
    await change(server, key, { deliveries: [{ title: `${title}, second round`, was: title }] });
    await page.waitForSelector("h1:has-text('second round')");
    assert.equal(browsing.violations, []);
    await browsing.close();
  });

  offline("sends a form that was saved after its server was killed to the next one, once", async () => {
    const data = await demoFolder();
    const inData = <T>(use: (own: ReturnType<typeof openStore>) => T): T => {
      const own = openStore(join(data, "tallylight.db"));
      try {
        return use(own);
      } finally {
        own.close();
      }
    };
    const found = () =>
      inData((own) => [
        one(own, "SELECT general_call FROM shoot_days WHERE id = ?", day),
        one<number>(own, "SELECT count(*) FROM change_sets"),
      ]);
    const key = inData((own) => mint(own, { production_id: feature, scopes: ["read", "write", "edit"] }));
    const [, before] = found() as [string, number]; // as the statements give them
    const port = await freePort();
    const first = await startKillable(data, port);
    const browsing = await browseWith({ ...server, url: first.url }, browser);
    const { page } = await browsing.signIn(key);
    await page.goto(first.url + callForm);
    await isLive(page);
    await first.kill();
    await isOffline(page);
    await page.fill("#general_call", "03:30");
    await save(page);
    await page.waitForSelector(waits);
    const second = await startKillable(data, port);
    await page.waitForURL(/saved=/);
    await isLive(page);
    await browsing.close();
    await second.kill();
    assert.equal(found(), ["03:30", before + 1]);
  });

  offline("says that its server was killed, and is live again with the next one", async () => {
    const data = await demoFolder();
    const own = openStore(join(data, "tallylight.db"));
    const key = mint(own, { production_id: feature });
    own.close();
    const port = await freePort();
    const first = await startKillable(data, port);
    const browsing = await browseWith({ ...server, url: first.url }, browser);
    const { page } = await browsing.signIn(key);
    await isLive(page);
    await isKept(page);
    const heading = await textOf(page, "h1");
    await first.kill();
    await isOffline(page);
    await page.reload();
    await isOffline(page);
    assert.is(await textOf(page, "h1"), heading);
    const second = await startKillable(data, port);
    await isLive(page);
    await browsing.close();
    await second.kill();
  });

  offline.after(async () => {
    await browser.close();
    await server.stop();
  });
  offline.run();
}

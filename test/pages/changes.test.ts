// What the script adds to the pages, and how the admin updates a production, in a real browser. Skipped with a message
// without Chromium, and on Deno.
// Thorough: only --all runs it.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, temporaryFolder } from "../support/app.ts";
import { reasonToSkip, skipped } from "../support/chromium.ts";
import { root } from "../support/command.ts";
import { openProductionPages } from "../support/production_pages.ts";

if (reasonToSkip === undefined) await testChanges();
else skipped("changes on the pages were");

/**
 * Resolves with the time at which the page has a text, in milliseconds since 1970, by its own observation without
 * polling.
 */
function timeOfText(page: Page, text: string): Promise<number> {
  const seen = page.evaluate<number>(`new Promise((resolve) => {
    const look = () => document.querySelector("main").textContent.includes(${JSON.stringify(text)}) && resolve(Date.now());
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
    look();
  })`);
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`"${text}" was not shown within two minutes`)), 120_000);
    seen.finally(() => clearTimeout(timer)).catch(() => {});
  });
  return Promise.race([seen, late]);
}

async function testChanges(): Promise<void> {
  const { server, store, openAsAdmin, signIn, find, finish, ...seedData } = await openProductionPages();
  const { feature, delivery, submitterKey } = seedData;

  const flows = suite("changes on the pages");

  for (const javaScriptEnabled of [true, false])
    flows(`the admin reads the changes of a document and applies them, JavaScript ${javaScriptEnabled}`, async () => {
      const { context, page } = await openAsAdmin(feature, { javaScriptEnabled });
      const number = one<string>(
        store,
        "SELECT number FROM scenes WHERE production_id = ? ORDER BY script_order",
        feature,
      );
      const synopsis = `Rewritten ${javaScriptEnabled}.`;
      const document = JSON.stringify({ scenes: [{ number, synopsis }] });
      const choose = async (text: string) => {
        await page.goto(`${server.url}/settings/import`);
        await page.setInputFiles("#files", {
          name: "blue.json",
          mimeType: "application/json",
          buffer: Buffer.from(text),
        });
        await Promise.all([page.waitForNavigation(), page.click("text=Show what would change")]);
      };
      await choose('{"scenes": [{"number": 7}]}');
      assert.match((await page.textContent("#problem")) ?? "", /number must be text/);
      await choose(document);
      assert.match(
        (await page.textContent("main")) ?? "",
        new RegExp(`changes 1 scene[\\s\\S]*synopsis[\\s\\S]*${synopsis}`),
      );
      assert.is.not(
        one<string>(store, "SELECT synopsis FROM scenes WHERE number = ? AND production_id = ?", number, feature),
        synopsis,
      );
      await Promise.all([page.waitForNavigation(), page.click("text=Apply 1 change")]);
      assert.match((await page.textContent("main")) ?? "", /Applied/);
      assert.is(
        one<string>(store, "SELECT synopsis FROM scenes WHERE number = ? AND production_id = ?", number, feature),
        synopsis,
      );
      await context.close();
    });

  flows("a revised draft is imported, its change approved, and Today shows it in another window", async () => {
    const watching = await openAsAdmin(feature);
    await watching.page.goto(`${server.url}/`, { waitUntil: "load" });
    const number = (await watching.page.textContent(".day-scene .number"))?.trim() ?? "";
    const { context, page } = await openAsAdmin(feature);
    const draft = readFileSync(join(root, "fixtures/paperwork/the-silver-button.fountain"), "utf8");
    const line = new RegExp(`^(.*)#${number}#$`, "m");
    assert.match(draft, line);
    const importScript = async (text: string, color: string) => {
      await page.goto(`${server.url}/settings/import`);
      await page.click("text=For scripts, schedules");
      await page.fill("#color", color);
      await page.setInputFiles("#files", {
        name: `${color}.fountain`,
        mimeType: "text/plain",
        buffer: Buffer.from(text),
      });
      await Promise.all([page.waitForNavigation(), page.click("text=Show what would change")]);
      await Promise.all([page.waitForNavigation(), page.click("button:has-text('Apply')")]);
      assert.match((await page.textContent("main")) ?? "", /Applied/);
    };
    await importScript(draft, "white");
    await importScript(draft.replace(line, `EXT. A BRAND NEW PLACE - NIGHT #${number}#`), "cherry");
    await page.goto(`${server.url}/settings/script-changes`);
    const card = page.locator("li.panel", { hasText: "A BRAND NEW PLACE" }).first();
    await Promise.all([
      page.waitForNavigation(),
      card.getByRole("button", { name: `Approve the change of scene ${number}`, exact: true }).click(),
    ]);
    await watching.page.waitForSelector(".day-scene >> text=A BRAND NEW PLACE");
    await Promise.all([context.close(), watching.context.close()]);
  });

  const node = find("SELECT min(id) FROM nodes WHERE kind = 'prop' AND production_id = ?", feature);
  const key = mint(store, { production_id: feature });
  const tell = async (text: string): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const note = { method: "POST", body: JSON.stringify({ text }), headers };
    assert.is((await server.ask(key, `/api/v1/assets/${node}/notes`, note)).status, 200);
  };

  // The pause before each change lets the page take over earlier ones, which would show this one too.
  flows("an open page shows the changes of others", async () => {
    const { context, page } = await openAsAdmin(feature);
    await page.goto(`${server.url}/assets/${node}`, { waitUntil: "load" });
    const measured: number[] = [];
    for (const text of ["Seen from another window.", "Seen once more."]) {
      await page.waitForTimeout(2_000);
      const shown = timeOfText(page, text);
      await tell(text);
      const answered = Date.now();
      measured.push((await shown) - answered);
      assert.ok(await page.isVisible(`text=${text}`));
    }
    console.log(`    shown ${measured.join(" and ")} ms after the answer to its writer`);
    await context.close();
  });

  flows("a change of another window leaves what one is typing", async () => {
    const { context, page } = await openAsAdmin(feature);
    await page.goto(`${server.url}/assets/${node}`);
    await page.click("summary:has-text('Add a note')");
    await page.fill("#text", "half a note");
    await tell("Another one.");
    await page.waitForSelector("text=Another one.");
    assert.is(await page.inputValue("#text"), "half a note");
    await context.close();
  });

  flows("an upload that was interrupted goes on where it ended", async () => {
    // its requests escape the route
    const vendor = await signIn(mint(store, submitterKey), { serviceWorkers: "block" });
    const { page } = vendor;
    await page.goto(`${server.url}/turnovers/${delivery}`);
    let parts = 0;
    await page.route("**/uploads/*", async (route) => {
      if (route.request().method() !== "PATCH") return route.continue();
      parts++;
      if (parts === 2) await route.abort("connectionreset");
      else if (parts === 3) await route.fulfill({ status: 429 });
      else await route.continue();
    });
    const folder = temporaryFolder();
    const file = join(folder, "large.mov");
    writeFileSync(file, Buffer.alloc(20 * 1024 * 1024, "tally"));
    await page.fill("#title", "A large file");
    await page.setInputFiles("#files", file);
    await Promise.all([page.waitForNavigation({ timeout: 120_000 }), page.click("button:has-text('Submit')")]);
    assert.match((await page.textContent("main")) ?? "", /A large file[\s\S]*large\.mov/);
    assert.is(parts, 5);
    assert.match(
      (await page.textContent("[role=status].notice.good")) ?? "",
      /Your work arrived: A large file, 1 file/,
    );
    const size = one(store, "SELECT size FROM blobs b JOIN media m ON m.sha256 = b.sha256 WHERE m.label = 'large.mov'");
    assert.is(size, 20 * 1024 * 1024);
    rmSync(folder, { recursive: true });
    await vendor.context.close();
  });

  flows("an upload that was left is offered again with its title, and goes on with the same file", async () => {
    // its requests escape the route
    const vendor = await signIn(mint(store, submitterKey), { serviceWorkers: "block" });
    const { page } = vendor;
    const address = `${server.url}/turnovers/${delivery}`;
    await page.goto(address);
    let parts = 0;
    await page.route("**/uploads/*", async (route) => {
      if (route.request().method() === "PATCH" && ++parts > 1) await route.abort("connectionreset");
      else await route.continue();
    });
    const folder = temporaryFolder();
    const file = join(folder, "left.mov");
    writeFileSync(file, Buffer.alloc(12 * 1024 * 1024, "left"));
    await page.fill("#title", "Left in the middle");
    await page.fill("#note", "Until the line is back.");
    await page.setInputFiles("#files", file);
    await page.click("button:has-text('Submit')");
    await page.waitForSelector("text=Interrupted, trying again");
    for (const status of [503, 429]) {
      const busy = (route: Route) => route.fulfill({ status });
      await page.route("**/uploads/*", busy); // a server that is busy says nothing of what it has
      await page.goto(address, { waitUntil: "commit" });
      await page.waitForResponse((answer) => answer.url().includes("/uploads/"));
      await page.waitForLoadState();
      await page.unroute("**/uploads/*", busy);
    }
    await page.goto(address); // the line is still cut: the former page cannot send the rest before it closes
    await page.waitForSelector("text=Of left.mov, 8.4 of 12.6 MB arrived. Choose the file again to go on.");
    await page.unrouteAll();
    assert.equal(
      [await page.inputValue("#title"), await page.inputValue("#note")],
      ["Left in the middle", "Until the line is back."],
    );
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent++;
    });
    await page.setInputFiles("#files", file);
    await Promise.all([page.waitForNavigation({ timeout: 120_000 }), page.click("button:has-text('Submit')")]);
    assert.match((await page.textContent(".notice.good")) ?? "", /Your work arrived: Left in the middle, 1 file/);
    assert.is(sent, 1, "only what was missing");
    await page.goto(address);
    assert.is(await page.inputValue("#title"), "", "and is not offered any more");
    await page.fill("#title", "Left in the middle");
    await page.fill("#note", "Until the line is back.");
    await page.setInputFiles("#files", file);
    await Promise.all([page.waitForNavigation({ timeout: 120_000 }), page.click("button:has-text('Submit')")]);
    assert.match((await page.textContent("main")) ?? "", /It is there already: Left in the middle, 1 file/);
    assert.is(one(store, "SELECT count(*) FROM submissions WHERE title = 'Left in the middle'"), 1);
    assert.is(one(store, "SELECT count(*) FROM uploads WHERE used_at IS NULL"), 0, "and the second upload is not kept");
    rmSync(folder, { recursive: true });
    await vendor.context.close();
  });

  flows(
    "a form with files says that its session has ended before it is sent, and is sent after signing in again",
    async () => {
      const key = mint(store, submitterKey);
      const vendor = await signIn(key);
      const { page, context } = vendor;
      await page.goto(`${server.url}/turnovers/${delivery}`);
      await page.fill("#title", "Typed before the end");
      await page.setInputFiles("#files", { name: "end.mov", mimeType: "video/quicktime", buffer: Buffer.from("end") });
      const cookies = await context.cookies();
      await context.clearCookies();
      await page.click("button:has-text('Submit')");
      await page.waitForSelector("text=Your session has ended");
      assert.is(await page.inputValue("#title"), "Typed before the end");
      const other = await context.newPage();
      await other.goto(server.url);
      await other.fill("#key", key);
      await Promise.all([other.waitForNavigation(), other.keyboard.press("Enter")]);
      assert.not.equal(await context.cookies(), cookies);
      await Promise.all([page.waitForNavigation(), page.click("button:has-text('Submit')")]);
      assert.match((await page.textContent(".notice.good")) ?? "", /Your work arrived: Typed before the end, 1 file/);
      await context.close();
    },
  );

  flows("the scripts of the pages have less than 40,000 bytes together", () => {
    const folder = join(root, "src/features/pages");
    const names = readdirSync(folder).filter((name) => name.endsWith(".js"));
    const sizes = names.map((name) => statSync(join(folder, name)).size);
    assert.ok(names.length >= 4 && sizes.reduce((sum, size) => sum + size, 0) < 40_000, sizes.join(" + "));
  });

  finish(flows);
  flows.run();
}

// What pages do with their script: a dropped file is shown as a plan, and a call sheet is printed by its button alone.
// Skipped with a message without Chromium, and on Deno.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one } from "../support/app.ts";
import { reasonToSkip, skipped } from "../support/chromium.ts";
import { openProductionPages } from "../support/production_pages.ts";

if (reasonToSkip === undefined) await testDesk();
else skipped("dropping and printing were");

async function testDesk(): Promise<void> {
  const { store, server, feature, signIn, finish } = await openProductionPages();
  const key = mint(store, { production_id: feature, scopes: ["read", "write", "edit"], label: "Second AD" });
  const desk = suite("a page with its script");

  desk("shows what a file would change that is dropped anywhere, and applies it", async () => {
    const { context, page } = await signIn(key);
    await page.goto(`${server.url}/settings/import`);
    const dropped = page.waitForNavigation();
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["Name,Role\\nNoel Adair,Runner\\n"], "crew.txt"));
      document.querySelector("h1").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
    await dropped;
    assert.match((await page.textContent("main")) ?? "", /crew\.txt is read as a list: people[\s\S]*It adds 1 person/);
    await Promise.all([page.waitForNavigation(), page.click("button:has-text('Apply 1 change')")]);
    assert.is(one(store, "SELECT count(*) FROM people WHERE name = 'Noel Adair'"), 1);
    await Promise.all([page.waitForNavigation(), page.click("text=Undo")]);
    await context.close();
  });

  desk("issues a call sheet by a button and prints it by another, and neither again by a reload", async () => {
    const { context, page } = await signIn(key);
    await page.addInitScript(
      "window.print = () => sessionStorage.setItem('printed', 1 + Number(sessionStorage.getItem('printed')))",
    );
    const day = one(store, "SELECT min(id) FROM shoot_days WHERE production_id = ?", feature);
    const printed = () => page.evaluate("Number(sessionStorage.getItem('printed'))");
    const issues = () => one(store, "SELECT count(*) FROM day_issues WHERE shoot_day_id = ?", day);
    const issueButton = "main button:text-is('Issue')";
    await page.goto(`${server.url}/days/${day}/sheet`);
    assert.match((await page.textContent("main")) ?? "", /Not issued yet\./);
    await Promise.all([page.waitForNavigation(), page.click(issueButton)]);
    await page.waitForLoadState();
    assert.is(new URL(page.url()).search, "");
    assert.match((await page.textContent("main")) ?? "", /Issued as issue 1, [^;]*; nothing has changed since\./);
    assert.is(await page.locator(issueButton).count(), 0);
    assert.is(await printed(), 0);
    await page.click("text=Print, or save as PDF");
    assert.is(await printed(), 1);
    await page.reload();
    assert.equal([await printed(), issues()], [1, 1]);
    assert.match((await page.textContent("main")) ?? "", /Issued as issue 1, /);
    await context.close();
    const reader = await signIn(mint(store, { production_id: feature, scopes: ["read"] }));
    await reader.page.addInitScript("window.print = () => sessionStorage.setItem('printed', 1)");
    await reader.page.goto(`${server.url}/days/${day}/sheet`);
    assert.is(await reader.page.locator("main form").count(), 0);
    await reader.page.click("text=Print, or save as PDF");
    assert.is(await reader.page.evaluate("sessionStorage.getItem('printed')"), "1");
    assert.is(issues(), 1);
    await reader.context.close();
  });

  desk("says that the day out of days scrolls only where it does", async () => {
    const { context, page } = await signIn(key);
    await page.goto(`${server.url}/cast`);
    for (const width of [390, 4000]) {
      await page.setViewportSize({ width, height: 800 });
      const fits = await page.evaluate(
        "(() => { const { scrollWidth, clientWidth } = document.querySelector('.chart'); return scrollWidth <= clientWidth; })()",
      );
      // the page looks at its width with its next frame
      await page.locator("[data-scrolls]").waitFor({ state: fits ? "hidden" : "visible" });
    }
    await context.close();
  });

  finish(desk);
  desk.run();
}

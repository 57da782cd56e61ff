// Today by keyboard, on a phone and on paper, and what it says changed. Skipped with a message without Chromium, and on
// Deno.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint } from "../support/app.ts";
import { reasonToSkip, screenshot, skipped } from "../support/chromium.ts";
import { openProductionPages } from "../support/production_pages.ts";

if (reasonToSkip === undefined) await testToday();
else skipped("Today was");

async function testToday(): Promise<void> {
  // a day on which one asset is not ready
  const { server, store, openAsAdmin, find, finish, feature } = await openProductionPages("2026-11-24T09:00:00Z");
  const phone = { viewport: { width: 390, height: 844 } };
  const key = mint(store, { production_id: feature, scopes: ["read", "write", "admin"], label: "Coordinator" });
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const response = await server.ask(key, `/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.is(response.status, 200, await response.text());
  };

  const today = suite("Today");

  today("leads to its first approval within eight tabs", async () => {
    const { context, page } = await openAsAdmin(feature);
    const isThere = "document.activeElement.matches('.asks a[href^=\"/approvals/\"]')";
    let tabs = 0;
    while (tabs < 8 && !(await page.evaluate(isThere))) {
      await page.keyboard.press("Tab");
      tabs++;
    }
    assert.ok(await page.evaluate(isThere), `${tabs} tabs`);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/approvals/);
    await context.close();
  });

  today(
    "answers when, where and what is missing on the first screen of a phone, above a bar of four and More",
    async () => {
      const { context, page } = await openAsAdmin(feature, phone);
      const bar = (await page.locator("nav.pages").boundingBox()) ?? { y: 0, height: 0 };
      assert.ok(bar.y + bar.height >= 843, "the bar is at the bottom");
      for (const selector of [".over", "h1", ".facts span b", ".facts > b", ".asks li >> nth=0"]) {
        const box = (await page.locator(selector).first().boundingBox()) ?? { y: 9_999, height: 0 };
        assert.ok(box.y >= 0 && box.y + box.height <= bar.y, selector);
      }
      const shown = () => page.locator("nav.pages a:visible").allTextContents();
      assert.equal(await shown(), ["Today", "Script", "Board", "Approvals"]);
      await page.click("nav.pages summary");
      assert.ok((await shown()).includes("Deliveries"));
      const words = await page.locator(".things").first().locator("li").allInnerTexts();
      const lacks = words.map((text) => /not started|in work|to decide/.test(text));
      assert.equal(lacks, lacks.toSorted().toReversed(), "what lacks something comes first");
      await screenshot(page, "today_phone_more");
      await context.close();
    },
  );

  today("cuts a long title and never its navigation", async () => {
    const { title } = await server.get(key, "/production");
    store.writeSync(() =>
      store.database
        .prepare("UPDATE productions SET title = ? WHERE id = ?")
        .run("A very long title ".repeat(12), feature),
    );
    for (const width of [320, 390, 1_000, 1_377, 1_440]) {
      const { context, page } = await openAsAdmin(feature, { viewport: { width, height: 844 } });
      assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= width, `${width}`);
      const links = page.locator("nav.pages a:visible");
      const box = (await links.nth(1).boundingBox()) ?? { x: -1, width: 0 };
      assert.ok(box.x >= 0 && box.x + box.width <= width, `${width}`);
      const hidden = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("nav.pages .all"))`;
      if (width >= 1_000) assert.is(await page.evaluate(hidden), 0, `every entry is seen at ${width}`);
      await context.close();
    }
    store.writeSync(() => store.database.prepare("UPDATE productions SET title = ? WHERE id = ?").run(title, feature));
  });

  today("lists what changed in the show since yesterday, and nothing of keys", async () => {
    const day_number = find("SELECT min(day_number) FROM shoot_days WHERE production_id = ?", feature);
    await post("/admin/keys", { label: "Hidden from Today" });
    await post("/admin/import", { schedule: [{ day_number, general_call: "04:44" }] });
    const { context, page } = await openAsAdmin(feature);
    const since = (await page.textContent(".since")) ?? "";
    assert.match(since, /Since yesterday/);
    assert.match(since, /day/i);
    assert.not.match(since, /Hidden from Today|key/i);
    await context.close();
  });

  today("counts what is not started apart, and in grey", async () => {
    const { context, page } = await openAsAdmin(feature);
    const lines = await page.locator(".asks li").allInnerTexts();
    const text = (await page.textContent(".asks h2")) ?? "";
    assert.is(text.replace(/\s+/g, " "), `Before the call ${lines.length}`);
    assert.is(lines.filter((line) => /in work|to decide$/.test(line) && !/decides/.test(line)).length, 1, lines.join());
    assert.equal(await page.locator(".asks .chip.none").allInnerTexts(), ["not started"]);
    await context.close();
  });

  today(
    "prints the production, the day of all days and the time, without keys and half days of the board",
    async () => {
      const { context, page } = await openAsAdmin(feature);
      const sheet = (await page.getAttribute("html", "data-sheet")) ?? "";
      assert.match(sheet, /^.+ · Day \d+ of \d+ · printed \d{4}-\d\d-\d\d, \d\d:\d\d$/);
      await page.emulateMedia({ media: "print" });
      for (const hidden of [".bar .brand", "nav.pages", ".foot", ".since"])
        assert.not.ok(await page.isVisible(hidden), hidden);
      assert.ok(await page.locator(".things a").first().isVisible());
      await page.goto(`${server.url}/schedule`);
      for (const hidden of [".board-forms", ".strip .grip"])
        assert.not.ok(await page.locator(hidden).first().isVisible(), hidden);
      const style = "getComputedStyle(document.querySelector('.board-day')).breakInside";
      assert.is(await page.evaluate(style), "avoid");
      await context.close();
    },
  );

  finish(today);
  today.run();
}

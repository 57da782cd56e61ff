// The day of a first AD, a script supervisor, a producer, a costume head and a vendor, in a real browser, with and
// without JavaScript. Skipped with a message without Chromium, and on Deno.
// Thorough: only --all runs it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one } from "../support/app.ts";
import { reasonToSkip, skipped } from "../support/chromium.ts";
import { temporaryFolder } from "../support/folder.ts";
import { jpeg } from "../support/jpeg.ts";
import { openProductionPages } from "../support/production_pages.ts";

if (reasonToSkip === undefined) await testDays();
else skipped("the days at work were");

async function testDays(): Promise<void> {
  const { server, store, signIn, find, finish, ...seedData } = await openProductionPages();
  const { production, feature, delivery, submitterKey } = seedData;
  const editorKey = (label: string) =>
    mint(store, { production_id: feature, scopes: ["read", "write", "edit"], label });
  const days = suite("the day of");
  const saved = 'section[role=status]:has(h2:text-is("Saved"))';
  const stripsOf = (day: number): string[] =>
    store.database
      .prepare(
        "SELECT s.number FROM strips t JOIN scenes s ON s.node_id = t.node_id WHERE t.shoot_day_id = ? ORDER BY t.position",
      )
      .pluck()
      .all(day) as string[];
  const dayWith = (count: number) =>
    find(
      `SELECT shoot_day_id FROM strips WHERE production_id = ? GROUP BY shoot_day_id HAVING count(*) >= ${count} ORDER BY shoot_day_id LIMIT 1`,
      feature,
    );

  /** Opens the board, with the days that are behind us. */
  const openBoard = async (page: Page) => {
    await page.goto(`${server.url}/schedule`);
    const earlier = page.locator(".earlier:not([open]) > summary");
    if ((await earlier.count()) > 0) await earlier.click();
  };

  days("a first AD who moves a strip by keyboard, then by pointer, and takes it back", async () => {
    const { context, page } = await signIn(editorKey("First AD"));
    await openBoard(page);
    const day = dayWith(2);
    const before = stripsOf(day);
    const grip = page.locator(`[data-day="${day}"] [data-move]`);
    await grip.first().focus();
    for (const key of ["Enter", "ArrowDown", "Escape"]) await page.keyboard.press(key);
    assert.match((await page.textContent("#spoken")) ?? "", /is back on day/);
    for (const key of ["Enter", "ArrowDown"]) await page.keyboard.press(key);
    assert.match((await page.textContent("#spoken")) ?? "", /place 2 of/);
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.equal(stripsOf(day), [before[1], before[0], ...before.slice(2)]);
    assert.match((await page.textContent(saved)) ?? "", /another order[\s\S]*Undo/);

    await grip.nth(1).hover(); // waits until the page has scrolled to its place
    const [first, second] = [await grip.nth(0).boundingBox(), await grip.nth(1).boundingBox()];
    assert.ok(first && second);
    await page.mouse.move(second.x + 5, second.y + 5);
    await page.mouse.down();
    await page.mouse.move(first.x, first.y - 4, { steps: 4 });
    await Promise.all([page.waitForNavigation(), page.mouse.up()]);
    assert.equal(stripsOf(day), before);
    await Promise.all([page.waitForNavigation(), page.click(`${saved} >> text=Undo`)]);
    await Promise.all([page.waitForNavigation(), page.click("main button:has-text('Undo')")]);
    assert.equal(stripsOf(day), [before[1], before[0], ...before.slice(2)]);
    await context.close();
  });

  days(
    "a first AD who holds a strip while another takes it from its day hears who did, and nothing is lost",
    async () => {
      const { context, page } = await signIn(editorKey("First AD"));
      await openBoard(page);
      const day = dayWith(3);
      const [taken, ...others] = stripsOf(day) as [string, ...string[]];
      const grip = page.locator(`[data-day="${day}"] [data-move]`);
      await page.waitForSelector(".live:not([hidden])");
      await grip.first().focus();
      for (const key of ["Enter", "ArrowDown"]) await page.keyboard.press(key);
      const second = await signIn(editorKey("Second AD"));
      await second.page.goto(`${server.url}/schedule?form=move`);
      const refetched = page.waitForResponse((response) => new URL(response.url()).pathname === "/schedule");
      await second.page.fill("#scene", taken);
      await second.page.selectOption("#to", "0");
      await Promise.all([second.page.waitForNavigation(), second.page.click("#move button")]);
      await refetched;
      assert.is(await page.locator(".held [data-move]").getAttribute("data-scene"), taken, "it is still held");
      await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
      assert.match(
        (await page.textContent("#move [role=alert]")) ?? "",
        /is no longer on day \d+: Second AD changed that day at/,
      );
      assert.equal(stripsOf(day), others);
      await second.page.click(`${saved} >> text=Undo`);
      await Promise.all([second.page.waitForNavigation(), second.page.click("main button:has-text('Undo')")]);
      for (const one of [context, second.context]) await one.close();
    },
  );

  days("a first AD without JavaScript, who moves a strip by the form of its handle and edits the day", async () => {
    const { context, page } = await signIn(editorKey("First AD"), { javaScriptEnabled: false });
    await openBoard(page);
    const day = dayWith(2);
    const [moved] = stripsOf(day);
    await Promise.all([page.waitForNavigation(), page.click(`[data-day="${day}"] [data-move] >> nth=0`)]);
    assert.is(await page.inputValue("#scene"), moved);
    await page.selectOption("#to", "0");
    await Promise.all([page.waitForNavigation(), page.click("#move button")]);
    assert.not.ok(stripsOf(day).includes(moved as string));
    await page.goto(`${server.url}/days/${day}`);
    await Promise.all([page.waitForNavigation(), page.click("main a:has-text('Edit')")]);
    await page.fill("#general_call", "05:11");
    await Promise.all([page.waitForNavigation(), page.click("text=Save")]);
    assert.match((await page.textContent(saved)) ?? "", /crew call[\s\S]*05:11/);
    await context.close();
  });

  days(
    "a first AD who chooses two strips of two days and drops one of them on a third, and one without JavaScript",
    async () => {
      for (const javaScriptEnabled of [true, false]) {
        const { context, page } = await signIn(editorKey("First AD"), { javaScriptEnabled });
        await openBoard(page);
        const all = store.database
          .prepare("SELECT id FROM shoot_days WHERE production_id = ? ORDER BY date")
          .pluck()
          .all(feature) as number[];
        const [one_, two, three] = all.filter((id) => stripsOf(id).length >= 3) as [number, number, number];
        const before = [stripsOf(one_), stripsOf(two), stripsOf(three)] as [string[], string[], string[]];
        for (const day of [one_, two]) await page.check(`[data-day="${day}"] [name=strips] >> nth=0`);
        if (javaScriptEnabled) {
          assert.is(await page.textContent("#move summary"), "Move scenes: 2 chosen");
          await page.locator(`[data-day="${two}"] [data-move]`).first().focus();
          await page.keyboard.press("Enter");
          assert.match((await page.textContent("#spoken")) ?? "", /picked up with 1 more/);
          while ((await page.locator(".held").locator("..").getAttribute("data-day")) !== String(three))
            await page.keyboard.press("ArrowRight");
          await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
        } else {
          await page.click("#move summary");
          await page.selectOption("#to", String(three));
          await page.fill("#before", before[2][0] as string);
          await Promise.all([page.waitForNavigation(), page.click("#move button")]);
        }
        assert.equal(stripsOf(one_), before[0].slice(1));
        assert.equal(stripsOf(two), before[1].slice(1));
        assert.equal(stripsOf(three), [before[0][0], before[1][0], ...before[2]]);
        await Promise.all([page.waitForNavigation(), page.click(`${saved} >> text=Undo`)]);
        await Promise.all([page.waitForNavigation(), page.click("main button:has-text('Undo')")]);
        assert.equal(stripsOf(one_), before[0]);
        await context.close();
      }
    },
  );

  days("a script supervisor, who dismisses two changes at once", async () => {
    const { context, page } = await signIn(editorKey("Script supervisor"));
    await page.goto(`${server.url}/settings/script-changes`);
    const pending = () =>
      find("SELECT count(*) FROM script_changes WHERE status = 'pending' AND production_id = ?", feature);
    const before = pending();
    for (const at of [0, 1]) await page.check(`[name=ids] >> nth=${at}`);
    await Promise.all([page.waitForNavigation(), page.click("text=Dismiss the chosen")]);
    assert.is(pending(), before - 2);
    await Promise.all([page.waitForNavigation(), page.click(`${saved} >> text=Undo`)]);
    await Promise.all([page.waitForNavigation(), page.click("main button:has-text('Undo')")]);
    assert.is(pending(), before);
    await context.close();
  });

  days("a producer, who sees what is signed and signs it with one tap", async () => {
    const [approval, person_id] = Object.values(
      store.database
        .prepare(
          `SELECT a.id, s.person_id FROM approvals a JOIN approval_steps s ON s.approval_id = a.id
           WHERE a.production_id = ? AND a.status = 'pending' AND s.status = 'pending' AND a.version_id IS NOT NULL OR a.id = (
             SELECT min(id) FROM approvals WHERE production_id = ? AND status = 'pending') AND s.status = 'pending'
           ORDER BY a.version_id IS NULL, a.id, s.position LIMIT 1`,
        )
        .get(feature, feature) as object,
    ) as [number, number];
    const { context, page } = await signIn(mint(store, { production_id: feature, person_id }));
    await page.goto(`${server.url}/approvals`);
    const card = page.locator("li[id^=approval-]").first();
    assert.is(await card.getAttribute("id"), `approval-${approval}`, "what waits for the visitor is first");
    await Promise.all([page.waitForNavigation(), card.getByRole("link", { name: "Decide" }).click()]);
    assert.is(new URL(page.url()).pathname, `/approvals/${approval}`);
    const decision = page.locator(`#approval-${approval} form`, { has: page.locator("[value=approved]") });
    const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
    assert.match((await decision.textContent()) ?? "", new RegExp(`Signed as ${name}[\\s\\S]*Signs \\S`));
    await Promise.all([page.waitForNavigation(), decision.locator("button:has-text('Approve')").click()]);
    assert.is(
      one(
        store,
        "SELECT count(*) FROM approval_steps WHERE approval_id = ? AND decided_by_person_id = ? AND status = 'approved'",
        approval,
        person_id,
      ) > 0,
      true,
    );
    await context.close();
  });

  days("a costume head, who drops a still, cancels it, uploads it, and writes a note", async () => {
    const person_id = find("SELECT min(id) FROM people WHERE production_id = ? AND department_id IS NOT NULL", feature);
    const costume = find("SELECT min(id) FROM nodes WHERE kind = 'costume' AND production_id = ?", feature);
    const versions = () => one(store, "SELECT count(*) FROM versions WHERE node_id = ?", costume);
    const before = versions();
    const { context, page } = await signIn(mint(store, { production_id: feature, person_id }), {
      serviceWorkers: "block",
    });
    await page.goto(`${server.url}/assets/${costume}`);
    assert.not.ok(await page.isVisible("[data-cancel]"));
    const large = join(temporaryFolder(), "fitting.jpg");
    writeFileSync(large, Buffer.concat([Buffer.from(jpeg(16, 16)), Buffer.alloc(12 * 1024 * 1024)]));
    for (const method of ["POST", "PATCH"]) {
      await page.click("summary:has-text('Add a version')");
      await page.setInputFiles("#file", large);
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const waits = page.waitForRequest((request) => request.method() === method && /\/uploads\b/.test(request.url()));
      await page.route(/\/uploads\b/, async (route) => {
        if (route.request().method() === method) await held;
        await route.continue().catch(() => {});
      });
      await page.click("text=Add the version");
      await waits;
      await page.click("[data-cancel]");
      release(); // an upload that was cancelled while it began ends once it has begun
      await page.waitForSelector("text=Cancelled; nothing was sent");
      await page.unrouteAll();
      assert.is(versions(), before);
      await page.reload();
    }
    await page.click("summary:has-text('Add a version')");
    await page.setInputFiles("#file", {
      name: "fitting.jpg",
      mimeType: "image/jpeg",
      buffer: Buffer.from(jpeg(16, 16)),
    });
    await page.fill("#variant", "Fitting");
    await Promise.all([page.waitForNavigation(), page.click("text=Add the version")]);
    assert.is(versions(), before + 1);
    assert.match((await page.textContent("[role=status].notice")) ?? "", /Added\s*v\d+ Fitting is there/);
    await page.click("summary:has-text('Add a note')");
    await page.fill("#text", "Let the hem down.");
    await Promise.all([page.waitForNavigation(), page.click("text=Add the note")]);
    const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
    assert.match((await page.textContent("main")) ?? "", new RegExp(`Let the hem down\\.\\s*${name}`));
    await context.close();
  });

  days("a vendor, whose work comes back with a note", async () => {
    const vendor = await signIn(mint(store, submitterKey));
    await vendor.page.goto(`${server.url}/turnovers/${delivery}`);
    await vendor.page.fill("#title", "Round ten");
    await vendor.page.setInputFiles("#files", {
      name: "ten.jpg",
      mimeType: "image/jpeg",
      buffer: Buffer.from(jpeg(16, 16)),
    });
    await Promise.all([vendor.page.waitForNavigation(), vendor.page.click("button:has-text('Submit')")]);
    const { context, page } = await signIn(mint(store, { production_id: production }), { javaScriptEnabled: false });
    await page.goto(`${server.url}/deliveries/${delivery}`);
    const item = page.locator(".lines > li", { hasText: "Round ten" });
    await item.locator("textarea").fill("The matte breathes.");
    await Promise.all([page.waitForNavigation(), item.locator("button:has-text('Return')").click()]);
    await vendor.page.reload();
    assert.match((await vendor.page.textContent("main")) ?? "", /Round ten\s*returned[\s\S]*The matte breathes\./);
    await Promise.all([context.close(), vendor.context.close()]);
  });

  finish(days);
  days.run();
}

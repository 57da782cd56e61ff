// Looking closely, in a real browser: one zoom for two stills, a note at the place of a click, and a clip that plays.
// Skipped with a message without Chromium, and on Deno.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one } from "../support/app.ts";
import { reasonToSkip, screenshot, skipped } from "../support/chromium.ts";
import { jpeg } from "../support/jpeg.ts";
import { openProductionPages } from "../support/production_pages.ts";

if (reasonToSkip === undefined) await testLooking();
else skipped("looking closely was");

async function testLooking(): Promise<void> {
  const { server, store, signIn, feature, finish } = await openProductionPages();
  const looking = suite("a person who looks closely");
  const key = mint(store, { production_id: feature, label: "Set stills" });
  const node_id = one(
    store,
    "SELECT node_id FROM approvals WHERE production_id = ? AND status = 'pending' AND node_id IN (SELECT id FROM nodes WHERE kind <> 'scene') ORDER BY id",
    feature,
  );
  const approval = one(store, "SELECT min(id) FROM approvals WHERE node_id = ? AND status = 'pending'", node_id);
  for (const shade of [1, 5]) {
    const form = new FormData();
    form.append("file", new Blob([jpeg(640, 360, shade) as Uint8Array<ArrayBuffer>], { type: "image/jpeg" }), "s.jpg");
    await server.ask(key, `/api/v1/assets/${node_id}/versions`, { method: "POST", body: form });
  }

  looking("zooms and moves two versions at once, by buttons, keys and pointer", async () => {
    const { context, page } = await signIn(key);
    await page.goto(`${server.url}/assets/${node_id}/compare`);
    const transforms = () =>
      page.evaluate(
        "[...document.querySelectorAll('.plane')].map((one) => getComputedStyle(one).transform)",
      ) as Promise<string[]>;
    const scales = async () => (await transforms()).map((text) => Number(/matrix\(([\d.]+)/.exec(text)?.[1]));
    assert.equal(await scales(), [1, 1]);
    await page.click('[aria-label="Zoom in"]');
    assert.equal(await scales(), [2, 2]);
    await page.keyboard.press("ArrowRight");
    const [first, second] = await transforms();
    assert.is(first, second);
    assert.not.match(first ?? "", /, 0, 0\)$/);
    const box = await page.locator(".strips").first().boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 50, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 90, box.y + 60, { steps: 3 });
    await page.mouse.up();
    assert.is.not((await transforms())[1], second);
    assert.is(await page.inputValue("#left"), "", "a move is no click");
    await page.click("[data-zoom] >> text=Fit");
    assert.equal(await scales(), [1, 1]);
    await screenshot(page, "compare");
    await context.close();
  });

  looking("clicks where a note belongs, zoomed in, and finds its number there", async () => {
    const { context, page } = await signIn(key);
    await page.goto(`${server.url}/approvals/${approval}`);
    await page.click('[aria-label="Zoom in"]');
    const plane = page.locator(".plane[data-pin]");
    const box = await plane.boundingBox();
    const frame = await plane.locator("..").boundingBox();
    assert.ok(box && frame);
    const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 4];
    await page.mouse.click(x, y);
    assert.ok(Math.abs(Number(await page.inputValue("#left")) - ((x - box.x) / box.width) * 100) < 0.2);
    assert.ok(Math.abs(Number(await page.inputValue("#top")) - ((y - box.y) / box.height) * 100) < 0.2);
    await page.fill("#text", "Lower this hem.");
    await Promise.all([page.waitForNavigation(), page.click("text=Add the note")]);
    assert.match(page.url(), new RegExp(`/approvals/${approval}$`));
    assert.is(await page.textContent(".plane[data-pin] .pins"), "1");
    await screenshot(page, "approval");
    await page.setViewportSize({ width: 390, height: 844 });
    await screenshot(page, "approval_phone");
    await context.close();
  });

  looking("has the same without JavaScript, by numbers", async () => {
    const { context, page } = await signIn(key, { javaScriptEnabled: false });
    await page.goto(`${server.url}/assets/${node_id}`);
    assert.not.ok(await page.isVisible("[data-zoom]"));
    await page.click("text=Add a note");
    await page.fill("#left", "80");
    await page.fill("#top", "20");
    await page.fill("#text", "And this one.");
    await Promise.all([page.waitForNavigation(), page.click("text=Add the note")]);
    assert.is(await page.textContent(".plane[data-pin] .pins"), "12");
    await screenshot(page, "asset_without_script");
    await context.close();
  });

  finish(looking);
  looking.run();
}

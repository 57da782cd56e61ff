// Stills that are dropped on the assets page, in a real browser: what would happen is shown, then done. And a picture
// that cannot be shown is a sentence.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { browseWith, reasonToSkip, screenshot, skipped } from "../support/chromium.ts";
import { jpeg } from "../support/jpeg.ts";
import { seedDataOf } from "../support/seed_data.ts";

if (reasonToSkip === undefined) await testPages();
else skipped("stills that are dropped were");

async function testPages(): Promise<void> {
  const server = await openTestServer();
  const { store } = server;
  const seedData = seedDataOf(store);
  const key = mint(store, { production_id: seedData.production, scopes: ["read", "write"] });
  const browser = await browseWith(server);
  const { page } = await browser.signIn(key);
  const dropped = suite("stills that are dropped on the assets page");

  /** Drops files on the page, as a person does. The script is text, because this program knows no document. */
  const drop = (onto: Page, files: Record<string, string>) =>
    onto.evaluate(`{
      const dataTransfer = new DataTransfer();
      for (const [name, base64] of Object.entries(${JSON.stringify(files)}))
        dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
  const still = (side: number): string => Buffer.from(jpeg(side, 16)).toString("base64");
  const add = async (label: string): Promise<number> => {
    const init = {
      method: "POST",
      body: JSON.stringify({ label, kind: "prop" }),
      headers: { "content-type": "application/json" },
    };
    return ((await (await server.ask(key, "/api/v1/assets", init)).json()) as { node_id: number }).node_id;
  };

  dropped("are shown, then land as shown, and are found again on their asset", async () => {
    const compass = await add("Ship Compass");
    await page.goto(`${server.url}/assets`);
    await drop(page, {
      "Ship_Compass_v001.jpg": still(24),
      "Ship_Compass_v002.jpg": still(32),
      "Unknown_v001.jpg": still(40),
    });
    await page.locator("#stills li").nth(2).waitFor();
    const said = (await page.locator("#stills [data-plan]").textContent()) ?? "";
    assert.match(said, /2 stills would land, 1 file would stay out/);
    assert.match(said, /Unknown_v001\.jpg: no asset is called Unknown/);
    await screenshot(page, "dropped-stills");
    await page.locator("#stills button").first().click();
    await page.locator(".notice.good").waitFor();
    assert.match((await page.locator(".notice.good").textContent()) ?? "", /2 stills landed/);
    await screenshot(page, "landed-stills");
    const versions = await server.get(key, `/assets/${compass}/versions`);
    assert.is(versions.length, 2);
    await drop(page, { "Ship_Compass_v002.jpg": still(32) });
    await page.locator("#stills li").nth(0).waitFor();
    await page.locator("#stills button").first().click();
    await page.locator(".notice.good", { hasText: "stood there already" }).waitFor();
    assert.is((await server.get(key, `/assets/${compass}/versions`)).length, 2);
  });

  dropped("that fit nothing cannot be sent", async () => {
    await page.goto(`${server.url}/assets`);
    await drop(page, { "notes.jpg": still(24) });
    await page.locator("#stills li").nth(0).waitFor();
    assert.ok(await page.locator("#stills button").first().isDisabled());
  });

  dropped("and are damaged are a sentence; transparent ones show squares", async () => {
    const [broken, glass] = [await add("Broken"), await add("Glass")];
    const written = readFileSync(new URL("../support/picture_files/imagemagick-alpha.png", import.meta.url));
    for (const [node_id, bytes] of [
      [broken, Buffer.concat([written.subarray(0, 8), Buffer.alloc(400, 7)])],
      [glass, written],
    ] as const) {
      const form = new FormData();
      form.append("file", new Blob([new Uint8Array(bytes)]), "still.png");
      await server.ask(key, `/api/v1/assets/${node_id}/versions`, { method: "POST", body: form });
    }
    await page.goto(`${server.url}/assets/${broken}`);
    await page.getByText("This picture cannot be shown").first().waitFor();
    await screenshot(page, "broken-picture");
    await page.goto(`${server.url}/assets/${glass}`);
    await page.locator(".plane img, [href^='/files'] .still img").first().waitFor();
    await screenshot(page, "transparent-picture");
    assert.is(await page.getByText("This picture cannot be shown").count(), 0);
  });

  dropped.after(async () => {
    await browser.close();
    await server.stop();
    assert.equal(browser.violations, []);
  });
  dropped.run();
}

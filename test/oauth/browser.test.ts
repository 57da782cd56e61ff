// Signing in with a real browser without JavaScript: the pages, their policy, and the redirect to an app's address.
// Skipped with a message without Chromium, and on Deno. SHOTS=folder saves screenshots.
// Thorough: only --all runs it.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { launchChromium, pageTimeout, reasonToSkip, screenshot, skipped } from "../support/chromium.ts";
import { seedDataOf } from "../support/seed_data.ts";

if (reasonToSkip === undefined) await signIn();
else skipped("the sign-in pages were");

async function signIn(): Promise<void> {
  const server = await openTestServer();
  const seedData = seedDataOf(server.store);
  const app = createServer((_, res) => res.end("back in the app"));
  app.listen(0, "127.0.0.1");
  await once(app, "listening");
  const back = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  const browser = await launchChromium();
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 900, height: 900 } });
  context.setDefaultTimeout(pageTimeout);

  async function openSignIn(scope: string, response_type = "code"): Promise<Page> {
    const registration = await server.ask(undefined, "/register", {
      method: "POST",
      body: JSON.stringify({ client_name: "Board <b>bot</b>", redirect_uris: [back] }),
      headers: { "content-type": "application/json" },
    });
    const { client_id } = (await registration.json()) as { client_id: string };
    const asked = { client_id, redirect_uri: back, response_type, state: "s", scope };
    const pkce = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" };
    const page = await context.newPage();
    await page.goto(`${server.url}/authorize?${new URLSearchParams({ ...asked, ...pkce })}`);
    return page;
  }

  const browsing = suite("signing in with a browser");

  browsing(
    "asks again after a wrong key, shows the scopes of a valid one, and redirects with a code after consent",
    async () => {
      const { production: production_id, submitter: engagement_id } = seedData;
      const scopes = ["read", "submit:turnover"] as const;
      const key = mint(server.store, { production_id, engagement_id, scopes, label: "Comp bot" });
      const page = await openSignIn("read submit:turnover read:money");
      assert.match((await page.textContent("main")) ?? "", "Board <b>bot</b>");
      await screenshot(page, "signin");
      await page.fill("#api_key", "tl_wrong");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#refused");
      await screenshot(page, "signin-refused");
      await page.fill("#api_key", key);
      await page.keyboard.press("Enter");
      await page.waitForSelector("text=Allow this app?");
      const shown = (await page.textContent("main")) ?? "";
      const title = one<string>(server.store, "SELECT title FROM productions WHERE id = ?", production_id);
      for (const words of [title, "Comp bot", "submit:turnover"]) assert.match(shown, words);
      assert.not.match(shown, "read:money");
      await screenshot(page, "signin-review");
      await page.click('button:has-text("Allow")');
      await page.waitForURL(`${back}?**`);
      assert.match(new URL(page.url()).searchParams.get("code") ?? "", /^[\w-]{43}$/);
      assert.is(await page.textContent("body"), "back in the app");
    },
  );

  browsing("redirects after Cancel", async () => {
    const page = await openSignIn("");
    await page.click("text=Cancel");
    await page.waitForURL(`${back}?**`);
    assert.is(new URL(page.url()).searchParams.get("error"), "access_denied");
  });

  browsing("shows the error of an unknown app's request here, with a link to the app", async () => {
    const page = await openSignIn("", "token");
    assert.is(new URL(page.url()).origin, server.url);
    assert.match((await page.textContent("main")) ?? "", "Response_type must be code.");
    await screenshot(page, "signin-unknown-app");
    await page.click("text=go back to");
    await page.waitForURL(`${back}?**`);
    assert.is(new URL(page.url()).searchParams.get("error"), "unsupported_response_type");
  });

  browsing("shows an error on a page if it cannot redirect", async () => {
    const page = await context.newPage();
    await page.goto(`${server.url}/authorize?client_id=nobody`);
    assert.match((await page.textContent("main")) ?? "", "The client is not registered here");
    await screenshot(page, "signin-problem");
  });

  browsing.after(async () => {
    await browser.close();
    app.close();
    await server.stop();
  });
  browsing.run();
}

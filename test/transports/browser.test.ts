// The pages in a real browser that reaches only this server: /docs renders, accepts a key and runs calls; / works without
// JavaScript. Skipped with a message without Chromium, and on Deno, where Playwright would need all permissions.
// SHOTS=folder saves screenshots.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, type TestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { seedDataOf } from "../support/seed_data.ts";

const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = places.find((place) => place !== undefined && existsSync(place));
const timeout = 15_000;

/** Violations by the pages: requests to another host, content security policy errors, exceptions. */
const violations: string[] = [];

async function open(browser: Browser, server: TestServer, path: string, options: object = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(timeout);
  const page = await context.newPage();
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith("data:"))
      violations.push(`requested ${request.url()}`);
  });
  page.on("pageerror", (error) => violations.push(`threw ${error.message}`));
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) violations.push(message.text());
  });
  await page.goto(server.url + path);
  return page;
}

async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS !== undefined) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
}

/** Opens an operation of the reference and prepares it to be called. */
async function tryOut(page: Page, tag: string, name: string) {
  const operation = page.locator(`#operations-${tag}-${name}`);
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".try-out__btn").click();
  return {
    operation,
    /** The status of the response, and the body as the page shows it. */
    async execute(): Promise<{ status: number; body: string }> {
      const coming = page.waitForResponse((response) => response.url().includes("/api/v1/"));
      await operation.locator(".execute").click();
      const status = (await coming).status();
      const live = operation.locator(".live-responses-table").first();
      await live.locator(`.response-col_status:has-text("${status}")`).first().waitFor();
      return { status, body: (await live.locator(".highlight-code").first().textContent()) ?? "" };
    },
  };
}

async function useKey(page: Page, key: string): Promise<void> {
  await page.fill("#key", key);
  await page.click("#key-form button");
}

const onDeno = "deno" in process.versions;
if (executablePath !== undefined && !onDeno) await testPages(executablePath);
else {
  const reason = onDeno ? "the browser tests run on Node only" : "there is no Chromium here";
  console.log(`skipped: ${reason}; / and /docs were not tested\n\n  Total: 1\n  Passed: 0\n  Skipped: 1`);
}

async function testPages(executablePath: string): Promise<void> {
  const server = await openTestServer();
  const seedData = seedDataOf(server.store);
  const title = one<string>(server.store, "SELECT title FROM productions WHERE id = ?", seedData.production);
  const key = mint(server.store, { production_id: seedData.production });
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"],
  });

  const docs = suite("/docs in a browser");
  const page = await open(browser, server, "/docs"); // loading takes most of the time

  docs("shows every operation of the description", async () => {
    await page.waitForSelector(".opblock");
    const { paths } = (await (await server.ask(undefined, "/api/v1/openapi.json")).json()) as { paths: object };
    const verbs = Object.values(paths).flatMap((item) =>
      Object.keys(item).filter((verb) => /^(get|head|post|patch|delete)$/.test(verb)),
    );
    assert.is(await page.locator(".opblock").count(), verbs.length);
    await screenshot(page, "docs");
  });

  docs("a call without a key shows 401; with a key it shows the response", async () => {
    const call = await tryOut(page, "production", "get_production");
    const refused = await call.execute();
    assert.is(refused.status, 401);
    assert.match(refused.body, /the Authorization header is missing/);
    await useKey(page, key);
    const answered = await call.execute();
    assert.is(answered.status, 200);
    assert.ok(answered.body.includes(title));
    await screenshot(page, "docs-call");
  });

  docs("uploads a file with its form", async () => {
    const shape = { production_id: seedData.production, engagement_id: seedData.submitter };
    await useKey(page, mint(server.store, { ...shape, scopes: ["submit:turnover"] }));
    const { operation, execute } = await tryOut(page, "turnovers", "submit_turnover");
    await operation.locator("input[placeholder=delivery_id]").fill(String(seedData.delivery));
    const still = { name: "still.jpg", mimeType: "image/jpeg", buffer: Buffer.from(jpeg(16, 16)) };
    await operation.locator("input[type=file]").setInputFiles(still);
    const { status, body } = await execute();
    assert.is(status, 200, body);
    assert.match(body, /"label": "still\.jpg"/);
    await screenshot(page, "docs-upload");
  });

  docs("stores the key nowhere: not in browser storage, and not across a reload", async () => {
    await useKey(page, key);
    const stored = "JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])";
    assert.not.ok(String(await page.evaluate(stored)).includes("tl_"));
    await page.emulateMedia({ colorScheme: "dark" });
    await page.reload();
    const { execute } = await tryOut(page, "production", "get_production");
    assert.is((await execute()).status, 401);
    await screenshot(page, "docs-dark");
  });

  const front = suite("/ in a browser");

  front("shows the production to the owner of a key, without JavaScript, in light and in dark mode", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(browser, server, "/", { colorScheme, javaScriptEnabled: false });
      await screenshot(page, `front-${colorScheme}`);
      await page.fill("#key", key);
      await page.click("button");
      assert.is(await page.locator(".title").textContent(), title);
      assert.is(await page.inputValue("#key"), "");
      await screenshot(page, `front-key-${colorScheme}`);
      await page.context().close();
    }
  });

  front("fits a screen of 360 pixels", async () => {
    const page = await open(browser, server, "/", { viewport: { width: 360, height: 740 } });
    assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 360);
    await screenshot(page, "front-narrow");
    await page.context().close();
  });

  front("no page requested another host, violated its policy or threw an exception", () =>
    assert.equal(violations, []),
  );

  front.after(async () => {
    await browser.close();
    await server.stop();
  });
  docs.run();
  front.run();
}

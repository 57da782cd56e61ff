// /docs in a real browser that reaches only this server: it renders, accepts a key and runs calls. Skipped with a
// message without Chromium, and on Deno. SHOTS=folder saves screenshots.
// Thorough: only --all runs it.
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allOperations } from "../../src/core/operation_table.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { launchChromium, pageTimeout, reasonToSkip, screenshot, skipped, watch } from "../support/chromium.ts";
import { jpeg } from "../support/jpeg.ts";
import { seedDataOf } from "../support/seed_data.ts";

/** Opens an operation of Swagger UI and prepares it to be called. */
async function tryOut(page: Page, tag: string, name: string) {
  const operation = page.locator(`#operations-${tag}-${name}`);
  if (!(await operation.isVisible())) await page.locator(`#operations-tag-${tag}`).click();
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

/** Loads the reference anew, from now on with some operations alone: showing every one takes the browser long. */
async function showOnly(page: Page, names: readonly string[]): Promise<void> {
  await page.route("**/openapi.json", async (route) => {
    const response = await route.fetch();
    const description: { paths: Record<string, Record<string, { operationId?: string }>> } = await response.json();
    for (const [path, item] of Object.entries(description.paths))
      if (!Object.values(item).some(({ operationId }) => names.includes(operationId ?? "")))
        delete description.paths[path];
    await route.fulfill({ response, json: description });
  });
  await page.reload();
  await openExplorer(page);
}

async function openExplorer(page: Page): Promise<void> {
  await page.click("#explorer > summary");
  await page.waitForSelector(".opblock-tag");
}

async function useKey(page: Page, key: string): Promise<void> {
  await page.fill("#key", key);
  await page.click("#key-form button");
}

if (reasonToSkip === undefined) await testPages();
else skipped("/docs was");

async function testPages(): Promise<void> {
  const server = await openTestServer();
  const seedData = seedDataOf(server.store);
  const title = one<string>(server.store, "SELECT title FROM productions WHERE id = ?", seedData.production);
  const key = mint(server.store, { production_id: seedData.production });
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(pageTimeout);
  const violations = watch(context, server.url);

  const docs = suite("/docs in a browser");
  const page = await context.newPage();
  await page.goto(`${server.url}/docs`);

  docs("lists every operation, and runs the example of one with the key that was typed", async () => {
    const { paths } = (await (await server.ask(undefined, "/api/v1/openapi.json")).json()) as { paths: object };
    const names = Object.values(paths).flatMap((item) =>
      Object.values(item as object).map(({ operationId }) => operationId),
    );
    const listed = await page.locator(".operation").evaluateAll((all) => all.map(({ id }) => id));
    const inTable = [...(await allOperations())].map(({ name }) => name);
    assert.equal(listed.toSorted(), inTable.toSorted());
    for (const name of listed) assert.ok(names.includes(name), name);
    await screenshot(page, "docs");
    const one = page.locator("#get_production");
    await one.locator("summary").click();
    await one.locator(".run button").click();
    await one.locator("output", { hasText: "401" }).waitFor();
    await useKey(page, key);
    await one.locator(".run button").click();
    await one.locator("output", { hasText: "200 OK" }).waitFor();
    assert.ok((await one.locator("output").textContent())?.includes(title));
    await one.locator(".run input").fill("/scenes/999999999");
    await one.locator(".run button").click();
    await one.locator("output", { hasText: "404" }).waitFor();
    await screenshot(page, "docs-run");
  });

  docs("a link to an operation opens it", async () => {
    await page.goto(`${server.url}/docs#list_assets`);
    assert.ok(await page.locator("#list_assets[open]").isVisible());
  });

  docs("without a script, every operation is listed with its command", async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const shown = await plain.newPage();
    await shown.goto(`${server.url}/docs`);
    await shown.locator("#create_note summary").click();
    assert.match(
      (await shown.locator("#create_note pre").textContent()) ?? "",
      /curl '.*\/api\/v1\/assets\/.*-d '\{"text"/s,
    );
    await plain.close();
  });

  docs("shows every group of the description in Swagger UI once its part is opened", async () => {
    assert.is(await page.locator(".swagger-ui").count(), 0);
    await openExplorer(page);
    const { tags } = (await (await server.ask(undefined, "/api/v1/openapi.json")).json()) as { tags: object[] };
    assert.is(await page.locator(".opblock-tag").count(), tags.length);
  });

  docs("a call without a key shows 401; with a key it shows the response", async () => {
    await showOnly(page, ["get_production", "submit_turnover"]);
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
    await operation
      .locator(".body-param-content-type select, .content-type")
      .first()
      .selectOption("multipart/form-data");
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
    await openExplorer(page);
    const { execute } = await tryOut(page, "production", "get_production");
    assert.is((await execute()).status, 401);
    await screenshot(page, "docs-dark");
  });

  docs("no page requested another host, violated its policy or threw an exception", () => assert.equal(violations, []));

  docs.after(async () => {
    await browser.close();
    await server.stop();
  });
  docs.run();
}

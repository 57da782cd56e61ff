// Opens Debian's Chromium for tests, and watches that pages stay on their server, within their policy and without
// errors.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { TestServer } from "./app.ts";
import { linkFor } from "./pages.ts";

/** The headless shell starts faster, and needs two thirds of the processor time. */
const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const executablePath = places.find((place) => place !== undefined && existsSync(place));
const onDeno = "deno" in process.versions;

/**
 * How long a page may take on a busy machine, in milliseconds: whoever waits longer waits for something that never
 * comes.
 */
export const pageTimeout = 300_000;

/** Why there are no browser tests here; undefined if there are. Playwright would need all permissions on Deno. */
export const reasonToSkip = onDeno
  ? "the browser tests run on Node only"
  : executablePath === undefined
    ? "there is no Chromium here"
    : undefined;

/** Prints what the runner expects of a file that was skipped. */
export const skipped = (what: string): void =>
  console.log(`skipped: ${reasonToSkip}; ${what} not tested\n\n  Total: 0\n  Passed: 0\n  Skipped: 1`);

export async function launchChromium(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath: executablePath as string, // the caller has checked reasonToSkip
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"],
  });
}

/**
 * Collects requests to other hosts, errors of the content security policy, exceptions and dialogs of a context's pages.
 */
export function watch(context: BrowserContext, url: string, violations: string[] = []): string[] {
  context.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:"))
      violations.push(`requested ${request.url()}`);
  });
  context.on("page", (page) => {
    page.on("pageerror", (error) => violations.push(`threw ${error.message}`));
    page.on("dialog", (dialog) => {
      violations.push(`opened a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to/i.test(message.text())) violations.push(message.text());
    });
  });
  return violations;
}

/**
 * Opens contexts of one browser, which may be shared, on a server, and collects what their pages should not have done.
 */
export async function browseWith(server: TestServer, shared?: Browser) {
  const browser = shared ?? (await launchChromium());
  const contexts: BrowserContext[] = [];
  const violations: string[] = [];

  async function open(options: BrowserContextOptions = {}): Promise<{ context: BrowserContext; page: Page }> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(pageTimeout);
    contexts.push(context);
    watch(context, server.url, violations);
    return { context, page: await context.newPage() };
  }

  return {
    violations,
    open,
    async close(): Promise<void> {
      if (shared === undefined) await browser.close();
      else for (const context of contexts) await context.close();
    },

    /** Opens the session of a production's admin by a one-time link. */
    async openAsAdmin(production_id: number, options: BrowserContextOptions = {}) {
      const opened = await open(options);
      await opened.page.goto(server.url + linkFor(server, production_id));
      return opened;
    },

    /** Signs in with a key. */
    async signIn(key: string, options: BrowserContextOptions = {}) {
      const opened = await open(options);
      await opened.page.goto(server.url);
      await opened.page.fill("#key", key);
      await Promise.all([opened.page.waitForNavigation(), opened.page.keyboard.press("Enter")]);
      return opened;
    },
  };
}

/** Saves a picture of the page in the folder SHOTS, if it is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS !== undefined)
    await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
}

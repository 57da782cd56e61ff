// Makes the README's picture, docs/today.png: what the link of `tallylight demo` opens, on the day on which the
// fixtures are written. Needs Chromium, which only whoever makes the picture needs.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launchChromium, reasonToSkip } from "../../test/support/chromium.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const at = "2026-11-20T07:30:00.000Z";

/** The link that the demo prints. */
async function linkOf(demo: ChildProcess): Promise<string> {
  let text = "";
  for await (const part of demo.stdout ?? []) {
    text += part;
    if (text.endsWith("\n")) return JSON.parse(text).link;
  }
  throw new Error("the demo ended before it served");
}

if (reasonToSkip !== undefined) throw new Error(reasonToSkip);
const folder = mkdtempSync(join(tmpdir(), "picture-"));
const clock = pathToFileURL(join(root, ".ci/picture/clock.js")).href;
const flags = ["--import", clock, join(root, "bin/tallylight.js"), "demo", "--data", join(folder, "data")];
const demo = spawn(process.execPath, [...flags, "--port", "0", "--json"], {
  env: { ...process.env, PICTURE_AT: at, TZ: "Europe/London" },
  stdio: ["ignore", "pipe", "ignore"],
});
const browser = await launchChromium();
try {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    deviceScaleFactor: 1,
    timezoneId: "Europe/London",
    bypassCSP: true, // the wait below is a script
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(at);
  await page.goto(await linkOf(demo));
  await page.waitForFunction(
    "[...document.images].length > 3 && [...document.images].every((image) => image.getBoundingClientRect().top > innerHeight || (image.complete && image.naturalWidth > 0))",
  );
  await page.screenshot({ path: join(root, "docs/today.png") });
} finally {
  await browser.close();
  demo.kill("SIGTERM");
  await once(demo, "close");
  rmSync(folder, { recursive: true });
}

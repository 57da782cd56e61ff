// The widths of what stands side by side: two texts that are compared. Skipped with a message without Chromium, and on
// Deno.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ComparedTexts } from "../../src/features/pages/differences.ts";
import { launchChromium, reasonToSkip, skipped } from "../support/chromium.ts";

const test = suite("the columns of a comparison");
const css = ["tokens", "pages"]
  .map((name) => readFileSync(new URL(`../../src/features/pages/${name}.css`, import.meta.url), "utf8"))
  .join("");

test("the two columns of a comparison are equally wide, whatever is in them", async () => {
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const long = "She looks at the old lamp for a long time. ".repeat(8);
  for (const [before, after] of [
    [long, "She looks."],
    ["", long],
    ["x".repeat(500), "y"],
  ] as const) {
    const list = `<dl><dt>text</dt><dd>${new ComparedTexts().sideBySide(before, after).text}</dd></dl>`;
    await page.setContent(`<style>${css}</style><main>${list}</main>`);
    const widths = await page.evaluate(
      '[...document.querySelectorAll(".half > p")].map((p) => Math.round(p.getBoundingClientRect().width))',
    );
    const [one, other] = widths as [number, number];
    assert.ok(one === other && one > 400, `${one} and ${other}`);
  }
  await browser.close();
});

if (reasonToSkip === undefined) test.run();
else skipped("the widths of columns were");

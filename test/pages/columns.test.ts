// The widths of what stands side by side: two texts that are compared; a long scene number, name and title beside
// others, on screens and on paper. Skipped with a message without Chromium, and on Deno.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ComparedTexts } from "../../src/features/pages/differences.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { browseWith, launchChromium, reasonToSkip, skipped } from "../support/chromium.ts";
import { seedDataOf } from "../support/seed_data.ts";

const test = suite("what stands side by side");
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

/** The numbers of scenes that lie over the text beside them. */
const overlaps = `[...document.querySelectorAll("main .number, main .acts th[scope=row]")]
  .filter((number) => number.checkVisibility())
  .flatMap((number) => {
    const range = document.createRange();
    range.selectNodeContents(number);
    const [own] = [...range.getClientRects()].slice(-1);
    const texts = [...number.parentElement.children].filter((other) => other !== number && other.textContent.trim() !== "");
    return texts.some((other) => {
      const box = other.getBoundingClientRect();
      return box.width > 0 && own && box.left < own.right && own.left < box.right && box.top < own.bottom && own.top < box.bottom;
    }) ? [number.textContent] : [];
  })`;

/** What stands beyond the right edge of the call sheet. */
const beyond = `[...document.querySelectorAll(".sheet td")]
  .filter((cell) => cell.checkVisibility() && cell.getBoundingClientRect().right > document.querySelector(".sheet").getBoundingClientRect().right + 1)
  .map((cell) => cell.textContent.slice(0, 40))`;

test("a long scene number lies over nothing, a long name is not cut, and a long title leaves the page in sight", async () => {
  const server = await openTestServer();
  const { store } = server;
  const { feature } = seedDataOf(store);
  const day = one(
    store,
    "SELECT d.id FROM shoot_days d WHERE d.production_id = ? AND (SELECT count(*) FROM strips s WHERE s.shoot_day_id = d.id) > 1 ORDER BY d.id DESC LIMIT 1",
    feature,
  );
  const key = mint(store, { production_id: feature, scopes: ["read", "admin"] });
  const name = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(2);
  const [{ number }] = (await server.get(key, `/bundles/day/${day}`)).scenes;
  const response = await server.ask(key, "/api/v1/admin/import", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      production: { title: name },
      scenes: [{ number: "123ABC", was: number, slugline: `INT. ${name} - NIGHT` }],
    }),
  });
  assert.is(response.status, 200, await response.text());
  const browsing = await browseWith(server);
  const { page } = await browsing.signIn(key, { viewport: { width: 1440, height: 900 } });
  for (const path of [`/days/${day}`, `/days/${day}/sheet`, "/scenes", "/schedule?from=all"])
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(server.url + path);
      assert.equal(await page.evaluate(overlaps), [], `${path} ${width}`);
      assert.equal(await page.evaluate(beyond), [], `${path} ${width}`);
      const bar = Number(await page.evaluate('document.querySelector(".brand").getBoundingClientRect().height'));
      assert.ok(bar < 80, `${path} ${width}: the bar is ${bar} px high`);
    }
  await page.goto(`${server.url}/days/${day}/sheet`);
  await page.emulateMedia({ media: "print" });
  const shades = await page.evaluate(
    '[...document.querySelectorAll(".table")].map((table) => getComputedStyle(table).backgroundImage)',
  );
  assert.equal([...new Set(shades as string[])], ["none"]);
  await browsing.close();
  await server.stop();
});

if (reasonToSkip === undefined) test.run();
else skipped("the widths of columns were");

// The call sheet and the day out of days, as a browser shows and prints them. Skipped with a message without Chromium,
// and on Deno.
// Thorough: only --all runs it.
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { checkedDocument } from "../../src/features/documents/read/whole.ts";
import { importedAt, mint, one, openTestServer } from "../support/app.ts";
import { browseWith, reasonToSkip, screenshot, skipped } from "../support/chromium.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Row = Record<string, any>;

/** A day of scenes with costumes, props, cast and long names. */
function productionOf(title: string, scenes: number) {
  const names = [
    "David Balfour",
    "الدليل سالم بن راشد",
    "葉赫那拉·蘭兒",
    "Captain Elias Hoseason, master of the brig",
    "Ransome",
    "Mr. Riach",
  ];
  const numbers = Array.from({ length: scenes }, (_, at) => `${at + 1}`);
  const things = (kind: string, per: number) =>
    numbers.flatMap((number) =>
      Array.from({ length: per }, (_, at) => ({ label: `${kind} ${number}.${at + 1} of the brig`, kind })),
    );
  const assets = [
    ...names.map((label, at) => ({
      label,
      kind: "character",
      cast_number: `${at + 1}`,
      performer: `Performer of ${label}`,
    })),
    ...things("costume", 2),
    ...things("prop", 2),
  ];
  return {
    document: "tallylight production",
    document_version: 1,
    production: { title, logline: "A day.", status: "active", phase: "shoot", accent: "ocean", format: "single" },
    departments: [
      { slug: "camera", name: "Camera", cluster: "Image", mission: "Light.", privacy: "open", unveiled: true },
    ],
    people: Array.from({ length: 12 }, (_, at) => ({
      name: `Head ${at + 1}`,
      role: "Head of something",
      department: "camera",
      is_hod: true,
    })),
    scenes: numbers.map((number) => ({
      ...{
        number,
        slugline: `EXT. THE DECK OF THE COVENANT, ${number} - NIGHT`,
        synopsis: "He waits at the rail until the lamp goes out below.",
      },
      revision_color: "white",
      elements: { pages: "1 2/8", stunts: "a fall" },
      assets: [...names, ...assets.filter(({ label }) => label.includes(` ${number}.`)).map(({ label }) => label)],
    })),
    assets,
    schedule: [
      {
        day_number: 1,
        date: "2026-11-23",
        general_call: "08:00",
        status: "scheduled",
        scenes: numbers,
        location: "بحيرة المنزلة، دمياط",
        notes: "Bring boots.",
        wrap: "19:00",
        calls: [
          { who: names[1], time: "06:30", note: "مكياج" },
          { who: names[1], time: "07:45", note: "on set" },
          { who: "camera", time: "07:15" },
        ],
        banners: [{ before: numbers[1], text: "午餐 Lunch" }, { text: "Company move" }],
      },
      { day_number: 2, date: "2026-11-24", general_call: "08:00", status: "scheduled", scenes: [] },
      { day_number: 3, date: "2026-11-25", general_call: "08:00", status: "scheduled", scenes: [] },
    ],
  };
}

/** The text of the page, with one space between cells. */
const textOf = async (page: Page): Promise<string> =>
  String(await page.evaluate("document.querySelector('main').innerText")).replace(/\s+/g, " ");

const pagesOf = async (page: Page, format: string): Promise<number> =>
  (await page.pdf({ format })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;

if (reasonToSkip === undefined) {
  const server = await openTestServer();
  const { store, get } = server;
  const { feature } = seedDataOf(store);
  const series = one<number>(store, "SELECT id FROM productions WHERE format = 'episodic'");
  const browsing = await browseWith(server);
  const test = suite("/days/{shoot_day_id}/sheet");

  const adminKey = mint(store, { production_id: feature, scopes: ["admin"], label: "AD" });
  const update = async (document: object) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(document);
    const response = await server.ask(adminKey, "/api/v1/admin/import", { method: "POST", headers, body });
    assert.is(response.status, 200);
    return (await response.json()) as Row;
  };
  const dayOf = async (key: string, number: number): Promise<Row> =>
    (await get(key, "/schedule")).find(({ day_number }: Row) => day_number === number);

  for (const [scenes, most] of [
    [8, 2],
    [50, 12],
  ] as const)
    test(`a day of ${scenes} scenes prints on ${most} pages at most of A4 and of Letter, with names of every script`, async () => {
      const document = checkedDocument(productionOf(`Sheet of ${scenes}`, scenes), "sheet.json", ".");
      const { production_id } = await importDocument(store, server.blobs, document, { now: importedAt });
      const { page, context } = await browsing.openAsAdmin(production_id);
      const { id } = await dayOf(mint(store, { production_id }), 1);
      await page.goto(`${server.url}/days/${id}/sheet`);
      for (const format of ["A4", "Letter"]) {
        const count = await pagesOf(page, format);
        assert.ok(count <= most, `${count} pages of ${format}`);
      }
      const text = await textOf(page);
      for (const part of [
        "Day 1 of 3",
        "الدليل سالم بن راشد",
        "葉赫那拉·蘭兒",
        "午餐 Lunch",
        "06:30 07:45 مكياج on set",
        "Head 12, Head of something 07:15",
      ])
        assert.ok(text.includes(part), part);
      assert.is(await page.locator("table").first().locator("tbody tr").count(), scenes + 3);
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 703, height: 1000 });
      assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 703, "too wide for the paper");
      await screenshot(page, `sheet_${scenes}`);
      await context.close();
    });

  test("says what the day's bundle says: the cast with status and call, what is needed, what clashes, and the next days", async () => {
    const key = mint(store, { production_id: feature });
    const { page, context } = await browsing.openAsAdmin(feature);
    for (const number of [24, 28]) {
      const day = await dayOf(key, number);
      const { cast, scenes, clashes }: Row = await get(key, `/bundles/day/${day.id}`);
      await page.goto(`${server.url}/days/${day.id}`);
      await Promise.all([page.waitForNavigation(), page.click("a[href$='/sheet']")]);
      assert.is(new URL(page.url()).pathname, `/days/${day.id}/sheet`);
      const text = await textOf(page);
      assert.ok(text.includes(`Day ${number} of 30`) && text.includes(day.location));
      for (const { cast_number, label, performer, work, call } of cast) {
        assert.ok(text.includes(`${cast_number} ${label} ${performer} ${work} `), label);
        assert.ok(text.includes(` ${call ?? day.general_call} `), label);
      }
      for (const { assets } of scenes) for (const { label } of assets) assert.ok(text.includes(label), label);
      for (const clash of clashes) assert.ok(text.toLowerCase().includes(clash.toLowerCase()), clash);
      assert.ok(text.includes(`Next: day ${number + 1},`) && !text.includes(`day ${number + 2}`));
      assert.ok(text.includes("Isla Farquhar, Producer"));
    }
    await context.close();
  });

  test("a change of the schedule, a new performer and an omitted scene change the sheet at once", async () => {
    const { page, context } = await browsing.openAsAdmin(feature);
    const { id } = await dayOf(mint(store, { production_id: feature }), 24);
    const sheet = async () => {
      await page.goto(`${server.url}/days/${id}/sheet`);
      return textOf(page);
    };
    assert.match(await sheet(), /1 David Balfour Struan Abernethy W 06:45 make-up 27, 28, 29/);
    await update({
      assets: [{ label: "David Balfour", performer: "Noël Adair" }],
      scenes: [{ number: "28", status: "omitted" }],
      schedule: [{ day_number: 24, calls: [{ who: "David Balfour", time: "05:30" }] }],
    });
    const after = await sheet();
    assert.match(after, /1 David Balfour Noël Adair W 05:30 27, 29/);
    assert.match(after, /28 INT\. ROUND-HOUSE omitted/);
    await update({ scenes: [{ number: "29", elements: { cast: ["David", "Alan", "Hoseason", "Riach", "A DOG"] } }] });
    assert.match(await sheet(), /29 [^§]*?, A DOG /);
    await context.close();
  });

  test("the heading of the next days is in the part that stays on one page with it", async () => {
    const { page, context } = await browsing.openAsAdmin(feature);
    const { id } = await dayOf(mint(store, { production_id: feature }), 24);
    await page.goto(`${server.url}/days/${id}/sheet`);
    await page.emulateMedia({ media: "print" });
    assert.is(await page.locator(".advance h2:has-text('Next: day 25')").count(), 1);
    const around = "getComputedStyle(document.querySelector('.advance:has(h2)')).breakInside";
    assert.is(await page.evaluate(around), "avoid");
    await context.close();
  });

  test("on a series, scenes have their episode, on the sheet, its cast and its banners", async () => {
    const { page, context } = await browsing.openAsAdmin(series);
    const { id } = await dayOf(mint(store, { production_id: series }), 2);
    await page.goto(`${server.url}/days/${id}/sheet`);
    const text = await textOf(page);
    assert.match(text, /Move across to the dining room 101\/7 INT\. DINING ROOM/);
    assert.match(text, /1 Axel Jonas Wielandt W 07:00 101\/6, 101\/7, 103\/14/);
    await context.close();
  });

  test("the day out of days has a cell for each code, sums, a head that stays, and a CSV with the same cells", async () => {
    const key = mint(store, { production_id: series });
    const { page, context } = await browsing.openAsAdmin(series, { viewport: { width: 390, height: 500 } });
    await page.goto(`${server.url}/cast`);
    const rows: Row[] = await get(key, "/cast/days");
    const working = rows.filter(({ totals }) => totals.work > 0);
    const codes = working.flatMap(({ days }) => days.map(({ work }: Row) => work)).sort();
    const shown = await page.locator(".chart tbody td:not(.amount)").allTextContents();
    assert.equal(shown.filter((cell) => cell !== "").sort(), codes);
    const total = rows.reduce((sum, { totals }) => sum + totals.total, 0);
    assert.is(await page.locator(".chart tfoot td").last().textContent(), String(total));
    const head = page.locator(".chart thead th").nth(1);
    const top = (await head.boundingBox())?.y;
    await page.locator(".chart").evaluate((grid) => grid.scrollTo(0, 200));
    assert.is((await head.boundingBox())?.y, top);
    const link = await page.getAttribute("a[href$='.csv']", "href");
    const csv = await page.evaluate(`fetch("${link}").then((response) => response.text())`);
    const cells = String(csv)
      .split("\r\n")
      .slice(2)
      .flatMap((line) => line.split(","));
    assert.equal(cells.filter((cell) => /^S?[WH]F?$/.test(cell)).sort(), codes);
    await context.close();
  });

  test("nothing left the server or its policy", () => assert.equal(browsing.violations, []));
  test.after(async () => {
    await browsing.close();
    await server.stop();
  });
  test.run();
} else skipped("the call sheet was");

// Looks at every page in a browser: accessibility, width, and that it stays on its server and within its policy.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Store } from "../../src/core/store/store.ts";
import { dateAt } from "../../src/core/zones.ts";
import { deliveryOutcomes, recordDelivery } from "../../src/features/webhooks/webhook_rows.ts";
import { addWebhook, pause } from "../../src/features/webhooks/webhooks.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { importedAt, mint, one, openTestServer, type TestServer } from "./app.ts";
import { browseWith, screenshot } from "./chromium.ts";
import { seedDataOf } from "./seed_data.ts";

/** One address of every page of a production. */
export function addressesOf(store: Store, id: number): string[] {
  const find = (sql: string) => one(store, sql, id);
  const settings = [
    "",
    "/keys",
    "/vendors",
    "/import",
    "/script-changes",
    "/history",
    "/releases",
    "/storage",
    "/webhooks",
    "/sessions",
    "/audit",
    "/health",
    "/productions",
  ];
  return [
    ...[
      "/",
      "/scenes",
      "/schedule",
      "/cast",
      "/assets?kind=character",
      "/approvals?status=all",
      "/deliveries",
      "/people",
      "/people/invite",
    ],
    ...["/activity", "/search?q=coat", "/nowhere"],
    `/days/${find("SELECT max(id) FROM shoot_days WHERE production_id = ?")}`,
    `/days/${find("SELECT max(id) - 2 FROM shoot_days WHERE production_id = ?")}/sheet`,
    `/scenes/${find("SELECT max(node_id) FROM script_changes WHERE status = 'pending' AND production_id = ?")}`,
    `/assets/${find("SELECT node_id FROM versions WHERE production_id = ? GROUP BY node_id ORDER BY count(*) DESC LIMIT 1")}`,
    `/assets/${find("SELECT node_id FROM versions WHERE production_id = ? GROUP BY node_id ORDER BY count(*) DESC LIMIT 1")}/compare`,
    `/approvals/${find("SELECT max(id) FROM approvals WHERE production_id = ?")}`,
    `/approvals/${find("SELECT max(id) FROM approvals WHERE status = 'pending' AND production_id = ?")}`,
    `/edit/scenes/${find("SELECT max(node_id) FROM scenes WHERE production_id = ?")}`,
    `/edit/schedule/${find("SELECT max(id) FROM shoot_days WHERE production_id = ?")}`,
    `/edit/approvals/${find("SELECT max(id) FROM approvals WHERE production_id = ?")}`,
    `/edit/deliveries/${find("SELECT max(delivery_id) FROM media WHERE work_item_id IS NULL AND production_id = ?")}`,
    `/edit/people/${find("SELECT max(id) FROM people WHERE production_id = ?")}`,
    `/deliveries/${find("SELECT max(delivery_id) FROM submissions WHERE production_id = ?")}`,
    ...settings.map((name) => `/settings${name}`),
  ];
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const runAxe = (options: string) => `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) =>
  id + ": " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")))`;

/**
 * In pixels. The styles have one layout for narrow windows and one for wide ones, so accessibility is checked once in
 * each.
 */
const widths = [320, 390, 1280, 1920] as const;
const checkedWidths: readonly number[] = [320, 1280];
/**
 * In dark mode only the colours are others, which a page has in both layouts: they are checked in one, which is the
 * other at the next page.
 */
let darkWidth = 320;

/** How wide the page is at most, as it comes and with each of its folds open, in pixels. */
const widthOfPage = `(() => {
  const widthOf = () => document.documentElement.scrollWidth;
  const opened = [...document.querySelectorAll("main details:not([open])")].map((fold) => {
    const before = document.querySelector(\`details[open][name="\${fold.getAttribute("name")}"]\`);
    fold.open = true;
    const width = widthOf();
    fold.open = false;
    if (before !== null) before.open = true;
    return width;
  });
  return Math.max(widthOf(), ...opened);
})()`;

/** What can be pressed and lies below something else that is pressed in its place. */
const covered = `[...document.querySelectorAll("main :is(a, button, input:not([type=hidden]), select, summary)")]
  .filter((one) => one.checkVisibility() && !one.matches(".unseen, .unseen *"))
  .flatMap((one) => {
    one.scrollIntoView({ block: "center" });
    const box = [...one.getClientRects()].find(({ width, height }) => width > 1 && height > 1);
    const hit = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest("a, button, summary");
    return !hit || hit === one || hit.contains(one) || one.contains(hit) ? [] : [one.outerHTML.slice(0, 120)];
  })`;

/** Fails if the page is wider than its window, has an accessibility problem in it, or a link below another one. */
async function checkPage(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 844 });
  for (const colorScheme of ["light", "dark"] as const) {
    const isChecked = colorScheme === "light" ? checkedWidths.includes(width) : width === darkWidth;
    if (!isChecked && process.env.SHOTS === undefined) continue;
    const what = `${name} ${width} ${colorScheme}`;
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === "light" ? "" : ', runOnly: ["color-contrast"]';
    if (isChecked) assert.equal(await page.evaluate(runAxe(`{ resultTypes: ["violations"]${rules} }`)), [], what);
    await screenshot(page, what.replace(/\W+/g, "_"));
  }
  if (width === 390) assert.equal(await page.evaluate(covered), [], `${name}: what is covered`);
  assert.ok(Number(await page.evaluate(widthOfPage)) <= width, `${name} is wider than ${width}`);
}

/** Adds a paused webhook with one delivery of each outcome; returns its id. */
function addWebhookWithDeliveries(store: Store, production_id: number): number {
  const admin = localAdmin(store, importedAt);
  const url = "https://dailies.example.net/hooks/tallylight?team=camera-and-editorial-of-the-main-unit";
  const { id } = addWebhook(admin, { production_id, url, types: ["version.landed", "version.released"] });
  pause(admin, id);
  const done = {
    event_id: 1,
    type: "version.landed",
    try: 1,
    status: 204,
    reason: null,
    milliseconds: 18,
    next_try_at: null,
  };
  const reason = "the receiver answered 503 Service Unavailable";
  for (const outcome of deliveryOutcomes) {
    const bad = outcome !== "delivered" && {
      try: 3,
      status: 503,
      reason,
      next_try_at: outcome === "failed" ? importedAt : null,
    };
    store.writeSync(() => recordDelivery(store, id, { ...done, ...bad, outcome }, importedAt));
  }
  addWebhook(admin, { production_id, url: "http://10.20.0.7:8080/" });
  return id;
}

/** Imports two documents, of which the later stands against the undo of the earlier. Returns the change sets. */
async function addHistory(server: TestServer, production_id: number): Promise<[earlier: number, later: number]> {
  const key = mint(server.store, { production_id, scopes: ["admin"], label: "Coordinator" });
  const [scene] = await server.get(mint(server.store, { production_id }), "/scenes");
  const load = async (synopsis: string, more: object = {}): Promise<number> => {
    const body = JSON.stringify({ scenes: [{ number: scene.number, synopsis, ...more }] });
    const headers = { "content-type": "application/json" };
    const response = await server.ask(key, "/api/v1/admin/import", { method: "POST", headers, body });
    return ((await response.json()) as { change_set: number }).change_set;
  };
  return [await load("He waits.", { elements: { cast: ["ADA", "BEN"], pages: "1 7/8" } }), await load("She waits.")];
}

/** Gives the last shoot day the present date, which pages mark. */
const putDayOnToday = (store: Store, production_id: number) =>
  store.database
    .prepare("UPDATE shoot_days SET date = ? WHERE id = (SELECT max(id) FROM shoot_days WHERE production_id = ?)")
    .run(dateAt(null, Date.now()), production_id);

interface Look {
  name: string;
  /** The production of which this is the admin. */
  admin?: number;
  key?: string;
  paths: string[];
}

/** A scene and an asset that a vendor's key reaches. */
async function reachedBy(server: TestServer, key: string): Promise<string[]> {
  const { reach } = (await server.get(key, "/me")) as { reach: { nodes: { node_id: number; kind: string }[] } };
  const scene = reach.nodes.find(({ kind }) => kind === "scene");
  const asset = reach.nodes.find(({ kind }) => kind !== "scene");
  return [...(scene ? [`/scenes/${scene.node_id}`] : []), ...(asset ? [`/assets/${asset.node_id}`] : [])];
}

/** Who looks at which pages. */
async function looksOf(server: TestServer): Promise<Look[]> {
  const { store } = server;
  const { production, submitterKey, feature, delivery } = seedDataOf(store);
  const webhook = addWebhookWithDeliveries(store, feature);
  const key = mint(store, submitterKey);
  const sets = await addHistory(server, feature);
  store.writeSync(() => putDayOnToday(store, feature));
  const reached = await reachedBy(server, key);
  const person_id = one(
    store,
    "SELECT min(person_id) FROM approval_steps WHERE status = 'pending' AND production_id = ?",
    feature,
  );
  const editor = mint(store, { production_id: feature, person_id, scopes: ["read", "write", "edit"], label: "Editor" });
  return [
    {
      name: "the admin of a feature",
      admin: feature,
      paths: [
        ...addressesOf(store, feature),
        `/settings/webhooks?deliveries=${webhook}`,
        ...sets.flatMap((id) => [`/settings/history/${id}`, `/settings/history/${id}?undo=1`]),
      ],
    },
    { name: "the admin of a series", admin: production, paths: addressesOf(store, production).slice(0, 6) },
    { name: "a vendor", key, paths: ["/turnovers", `/turnovers/${delivery}`, "/orders", "/nowhere", ...reached] },
    { name: "an editor", key: editor, paths: ["/approvals", "/settings", "/settings/sessions"] },
    { name: "a visitor", paths: ["/", "/signin?next=/scenes"] },
  ];
}

type Browsing = Awaited<ReturnType<typeof browseWith>>;

async function lookAt(browsing: Browsing, server: TestServer, look: Look): Promise<void> {
  const { violations, open, openAsAdmin, signIn } = browsing;
  const { admin, key } = look;
  const opened = admin !== undefined ? openAsAdmin(admin) : key !== undefined ? signIn(key) : open();
  const { context, page } = await opened;
  for (const path of look.paths) {
    await page.goto(server.url + path);
    await page.evaluate(axe); // it runs outside the policy of the page
    for (const width of widths) await checkPage(page, `${look.name} ${path}`, width);
    darkWidth = darkWidth === 320 ? 1280 : 320;
  }
  await context.close();
  assert.equal(violations, []);
}

/** How many pages one case looks at: the runner ends a file that says nothing for long. */
const pagesInCase = 12;

/** Runs a suite that looks at the pages that are chosen, in windows of each width and in both colour schemes. */
export async function testLooks(isChosen: (path: string) => boolean): Promise<void> {
  const server = await openTestServer();
  const browsing = await browseWith(server);
  const looks = suite("every page, in four widths, light and dark");
  for (const { paths: all, ...look } of await looksOf(server)) {
    const chosen = all.filter(isChosen);
    for (let at = 0; at < chosen.length; at += pagesInCase) {
      const paths = chosen.slice(at, at + pagesInCase);
      const what = `is accessible, fits and stays on its server, for ${look.name}, from ${paths[0]}`;
      looks(what, () => lookAt(browsing, server, { ...look, paths }));
    }
  }
  looks.after(async () => {
    await browsing.close();
    await server.stop();
  });
  looks.run();
}

// npm run bench:pages: opens every page of a production with 2,000 scenes in Chromium, on a line of 400 kbit/s with 400
// ms and with a processor four times slower, without a cache: as its admin, as a person for whom approvals wait, and as
// a vendor. The script has two drafts, of which the later changes 200 scenes. Prints when a page is readable and
// usable, its nodes and its bytes, as ratios to the limits. Arguments are words: only pages whose address contains one
// of them are opened; `=/` is the first page.
import { rmSync } from "node:fs";
import type { CDPSession } from "playwright-core";
import { mint, one, openTestServer } from "../../test/support/app.ts";
import { browseWith, reasonToSkip } from "../../test/support/chromium.ts";
import { folderOfLarger } from "../../test/support/larger_production.ts";
import { addressesOf } from "../../test/support/page_looks.ts";

/** In milliseconds after the request, and in nodes. */
const limits = { readable: 4_000, usable: 6_000, nodes: 3_000 };
const slow3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const slowdown = 4;

interface Figures {
  readable: number;
  usable: number;
  nodes: number;
  bytes: number;
}

const measured = `(() => {
  const [page] = performance.getEntriesByType("navigation");
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const all = document.createNodeIterator(document, NodeFilter.SHOW_ALL);
  let nodes = 0;
  while (all.nextNode()) nodes++;
  return { readable: paint?.startTime ?? page.loadEventEnd, usable: page.domContentLoadedEventEnd, nodes, bytes: page.transferSize };
})()`;

async function throttle(session: CDPSession): Promise<void> {
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await session.send("Network.emulateNetworkConditions", slow3G);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
}

const changedScenes = 200;

/** The text of the script. The later draft has another line in some scenes. */
const draft = (isLater: boolean): string =>
  Array.from({ length: 2_000 }, (_, n) => {
    const line = isLater && n % (2_000 / changedScenes) === 0 ? "We leave tonight." : "We stay until the morning.";
    const talk = Array.from({ length: 6 }, (_, k) => `PLAYER ${(n + k) % 40}\nWhat is said in part ${k} of it.\n`);
    return `${n % 2 === 0 ? "INT." : "EXT."} PLACE ${n % 97} - ${n % 3 === 0 ? "NIGHT" : "DAY"} #${n + 1}#\n\nDust.\n\n${talk.join("\n")}\nPLAYER 1\n${line}\n`;
  }).join("\n");

async function importDrafts(): Promise<void> {
  const key = mint(server.store, { production_id: 1, scopes: ["read", "write", "admin"] });
  for (const isLater of [false, true]) {
    const body = new FormData();
    body.append("files", new Blob([draft(isLater)]), isLater ? "pink.fountain" : "white.fountain");
    const answer = await server.ask(key, "/api/v1/admin/import", { method: "POST", body });
    if (answer.status !== 200) throw new Error(await answer.text());
    const pending = `UPDATE script_changes SET status = 'dismissed', decided_at = detected_at WHERE status = 'pending'`;
    if (!isLater) server.store.writeSync(() => server.store.database.prepare(pending).run());
  }
}

if (reasonToSkip !== undefined) throw new Error(reasonToSkip);
const words = process.argv.slice(2);
const folder = await folderOfLarger();
const server = await openTestServer({ data: folder });
const { store } = server;
await importDrafts();
const browsing = await browseWith(server);
const options = { viewport: { width: 390, height: 844 }, serviceWorkers: "block" } as const;
const person_id = one(store, "SELECT min(person_id) FROM approval_steps WHERE status = 'pending'");
const engagement_id = one(store, "SELECT min(id) FROM engagements");
const isChosen = (path: string) =>
  words.length === 0 || words.some((word) => (word.startsWith("=") ? path === word.slice(1) : path.includes(word)));
const over: string[] = [];

/** Measures the pages that somebody sees. */
async function measure(who: string, { context, page }: Awaited<ReturnType<typeof browsing.open>>, paths: string[]) {
  const chosen = paths.filter(isChosen);
  // the server loads its modules with the first visit
  for (const path of chosen) await (await page.goto(server.url + path))?.finished();
  await throttle(await context.newCDPSession(page));
  for (const path of chosen) {
    await page.goto(server.url + path, { waitUntil: "load", timeout: 120_000 });
    await page.waitForTimeout(500);
    const figures = await page.evaluate<Figures>(measured);
    const ratios = Object.entries(limits).map(
      ([name, limit]) => [name, figures[name as keyof Figures] / limit] as const,
    ); // their names
    if (ratios.some(([, ratio]) => ratio > 1)) over.push(path);
    const texts = ratios.map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`);
    console.log(`${who.padEnd(7)} ${path.padEnd(32)} ${texts.join("  ")}  ${(figures.bytes / 1000).toFixed(1)} KB`);
  }
  await context.close();
}

const addresses = addressesOf(store, 1).filter((path) => !/\/(?:null|undefined)$/.test(path) && path !== "/nowhere");
await measure("admin", await browsing.openAsAdmin(1, options), addresses);
const own = ["/", "/approvals", `/approvals/${one(store, "SELECT min(id) FROM approvals")}`];
await measure("person", await browsing.signIn(mint(store, { production_id: 1, person_id }), options), own);
const desk = ["/turnovers", `/turnovers/${one(store, "SELECT min(delivery_id) FROM grants WHERE verb = 'submit'")}`];
await measure("vendor", await browsing.signIn(mint(store, { production_id: 1, engagement_id }), options), desk);
console.log(over.length === 0 ? "every page is within its limits" : `over a limit: ${over.join(", ")}`);
await browsing.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(over.length === 0 ? 0 : 1);

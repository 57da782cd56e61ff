// npm run bench:pages: opens every page of a production with 2,000 scenes in Chromium, on a line of 400 kbit/s with 400 ms and with a
// processor four times slower, without a cache. Prints when a page is readable and usable, its nodes and its bytes, as ratios to the
// limits. Arguments are words: only pages whose address contains one of them are opened.
import { rmSync } from "node:fs";
import type { CDPSession } from "playwright-core";
import { openTestServer } from "../../test/support/app.ts";
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

if (reasonToSkip !== undefined) throw new Error(reasonToSkip);
const words = process.argv.slice(2);
const folder = await folderOfLarger();
const server = await openTestServer({ data: folder });
const browsing = await browseWith(server);
const viewport = { width: 390, height: 844 };
const { context, page } = await browsing.openAsAdmin(1, { viewport, serviceWorkers: "block" });
const addresses = addressesOf(server.store, 1).filter(
  (path) => !/\/(?:null|undefined)$/.test(path) && path !== "/nowhere",
);
const chosen = addresses.filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
for (const path of chosen) await (await page.goto(server.url + path))?.finished(); // the server loads its modules with the first visit
await throttle(await context.newCDPSession(page));
const over: string[] = [];
for (const path of chosen) {
  await page.goto(server.url + path, { waitUntil: "load", timeout: 120_000 });
  await page.waitForTimeout(500);
  const figures = await page.evaluate<Figures>(measured);
  const ratios = Object.entries(limits).map(([name, limit]) => [name, figures[name as keyof Figures] / limit] as const); // their names
  if (ratios.some(([, ratio]) => ratio > 1)) over.push(path);
  const texts = ratios.map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`);
  console.log(`${path.padEnd(32)} ${texts.join("  ")}  ${(figures.bytes / 1000).toFixed(1)} KB`);
}
console.log(over.length === 0 ? "every page is within its limits" : `over a limit: ${over.join(", ")}`);
await browsing.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(over.length === 0 ? 0 : 1);

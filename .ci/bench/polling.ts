// The benchmark of polling beside a storage agent: many keys poll different bundles while batches of storage events
// arrive.
import { setInterval } from "node:timers";
import { mint } from "../../test/support/app.ts";
import { authorization, type Case, log } from "./cases.ts";
import { type LoadRequest, load } from "./load.ts";
import { openDemo, type SeedData, withStore } from "./seed_data.ts";
import { batchOf, openFilespace } from "./storage_batches.ts";
import { startSubject } from "./subject.ts";

const pairs = 300;
const batchesPerSecond = 10;
/** Of a batch: what an agent reports while a camera card is copied, and the most that a batch may hold. */
const usual = 50;
const largest = 1000;

/** 300 keys, each with the bundle that it polls. */
function pairsOf(seedData: SeedData): { keys: string[]; paths: string[] } {
  const { production_id, scenes } = seedData;
  const keys = withStore(seedData, (store) => Array.from({ length: pairs }, () => mint(store, { production_id })));
  return { keys, paths: keys.map((_, at) => `/api/v1/bundles/scene/${scenes[at % scenes.length]}`) };
}

/** Runs `work` while batches arrive ten times a second. Throws if one is not accepted. */
async function besideBatches<T>(url: string, key: string, bodies: () => string, work: () => Promise<T>): Promise<T> {
  const headers = { ...authorization(key), "content-type": "application/json" };
  const posts: Promise<void>[] = [];
  const post = async () => {
    const response = await fetch(`${url}/api/v1/storage/events`, { method: "POST", headers, body: bodies() });
    if (response.status !== 200) throw new Error(`a batch: ${response.status} ${await response.text()}`);
    await response.text();
  };
  const timer = setInterval(() => posts.push(post()), 1000 / batchesPerSecond);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await Promise.all(posts);
  }
}

export const polling: Case = {
  name: "polling of 300 keys beside a storage agent",
  async open(runtime, { seconds }) {
    const seedData = await openDemo();
    const filespace = openFilespace(seedData);
    const { keys, paths } = pairsOf(seedData);
    const ours = await startSubject(runtime, "ours", [seedData.folder], log);
    const request: LoadRequest = { url: ours.url, headers: {}, paths, keys, seconds, connections: 32 };
    const poll = async () => (await load(request)).rate;
    const beside = (size: number) => () => besideBatches(ours.url, seedData.key, () => batchOf(filespace, size), poll);
    return {
      subjects: { alone: poll, beside: beside(usual), "beside the largest": beside(largest) },
      unit: "answers/s",
      ratios: [
        {
          label: `beside 10 batches a second of ${usual} events, of its rate alone`,
          of: "beside",
          to: "alone",
          target: 0.8,
        },
        {
          label: `beside 10 batches a second of ${largest} events, of its rate alone`,
          target: 0.5,
          of: "beside the largest",
          to: "alone",
        },
      ],
      close: () => ours.stop(),
    };
  },
};

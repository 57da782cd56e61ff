// The benchmark of many connections: 1,000 clients that keep them, with a request for a bundle every second, beside ten
// uploads and an update of the same production with 2,000 changes. The clients are other machines in real life, so the
// processes of the load have the lowest priority, and each upload has 12 MB/s: together they fill a line of one
// gigabit. A process of its own takes the times.
import { setTimeout as pause } from "node:timers/promises";
import { mint } from "../../test/support/app.ts";
import { type Case, log } from "./cases.ts";
import { openOfSize, openVendor, withStore } from "./seed_data.ts";
import { type Runtime, startAssistant, startSubject } from "./subject.ts";

const clients = 1000;
const uploads = 10;
/** In bytes, and in bytes per second of each. */
const uploadSize = 64 * 2 ** 20;
const bandwidth = 12e6;
/** Each scene and each asset is changed by the update: 2,000 changes. */
const counts = { title: "Crowd", scenes: 500, assets: 1500, versions: 2, engagements: 10 };
const maxTime = 50;
const maxGap = 100;

interface Figures {
  p99: number;
  gap: number;
  /** The longest delay of the server's event loop. */
  delay: number;
}

/**
 * Posts a document that changes every scene and asset; `round` must differ from that of the last time. Returns the
 * number of changes.
 */
async function update(url: string, key: string, round: number): Promise<number> {
  const document = {
    scenes: Array.from({ length: counts.scenes }, (_, n) => ({
      number: `${n + 1}`,
      synopsis: `${n} in round ${round}`,
    })),
    assets: Array.from({ length: counts.assets }, (_, n) => ({
      label: `Thing ${n}`,
      status: round % 2 === 0 ? "blocked" : "done",
    })),
  };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify(document);
  const response = await fetch(`${url}/api/v1/admin/import`, { method: "POST", headers, body });
  if (response.status !== 200) throw new Error(`the update answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { counts: { changed: number } }).counts.changed;
}

/** Starts the server, its clients and the process that takes the times. */
async function start(runtime: Runtime, seconds: number) {
  const seedData = await openOfSize(counts);
  const { folder, key, production_id } = seedData;
  const vendor = openVendor(seedData);
  const admin = withStore(seedData, (store) => mint(store, { production_id, scopes: ["read", "admin"] }));
  const server = await startSubject(runtime, "ours", [folder], log);
  let round = 0;
  await update(server.url, admin, round); // some assets have this status already; the next update changes all
  const updateAll = async (): Promise<void> => {
    await pause(1000);
    const changed = await update(server.url, admin, ++round);
    if (changed !== counts.scenes + counts.assets) throw new Error(`the update changed ${changed} things`);
  };
  const paths = seedData.scenes.map((id) => `/api/v1/bundles/scene/${id}`);
  const target = `${server.url}/api/v1/turnovers/${vendor.delivery_id}/submissions`;
  const uploader = await startAssistant("uploader", [
    target,
    vendor.key,
    ...[uploads, uploadSize, bandwidth].map(String),
  ]);
  const prober = await startAssistant("crowd_prober", [server.url, key, ...paths]);
  const crowd = await startAssistant("crowd", [server.url, key, String(clients), ...paths]);
  /**
   * Whether the load was what it should be: the fewest answers per second of the clients, the longest time of the
   * uploads.
   */
  const reached = { answers: Number.POSITIVE_INFINITY, seconds: 0 };
  /** The seconds of a processor that the server used, and the answers that the clients got meanwhile. */
  const used = { seconds: 0, answers: 0 };
  return {
    reached,
    used,
    /** Beside the uploads and the update, which begin with the measurement. */
    async measure(): Promise<Figures> {
      await pause(500);
      await server.report();
      await crowd.ask("");
      const began = performance.now();
      const before = server.processorTime();
      const probing = prober.ask(String(seconds)) as Promise<Omit<Figures, "delay">>;
      const [figures, taken] = await Promise.all([probing, uploader.ask(""), updateAll()]);
      const answers = (await crowd.ask("")) as number;
      used.seconds += server.processorTime() - before;
      used.answers += answers;
      reached.answers = Math.min(reached.answers, answers / ((performance.now() - began) / 1000));
      reached.seconds = Math.max(reached.seconds, taken as number);
      return { ...figures, delay: Number(await server.report()) };
    },
    async stop(): Promise<void> {
      for (const one of [crowd, uploader, prober, server]) await one.stop();
    },
  };
}

export const crowd: Case = {
  name: "1,000 connections beside uploads and an import",
  async open(runtime, { seconds }) {
    const { measure, reached, used, stop } = await start(runtime, Math.max(6, seconds * 3));
    /** The result of the last run, without the figures that were taken. */
    let last: Partial<Figures> = {};
    const figure = (name: keyof Figures) => async (): Promise<number> => {
      if (last[name] === undefined) last = await measure();
      const taken = last[name] as number;
      delete last[name];
      return taken;
    };
    const limits = { [`${maxTime} ms`]: async () => maxTime, [`${maxGap} ms`]: async () => maxGap };
    const ratio = (label: string, of: string, to: number) => ({ label, of, to: `${to} ms`, target: 1, atMost: true });
    return {
      subjects: { p99: figure("p99"), gap: figure("gap"), delay: figure("delay"), ...limits },
      unit: "ms",
      ratios: [
        ratio("p99 of a bundle, of 50 ms", "p99", maxTime),
        ratio("longest gap of /healthz, of 100 ms", "gap", maxGap),
        ratio("longest delay of the server's event loop, of 100 ms", "delay", maxGap),
      ],
      facts: () => ({
        "answers per second of the clients, at least": reached.answers,
        "milliseconds of a processor for each of these answers, with the uploads and the update":
          (1000 * used.seconds) / used.answers,
        [`seconds of the uploads, at most (${(uploadSize / bandwidth).toFixed(1)} at full speed)`]: reached.seconds,
      }),
      close: stop,
    };
  },
};

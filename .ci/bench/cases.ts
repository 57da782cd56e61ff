// The benchmark cases: each opens its subjects and defines how one round is measured, and which ratios of the figures
// matter, with their targets.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bursts, pieces, slowest, unit } from "./bursts.ts";
import { copyOf, longestDay, openDemo, openLarger, type SeedData, scratch } from "./seed_data.ts";
import { type Runtime, type Subject, startSubject } from "./subject.ts";

export interface Size {
  /** Of the load in one round. */
  seconds: number;
  /** Of a large body, in bytes. */
  large: number;
}

export interface Ratio {
  label: string;
  of: string;
  to: string;
  /** A minimum, or with `atMost` a maximum. */
  target: number;
  atMost?: boolean;
}

export interface Opened {
  /** Measures one round of each subject. */
  subjects: Record<string, () => Promise<number>>;
  unit: string;
  ratios: Ratio[];
  /** Further figures, after the rounds. */
  facts?: () => Record<string, number>;
  close(): Promise<void>;
}

export interface Case {
  name: string;
  /**
   * How often each subject is measured in a round; 1 by default. The figure of a round is that of the piece that others
   * disturbed least.
   */
  pieces?: number;
  open(runtime: Runtime, size: Size): Promise<Opened>;
}

export const log = join(scratch, "log");
export const authorization = (key: string) => ({ authorization: `Bearer ${key}` });
export const stopAll = async (subjects: Iterable<Subject>): Promise<void> => {
  for (const subject of subjects) await subject.stop();
};

let opened: Promise<SeedData> | undefined;
const demo = (): Promise<SeedData> => (opened ??= openDemo());

const startOurs = (runtime: Runtime, folder: string, ...words: string[]): Promise<Subject> =>
  startSubject(runtime, "ours", [copyOf(folder), ...words], log);

/** A bare server that sends exactly the bytes that `url` returns. */
async function startBare(runtime: Runtime, url: string, headers: Readonly<Record<string, string>>): Promise<Subject> {
  // the load asks for no coding
  const response = await fetch(url, { headers: { ...headers, "accept-encoding": "identity" } });
  const sent = Object.fromEntries(response.headers);
  for (const name of ["date", "connection", "keep-alive"]) delete sent[name]; // Node adds its own
  const file = join(scratch, `answer-${Math.random()}.json`);
  writeFileSync(file, JSON.stringify({ status: response.status, headers: sent, body: await response.text() }));
  return startSubject(runtime, "bare", ["answer", file], log);
}

/** Checks that all subjects return the same bytes for a request. Throws if one does not. */
async function assertSameBytes(urls: readonly string[], headers: Readonly<Record<string, string>>): Promise<void> {
  const bodies = await Promise.all(urls.map(async (url) => (await fetch(url, { headers })).text()));
  bodies.forEach((body, at) => {
    if (body !== bodies[0]) throw new Error(`${urls[at]} answers other bytes than ${urls[0]}`);
  });
}

const sceneBundle: Case = {
  name: "scene bundle, 200",
  pieces,
  async open(runtime) {
    const { folder, key, scenes } = await demo();
    const path = `/api/v1/bundles/scene/${scenes[0]}`;
    const headers = authorization(key);
    const ours = await startOurs(runtime, folder);
    const cold = await startOurs(runtime, folder, "cold");
    const fastify = await startSubject(runtime, "fastify", [folder], log);
    const hono = await startSubject(runtime, "hono", [folder], log);
    const bare = await startBare(runtime, ours.url + path, headers);
    const started = { ours, cold, bare, fastify, hono };
    await assertSameBytes(
      Object.values(started).map(({ url }) => url + path),
      headers,
    );
    return {
      subjects: Object.fromEntries(
        Object.entries(started).map(([name, subject]) => [name, bursts(subject, { headers, path })]),
      ),
      unit,
      ratios: [
        { label: "warm, of bare node:http sending the same bytes", of: "ours", to: "bare", target: 0.75 },
        { label: "warm, of Fastify assembling it", of: "ours", to: "fastify", target: 12 },
        { label: "warm, of Hono assembling it", of: "ours", to: "hono", target: 12 },
        { label: "after every write (cold), of Fastify", of: "cold", to: "fastify", target: 1.6 },
        { label: "after every write (cold), of Hono", of: "cold", to: "hono", target: 1.6 },
      ],
      close: () => stopAll(Object.values(started)),
    };
  },
};

/** The day whose bundle is the longest, beside the scene bundle of the same production. */
const dayBundle: Case = {
  name: "day bundle",
  pieces,
  async open(runtime) {
    const { folder, key, production_id, scenes } = await demo();
    const headers = authorization(key);
    const day = longestDay(folder, production_id);
    const paths = { day: `/api/v1/bundles/day/${day}`, scene: `/api/v1/bundles/scene/${scenes[1]}` };
    const warm = await startOurs(runtime, folder);
    const cold = await startOurs(runtime, folder, "cold");
    const bare = await startBare(runtime, warm.url + paths.day, headers);
    const measure = (subject: Subject, path: string) => bursts(subject, { headers, path });
    return {
      subjects: {
        "day warm": measure(warm, paths.day),
        "day cold": measure(cold, paths.day),
        "scene warm": measure(warm, paths.scene),
        "scene cold": measure(cold, paths.scene),
        bare: measure(bare, paths.day),
      },
      unit,
      ratios: [
        { label: "warm, of bare node:http sending the same bytes", of: "day warm", to: "bare", target: 0.7 },
        { label: "warm, of a usual scene bundle", of: "day warm", to: "scene warm", target: 0.7 },
        { label: "after every write (cold), of a usual scene bundle", of: "day cold", to: "scene cold", target: 0.3 },
      ],
      close: () => stopAll([warm, cold, bare]),
    };
  },
};

const notModified: Case = {
  name: "scene bundle, 304",
  pieces,
  async open(runtime) {
    const { folder, key, scenes } = await demo();
    const path = `/api/v1/bundles/scene/${scenes[0]}`;
    const ours = await startOurs(runtime, folder);
    const etag = (await fetch(ours.url + path, { headers: authorization(key) })).headers.get("etag") ?? "";
    const headers = { ...authorization(key), "if-none-match": etag };
    const bare = await startBare(runtime, ours.url + path, headers);
    return {
      subjects: {
        ours: bursts(ours, { headers, path }),
        bare: bursts(bare, { headers, path }),
      },
      unit,
      ratios: [{ label: "of a bare 304", of: "ours", to: "bare", target: 0.75 }],
      close: () => stopAll([ours, bare]),
    };
  },
};

const list = (document: string): Case => ({
  name: `GET ${document}`,
  pieces,
  async open(runtime) {
    const { folder, key } = await demo();
    const path = `/api/v1${document}`;
    const headers = authorization(key);
    const ours = await startOurs(runtime, folder);
    const bare = await startBare(runtime, ours.url + path, headers);
    return {
      subjects: {
        ours: bursts(ours, { headers, path }),
        bare: bursts(bare, { headers, path }),
      },
      unit,
      ratios: [{ label: "warm, of bare node:http sending the same bytes", of: "ours", to: "bare", target: 0.7 }],
      close: () => stopAll([ours, bare]),
    };
  },
});

const mcp: Case = {
  name: "MCP get_scene_bundle",
  pieces,
  async open(runtime) {
    const { folder, key, scenes } = await demo();
    const node_id = scenes[0];
    const ours = await startOurs(runtime, folder);
    const sdk = await startSubject(runtime, "sdk", [folder], log);
    const headers = {
      ...authorization(key),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_scene_bundle", arguments: { node_id } },
    });
    const call = (subject: Subject) => bursts(subject, { headers, path: "/mcp", body });
    return {
      subjects: {
        mcp: call(ours),
        rest: bursts(ours, { headers: authorization(key), path: `/api/v1/bundles/scene/${node_id}` }),
        sdk: call(sdk),
      },
      unit,
      ratios: [
        { label: "of the same bundle over REST", of: "mcp", to: "rest", target: 0.6 },
        { label: "of a server on the official SDK", of: "mcp", to: "sdk", target: 5 },
      ],
      close: () => stopAll([ours, sdk]),
    };
  },
};

/**
 * Requests at most 500 usual scenes in turn, to show the effect of the production's size. The busy one would be the p99
 * of the demo, which has few.
 */
const larger: Case = {
  name: "bundle p99 in 20,000 scenes",
  pieces,
  async open(runtime) {
    const productions: [string, SeedData][] = [
      ["demo", await demo()],
      ["larger", await openLarger()],
    ];
    const started: Subject[] = [];
    const subjects: Opened["subjects"] = {};
    for (const [name, { folder, key, scenes }] of productions)
      for (const words of [[], ["cold"]]) {
        const subject = await startOurs(runtime, folder, ...words);
        started.push(subject);
        const [, ...usual] = scenes;
        const step = Math.max(1, Math.floor(usual.length / 500));
        const paths = usual.filter((_, at) => at % step === 0).map((id) => `/api/v1/bundles/scene/${id}`);
        subjects[[name, ...words].join(" ")] = slowest(subject, { headers: authorization(key), paths });
      }
    return {
      subjects,
      unit: `${unit}, like the p99`,
      ratios: [
        { label: "warm, p99 of the demo's", of: "demo", to: "larger", target: 1.3, atMost: true },
        { label: "cold, p99 of the demo's", of: "demo cold", to: "larger cold", target: 1.3, atMost: true },
      ],
      close: () => stopAll(started),
    };
  },
};

export const requestCases: readonly Case[] = [
  sceneBundle,
  dayBundle,
  notModified,
  ...["/production", "/scenes", "/assets", "/schedule"].map(list),
  mcp,
  larger,
];

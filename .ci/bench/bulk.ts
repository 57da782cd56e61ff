// The benchmarks of large bodies, of many events, and of a server at rest.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { authorization, type Case, log, stopAll } from "./cases.ts";
import { addMedia, openDemo, openVendor } from "./seed_data.ts";
import { batchOf, openFilespace } from "./storage_batches.ts";
import { commandOf, type Runtime, type Subject, startSubject } from "./subject.ts";
import { download, upload, uploadResumable } from "./transfer.ts";

const bearer = (key: string): string => `authorization: Bearer ${key}\r\n`;

/** Measures a subject's memory during `work`; `seen.most` is the peak growth in MiB. */
async function watchMemory(subject: Subject, seen: { most: number }, work: () => Promise<number>): Promise<number> {
  const before = subject.memory();
  const timer = setInterval(() => {
    seen.most = Math.max(seen.most, subject.memory() - before);
  }, 200);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

const content: Case = {
  name: "media content",
  async open(runtime, { large }) {
    const seedData = await openDemo();
    const { id, file } = await addMedia(seedData, large);
    const ours = await startSubject(runtime, "ours", [seedData.folder], log);
    const bare = await startSubject(runtime, "bare", ["content", file], log);
    const seen = { most: 0 };
    const bareMemory = { most: 0 };
    return {
      subjects: {
        ours: () =>
          watchMemory(ours, seen, () => download(`${ours.url}/api/v1/media/${id}/content`, bearer(seedData.key))),
        bare: () => watchMemory(bare, bareMemory, () => download(`${bare.url}/`, "")),
      },
      unit: "MiB/s",
      ratios: [{ label: "of fs.createReadStream piped by bare node:http", of: "ours", to: "bare", target: 0.8 }],
      facts: () => ({ "MiB of memory added at most": seen.most, "MiB that the bare server added": bareMemory.most }),
      close: () => stopAll([ours, bare]),
    };
  },
};

const submission: Case = {
  name: "submission",
  async open(runtime, { large }) {
    const seedData = await openDemo();
    const { key, delivery_id } = openVendor(seedData);
    const ours = await startSubject(runtime, "ours", [seedData.folder], log);
    const bare = await startSubject(runtime, "bare", ["upload", seedData.folder], log);
    const seen = { most: 0 };
    const bareMemory = { most: 0 };
    return {
      subjects: {
        ours: () =>
          watchMemory(ours, seen, () =>
            upload(`${ours.url}/api/v1/turnovers/${delivery_id}/submissions`, bearer(key), large),
          ),
        bare: () => watchMemory(bare, bareMemory, () => upload(`${bare.url}/`, "", large)),
      },
      unit: "MiB/s",
      ratios: [
        { label: "of bare node:http piping to a file through sha256 with fsync", of: "ours", to: "bare", target: 0.7 },
      ],
      facts: () => ({ "MiB of memory added at most": seen.most, "MiB that the bare server added": bareMemory.most }),
      close: () => stopAll([ours, bare]),
    };
  },
};

const resumable: Case = {
  name: "resumable upload",
  async open(runtime, { large }) {
    const seedData = await openDemo();
    const ours = await startSubject(runtime, "ours", [seedData.folder], log);
    const bare = await startSubject(runtime, "bare", ["upload", seedData.folder], log);
    const seen = { most: 0 };
    const bareMemory = { most: 0 };
    const address = `${ours.url}/api/v1/uploads`;
    return {
      subjects: {
        ours: () => watchMemory(ours, seen, () => uploadResumable(address, seedData.key, large)),
        parts: () => uploadResumable(address, seedData.key, large, 8 << 20),
        bare: () => watchMemory(bare, bareMemory, () => upload(`${bare.url}/`, "", large)),
      },
      unit: "MiB/s",
      ratios: [
        { label: "of bare node:http piping to a file through sha256 with fsync", of: "ours", to: "bare", target: 0.7 },
        { label: "the same in parts of 8 MiB, each of them synced", of: "parts", to: "bare", target: 0.3 },
      ],
      facts: () => ({ "MiB of memory added at most": seen.most, "MiB that the bare server added": bareMemory.most }),
      close: () => stopAll([ours, bare]),
    };
  },
};

const batchSize = 1000;

/** Posts batches, two at a time, for `seconds`; returns how many events a second of a processor is enough for. */
async function postEvents(subject: Subject, key: string, filespace: string, seconds: number): Promise<number> {
  const url = `${subject.url}/api/v1/storage/events`;
  const headers = { ...authorization(key), "content-type": "application/json" };
  const bodies = Array.from({ length: Math.ceil(seconds * 150) }, () => batchOf(filespace, batchSize));
  const started = performance.now();
  const before = subject.processorTime();
  let events = 0;
  const work = async () => {
    for (
      let body = bodies.pop();
      body !== undefined && performance.now() - started < seconds * 1000;
      body = bodies.pop()
    ) {
      const response = await fetch(url, { method: "POST", headers, body });
      const { accepted } = (await response.json()) as { accepted?: number };
      if (accepted !== batchSize) throw new Error(`${url}: ${response.status}`);
      events += batchSize;
    }
  };
  await Promise.all([work(), work()]);
  return events / (subject.processorTime() - before);
}

const storageEvents: Case = {
  name: "storage events",
  async open(runtime, { seconds }) {
    const seedData = await openDemo();
    const filespace = openFilespace(seedData);
    const ours = await startSubject(runtime, "ours", [seedData.folder], log);
    const [command, words] = commandOf(runtime, "inserts", [
      seedData.folder,
      String(batchSize),
      String(seconds * 1000),
    ]);
    return {
      subjects: {
        ours: () => postEvents(ours, seedData.key, filespace, seconds),
        bare: async () => Number((await promisify(execFile)(command, words)).stdout),
      },
      unit: "events for each second of a processor",
      ratios: [{ label: "of a bare better-sqlite3 loop as durable", of: "ours", to: "bare", target: 0.5 }],
      close: () => stopAll([ours]),
    };
  },
};

/** Starts a subject, sends one request and waits; returns milliseconds to the first response, or MiB at rest. */
async function atRest(
  runtime: Runtime,
  name: string,
  args: string[],
  path: string,
  key: string,
  what: "ms" | "MiB",
  rest = 1000,
) {
  const started = performance.now();
  const subject = await startSubject(runtime, name, args, log);
  try {
    const response = await fetch(subject.url + path, { headers: authorization(key) });
    await response.text();
    const milliseconds = performance.now() - started;
    if (response.status !== 200) throw new Error(`${name}: ${response.status}`);
    if (what === "ms") return milliseconds;
    await new Promise((resolve) => setTimeout(resolve, rest));
    return subject.memory();
  } finally {
    await subject.stop();
  }
}

const rest = (name: string, what: "ms" | "MiB", target: number): Case => ({
  name,
  async open(runtime) {
    const { folder, key } = await openDemo();
    const ours = ["serve", "--data", folder, "--port", "0"];
    // until the cache of compiled code is written
    await atRest(runtime, "launcher", ours, "/api/v1/production", key, "MiB", 3000);
    return {
      subjects: {
        ours: () => atRest(runtime, "launcher", ours, "/api/v1/production", key, what),
        bare: () => atRest(runtime, "plain", [], "/", key, what),
      },
      unit: what,
      ratios: [{ label: "of the bare server's", of: "ours", to: "bare", target, atMost: true }],
      close: async () => {},
    };
  },
});

export const bulkCases: readonly Case[] = [
  content,
  submission,
  resumable,
  storageEvents,
  rest("boot to first answer", "ms", 3),
  rest("memory at rest", "MiB", 1.5),
];

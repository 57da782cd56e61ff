// The benchmark of many connections: 1,000 clients that keep them, with a request a second each, beside ten uploads and an import.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { launcher } from "../support/command.ts";
import { type Case, log } from "./cases.ts";
import { writeLarger } from "./larger.ts";
import { openDemo, openVendor, scratch } from "./seed_data.ts";
import { commandOf, type Runtime, startSubject } from "./subject.ts";
import { upload } from "./transfer.ts";

const clients = 1000;
const uploads = 10;
const uploadSize = 32 * 2 ** 20;
/** Of the documents that are imported: 500 scenes and 1,500 assets. */
const counts = { scenes: 500, assets: 1500, versions: 1, engagements: 10 };
const maxTime = 50;
const maxGap = 100;

interface Crowd {
  p99: number;
  gap: number;
  answers: number;
}

/** Runs the clients in a process of their own; calls `ready` when all are connected. */
async function runCrowd(runtime: Runtime, args: readonly string[], ready: () => Promise<void>): Promise<Crowd> {
  const [command, words] = commandOf(runtime, "crowd", args);
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "inherit"] });
  let beside: Promise<void> | undefined;
  let result: Crowd | undefined;
  for await (const line of createInterface({ input: child.stdout }))
    if (line === "ready") beside = ready();
    else result = JSON.parse(line);
  await beside;
  if (result === undefined) throw new Error("the clients ended early");
  return result;
}

let imports = 0;

/** Imports a new production of 2,000 things with the command, while the server runs. */
async function importProduction(folder: string): Promise<void> {
  const file = join(scratch, "crowd.json");
  await writeLarger(file, { ...counts, title: `Crowd ${imports++}` });
  const child = spawn(process.execPath, [launcher, "import", file, "--data", folder], { stdio: "ignore" });
  const [status] = await once(child, "exit");
  rmSync(file);
  if (status !== 0) throw new Error(`the import ended with ${status}`);
}

export const crowd: Case = {
  name: "1,000 connections beside uploads and an import",
  async open(runtime, { seconds }) {
    const seedData = await openDemo();
    const { folder, key, scenes } = seedData;
    const vendor = openVendor(seedData);
    const ours = await startSubject(runtime, "ours", [folder], log);
    const path = `/api/v1/bundles/scene/${scenes[0]}`;
    const beside = async (): Promise<void> => {
      const target = `${ours.url}/api/v1/turnovers/${vendor.delivery_id}/submissions`;
      const sent = Array.from({ length: uploads }, () =>
        upload(target, `authorization: Bearer ${vendor.key}\r\n`, uploadSize),
      );
      await Promise.all([importProduction(folder), ...sent]);
    };
    const args = [ours.url, path, key, String(clients), String(Math.max(5, seconds * 3))];
    /** The result of the last run, whose other figure has not been taken yet. */
    let last: Partial<Crowd> = {};
    const figure = (name: "p99" | "gap") => async (): Promise<number> => {
      if (last[name] === undefined) last = await runCrowd("node", args, beside);
      const taken = last[name] as number;
      delete last[name];
      return taken;
    };
    return {
      subjects: {
        ...{ "p99 of a bundle": figure("p99"), "longest gap of /healthz": figure("gap") },
        ...{ [`${maxTime} ms`]: async () => maxTime, [`${maxGap} ms`]: async () => maxGap },
      },
      unit: "ms",
      ratios: [
        { label: "p99 of a bundle, of 50 ms", of: "p99 of a bundle", to: `${maxTime} ms`, target: 1, atMost: true },
        {
          label: "longest gap of /healthz, of 100 ms",
          of: "longest gap of /healthz",
          to: `${maxGap} ms`,
          target: 1,
          atMost: true,
        },
      ],
      close: () => ours.stop(),
    };
  },
};

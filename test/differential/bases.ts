// The data directories that comparisons begin with, which the former program makes: both demos, and a production of any size.
import { join } from "node:path";
import { fixtureFiles } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { writeLarger } from "../support/larger.ts";
import { addKeys } from "./keys.ts";
import type { Subject } from "./subject_process.ts";

const now = "2026-11-20T08:00:00.000Z";

async function baseOf(former: Subject, files: readonly string[]): Promise<string> {
  const data = join(temporaryFolder(), "base");
  for (const file of files) {
    const { status, err } = await former.ask("command", ["import", file, "--data", data], now);
    if (status !== 0) throw new Error(err);
  }
  addKeys(join(data, "tallylight.db"), now);
  return data;
}

export const demoBase = (former: Subject): Promise<string> => baseOf(former, fixtureFiles);

export async function largerBase(former: Subject, scenes: number): Promise<string> {
  const file = join(temporaryFolder(), "larger.json");
  await writeLarger(file, { scenes, assets: scenes, versions: 1, engagements: 10 });
  return baseOf(former, [file]);
}

// The data directories that comparisons begin with, which the former program makes: both demos, and a production of any
// size.
import { cpSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fixtureFiles } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { writeLarger } from "../support/larger.ts";
import type { Programs, Start } from "./comparison.ts";
import { addKeys } from "./keys.ts";

const now = "2026-11-20T08:00:00.000Z";

async function baseOf({ former, present }: Programs, files: readonly string[]): Promise<Omit<Start, "production_id">> {
  const data = join(temporaryFolder(), "base");
  for (const file of files) {
    const { status, err } = await former.ask("command", ["import", file, "--data", data], now);
    if (status !== 0) throw new Error(err);
  }
  addKeys(join(data, "tallylight.db"), now);
  const migrated = join(dirname(data), "migrated");
  cpSync(data, migrated, { recursive: true });
  await present.open(migrated, now);
  await present.ask("close");
  rmSync(join(migrated, "backups"), { recursive: true, force: true }); // that of the migration
  return { base: data, migrated };
}

export const demoBase = (programs: Programs) => baseOf(programs, fixtureFiles);

export async function largerBase(programs: Programs, scenes: number) {
  const file = join(temporaryFolder(), "larger.json");
  await writeLarger(file, { scenes, assets: scenes, versions: 1, engagements: 10 });
  return baseOf(programs, [file]);
}

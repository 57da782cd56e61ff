// The journal's manifest lists the valid files of its folder. It is replaced in one step; files that it does not list are left over
// from a crash.
import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../disk.ts";
import { AgentError } from "../errors.ts";
import { JournalDamage } from "./entry.ts";

/** Which folder on which device the root was. */
export interface Identity {
  dev: string;
  ino: string;
}

export interface Manifest {
  version: 1;
  filespace: string;
  root: Identity | null;
  /** File names, oldest first. */
  runs: string[];
  log: string;
  /** The number of the next file. */
  next: number;
  /** How many paths are present as the log starts. */
  present: number;
  /** The latest detected_at that was used. */
  clock: string;
  /** How often a path that is not in the journal has come back. */
  floor: number;
}

const manifestName = "journal.json";

export const writeManifest = (folder: string, manifest: Manifest): void =>
  replaceFile(join(folder, manifestName), `${JSON.stringify(manifest)}\n`);

/** The manifest of a folder; undefined if it has none. Throws JournalDamage, and AgentError for a newer version's. */
export function readManifest(folder: string): Manifest | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, manifestName), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new JournalDamage(`${manifestName} is not JSON`);
  }
  if (manifest.version === 1) return manifest;
  throw new AgentError(`${folder} was written by a newer version of the agent`);
}

/** The manifest of an empty journal. */
export const emptyManifest = (filespace: string): Manifest => ({
  ...{ version: 1, filespace, root: null, runs: [], log: "log-1" },
  ...{ next: 2, present: 0, clock: "", floor: 0 },
});

/** Removes what a crash left: files that the manifest does not name. */
export function removeStrays(folder: string, { runs, log }: Manifest): void {
  const kept = new Set([...runs, log]);
  for (const name of readdirSync(folder))
    if (/^(?:run|log)-\d+$/.test(name) && !kept.has(name)) rmSync(join(folder, name), { force: true });
}

/** Sets a damaged journal aside, so that the next one starts from nothing; answers where it is now. */
export function setAside(folder: string): string {
  const aside = `${folder}.damaged-${Date.now()}`;
  renameSync(folder, aside);
  return aside;
}

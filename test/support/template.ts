// Data directories that many tests begin with: each is made once, and copied as long as nothing changes that makes it.
import { hash } from "node:crypto";
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Blobs, openBlobs } from "../../src/core/store/blobs.ts";
import { openStore } from "../../src/core/store/database.ts";
import type { Store } from "../../src/core/store/store.ts";
import { temporaryFolder } from "./folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = ["fixtures/*.json", "src/**/*.ts", "sql/**/*.sql"];
let known: string | undefined;

/**
 * Changes with every file that decides what an import of a fixture writes, or what the description says. A run has its
 * own folder, in which no file changes.
 */
const stateOfSources = (): string => {
  known ??=
    process.env.TEST_RUN ??
    hash(
      "sha256",
      globSync(sources, { cwd: root })
        .sort()
        .map((file) => readFileSync(join(root, file), "utf8"))
        .join("\0"),
    ).slice(0, 16);
  return known;
};

/** A folder that all processes of a run share. The first that needs it fills it with `fill`. */
export async function sharedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const shared = join(tmpdir(), `tallylight-${name}-${stateOfSources()}`);
  if (!existsSync(shared)) {
    const draft = temporaryFolder();
    await fill(draft);
    try {
      renameSync(draft, shared);
    } catch {
      rmSync(draft, { recursive: true }); // another test file finished first
    }
  }
  return shared;
}

/** A new copy of the data directory `name`. The first test that needs it fills it with `fill`. */
async function copyOfTemplate(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const template = await sharedFolder(name, fill);
  const folder = temporaryFolder();
  cpSync(template, folder, { recursive: true });
  return folder;
}

export interface Opened {
  folder: string;
  store: Store;
  blobs: Blobs;
}

/** Opens a data directory as a command does. */
export function openData(folder: string): Opened {
  const store = openStore(join(folder, "tallylight.db"));
  return { folder, store, blobs: openBlobs(join(folder, "media"), store, { ceiling: 2 ** 30, role: "command" }) };
}

/** Imports documents into the new data directory `folder`. */
export async function importInto(folder: string, files: readonly string[], now: string): Promise<void> {
  const { importDocument } = await import("../../src/features/documents/changes/creating.ts");
  const { readDocument } = await import("../../src/features/documents/read/whole.ts");
  const { store, blobs } = openData(folder);
  for (const file of files) await importDocument(store, blobs, readDocument(file), { now });
  store.close();
}

/** For a program without some features, the whole one imports: its checkout is TEST_WHOLE. */
async function importWithWhole(folder: string, files: readonly string[], now: string): Promise<void> {
  const whole = process.env.TEST_WHOLE;
  if (whole === undefined) return importInto(folder, files, now);
  const load = (file: string) => import(pathToFileURL(join(whole, file)).href);
  await load("src/features.ts");
  await (await load("test/support/template.ts")).importInto(folder, files, now);
}

/** A data directory with the productions of fixtures, which were imported at `now`; an empty one without `files`. */
export function folderWith(files: readonly string[], now: string): Promise<string> {
  const contents = files.map((file) => [basename(file), readFileSync(file, "utf8")]);
  const name = files.length === 0 ? "empty" : hash("sha256", JSON.stringify([contents, now])).slice(0, 16);
  return copyOfTemplate(name, (folder) => importWithWhole(folder, files, now));
}

// The data that the subjects serve: the demo, a very large production, keys for both, a file of 1 GiB.
import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBlobs } from "../../src/core/store/blobs.ts";
import { openStore } from "../../src/core/store/database.ts";
import type { Store } from "../../src/core/store/store.ts";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { readDocument } from "../../src/features/documents/read/whole.ts";
import { createMedia } from "../../src/graph/media_rows.ts";
import { demoFolder, importedAt, mint } from "../../test/support/app.ts";
import { type Counts, writeLarger } from "../../test/support/larger.ts";
import { openData } from "../../test/support/template.ts";

export interface SeedData {
  folder: string;
  production_id: number;
  /** A key that reads and writes in the whole production. */
  key: string;
  /** The scenes of the production; the one with the longest bundle is first. */
  scenes: number[];
}

export const scratch = mkdtempSync(join(tmpdir(), "tallylight-bench-"));
const root = fileURLToPath(new URL("../..", import.meta.url));
const counts = { title: "Larger than life", scenes: 20_000, assets: 100_000, versions: 4, engagements: 200 };

function seedDataOf(folder: string, store: Store): SeedData {
  const longest = store.database.prepare(
    `SELECT l.from_node_id AS id, l.production_id FROM node_links l JOIN versions v ON v.node_id = l.to_node_id AND v.released = 1
     WHERE l.from_node_id IN (SELECT node_id FROM scenes) GROUP BY l.from_node_id ORDER BY count(*) DESC, l.from_node_id LIMIT 1`,
  );
  const { id, production_id } = longest.get() as { id: number; production_id: number };
  const scenes = store.database
    .prepare("SELECT node_id FROM scenes WHERE production_id = ? AND node_id <> ? ORDER BY script_order")
    .pluck()
    .all(production_id, id) as number[];
  return { folder, production_id, key: mint(store, { production_id }), scenes: [id, ...scenes] };
}

/** The shoot day with the most scenes. */
export const longestDay = (folder: string, production_id: number): number => {
  const store = openStore(join(folder, "tallylight.db"));
  try {
    const sql = "SELECT shoot_day_id FROM strips WHERE production_id = ? GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1";
    return store.database.prepare(sql).pluck().get(production_id) as number;
  } finally {
    store.close();
  }
};

/** Links the scene to more assets of its production until its bundle has about 16 KB, like that of a busy scene. */
function makeBusy(store: Store, { production_id, scenes: [scene] }: SeedData): void {
  const link = store.database.prepare(
    `INSERT INTO node_links (production_id, from_node_id, to_node_id)
     SELECT production_id, ?, node_id FROM versions WHERE released = 1 AND production_id = ?
       AND node_id NOT IN (SELECT to_node_id FROM node_links WHERE from_node_id = ?)
     GROUP BY node_id ORDER BY count(*) DESC, node_id LIMIT 1`,
  );
  const bundle = { production_id, node_id: scene, engagement_id: null, now: importedAt };
  while (((store.plucked("get_scene_bundle").get(bundle) as string | undefined)?.length ?? 0) < 16_000)
    if (link.run(scene, production_id, scene).changes === 0) return;
}

/** A new copy of the demo with one busy scene. */
export async function openDemo(): Promise<SeedData> {
  const folder = await demoFolder();
  folders.push(folder);
  const store = openStore(join(folder, "tallylight.db"));
  try {
    const seedData = seedDataOf(folder, store);
    makeBusy(store, seedData);
    return seedData;
  } finally {
    store.close();
  }
}

/** Imports a production of `counts` into a data directory. */
async function importLarger(folder: string, counts: Counts): Promise<void> {
  const file = join(scratch, "larger.json");
  await writeLarger(file, counts);
  const { store, blobs } = openData(folder);
  await importDocument(store, blobs, readDocument(file), { now: importedAt });
  store.close();
  rmSync(file);
}

/** A new data directory with a production of `counts`. */
export async function openOfSize(counts: Counts): Promise<SeedData> {
  const folder = mkdtempSync(join(scratch, "size-"));
  await importLarger(folder, counts);
  const store = openStore(join(folder, "tallylight.db"));
  try {
    return seedDataOf(folder, store);
  } finally {
    store.close();
  }
}

/**
 * The very large production: imported once per version of the sources, which takes a minute or two, and then reused.
 */
export async function openLarger(): Promise<SeedData> {
  const sources = globSync(["test/support/larger.ts", "src/document/*.ts", "sql/migrations/*.sql"], {
    cwd: root,
  }).sort();
  const state = hash("sha256", sources.map((file) => readFileSync(join(root, file), "utf8")).join("\0")).slice(0, 16);
  const folder = join(tmpdir(), `tallylight-larger-${state}`);
  if (!existsSync(folder)) {
    const draft = join(scratch, "larger");
    await importLarger(draft, counts);
    renameSync(draft, folder);
  }
  const store = openStore(join(folder, "tallylight.db"));
  try {
    return seedDataOf(folder, store);
  } finally {
    store.close();
  }
}

const folders = [scratch];

/** Removes what a run created, except the large production. */
export function cleanUp(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

let copies = 0;

/** A copy of a data directory, because one directory can have one server only. */
export function copyOf(folder: string): string {
  const copy = join(scratch, `copy-${copies++}`);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** Runs `work` on the database of a data directory that no server uses. */
export function withStore<T>({ folder }: SeedData, work: (store: Store) => T): T {
  const store = openStore(join(folder, "tallylight.db"));
  try {
    return work(store);
  } finally {
    store.close();
  }
}

/** A key of an engagement that may submit work on a delivery, and that delivery. */
export const openVendor = (seedData: SeedData): { key: string; delivery_id: number } =>
  withStore(seedData, (store) => {
    const grant = store.database.prepare(
      `SELECT engagement_id, delivery_id FROM grants WHERE verb = 'submit' AND production_id = ? AND revoked_at IS NULL AND expires_at IS NULL
       AND (SELECT ended_at FROM engagements WHERE id = engagement_id) IS NULL LIMIT 1`,
    );
    const { engagement_id, delivery_id } = grant.get(seedData.production_id) as {
      engagement_id: number;
      delivery_id: number;
    };
    const key = mint(store, {
      production_id: seedData.production_id,
      engagement_id,
      scopes: ["read", "submit:turnover"],
    });
    return { key, delivery_id };
  });

/** A file of random bytes. */
export function writeRandom(file: string, size: number): void {
  const handle = openSync(file, "w");
  for (let at = 0; at < size; at += 1 << 20) writeSync(handle, randomBytes(Math.min(1 << 20, size - at)));
  closeSync(handle);
}

/** Adds media of `size` bytes; returns its id and its file. */
export async function addMedia(seedData: SeedData, size: number): Promise<{ id: number; file: string }> {
  const source = join(scratch, "medium");
  writeRandom(source, size);
  const store = openStore(join(seedData.folder, "tallylight.db"));
  try {
    const blobs = openBlobs(join(seedData.folder, "media"), store, { ceiling: 2 ** 32, role: "command" });
    const staging = blobs.stage();
    const { pipeline } = await import("node:stream/promises");
    const { createReadStream } = await import("node:fs");
    await pipeline(createReadStream(source), staging);
    rmSync(source);
    const staged = staging.staged();
    const media = { production_id: seedData.production_id, kind: "plate", label: "a plate" };
    const id = store.writeSync(() => createMedia(store, blobs, staged, media, importedAt));
    return { id, file: blobs.fileOf(staged.sha256) };
  } finally {
    store.close();
  }
}

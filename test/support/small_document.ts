// A small but complete production document: every list and every optional field, in canonical form.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { CliError, HttpError } from "../../src/core/errors.ts";
import type { Store } from "../../src/core/store/store.ts";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { exportWithMedia } from "../../src/features/documents/export/export.ts";
import { readDocument } from "../../src/features/documents/read/whole.ts";
import { temporaryFolder } from "./folder.ts";
import { folderWith, type Opened, openData } from "./template.ts";

export const now = "2026-11-20T08:00:00.000Z";
process.setMaxListeners(0);
const created = { created_at: "2026-01-05T08:00:00.000Z" };
const updated = { ...created, updated_at: "2026-01-06T08:00:00.000Z" };
const media = (label: string, text: string) => ({
  label,
  kind: "still",
  base64: Buffer.from(text).toString("base64"),
  created_by: "Ada",
  ...created,
});

type Draft = any;

const graph = () => ({
  departments: [
    {
      slug: "costume",
      name: "Costume",
      cluster: "physical",
      phases: ["prep"],
      mission: "Clothes.",
      key_roles: ["Designer"],
      privacy: "open",
      unveiled: true,
      registry: { racks: 3, nested: { deep: [1, { b: null }] } },
    },
    { slug: "vfx", name: "VFX", cluster: "post", mission: "Pixels.", privacy: "closed", unveiled: false },
  ],
  people: [
    { name: "Ada", role: "Designer", department: "costume", is_hod: true, is_admin: true },
    { name: "Ben", role: "Producer" },
  ],
  ingredients: [
    { kind: "swatch", label: "Wool", media: media("wool.jpg", "wool") },
    { ref: "Wool #2", kind: "swatch", label: "Wool" },
  ],
  scenes: [
    {
      number: "1",
      episode: "E1",
      slugline: "INT. HUT - DAY",
      synopsis: "They meet.",
      status: "done",
      revision_color: "white",
      elements: { cast: ["Ada"], quoted: 'a "b"\n\u0000ü', ratio: 0.1 },
      assets: ["Coat", "Coat #2"],
      ...updated,
    },
    { number: "1", episode: "E2", slugline: "EXT. SEA - NIGHT", status: "omitted", revision_color: "blue", ...updated },
  ],
  assets: [
    { label: "Coat", kind: "costume", status: "active", department: "costume", ...updated, versions: versions() },
    { ref: "Coat #2", label: "Coat", kind: "costume", status: "planned", ...updated },
    { label: "Hero", kind: "character", status: "done", costumes: ["Coat", "Coat #2"], ...updated },
  ],
  schedule: [
    { day_number: 2, date: "2026-02-02", general_call: "07:00", status: "scheduled", scenes: ["E2/1", "E1/1"] },
    { day_number: 3, date: "2026-02-03", status: "scheduled" },
  ],
});

const versions = () => [
  {
    version: 1,
    variant: "Main",
    status: "approved",
    note: "First",
    created_by: "Ada",
    created_by_person: "Ada",
    archived: true,
    released: true,
    ...created,
    media: media("coat.jpg", "coat one"),
    ingredients: [{ ingredient: "Wool", relation: "body" }, { ingredient: "Wool #2" }],
  },
  { version: 2, variant: "On-Set", status: "wip" },
];

const commerce = () => ({
  vendors: ["Looms Ltd", "Pixel Co"],
  engagements: [
    {
      vendor: "Looms Ltd",
      title: "Weaving",
      ...created,
      grants: [
        { verb: "read", scene: "E1/1", ...created, expires_at: "2026-06-01T00:00:00.000Z" },
        { verb: "read", asset: "Coat #2", ...created, revoked_at: "2026-03-01T00:00:00.000Z" },
        { verb: "read:own_po", department: "costume", ...created },
        { verb: "submit", delivery: "Reel", ...created },
      ],
    },
    { ref: "Weaving #2", vendor: "Pixel Co", title: "Weaving", ...created, ended_at: "2026-05-01T00:00:00.000Z" },
  ],
  deliveries: [
    {
      title: "Reel",
      status: "sent",
      kind: "external",
      due: "2026-04-01",
      external_to: "Looms Ltd",
      from_department: "costume",
      to_department: "vfx",
      spec: [{ codec: "EXR", frames: 12 }],
      sent_at: "2026-03-01T00:00:00.000Z",
      scenes: ["E1/1", "E2/1"],
      assets: ["Coat", "Hero"],
      media: [media("brief.pdf", "brief")],
      submissions: [
        {
          engagement: "Weaving",
          status: "submitted",
          title: "Take one",
          note: "n",
          created_by: "key",
          ...created,
          media: [media("a.exr", "a"), media("b.exr", "b")],
        },
      ],
    },
    { ref: "Reel #2", title: "Reel", status: "draft", kind: "internal" },
  ],
  approvals: [
    {
      title: "Coat look",
      status: "pending",
      mode: "chain",
      due: "2026-03-03",
      asset: "Coat",
      version: 2,
      steps: [
        { person: "Ada", status: "approved", decided_at: created.created_at, note: "yes", decided_by: "Ada" },
        { person: "Ben", status: "pending" },
      ],
    },
    {
      title: "Lock",
      status: "rejected",
      mode: "decision",
      scene: "E1/1",
      steps: [{ person: "Ben", status: "rejected", decided_at: created.created_at }],
    },
    {
      title: "Ship",
      status: "pending",
      mode: "chain",
      delivery: "Reel",
      steps: [{ person: "Ben", status: "pending" }],
    },
    {
      title: "First coat",
      status: "approved",
      mode: "decision",
      asset: "Coat",
      version: 1,
      version_status: "wip",
      steps: [{ person: "Ada", status: "approved", decided_at: created.created_at, decided_by: "Ada" }],
    },
  ],
});

const feeds = () => ({
  department_notes: [
    { department: "costume", scene: "E1/1", summary: "Needs steam.", ...created },
    { department: "vfx", scene: "E2/1", summary: "No date." },
  ],
  notes: [
    { asset: "Coat", version: 2, text: "Hem", author: "Ada", ...created },
    { asset: "Hero", text: "Tall", author: "Ben", ...created },
  ],
  purchase_orders: [
    {
      account: "2100",
      vendor: "Looms Ltd",
      description: "Cloth",
      amount: 1234.5,
      status: "open",
      date: "2026-01-09",
      department: "costume",
    },
    {
      account: "9000",
      vendor: "Pixel Co",
      description: "Everything",
      amount: 100,
      status: "closed",
      date: "2026-01-10",
    },
  ],
  cost_reports: [
    { week_of: "2026-01-05", active: false },
    {
      week_of: "2026-01-12",
      active: true,
      lines: [
        { account: "2100", department: "costume", budget: 5000, figures: { actual: 12.25 } },
        { account: "2200", department: "vfx" },
      ],
    },
  ],
  script_changes: [
    {
      episode: "E1",
      scene: "E1/1",
      scene_number: "1",
      kind: "changed",
      status: "approved",
      summary: "Longer",
      revision_color: "pink",
      detected_at: created.created_at,
      decided_at: updated.updated_at,
    },
    {
      scene_number: "9",
      kind: "added",
      status: "pending",
      summary: "New",
      revision_color: "blue",
      detected_at: created.created_at,
    },
  ],
  jobs: [
    {
      kind: "image",
      status: "done",
      summary: "Coat",
      model: "m",
      asset: "Coat",
      created_by: "Ada",
      ...created,
      finished_at: updated.updated_at,
    },
    { kind: "video", status: "queued", summary: "Sea", scene: "E2/1", ...created },
  ],
  activity: [
    { verb: "scene.done", summary: "Done", actor: "Ada", actor_person: "Ada", scene: "E1/1", ...created },
    { verb: "note.added", summary: "Note", actor: "key", asset: "Coat #2", ...created },
  ],
  storage: [
    { filespace: "old", active: false, ...created },
    {
      filespace: "stage",
      active: true,
      ...created,
      files: [
        {
          path: "a/b.mov",
          state: "present",
          size: 12,
          mtime_ns: "1767571200123456789",
          detected_at: created.created_at,
          media: media("b.jpg", "proxy"),
        },
        { path: "a/c.mov", state: "gone", mtime_ns: "-5", detected_at: created.created_at },
      ],
      moves: [
        { src: "a/b.mov", dst: "x/b.mov", status: "pending", src_sha256: "ab".repeat(32), ...created },
        { src: "a/d.mov", dst: "x/d.mov", status: "failed", note: "gone", ...created, settled_at: updated.updated_at },
      ],
    },
  ],
});

/** A new copy of the document, which the caller may change. */
export const smallDocument = (): Draft => ({
  document: "tallylight production",
  document_version: 1,
  production: {
    title: "Small",
    logline: "A small one.",
    status: "active",
    phase: "prep",
    accent: "amber",
    format: "episodic",
    season_number: 2,
    current_episode: "E2",
    ...created,
  },
  episodes: [
    { code: "E1", title: "One" },
    { code: "E2", title: "Two" },
  ],
  ...graph(),
  ...commerce(),
  ...feeds(),
});

/** An empty folder that is removed when the process exits. */
export function scratch(): string {
  const folder = temporaryFolder();
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a document, or any text, into a folder; returns the file's path. */
export function writeDocument(document: unknown, folder = scratch()): string {
  const file = join(folder, "document.json");
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document));
  return file;
}

/** An empty database in a new folder, which is removed when the process exits. */
export async function openEmpty(): Promise<Opened> {
  const folder = await folderWith([], now);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return openData(folder);
}

/** Imports a file into a new database. */
export async function imported(file: string): Promise<Opened & { production_id: number }> {
  const opened = await openEmpty();
  const { production_id } = await importDocument(opened.store, opened.blobs, readDocument(file), { now });
  return { ...opened, production_id };
}

/**
 * The document of a production with the bytes of its media named by their hash: as strict as an export, in a tenth of
 * the time.
 */
export const stateOf = (store: Store, production_id: number): string =>
  [...exportWithMedia(store, production_id, "media").lines].join("");

/** Joins all pieces of a document. */
export async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

/** The message of the error that `work` throws. Fails if it throws none. */
export function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof CliError || error instanceof HttpError);
    return (error as Error).message;
  }
  assert.unreachable("no error was thrown");
  return "";
}

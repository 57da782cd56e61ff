// Assets come to be, get notes, and land versions. Each write stands in one transaction with its activity entry.
import { type Context, reach } from "../context.ts";
import { notFound, unprocessable } from "../errors.ts";
import type { Upload } from "../inputs.ts";
import { cleanLabel, createMedia } from "../store/media.ts";
import { recordActivity } from "./activity.ts";
import { read } from "./read.ts";

interface NewAsset {
  label: string;
  kind: string;
  department?: string | undefined;
  status: string;
}

/** POST /assets. Throws 422 for a department that the production does not have. */
export const createAsset = (context: Context, { label, kind, department, status }: NewAsset): Promise<string> =>
  context.write((context) => {
    const { app, caller, now } = context;
    const { production_id } = caller;
    let department_id: number | null = null;
    if (department !== undefined) {
      const found = app.store.get<{ id: number }>("get_department_id", { production_id, slug: department });
      if (found === undefined) throw unprocessable("department must be the slug of a department of this production");
      department_id = found.id;
    }
    const { id: node_id } = app.store.run("create_asset", { production_id, kind, label, status, department_id, now });
    recordActivity(context, { verb: "asset.created", summary: `Created the ${kind} ${label}`, node_id });
    return read(context, "get_asset_row", { node_id });
  });

interface AssetNode {
  id: number;
  label: string;
  /** Its newest version. */
  version_id: number | null;
  version: number | null;
}

/** The asset of a path, with its newest version. Throws 404 where there is none, and for a scene. */
export function requireAsset(context: Context, { node_id }: { node_id: number }): AssetNode {
  const node = context.app.store.get<AssetNode>("get_asset_node", { ...reach(context), node_id });
  if (node === undefined) throw notFound();
  return node;
}

interface NewNote {
  node_id: number;
  text: string;
  author?: string | undefined;
}

/** POST /assets/{node_id}/notes. On the newest version, which shows it; else the activity entry alone shows it. */
export const createNote = (context: Context, { node_id, text, author: named }: NewNote) =>
  context.write((context) => {
    const { app, caller, now } = context;
    const { production_id } = caller;
    const author = named ?? caller.label;
    const { label, version_id, version } = requireAsset(context, { node_id });
    const { id } = app.store.run("create_note", { production_id, node_id, version_id, text, author, now });
    if (version_id !== null) app.store.run("put_version_note", { production_id, version_id, text });
    app.store.run("touch_node", { production_id, node_id, now });
    const place = version === null ? label : `${label} v${version}`;
    const by = author === caller.label ? "" : ` by ${author}`;
    recordActivity(context, { verb: "note.added", summary: `Note on ${place}${by}: ${text}`, node_id });
    return { id, node_id, version_id, text, author, created_at: now };
  });

interface NewVersion {
  node_id: number;
  variant: string;
  note?: string | null;
  file: Upload;
}

/** POST /assets/{node_id}/versions. Numbers follow one another: writers take turns. */
export async function createVersion(context: Context, { node_id, variant, note = null, file }: NewVersion) {
  if (file.staged.size === 0) throw unprocessable("file must not be empty");
  await context.app.blobs.prepare([file.staged]);
  return context.write((context) => {
    const { app, caller, now } = context;
    const { production_id, label: created_by, person_id: created_by_person_id } = caller;
    const node = requireAsset(context, { node_id }); // again: the upload took its time
    const version = (node.version ?? 0) + 1;
    const row = { production_id, node_id, version, variant, note, created_by, created_by_person_id, now };
    const { id } = app.store.run("create_version", row);
    const label = cleanLabel(file.file_name, `${node.label} v${version}`);
    const media = { production_id, version_id: id, kind: "still", label, created_by, created_at: now };
    createMedia(app.store, app.blobs, file.staged, media, now);
    app.store.run("touch_node", { production_id, node_id, now });
    const summary = `Landed ${node.label} v${version} (${variant})`;
    recordActivity(context, { verb: "version.landed", summary, node_id });
    return { id, node_id, version, variant, status: "wip", note, created_at: now, released: false };
  });
}

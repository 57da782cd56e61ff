// Creates media: the row and the stored bytes together. Every upload and import uses this module.
import type { DeliveryId, ProductionId, VersionId } from "../core/ids.ts";
import type { Blobs, Staged } from "../core/store/blobs.ts";
import { change } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";
import { leastIdAt } from "../core/times.ts";

const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "image/avif": ".avif",
  "video/quicktime": ".mov",
  "video/mp4": ".mp4",
  "video/webm": ".webm",
  "application/pdf": ".pdf",
  "application/zip": ".zip",
};

/** The owner of a medium: at most one of the ids. Only submitted work has two, its work item and its delivery. */
export interface MediaOwner {
  version_id?: VersionId | undefined;
  delivery_id?: DeliveryId | undefined;
  work_item_id?: number | undefined;
  ingredient_id?: number | undefined;
  asset_file_id?: number | undefined;
}

/** A medium without its bytes. */
export interface NewMedia extends MediaOwner {
  production_id: ProductionId;
  kind: string;
  label: string;
  created_by?: string | undefined;
  created_at?: string | undefined;
}

/** How many characters a label has at most. */
const labelLength = 300;
/** The ending of a file name, which a label keeps. */
const endingOf = (name: string): string => /\.[\p{L}\p{N}]{1,16}$/u.exec(name)?.[0] ?? "";

/** The first characters of a name that is too long, with its ending. */
function shortened(name: string): string {
  if (name.length <= labelLength) return name;
  const ending = endingOf(name);
  return `${name.slice(0, labelLength - ending.length).toWellFormed()}${ending}`;
}

/** The parts of a path that name something, without drive letters: neither empty nor `.` or `..`. */
const named = (path: string, separator: "/" | "\\", clean: (part: string) => string): string =>
  path
    .split(separator)
    .map(clean)
    .filter((part) => !/^\.*$/.test(part))
    .join(separator);

/**
 * A client's file name as a label: with its folders, without empty ones, `.`, `..`, drive letters and characters that
 * are not visible, whether `/` or `\` divides them, at most 300 characters; else `fallback`. Of a path of Windows that
 * begins with a drive and `\`, the last part.
 */
export function cleanLabel(fileName: string | null | undefined, fallback: string): string {
  const visible = (fileName ?? "").toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");
  const withoutDrive = (part: string) => part.replace(/^(?:\s*[A-Za-z]:)*/, "").trim();
  const label = named(visible, "/", (part) => named(part.replace(/^[A-Za-z]:\\(?:.*\\)?/, ""), "\\", withoutDrive));
  return shortened(label) || fallback;
}

/** What was sent as the name of a file whose label is another one. */
export const sentAs = (fileName: string | null, label: string): { sent_as?: string } =>
  fileName === null || fileName === "" || fileName === label
    ? {}
    : { sent_as: fileName.slice(0, labelLength).toWellFormed() };

/**
 * The last part of a media path: the label in lower-case letters, digits and hyphens, with the extension of the content
 * type.
 */
export function fileName(label: string, content_type: string): string {
  const stem = (label.split("/").at(-1) ?? "")
    .replace(/\.[A-Za-z0-9]{1,5}$/, "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
  return `${stem === "" ? "media" : stem}${extensions[content_type] ?? ".bin"}`;
}

const insertMedia = change("create_media");

/** Removes a medium's row. Its bytes are deleted once nothing else needs them. */
export const deleteMedia = change("delete_media");

/**
 * Places staged bytes and inserts a media row for each, with ids of their moment, or from `least_id` on. Returns the id
 * of the last row. Must be called in a write transaction.
 */
export function createAllMedia(
  store: Store,
  blobs: Blobs,
  files: readonly { staged: Staged; label: string }[],
  media: Omit<NewMedia, "label">,
  now: string,
  least_id = leastIdAt(now),
): number {
  const rows = files.map(({ staged: { sha256, content_type }, label }) => ({
    sha256,
    label,
    file_name: fileName(label, content_type),
  }));
  blobs.place(
    files.map(({ staged }) => staged),
    now,
  );
  return insertMedia(store, {
    production_id: media.production_id,
    kind: media.kind,
    files: JSON.stringify(rows),
    least_id,
    version_id: media.version_id ?? null,
    delivery_id: media.delivery_id ?? null,
    work_item_id: media.work_item_id ?? null,
    ingredient_id: media.ingredient_id ?? null,
    asset_file_id: media.asset_file_id ?? null,
    created_by: media.created_by ?? null,
    created_at: media.created_at ?? null,
    now,
  }).id;
}

/**
 * Places staged bytes and inserts their media row. Returns the id of the row. Must be called in a write transaction.
 */
export const createMedia = (
  store: Store,
  blobs: Blobs,
  staged: Staged,
  { label, ...media }: NewMedia,
  now: string,
  least_id?: number,
): number => createAllMedia(store, blobs, [{ staged, label }], media, now, least_id);

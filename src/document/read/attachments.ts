// Finds, checks and stages the media of a document, whose bytes are in files next to it or inside it as base64. A file outside the
// document's folder is never opened.
import { createHash } from "node:crypto";
import { createReadStream, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Blobs, Staged } from "../../store/blobs.ts";
import { sha256OfFile } from "../../store/checksum.ts";
import { eachMedium, formOf } from "../sections/form.ts";
import type { Problems } from "../sections/problems.ts";
import { documentSchema, type ProductionDocument } from "../sections/schema.ts";

export type DocumentMedia = NonNullable<ProductionDocument["ingredients"][number]["media"]>;

function checkFile(problems: Problems, folder: string, file: string, place: string): void {
  if (isAbsolute(file) || file.includes("\0")) {
    problems.add(place, "must be a path relative to the document");
    return;
  }
  const found = statSync(resolve(folder, file), { throwIfNoEntry: false });
  // Links are resolved first. A path out of the folder is refused whether or not a file exists there.
  const real = found === undefined ? resolve(folder, file) : realpathSync(resolve(folder, file));
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    problems.add(place, "must not lead out of the document's folder");
  else if (found === undefined) problems.add(place, `names a file that is not next to the document: ${file}`);
  else if (!found.isFile()) problems.add(place, `is not a file: ${file}`);
}

function checkMedia(problems: Problems, folder: string | undefined, media: DocumentMedia, place: string): void {
  if (problems.has(place)) return;
  const { file, base64 } = media;
  const readable = !problems.has(`${place}.file`) && !problems.has(`${place}.base64`);
  if (readable && (file === undefined) === (base64 === undefined))
    problems.add(place, "must have its bytes either as file or as base64");
  if (file !== undefined && folder === undefined)
    problems.add(`${place}.file`, "must be replaced by base64: a request has no files next to the document");
  else if (file !== undefined && folder !== undefined && !problems.has(`${place}.file`))
    checkFile(problems, folder, file, `${place}.file`);
  if (base64 !== undefined && !problems.has(`${place}.base64`) && !isBase64(base64))
    problems.add(`${place}.base64`, "must be well-formed base64");
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

const documentForm = formOf(documentSchema);

/** Visits every media item of a document, which may be partial, with its place. */
const eachMedia = (document: unknown, visit: (media: DocumentMedia, place: string) => void): void =>
  eachMedium(document, documentForm, "", (medium, place) => visit(medium as DocumentMedia, place)); // as the schema has it

/**
 * Reports every media item whose bytes cannot be read. `folder` is the real path of the document's folder; undefined if the
 * document came without files.
 */
export function checkAttachments(problems: Problems, document: unknown, folder: string | undefined): void {
  eachMedia(document, (media, place) => checkMedia(problems, folder, media, place));
}

/** Every media item of a document. */
export function mediaOf(document: unknown): DocumentMedia[] {
  const found: DocumentMedia[] = [];
  eachMedia(document, (media) => found.push(media));
  return found;
}

/** The folder that a document's `file` paths start from, links resolved. */
export const folderOf = (file: string): string => realpathSync(dirname(file));

/** Stages the bytes of a medium. */
export async function stageOne(
  blobs: Blobs,
  { base64, file }: Pick<DocumentMedia, "base64" | "file">,
  folder = "",
): Promise<Staged> {
  if (base64 !== undefined) return blobs.stageBytes(Buffer.from(base64, "base64"));
  const staging = blobs.stage(Number.POSITIVE_INFINITY);
  await pipeline(createReadStream(resolve(folder, file as string), { highWaterMark: 1 << 20 }), staging);
  return staging.staged();
}

/** The SHA-256 of the bytes of a medium, as hexadecimal digits. */
export async function hashOfMedia({ base64, file }: DocumentMedia, folder = ""): Promise<string> {
  if (base64 !== undefined) return createHash("sha256").update(Buffer.from(base64, "base64")).digest("hex");
  return sha256OfFile(resolve(folder, file as string));
}

// The media of a document: bytes in files beside it or within it as base64. Finds them, judges them and stages them.
// A file outside the document's folder is never opened, whatever the document says.
import { createReadStream, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Blobs, Staged } from "../store/blobs.ts";
import type { Checking } from "./checking.ts";
import type { ProductionDocument } from "./schema.ts";

export type DocumentMedia = NonNullable<ProductionDocument["ingredients"][number]["media"]>;

function checkFile(checking: Checking, folder: string, file: string, place: string): void {
  if (isAbsolute(file) || file.includes("\0")) {
    checking.report(place, "must be a path relative to the document");
    return;
  }
  const found = statSync(resolve(folder, file), { throwIfNoEntry: false });
  // Links are followed before the question is asked, and a way out is refused whether or not something stands there.
  const real = found === undefined ? resolve(folder, file) : realpathSync(resolve(folder, file));
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    checking.report(place, "must not lead out of the document's folder");
  else if (found === undefined) checking.report(place, `names no file beside the document: ${file}`);
  else if (!found.isFile()) checking.report(place, `is not a file: ${file}`);
}

function checkMedia(checking: Checking, folder: string, media: DocumentMedia | undefined, place: string): void {
  if (media === undefined || !checking.isUsable(place)) return;
  const { file, base64 } = media;
  const readable = checking.isUsable(`${place}.file`) && checking.isUsable(`${place}.base64`);
  if (readable && (file === undefined) === (base64 === undefined))
    checking.report(place, "must have its bytes either as file or as base64");
  if (file !== undefined && checking.isUsable(`${place}.file`)) checkFile(checking, folder, file, `${place}.file`);
  if (base64 !== undefined && checking.isUsable(`${place}.base64`) && !isBase64(base64))
    checking.report(`${place}.base64`, "must be well-formed base64");
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** Reports every media item whose bytes cannot be had. `folder` is the real path of the document's folder. */
export function checkAttachments(checking: Checking, folder: string): void {
  const check = (media: DocumentMedia | undefined, place: string) => checkMedia(checking, folder, media, place);
  const checkList = (media: readonly DocumentMedia[], place: string) => {
    for (const [item, here] of checking.items(place, media)) check(item, here);
  };
  checking.each("ingredients", ({ media }, place) => check(media, `${place}.media`));
  checking.each("assets", ({ versions }, place) => {
    for (const [{ media }, here] of checking.items(`${place}.versions`, versions)) check(media, `${here}.media`);
  });
  checking.each("deliveries", ({ media, submissions }, place) => {
    checkList(media, `${place}.media`);
    for (const [submission, here] of checking.items(`${place}.submissions`, submissions))
      checkList(submission.media, `${here}.media`);
  });
  checking.each("storage", ({ files }, place) => {
    for (const [{ media }, here] of checking.items(`${place}.files`, files)) check(media, `${here}.media`);
  });
}

/** Every media item of a sound document. */
export function* mediaOf({ ingredients, assets, deliveries, storage }: ProductionDocument): Generator<DocumentMedia> {
  for (const { media } of ingredients) if (media !== undefined) yield media;
  for (const { versions } of assets) for (const { media } of versions) if (media !== undefined) yield media;
  for (const { media, submissions } of deliveries) {
    yield* media;
    for (const submission of submissions) yield* submission.media;
  }
  for (const { files } of storage) for (const { media } of files) if (media !== undefined) yield media;
}

/** The folder that a document's `file` paths start from, links resolved. */
export const folderOf = (file: string): string => realpathSync(dirname(file));

/** Stages the bytes of every media item into `staged`, which holds what is staged so far also when this throws. */
export async function stageMedia(
  blobs: Blobs,
  document: ProductionDocument,
  folder: string,
  staged: Map<DocumentMedia, Staged>,
): Promise<void> {
  for (const media of mediaOf(document)) {
    if (media.base64 !== undefined) {
      staged.set(media, blobs.stageBytes(Buffer.from(media.base64, "base64")));
      continue;
    }
    const staging = blobs.stage(Number.POSITIVE_INFINITY);
    await pipeline(createReadStream(resolve(folder, media.file as string), { highWaterMark: 1 << 20 }), staging);
    staged.set(media, staging.staged());
  }
}

// The media of a document: bytes in files beside it or within it as base64. Finds them, judges them and stages them.
// A file outside the document's folder is never opened, whatever the document says.
import { createReadStream, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Blobs, Staged } from "../store/blobs.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Validator } from "./validator.ts";

export type DocumentMedia = NonNullable<ProductionDocument["ingredients"][number]["media"]>;

function checkFile(validator: Validator, folder: string, file: string, place: string): void {
  if (isAbsolute(file) || file.includes("\0")) {
    validator.report(place, "must be a path relative to the document");
    return;
  }
  const found = statSync(resolve(folder, file), { throwIfNoEntry: false });
  // Links are followed before the question is asked, and a way out is refused whether or not something stands there.
  const real = found === undefined ? resolve(folder, file) : realpathSync(resolve(folder, file));
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    validator.report(place, "must not lead out of the document's folder");
  else if (found === undefined) validator.report(place, `names no file beside the document: ${file}`);
  else if (!found.isFile()) validator.report(place, `is not a file: ${file}`);
}

function checkMedia(validator: Validator, folder: string, media: DocumentMedia | undefined, place: string): void {
  if (media === undefined || !validator.isUsable(place)) return;
  const { file, base64 } = media;
  const readable = validator.isUsable(`${place}.file`) && validator.isUsable(`${place}.base64`);
  if (readable && (file === undefined) === (base64 === undefined))
    validator.report(place, "must have its bytes either as file or as base64");
  if (file !== undefined && validator.isUsable(`${place}.file`)) checkFile(validator, folder, file, `${place}.file`);
  if (base64 !== undefined && validator.isUsable(`${place}.base64`) && !isBase64(base64))
    validator.report(`${place}.base64`, "must be well-formed base64");
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** Reports every media item whose bytes cannot be had. `folder` is the real path of the document's folder. */
export function checkAttachments(validator: Validator, folder: string): void {
  const check = (media: DocumentMedia | undefined, place: string) => checkMedia(validator, folder, media, place);
  const checkList = (media: readonly DocumentMedia[], place: string) => {
    for (const [item, here] of validator.items(place, media)) check(item, here);
  };
  validator.each("ingredients", ({ media }, place) => check(media, `${place}.media`));
  validator.each("assets", ({ versions }, place) => {
    for (const [{ media }, here] of validator.items(`${place}.versions`, versions)) check(media, `${here}.media`);
  });
  validator.each("deliveries", ({ media, submissions }, place) => {
    checkList(media, `${place}.media`);
    for (const [submission, here] of validator.items(`${place}.submissions`, submissions))
      checkList(submission.media, `${here}.media`);
  });
  validator.each("storage", ({ files }, place) => {
    for (const [{ media }, here] of validator.items(`${place}.files`, files)) check(media, `${here}.media`);
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

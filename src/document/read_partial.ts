// A partial document from a file or from a parsed value: every problem with its form, and the hashes of its media.
import type { Problem } from "../errors.ts";
import { checkAttachments, type DocumentMedia, hashOfMedia, mediaOf } from "./attachments.ts";
import { sectionNames } from "./changes.ts";
import { formCheck } from "./form_check.ts";
import { checkKept } from "./json.ts";
import { type PartialDocument, partialSchema, type Raw } from "./partial_schema.ts";
import { Problems } from "./problems.ts";
import { takeDigits } from "./read.ts";
import { sections } from "./sections.ts";
import { fileOfHash } from "./stored.ts";
import type { Restored } from "./undo.ts";

/** A partial document whose values have their shapes, unless it has problems. */
export interface GivenDocument {
  file: string;
  document: PartialDocument;
  /** The bytes of its media by their hash: where they are. */
  media: ReadonlyMap<string, { media: DocumentMedia; folder: string | undefined }>;
  problems: Problems;
  /** What is wrong with the file itself: it could not be read. */
  unreadable?: readonly Problem[];
  /** A reader of paperwork made it. */
  is_paperwork?: true;
  /** Whether its list of scenes is in the order of the script, which it is unless this is false. */
  orders_scenes?: boolean;
  /** What an undo does to the things, which it names by their ids. */
  restored?: ReadonlyMap<Raw, Restored>;
}

const checkForm = formCheck(partialSchema);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where a section lists plain texts, each is read as an object with a name. */
function withNames(value: Record<string, unknown>): Record<string, unknown> {
  const next = { ...value };
  for (const name of sectionNames) {
    const list = value[name];
    if (sections[name].plain && Array.isArray(list))
      next[name] = list.map((item) => (typeof item === "string" ? { name: item } : item));
  }
  return next;
}

/** Replaces the bytes of each medium by their hash. Returns where the bytes are. */
async function hashMedia(document: PartialDocument, folder: string | undefined): Promise<GivenDocument["media"]> {
  const found = new Map<string, { media: DocumentMedia; folder: string | undefined }>();
  for (const media of mediaOf(document)) {
    const sha256 = await hashOfMedia(media, folder);
    found.set(sha256, { media: { ...media }, folder });
    delete media.base64;
    media.file = fileOfHash(sha256);
  }
  return found;
}

/** A parsed value as a partial document, and its problems. */
function checkedDocument(
  parsed: unknown,
  folder: string | undefined,
): { document: PartialDocument; problems: Problems } {
  const problems = new Problems();
  if (!isObject(parsed)) {
    problems.add("", "must be an object");
    return { document: {}, problems };
  }
  takeDigits(parsed);
  const value = withNames(parsed);
  const output = checkForm(value, problems);
  if (problems.more > 0) return { document: {}, problems };
  const document = Object.fromEntries(Object.entries(output).filter(([, list]) => list !== null)) as PartialDocument;
  checkAttachments(
    { isUsable: (place) => !problems.has(place), report: (place, sentence) => problems.add(place, sentence) },
    document,
    folder,
  );
  return { document, problems };
}

/** What is wrong with the values of a parsed document that JavaScript cannot keep, and that no thread may be given. */
export function problemsOfValues(parsed: object) {
  takeDigits(parsed);
  const problems = new Problems();
  checkKept(parsed, (place, sentence) => problems.add(place, sentence));
  return problems.described(parsed, sectionNames);
}

/** A document without media that a reader of paperwork made. Only a script orders scenes. */
export function documentOfPaperwork(
  parsed: object,
  file: string,
  { orders_scenes = false }: { orders_scenes?: boolean } = {},
): GivenDocument {
  const { document, problems } = checkedDocument(parsed, undefined);
  return {
    ...{ file, media: new Map(), problems, is_paperwork: true, orders_scenes },
    document: problems.any ? withoutUnsound(document, problems) : document,
  };
}

/** A file that could not be read. */
export const unreadable = (file: string, problems: readonly Problem[]): GivenDocument => ({
  ...{ file, document: {}, media: new Map(), problems: new Problems() },
  unreadable: problems,
});

/** Reads a parsed value as a partial document. `folder` is what the paths of its media start from; undefined if there is none. */
export async function partialDocument(
  parsed: unknown,
  file: string,
  folder: string | undefined,
): Promise<GivenDocument> {
  const { document, problems } = checkedDocument(parsed, folder);
  const media = problems.any ? new Map() : await hashMedia(document, folder);
  return {
    file,
    document: problems.any ? withoutUnsound(document, problems) : document,
    media,
    problems,
  };
}

/** A document with problems is still compared, so that all of its problems are found: without the fields that have one. */
function withoutUnsound(document: PartialDocument, problems: Problems): PartialDocument {
  const unsound = new Set(problems.list.map(({ place }) => /^\w+(?:\[\d+\])?(?:\.\w+)?/.exec(place)?.[0]));
  const fieldsOf = (item: Raw, place: string): Raw =>
    unsound.has(place)
      ? {}
      : Object.fromEntries(Object.entries(item).filter(([field]) => !unsound.has(`${place}.${field}`)));
  const sound: PartialDocument = {};
  if (document.production !== undefined) sound.production = fieldsOf(document.production, "production");
  // The things that are left keep their indexes.
  for (const name of sectionNames)
    if (document[name] !== undefined && !unsound.has(name))
      sound[name] = document[name].map((item, at) => fieldsOf(item, `${name}[${at}]`));
  return sound;
}

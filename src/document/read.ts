// Reads documents, whole and partial, from files and parsed values, and finds all their problems at once, each with its place. Uses no
// database.
import * as v from "valibot";
import { CliError, type Problem } from "../errors.ts";
import { checkAttachments, type DocumentMedia, folderOf, hashOfMedia, mediaOf } from "./attachments.ts";
import { sectionNames } from "./changes.ts";
import { checkDocument } from "./document_check.ts";
import { formCheck } from "./form_check.ts";
import { type PartialDocument, partialSchema, type Raw } from "./item_schemas.ts";
import { checkKept, parseDocument, textOf } from "./json.ts";
import { DocumentNames } from "./known_names.ts";
import { Problems } from "./problems.ts";
import { documentSchema, type ProductionDocument } from "./schema.ts";
import { sections } from "./sections.ts";
import type { Restored } from "./source.ts";
import { fileOfHash } from "./stored.ts";
import type { Writer } from "./writer.ts";

/** A sound document: every value has its shape and every reference its target. */
export interface ReadDocument {
  file: string;
  /** What the `file` paths of its media start from. */
  folder: string;
  document: ProductionDocument;
  /** What else is written in the transaction of the import, after the document. */
  beside?: (writer: Writer) => void;
}

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

const fields = Object.keys(documentSchema.entries);
const checkWholeForm = formCheck(documentSchema);
const checkPartialForm = formCheck(partialSchema);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Restores the digits of mtime_ns, the only field that may have long numbers; checkKept reports all others. */
export function takeDigits(value: unknown): void {
  const { storage } = value as { storage?: unknown };
  for (const install of Array.isArray(storage) ? storage : [])
    for (const file of Array.isArray(install?.files) ? install.files : [])
      if (typeof file?.mtime_ns === "bigint") file.mtime_ns = String(file.mtime_ns);
}

/** A document of another version has another form, so nothing else can be said of it. */
function isOfAnotherVersion(value: object): boolean {
  const { document_version } = value as { document_version?: unknown };
  return typeof document_version === "number" && !v.is(documentSchema.entries.document_version, document_version);
}

/** Every problem of a parsed document, in the document's order, and the document as far as it could be understood. */
function check(value: unknown, folder: string): { problems: string[]; more: number; document: ProductionDocument } {
  if (isObject(value)) takeDigits(value);
  const problems = new Problems();
  const document = checkWholeForm(value, problems);
  if (isObject(value) && isOfAnotherVersion(value))
    return {
      problems: problems.sentences(document, fields).filter((line) => line.startsWith("document_version ")),
      more: 0,
      document,
    };
  if (isObject(value) && problems.more === 0) {
    const validator = checkDocument(document, problems, new DocumentNames(document, problems));
    checkAttachments(validator, document, folder);
  }
  return { problems: problems.sentences(document, fields), more: problems.more, document };
}

/**
 * Reads and checks the document in `file`. Throws CliError: one sentence for a file that is missing, too large,
 * not UTF-8 or not JSON; otherwise a line for each problem with its place and the names of what stands there, such as
 * "scenes[12] (scene 5A).status must be one of …".
 */
export const readDocument = (file: string): ReadDocument =>
  checkedDocument(parseDocument(textOf(file), file), file, folderOf(file));

/** A parsed document. Throws CliError with every problem. */
export function checkedDocument(value: unknown, file: string, folder: string): ReadDocument {
  const { problems, more, document } = check(value, folder);
  if (problems.length > 0) {
    const count = problems.length === 1 ? "a problem" : `${problems.length + more} problems`;
    const inFile = problems.map((sentence) => ({ file, sentence }));
    throw new CliError(`${file} has ${count}; nothing was imported`, problems, inFile, more);
  }
  return { file, folder, document };
}

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
function checkedPartial(
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
  const output = checkPartialForm(value, problems);
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
  const { document, problems } = checkedPartial(parsed, undefined);
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
  const { document, problems } = checkedPartial(parsed, folder);
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

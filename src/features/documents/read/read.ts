// Reads documents, whole and partial, and their media, which are in files next to them or inside as base64. Finds all
// their problems at once, each with its place. Uses no database, and opens no file outside the folder of a document.
import { createHash } from "node:crypto";
import { createReadStream, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import * as v from "valibot";
import type { Problem } from "../../../core/errors.ts";
import { messageOf } from "../../../core/inputs.ts";
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import { sha256OfFile } from "../../../core/store/files.ts";
import {
  eachMedium,
  fileOfHash,
  formOf,
  isRecord,
  type PartialDocument,
  partialSchema,
  type Raw,
} from "../sections/form.ts";
import { Problems, placeOfIssue } from "../sections/problems.ts";
import { documentSchema, type ProductionDocument } from "../sections/schema.ts";
import { sectionNames, sections } from "../sections/sections.ts";
import { type CheckConfig, countDropped, countUnkept } from "../sections/values.ts";
import { directionsTaken, takeDirections } from "./directions.ts";
import { checkLossless } from "./json.ts";

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

/**
 * Reports a medium whose bytes cannot be read. `folder` is the real path of the document's folder; undefined if the
 * document came without files.
 */
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
  // as the schema has it
  eachMedium(document, documentForm, "", (medium, place) => visit(medium as DocumentMedia, place));

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
  // without base64 there is a file
  await pipeline(createReadStream(resolve(folder, file ?? ""), { highWaterMark: 1 << 20 }), staging);
  return staging.staged();
}

/** The SHA-256 of the bytes of a medium, as hexadecimal digits. */
async function hashOfMedia({ base64, file }: DocumentMedia, folder = ""): Promise<string> {
  if (base64 !== undefined) return createHash("sha256").update(Buffer.from(base64, "base64")).digest("hex");
  return sha256OfFile(resolve(folder, file ?? "")); // without base64 there is a file
}

/**
 * Adds the problems of a value: values that JavaScript cannot keep, and violations of `schema`. Returns the value,
 * which has the right type at each place without a problem.
 */
function checkForm<S extends v.GenericSchema>(schema: S, value: unknown, problems: Problems): v.InferOutput<S> {
  checkLossless(value, (place, sentence) => problems.add(place, sentence));
  const config: CheckConfig = { abortPipeEarly: true };
  const { value: output, issues = [] } = schema["~run"]({ value }, config);
  problems.addMore(countDropped(config));
  // A value that JavaScript cannot keep is already reported; the schema would only complain about its replacement.
  for (const issue of issues) {
    const place = placeOfIssue(issue);
    if (!problems.has(place)) problems.add(place, messageOf(issue), undefined, countUnkept(issue));
  }
  return output as v.InferOutput<S>; // of this type where there is no problem
}

/** Finds the line and the column of a place, such as people[0].name. */
type PlaceFinder = (place: string) => Pick<Problem, "line" | "column">;

/** A partial document whose values have their shapes, unless it has problems. */
export interface InputDocument {
  file: string;
  document: PartialDocument;
  /** The document with what is unsound in it, which the places of problems name; undefined if that is the same. */
  unsound?: object;
  /** The bytes of its media by their hash: where they are. */
  media: ReadonlyMap<string, { media: DocumentMedia; folder: string | undefined }>;
  problems: Problems;
  /** What is wrong with the file itself: it could not be read. */
  unreadable?: readonly Problem[];
  /**
   * A reader of paperwork made it: the elements of a scene are set one by one, those that the document does not have
   * stay, and each `was` names something stored.
   */
  is_paperwork?: true;
  /** Where in the file of the reader a place of the document is. */
  origin?: PlaceFinder;
  /** What was taken out of it, in sentences. */
  cleaned?: readonly string[];
  /** What is put into it was stored before, or is. */
  was_stored?: true;
  /** Whether its list of scenes is in the order of the script, which it is unless this is false. */
  orders_scenes?: boolean;
}

/** Restores the digits of mtime_ns, the only field that may have long numbers; checkKept reports all others. */
function takeDigits(value: unknown): void {
  const { storage } = value as { storage?: unknown }; // it is an object
  for (const install of Array.isArray(storage) ? storage : [])
    for (const file of Array.isArray(install?.files) ? install.files : [])
      if (typeof file?.mtime_ns === "bigint") file.mtime_ns = String(file.mtime_ns);
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
async function hashMedia(document: PartialDocument, folder: string | undefined): Promise<InputDocument["media"]> {
  const found = new Map<string, { media: DocumentMedia; folder: string | undefined }>();
  const all: DocumentMedia[] = [];
  eachMedia(document, (media) => all.push(media));
  for (const media of all) {
    const sha256 = await hashOfMedia(media, folder);
    found.set(sha256, { media: { ...media }, folder });
    delete media.base64;
    media.file = fileOfHash(sha256);
  }
  return found;
}

/**
 * A parsed value as a document, and its problems. A `whole` one is all that there is of a production, with the defaults
 * of the schema.
 */
export function checkedPartial(
  parsed: unknown,
  folder: string | undefined,
  whole = false,
): Pick<InputDocument, "document" | "unsound" | "problems" | "cleaned"> {
  const turned = takeDirections(parsed);
  const cleaned = turned > 0 ? { cleaned: [directionsTaken(turned)] } : {};
  return { ...checkedValue(parsed, folder, whole), ...cleaned };
}

function checkedValue(
  parsed: unknown,
  folder: string | undefined,
  whole: boolean,
): Pick<InputDocument, "document" | "unsound" | "problems"> {
  const problems = new Problems();
  const unread = { document: {}, problems };
  if (!isRecord(parsed)) {
    problems.add("", "must be an object");
    return unread;
  }
  // A document of another version has another form, so nothing else can be said of it.
  const { document_version: version } = parsed;
  const { issues = [] } = typeof version === "number" ? v.safeParse(documentVersion, version) : {};
  for (const issue of issues) problems.add("document_version", messageOf(issue));
  if (issues.length > 0) return unread;
  takeDigits(parsed);
  const output = whole
    ? withNames(checkForm(documentSchema, parsed, problems))
    : checkForm(partialSchema, withNames(parsed), problems);
  if (problems.more > 0) return unread;
  // of these types where there is no problem
  const document = Object.fromEntries(Object.entries(output).filter(([, list]) => list !== null)) as PartialDocument;
  eachMedia(document, (media, place) => checkMedia(problems, folder, media, place));
  return problems.any
    ? { document: withoutUnsound(document, problems, whole ? unsoundThing : unsoundField), unsound: document, problems }
    : { document, problems };
}

const { document_version: documentVersion } = documentSchema.entries;

/** What is wrong with the values of a parsed document that JavaScript cannot keep, and that no thread may be given. */
export function problemsOfValues(parsed: object) {
  takeDigits(parsed);
  const problems = new Problems();
  checkLossless(parsed, (place, sentence) => problems.add(place, sentence));
  return problems.described(parsed, sectionNames);
}

/** A document without media that a reader of paperwork made. Only a script orders scenes. */
export function documentOfPaperwork(
  parsed: object,
  file: string,
  { orders_scenes = false, origin }: { orders_scenes?: boolean; origin?: PlaceFinder | undefined } = {},
): InputDocument {
  const checked = checkedPartial(parsed, undefined);
  const found = origin === undefined ? {} : { origin };
  return { file, ...checked, ...found, media: new Map(), is_paperwork: true, orders_scenes };
}

/** A document without anything. What is put into it later was stored before, or is, and orders no scenes. */
export const emptyDocument = (file: string): InputDocument => ({
  file,
  document: {},
  media: new Map(),
  problems: new Problems(),
  was_stored: true,
  orders_scenes: false,
});

/** A file that could not be read: the problems that were kept, and how many others it has. */
export function unreadable(file: string, problems: readonly Problem[], more = 0): InputDocument {
  const document = emptyDocument(file);
  document.problems.addMore(more);
  return { ...document, unreadable: problems };
}

/**
 * Reads a parsed value as a partial document. `folder` is what the paths of its media start from; undefined if there is
 * none.
 */
export async function partialDocument(
  parsed: unknown,
  file: string,
  folder: string | undefined,
): Promise<InputDocument> {
  const checked = checkedPartial(parsed, folder);
  const media = await hashMedia(checked.document, folder);
  return { file, ...checked, media };
}

/** Nothing is merged with the things of a whole document, so their unsound values are only skipped. */
const unsoundThing = /^\w+(?:\[\d+\])?$/;
const unsoundField = /^\w+(?:\[\d+\])?(?:\.\w+)?/;

/**
 * A document with problems is still compared, so that all of its problems are found: without the values whose places
 * match.
 */
function withoutUnsound(document: PartialDocument, problems: Problems, places: RegExp): PartialDocument {
  const unsound = new Set(problems.list.flatMap(({ place }) => places.exec(place)?.[0] ?? []));
  for (const place of unsound) problems.leaveOut(place);
  const fieldsOf = (item: Raw, place: string): Raw =>
    unsound.has(place)
      ? {}
      : Object.fromEntries(Object.entries(item).filter(([field]) => !unsound.has(`${place}.${field}`)));
  const sound: PartialDocument = {};
  if (document.production !== undefined && !unsound.has("production"))
    sound.production = fieldsOf(document.production, "production");
  // The things that are left keep their indexes.
  for (const name of sectionNames)
    if (document[name] !== undefined && !unsound.has(name))
      sound[name] = document[name].map((item, at) => fieldsOf(item, `${name}[${at}]`));
  return sound;
}

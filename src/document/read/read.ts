// Reads documents, whole and partial, from files and parsed values, and finds all their problems at once, each with its place. Uses no
// database.
import * as v from "valibot";
import { CliError, type Problem } from "../../errors.ts";
import { messageOf } from "../../inputs.ts";
import type { Reading } from "../apply/apply.ts";
import { DocumentNames } from "../check/known_names.ts";
import { checkDocument } from "../check/validator.ts";
import type { Restored } from "../match/source.ts";
import { fileOfHash } from "../nouns/stored.ts";
import { type Form, formOf, type PartialDocument, partialSchema, type Raw } from "../sections/form.ts";
import { Problems, placeOf, placeOfIssue, type Step } from "../sections/problems.ts";
import { type CheckConfig, countDropped, documentSchema, type ProductionDocument } from "../sections/schema.ts";
import { sectionNames, sections } from "../sections/sections.ts";
import { checkAttachments, type DocumentMedia, folderOf, hashOfMedia, mediaOf } from "./attachments.ts";
import { checkKept, parseDocument, textOf } from "./json.ts";

/** A field that any object of a document may have, and that is ignored. */
const comment = "$comment";

/** A function that reports every field that `schema` does not know, by its place. */
function unknownFields(schema: v.GenericSchema): (value: unknown, report: (steps: readonly Step[]) => void) => void {
  const known = formOf(schema);
  return (value, report) => {
    const steps: Step[] = [];
    const into = (step: Step, value: unknown, form: Form): void => {
      steps.push(step);
      walk(value, form);
      steps.pop();
    };
    const walk = (value: unknown, { fields, item }: Form): void => {
      if (item !== undefined && Array.isArray(value))
        for (let at = 0; at < value.length; at++) into(at, value[at], item);
      if (fields === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return;
      for (const key of Object.keys(value)) {
        const form = fields.find((field) => field.key === key)?.form;
        if (form !== undefined) into(key, (value as Record<string, unknown>)[key], form);
        else if (key !== comment) report([...steps, key]);
      }
    };
    walk(value, known);
  };
}

/**
 * Returns a function that adds the problems of a value to `problems`: values that JavaScript cannot keep, violations of `schema`, and
 * unknown fields. The function returns the value, which has the right type at each place without a problem.
 */
export function formCheck<S extends v.GenericSchema>(
  schema: S,
): (value: unknown, problems: Problems) => v.InferOutput<S> {
  const reportUnknown = unknownFields(schema);
  return (value, problems) => {
    checkKept(value, (place, sentence) => problems.add(place, sentence));
    const config: CheckConfig = { abortPipeEarly: true };
    const { value: output, issues = [] } = schema["~run"]({ value }, config);
    problems.addMore(countDropped(config));
    // A value that JavaScript cannot keep is already reported; the schema would only complain about its replacement.
    const addNew = (place: string, sentence: string) => {
      if (!problems.has(place)) problems.add(place, sentence);
    };
    for (const issue of issues) addNew(placeOfIssue(issue), messageOf(issue));
    reportUnknown(value, (steps) => addNew(placeOf(steps), "is not a known field"));
    return output as v.InferOutput<S>; // of this type where there is no problem
  };
}

/** A sound document: every value has its shape and every reference its target. */
export interface ReadDocument {
  file: string;
  /** What the `file` paths of its media start from. */
  folder: string;
  document: ProductionDocument;
  /** What else is written in the transaction of the import. */
  beside?: Reading["beside"];
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
  /**
   * A reader of paperwork made it: the elements of a scene are set one by one, those that the document does not have stay, and each
   * `was` names something stored.
   */
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

/**
 * Reads and checks the document in `file`. Throws CliError: one sentence for a file that is missing, too large,
 * not UTF-8 or not JSON; otherwise a line for each problem with its place and the names of what stands there, such as
 * "scenes[12] (scene 5A).status must be one of …".
 */
export const readDocument = (file: string): ReadDocument =>
  checkedDocument(parseDocument(textOf(file), file), file, folderOf(file));

/** A parsed document. Throws CliError with every problem. */
export function checkedDocument(value: unknown, file: string, folder: string): ReadDocument {
  const problems = new Problems();
  if (isObject(value)) takeDigits(value);
  const document = checkWholeForm(value, problems);
  const isOther = isObject(value) && isOfAnotherVersion(value);
  if (isObject(value) && !isOther && problems.more === 0) {
    checkDocument(document, problems, new DocumentNames(document, problems));
    checkAttachments(problems, document, folder);
  }
  const all = problems.described(document, fields).map(({ sentence }) => sentence);
  const sentences = isOther ? all.filter((line) => line.startsWith("document_version ")) : all;
  if (sentences.length > 0) {
    const more = isOther ? 0 : problems.more;
    const count = sentences.length === 1 ? "a problem" : `${sentences.length + more} problems`;
    const inFile = sentences.map((sentence) => ({ file, sentence }));
    throw new CliError(`${file} has ${count}; nothing was imported`, sentences, inFile, more);
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
  checkAttachments(problems, document, folder);
  return { document: problems.any ? withoutUnsound(document, problems) : document, problems };
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
  return { file, document, media: new Map(), problems, is_paperwork: true, orders_scenes };
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
  return { file, document, media, problems };
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

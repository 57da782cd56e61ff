// Exports a production as a document in canonical form, without keys, tokens, sign-ins and storage events: the same
// production gives the same bytes, and importing them gives the same production. Writes documents and their media into
// folders.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { copyFileSync, createWriteStream, lstatSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { CliError } from "../../../core/errors.ts";
import type { Blobs } from "../../../core/store/blobs.ts";
import { sha256OfFile } from "../../../core/store/files.ts";
import type { Store } from "../../../core/store/store.ts";
import { causeOf } from "../../../core/system_errors.ts";
import { canonical, layoutOf, type Raw, rawsOf, roundsOf, writtenItem } from "../sections/form.ts";
import { keyOf, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import { type MediaLocation, type MediumRow, StoredProduction } from "../stored.ts";

/** A step without the name that it was signed with, if the person is called that: a document means it anyway. */
const withoutSameName = ({ signed_as, ...step }: Raw): Raw =>
  signed_as === (step.decided_by ?? step.person) ? step : { ...step, signed_as };

function documentThings(stored: StoredProduction, name: SectionName): Raw[] {
  const things = stored.items(name).map(({ raw }) => raw);
  if (name !== "approvals") return things;
  return things.map(({ steps, rounds, ...thing }) => {
    const signed = {
      steps: rawsOf(steps).map(withoutSameName),
      rounds: roundsOf(rounds).map((one) => one.map(withoutSameName)),
    };
    return canonical(layoutOf(name).fields, { ...thing, ...signed });
  });
}

/** Everything of the production at one time: the reads share a transaction, and writers do not wait for it. */
function documentOf(store: Store, production_id: number, carry: MediaLocation): Raw {
  return store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id, carry);
    const { production } = stored;
    if (production === undefined) throw new CliError(`there is no production ${production_id}`);
    const lists = sectionNames.flatMap((name): [string, unknown[]][] => {
      const things = documentThings(stored, name).map((thing) => writtenItem(name, thing));
      return things.length === 0 ? [] : [[name, things]];
    });
    return { document: "tallylight production", document_version: 1, production, ...Object.fromEntries(lists) };
  })();
}

/** The text of a document in pieces: an item a line, so that two exports can be compared by line. */
function* documentLines(document: Raw): Generator<string> {
  let lead = "{\n";
  for (const [key, value] of Object.entries(document)) {
    yield `${lead}${JSON.stringify(key)}: `;
    lead = ",\n";
    if (!Array.isArray(value)) {
      yield JSON.stringify(value);
      continue;
    }
    let separator = "[\n  ";
    for (const item of value) {
      yield separator + JSON.stringify(item);
      separator = ",\n  ";
    }
    yield "\n]";
  }
  yield "\n}\n";
}

/** Divisible by 3, so that the joined base64 of the pieces is the base64 of all bytes. */
const piece = 3 << 18;

async function* base64Of(blobs: Blobs, sha256: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  const size = blobs.sizeOf(sha256);
  if (size === undefined) throw new CliError(`the bytes ${sha256} are missing from the media folder`);
  if (size === 0) return;
  for await (const chunk of blobs.stream(sha256, 0, size - 1)) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % piece);
    if (whole > 0) yield bytes.toString("base64", 0, whole);
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield rest.toString("base64");
}

/** The text of a document in pieces, in which a mark and a SHA-256 stand for the bytes of each medium. */
export interface MarkedDocument {
  /** It is random: no text of the production can contain it, because it was not known before. */
  mark: string;
  pieces: Iterable<string>;
}

/** The production's document without the bytes of its media. Throws CliError if the production does not exist. */
export function markedDocument(store: Store, production_id: number): MarkedDocument {
  const mark = `${randomUUID()}:`;
  const document = documentOf(store, production_id, ({ sha256 }) => ({ base64: `${mark}${sha256}` }));
  return { mark, pieces: documentLines(document) };
}

/** A document as pieces of JSON text, with its media inside as base64. */
export async function* withMedia({ mark, pieces }: MarkedDocument, blobs: Blobs): AsyncGenerator<string> {
  for (const piece of pieces) {
    const [first = "", ...others] = piece.split(mark);
    yield first;
    for (const other of others) {
      yield* base64Of(blobs, other.slice(0, 64));
      yield other.slice(64);
    }
  }
}

/**
 * The production's document as pieces of JSON text, with its media inside as base64. No piece is larger than one item
 * without its media, however large the production is. Throws CliError if the production does not exist.
 */
export const exportDocument = (store: Store, blobs: Blobs, production_id: number): AsyncGenerator<string> =>
  withMedia(markedDocument(store, production_id), blobs);

/** A title or label as part of a file name: lower-case letters, digits and dashes. */
export const fileNameOf = (name: string, otherwise: string): string =>
  name
    .replace(/\.[A-Za-z0-9]{1,5}$/, "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-|-$/g, "") || otherwise;

/**
 * The document as pieces of text with its media in files, and those media: the path of each in the document, and its
 * bytes. `folder` is the beginning of the paths, such as `media/the-long-night`.
 */
export function exportWithMedia(store: Store, production_id: number, folder: string): DocumentWithMedia {
  const media = new Map<string, string>();
  const carry = ({ sha256, path, label }: MediumRow) => {
    const [ending = ""] = /\.[a-z0-9]+$/.exec(path) ?? [];
    // Named by content and not by id, because ids differ between databases.
    const file = `${folder}/${fileNameOf(label, "media")}-${sha256.slice(0, 12)}${ending}`;
    media.set(file, sha256);
    return { file };
  };
  const document = documentOf(store, production_id, carry);
  return { lines: { [Symbol.iterator]: () => documentLines(document) }, media };
}

const shown = (value: unknown): unknown => (Array.isArray(value) ? value.length : (value ?? null));

export type ListedRow = { id: number; key: string } & Raw;

/** The fields of the rows of a section, in order. */
export const listedFields = (name: SectionName): string[] => ["id", "key", ...sections[name].listed];

/** The things of a section in the order of the document, all as of one moment. */
export const listSection = (store: Store, production_id: number, name: SectionName): ListedRow[] =>
  store.database.transaction(() => {
    const usual = new Map(layoutOf(name).fields.map((field) => [field.name, field.usual]));
    return new StoredProduction(store, production_id).items(name).map(({ id, raw }) => ({
      id,
      key: keyOf(name, raw) as string, // every stored thing has one
      ...Object.fromEntries(sections[name].listed.map((field) => [field, shown(raw[field] ?? usual.get(field))])),
    }));
  })();

const minCharacters = 1 << 16;

/** The same text in pieces of at least 65,536 characters, the last one excepted. */
export async function* larger(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = "";
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < minCharacters) continue;
    yield waiting;
    waiting = "";
  }
  yield waiting;
}

/**
 * A document in pieces of text, which can be read several times, and the media next to it: their SHA-256 by their path.
 */
export interface DocumentWithMedia {
  lines: Iterable<string>;
  media: ReadonlyMap<string, string>;
}

interface Target {
  file: string;
  size: number;
  sha256: string;
  write(to: string): Promise<void>;
}

const untouched = "nothing was written";

async function documentTarget(file: string, lines: Iterable<string>): Promise<Target> {
  let size = 0;
  const hash = createHash("sha256");
  for await (const piece of larger(lines)) {
    size += Buffer.byteLength(piece);
    hash.update(piece);
  }
  return { file, size, sha256: hash.digest("hex"), write: (to) => pipeline(larger(lines), createWriteStream(to)) };
}

function mediaTarget(file: string, blobs: Blobs, sha256: string): Target {
  const size = blobs.sizeOf(sha256);
  if (size === undefined) throw new CliError(`the bytes ${sha256} are missing from the media folder; ${untouched}`);
  return { file, size, sha256, write: async (to) => copyFileSync(blobs.fileOf(sha256), to) };
}

/** What exists at the path of a target: nothing, the same bytes, or something else. Throws CliError for a folder. */
async function stateOf({ file, size, sha256 }: Target): Promise<"absent" | "same" | "other"> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return "absent";
  const found = statSync(file, { throwIfNoEntry: false }); // follows a link, which may lead nowhere
  if (found?.isDirectory()) throw new CliError(`${file} is a folder; ${untouched}`);
  if (!found?.isFile() || found.size !== size) return "other";
  return (await sha256OfFile(file)) === sha256 ? "same" : "other";
}

async function writeTarget({ file, write }: Target): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    await write(draft);
    renameSync(draft, file); // takes the place of a link, and does not go through it
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CliError(`${file} cannot be written: ${causeOf(error)}`);
  }
}

/**
 * Writes `name`.json and its media into `folder`. Files that already have the same bytes stay. Throws CliError and
 * writes nothing if a file has other content and `force` is not given, or if the bytes of a medium are missing. The
 * document is written last, so all media that it names exist.
 */
export async function writeWithMedia(
  blobs: Blobs,
  { lines, media }: DocumentWithMedia,
  { folder, name, force }: { folder: string; name: string; force: boolean },
): Promise<{ file: string }> {
  const file = join(folder, `${name}.json`);
  const targets = [...media].map(([path, sha256]) => mediaTarget(join(folder, path), blobs, sha256));
  targets.push(await documentTarget(file, lines));
  const states: Awaited<ReturnType<typeof stateOf>>[] = [];
  for (const target of targets) states.push(await stateOf(target));
  const others = targets.filter((_, at) => states[at] === "other").map((target) => target.file);
  if (others.length > 0 && !force)
    throw new CliError(`${folder} has files with other content; --force overwrites them, ${untouched}`, others);
  for (const [at, target] of targets.entries()) if (states[at] !== "same") await writeTarget(target);
  return { file };
}

// Exports a production as a document in canonical form: the same production gives the same bytes, and importing them gives the same
// production. The document does not contain keys, tokens, sign-ins or storage events.
import { randomUUID } from "node:crypto";
import { CliError } from "../../errors.ts";
import type { Blobs } from "../../store/blobs.ts";
import type { Store } from "../../store/database.ts";
import { type Carry, Exporter, type MediaRow, type Row } from "../nouns/exporter.ts";
import { collectProduction, exportProduction } from "../nouns/production.ts";
import { collect } from "../nouns/section_rows.ts";
import { canonical, writtenItem } from "../sections/form.ts";
import { documentSchema } from "../sections/schema.ts";
import { keyOf, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import type { Beside } from "./files.ts";

const shape = canonical(documentSchema);

/** Everything of the production at one time: the reads share a transaction, and writers do not wait for it. */
function documentOf(store: Store, production_id: number, carry: Carry): Row {
  return store.database.transaction(() => {
    if (exportProduction(store, { production_id }).length === 0)
      throw new CliError(`there is no production ${production_id}`);
    const exporter = new Exporter(store, production_id, carry);
    const lists = sectionNames.map(
      (name) => [name, collect(exporter, name).map((row) => writtenItem(name, row))] as const,
    );
    const production = collectProduction(exporter);
    return shape({
      document: "tallylight production",
      document_version: 1,
      production,
      ...Object.fromEntries(lists),
    }) as Row;
  })();
}

/** The text of a document in pieces: an item a line, so that two exports can be compared by line. */
function* documentLines(document: Row): Generator<string> {
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
 * The production's document as pieces of JSON text, with its media inside as base64. No piece is larger than one item without its
 * media, however large the production is. Throws CliError if the production does not exist.
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
 * The document as pieces of text with its media in files, and those media: the path of each in the document, and its bytes. `folder`
 * is the beginning of the paths, such as `media/the-long-night`.
 */
export function exportBeside(store: Store, production_id: number, folder: string): Beside {
  const media = new Map<string, string>();
  const carry = ({ sha256, path, label }: MediaRow) => {
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

export type ListedRow = { id: number; key: string } & Row;

/** The fields of the rows of a section, in order. */
export const listedFields = (name: SectionName): string[] => ["id", "key", ...sections[name].listed];

/** The things of a section in the order of the document, all as of one moment. */
export const listSection = (store: Store, production_id: number, name: SectionName): ListedRow[] =>
  store.database.transaction(() => {
    const exporter = new Exporter(store, production_id, () => ({ file: "" }));
    return collect(exporter, name).map((row) => ({
      id: row.id as number, // every row of a section has an id
      key: keyOf(name, row) as string, // every stored thing has one
      ...Object.fromEntries(sections[name].listed.map((field) => [field, shown(row[field])])),
    }));
  })();

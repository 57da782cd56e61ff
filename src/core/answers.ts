// What a handler returns: a document, a page of a list, bytes, a document in pieces, or a read in steps. The transports
// send it.
import { hash } from "node:crypto";
import type { ListPage } from "./listing.ts";

declare const shape: unique symbol;

/** JSON text of a T. The type exists only at compile time. */
export type JsonText<T> = string & { readonly [shape]: T };

/** Converts a value to JSON text. */
// safe: it is the text of a T
export const jsonText = <T>(value: T): JsonText<T> => JSON.stringify(value) as JsonText<T>;

/** Bytes that are sent unchanged: of a stored file, of another file, or made for this answer. */
export class Bytes {
  readonly label: string;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly content_type: string;
  /** The bytes that were made for this answer; undefined for those of the stored file with this SHA-256. */
  readonly body: Buffer | undefined;
  /** The path of the file that has them, if it is not the stored one. */
  readonly file: string | undefined;
  constructor(
    row: { label: string; sha256: string; size: number; content_type: string },
    { body, file }: { body?: Buffer; file?: string } = {},
  ) {
    this.label = row.label;
    this.sha256 = row.sha256;
    this.size = row.size;
    this.content_type = row.content_type;
    this.body = body;
    this.file = file;
  }
}

/**
 * A document as pieces of text, which are sent while they are made. For downloads only: it has no ETag, and its
 * operation is never a tool.
 */
export class Pieces {
  readonly pieces: AsyncIterable<string>;
  readonly file_name: string;
  constructor(pieces: AsyncIterable<string>, file_name: string) {
    this.pieces = pieces;
    this.file_name = file_name;
  }
}

/** A document with its own ETag. */
export class TaggedDocument<T> {
  readonly text: JsonText<T>;
  readonly etag: string;
  constructor(text: JsonText<T>, etag: string) {
    this.text = text;
    this.etag = etag;
  }
}

/**
 * A read that may take long, as steps: before each further step, waiting requests get their turn, and the caller is
 * authorized again.
 */
export class Steps<T> {
  readonly steps: Generator<void, T>;
  constructor(steps: Generator<void, T>) {
    this.steps = steps;
  }
}

/** The strong ETag of a document: a hash of its text, including the quotes (RFC 9110 section 8.8.3). */
export const etagOf = (text: string): string => `"${hash("sha256", text).slice(0, 32)}"`;

/**
 * Adds the field etag to a document, which is an object: the hash of the text without it, exactly as in the ETag
 * header. docs/api.md, "Reading".
 */
export function withEtag<T extends { etag: string }>(assembled: JsonText<Omit<T, "etag">>): TaggedDocument<T> {
  const etag = etagOf(assembled);
  const text = `${assembled.slice(0, -1)},"etag":${JSON.stringify(etag)}}`;
  return new TaggedDocument(text as JsonText<T>, etag); // safe: the statement's object and the one field that it lacks
}

/**
 * What a handler returns for a document: an object, JSON text that SQL assembled, a document with its own ETag, or a
 * page of a list.
 */
export type Document<T> = T | JsonText<T> | TaggedDocument<T> | ListPage<T>;

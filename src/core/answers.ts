// What an operation answers: a document, a page, bytes, or a document in pieces or steps.
import { hash } from "node:crypto";
import type { ListPage } from "./listing.ts";

declare const shape: unique symbol;

/** JSON text of a T. The type exists only at compile time. */
export type JsonText<T> = string & { readonly [shape]: T };

/** Converts a value to JSON text. */
export const jsonText = <T>(value: T): JsonText<T> => JSON.stringify(value) as JsonText<T>; // safe: it is the text of a T

/** Stored bytes, to be sent unchanged. */
export class Bytes {
  readonly label: string;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly content_type: string;
  /** The bytes, if they are not those of a stored file. */
  readonly body: Buffer | undefined;
  constructor(row: { label: string; sha256: string; size: number; content_type: string }, body?: Buffer) {
    this.label = row.label;
    this.sha256 = row.sha256;
    this.size = row.size;
    this.content_type = row.content_type;
    this.body = body;
  }
}

/** A document as pieces of text, which are sent while they are made. It is for downloads: it has no ETag and is no tool. */
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

/** A read that takes long, as steps. The first is run, and each further one after others had their turn, with `context` authorized again. */
export class Steps<T> {
  readonly steps: Generator<void, T>;
  constructor(steps: Generator<void, T>) {
    this.steps = steps;
  }
}

/** The strong ETag of a document: a hash of its text, including the quotes (RFC 9110 section 8.8.3). */
export const etagOf = (text: string): string => `"${hash("sha256", text).slice(0, 32)}"`;

/** Adds the field etag to a document: the hash of the text without it, exactly as in the ETag header. */
export function withEtag<T extends { etag: string }>(assembled: JsonText<Omit<T, "etag">>): TaggedDocument<T> {
  const etag = etagOf(assembled);
  const text = `${assembled.slice(0, -1)},"etag":${JSON.stringify(etag)}}`;
  return new TaggedDocument(text as JsonText<T>, etag); // safe: the statement's object and the one field that it lacks
}

/** A document: an object, JSON text that SQL assembled, or a document with its own ETag, or a page. */
export type Document<T> = T | JsonText<T> | TaggedDocument<T> | ListPage<T>;

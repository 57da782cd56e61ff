// The kinds of answer that an operation gives: a document, as an object or as JSON text that SQL assembled, or stored bytes;
// and how a document is told from another.
import { hash } from "node:crypto";

/** Stored bytes to be sent as they are. */
export class Bytes {
  readonly label: string;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly content_type: string;
  constructor(row: { label: string; sha256: string; size: number; content_type: string }) {
    this.label = row.label;
    this.sha256 = row.sha256;
    this.size = row.size;
    this.content_type = row.content_type;
  }
}

/** A document as JSON text, an object that will be one, or bytes. */
export type Answer = string | object | Bytes;

/** The ETag of a document: a strong one, a hash of its text, quotes included (RFC 9110 section 8.8.3). */
export const etagOf = (text: string): string => `"${hash("sha256", text).slice(0, 32)}"`;

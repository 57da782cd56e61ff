// The private members of formidable that this server needs, reached here alone. Another version may change them: each access
// checks that the member is there, and a test runs each.
import type { Transform } from "node:stream";
import type { Part } from "formidable";

/** Takes an event of the parser; `buffer` from `start` to `end` are its bytes. */
export type HandleEvent = (name: string, buffer?: Buffer, start?: number, end?: number) => void;
export type HandleChunk = (chunk: Buffer, encoding: BufferEncoding, done: (error?: Error) => void) => void;

/** The parser of a multipart body: what it calls for each event, and what it is called with for each chunk. */
export type MultipartParser = Transform & { _handleCallback: HandleEvent; _transform: HandleChunk };

type Private = { _parser?: Partial<MultipartParser>; _handlePart?: (part: Part) => Promise<void> };

/** The parser that the multipart plugin made. Throws an Error if this version of formidable has no such parser. */
export function parserOf(form: unknown): MultipartParser {
  const { _parser: parser } = form as Private;
  if (typeof parser?._handleCallback !== "function" || typeof parser._transform !== "function")
    throw new Error("this version of formidable has another multipart parser");
  return parser as MultipartParser; // both members are there
}

/** Handles a part as the form itself does. Throws an Error if this version of formidable does it otherwise. */
export async function handlePart(form: unknown, part: Part): Promise<void> {
  const { _handlePart } = form as Private;
  if (typeof _handlePart !== "function") throw new Error("this version of formidable handles parts in another way");
  await _handlePart.call(form, part);
}

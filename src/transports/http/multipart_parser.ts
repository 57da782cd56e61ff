// Gives access to the private members of formidable that this server needs. Another version may change them: each access checks
// that the member exists, and a test runs each of them.
import type { Transform } from "node:stream";
import type { Part } from "formidable";

/** Handles an event of the parser. Its bytes are those of `buffer` from `start` to `end`. */
export type HandleEvent = (name: string, buffer?: Buffer, start?: number, end?: number) => void;
export type HandleChunk = (chunk: Buffer, encoding: BufferEncoding, done: (error?: Error) => void) => void;

/** The parser of a multipart body, with the method that it calls for each event and the one that parses a chunk. */
export type MultipartParser = Transform & { _handleCallback: HandleEvent; _transform: HandleChunk };

type Private = { _parser?: Partial<MultipartParser>; _handlePart?: (part: Part) => Promise<void> };

/** Returns the parser that the multipart plugin made. Throws an Error if this version of formidable does not have it. */
export function parserOf(form: unknown): MultipartParser {
  const { _parser: parser } = form as Private;
  if (typeof parser?._handleCallback !== "function" || typeof parser._transform !== "function")
    throw new Error("this version of formidable has a different multipart parser");
  return parser as MultipartParser; // both members were checked above
}

/** Handles a part as the form does by default. Throws an Error if this version of formidable does not have the method. */
export async function handlePart(form: unknown, part: Part): Promise<void> {
  const { _handlePart } = form as Private;
  if (typeof _handlePart !== "function") throw new Error("this version of formidable handles parts differently");
  await _handlePart.call(form, part);
}

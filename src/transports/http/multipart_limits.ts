// Limits the number of parts of a multipart body and the length of their headers, and joins the small buffers of a part into
// larger ones. This needs private members of formidable, which another version may change: each access checks that the member exists, and a
// test runs each of them.
import type { Transform } from "node:stream";
import type formidable from "formidable";
import type { Part } from "formidable";
import { tooLarge } from "../../errors.ts";

/** Handles an event of the parser. Its bytes are those of `buffer` from `start` to `end`. */
type HandleEvent = (name: string, buffer?: Buffer, start?: number, end?: number) => void;
type HandleChunk = (chunk: Buffer, encoding: BufferEncoding, done: (error?: Error) => void) => void;

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

const maxParts = 1200;
/** In bytes, of one part and of all parts together. */
const maxHeaderBytes = 4096;
const maxTotalHeaderBytes = 1 << 20;
/** Buffers below this size are joined, in bytes. */
const smallBuffer = 1024;
const joinedSize = 1 << 16;

/** Counts parts and header bytes. Destroys the parser with 413 above a limit, before anything reads them. */
function limitChecker(parser: MultipartParser): (name: string, length: number) => void {
  let parts = 0;
  let bytes = 0;
  let total = 0;
  return (name, length) => {
    if (name === "partBegin") {
      bytes = 0;
      if (++parts > maxParts) parser.destroy(tooLarge(`a form must have at most ${maxParts} parts`));
    } else if (name === "headerField" || name === "headerValue") {
      bytes += length;
      total += length;
      if (bytes > maxHeaderBytes || total > maxTotalHeaderBytes)
        parser.destroy(tooLarge(`a part's headers must have at most ${maxHeaderBytes} bytes`));
    }
  };
}

/**
 * A formidable plugin that runs after the one that makes the parser. The parser emits one event for each byte that could begin a
 * boundary, so 8 MB of carriage returns took 12 s. It also reuses the buffer of such bytes, so a part that reads it later gets
 * other bytes. Joining them into new buffers solves both.
 */
export const limitParts: formidable.PluginFunction = (form) => {
  const parser = parserOf(form);
  const handleEvent: HandleEvent = parser._handleCallback.bind(parser);
  const parseChunk: HandleChunk = parser._transform.bind(parser);
  const checkLimits = limitChecker(parser);
  const joined = Buffer.allocUnsafe(joinedSize);
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    handleEvent("partData", Buffer.from(joined.subarray(0, length)), 0, length); // most are a few bytes between large buffers
    length = 0;
  };
  parser._handleCallback = (name, buffer, start = 0, end = 0) => {
    if (buffer !== undefined && start === end) return;
    if (name === "partData" && buffer !== undefined && end - start < smallBuffer) {
      if (length + end - start > joinedSize) flush();
      length += buffer.copy(joined, length, start, end);
      return;
    }
    flush();
    checkLimits(name, end - start);
    if (parser.destroyed) return;
    if (buffer === undefined) handleEvent(name);
    else handleEvent(name, buffer, start, end);
  };
  parser._transform = (chunk, encoding, done) =>
    parseChunk(chunk, encoding, (error) => {
      flush();
      done(error);
    });
};

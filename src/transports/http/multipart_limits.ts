// Limits the number of parts of a multipart body and the length of their headers, and joins the small buffers of a part into
// larger ones.
import type formidable from "formidable";
import { tooLarge } from "../../errors.ts";
import { type HandleChunk, type HandleEvent, type MultipartParser, parserOf } from "./multipart_parser.ts";

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

// Limits of the multipart parser: how many parts there are and how long their headers are. Also joins many small buffers of a
// part into larger ones.
import type formidable from "formidable";
import { tooLarge } from "../../errors.ts";
import { type HandleChunk, type HandleEvent, type MultipartParser, parserOf } from "./multipart_parser.ts";

const maxParts = 1200;
const maxHeaderBytes = 4096;
const maxHeaderBytesTogether = 1 << 20;
/** Buffers below this size are joined, in bytes. */
const smallBuffer = 1024;
const joinedSize = 1 << 16;

/** Counts parts and header bytes; destroys the parser with 413 above a limit, before anything reads them. */
function bounds(parser: MultipartParser): (name: string, length: number) => void {
  let parts = 0;
  let bytes = 0;
  let together = 0;
  return (name, length) => {
    if (name === "partBegin") {
      bytes = 0;
      if (++parts > maxParts) parser.destroy(tooLarge(`a form must have at most ${maxParts} parts`));
    } else if (name === "headerField" || name === "headerValue") {
      bytes += length;
      together += length;
      if (bytes > maxHeaderBytes || together > maxHeaderBytesTogether)
        parser.destroy(tooLarge(`a part's headers must have at most ${maxHeaderBytes} bytes`));
    }
  };
}

/**
 * A formidable plugin that runs after the one that makes the parser. The parser makes one event for each byte that could begin a
 * boundary, so 8 MB of carriage returns took 12 s; and it reuses the buffer of such bytes, which a part that had to wait then
 * read too late. Joining them into new buffers solves both.
 */
export const limitParts: formidable.PluginFunction = (form) => {
  const parser = parserOf(form);
  const tell: HandleEvent = parser._handleCallback.bind(parser);
  const take: HandleChunk = parser._transform.bind(parser);
  const bound = bounds(parser);
  let gathered = Buffer.allocUnsafe(joinedSize);
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    tell("partData", gathered, 0, length);
    gathered = Buffer.allocUnsafe(joinedSize);
    length = 0;
  };
  parser._handleCallback = (name, buffer, start = 0, end = 0) => {
    if (buffer !== undefined && start === end) return;
    if (name === "partData" && buffer !== undefined && end - start < smallBuffer) {
      if (length + end - start > joinedSize) flush();
      length += buffer.copy(gathered, length, start, end);
      return;
    }
    flush();
    bound(name, end - start);
    if (parser.destroyed) return;
    if (buffer === undefined) tell(name);
    else tell(name, buffer, start, end);
  };
  parser._transform = (chunk, encoding, done) =>
    take(chunk, encoding, (error) => {
      flush();
      done(error);
    });
};

// What the multipart parser lacks, put around it: bounds on how many parts there are and how long their headers, and
// bytes that come to it in crumbs handed on in pieces. Knows nothing of what the parts hold.
import type { Transform } from "node:stream";
import type formidable from "formidable";
import { tooLarge } from "../../errors.ts";

const maxParts = 1200;
const maxHeaderBytes = 4096;
const maxHeaderBytesTogether = 1 << 20;
const crumb = 1024;
const piece = 1 << 16;

type Tell = (name: string, buffer?: Buffer, start?: number, end?: number) => void;
type Take = (chunk: Buffer, encoding: BufferEncoding, done: (error?: Error) => void) => void;
type Parser = Transform & { _handleCallback: Tell; _transform: Take };

/** Refuses too many parts and too long headers before anybody looks them over. */
function bounds(parser: Parser): (name: string, length: number) => void {
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
 * A plugin, to stand behind the one that makes the parser. Each byte that could begin a boundary makes an event of its own
 * there, so 8 MB of carriage returns took 12 s; and bytes held back for a boundary came in a buffer that is used again,
 * which a part that had to wait then read too late. Gathered into pieces of their own they are neither slow nor lost.
 */
export const limitParts: formidable.PluginFunction = (form) => {
  const { _parser: parser } = form as unknown as { _parser: Parser | undefined };
  if (parser === undefined) return;
  const tell: Tell = parser._handleCallback.bind(parser);
  const take: Take = parser._transform.bind(parser);
  const bound = bounds(parser);
  let gathered = Buffer.allocUnsafe(piece);
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    tell("partData", gathered, 0, length);
    gathered = Buffer.allocUnsafe(piece);
    length = 0;
  };
  parser._handleCallback = (name, buffer, start = 0, end = 0) => {
    if (buffer !== undefined && start === end) return;
    if (name === "partData" && buffer !== undefined && end - start < crumb) {
      if (length + end - start > piece) flush();
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

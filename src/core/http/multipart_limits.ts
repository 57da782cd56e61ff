// Makes formidable safe for hostile multipart bodies: limits the parts and the length of their headers, finds the end
// of a part by a search of the whole chunk, and joins small buffers of a part, and the pieces of a header, into one.
// This needs private members of formidable, which another version may change: each access checks that the member
// exists, and a test runs each of them.
import type { Transform } from "node:stream";
import type formidable from "formidable";
import { MultipartParser as Formidable, type Part } from "formidable";
import { tooLarge } from "../errors.ts";

/** Handles an event of the parser. Its bytes are those of `buffer` from `start` to `end`. */
type HandleEvent = (name: string, buffer?: Buffer, start?: number, end?: number) => void;
type HandleChunk = (chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void) => void;

/** The parser of a multipart body, with the method that it calls for each event and the one that parses a chunk. */
export type MultipartParser = Transform & {
  _handleCallback: HandleEvent;
  _transform: HandleChunk;
  /** What separates two parts, with the line end before it. */
  boundary: Buffer;
  state: number;
  /** How many bytes that may be a boundary have been read, and these bytes. */
  index: number;
  lookbehind: Buffer;
};

type Private = { _parser?: Partial<MultipartParser>; _handlePart?: (part: Part) => Promise<void> };

/**
 * Returns the parser that the multipart plugin made. Throws an Error if this version of formidable does not have it.
 */
export function parserOf(form: unknown): MultipartParser {
  const { _parser: parser } = form as Private; // each member is checked before it is used
  const isKnown =
    typeof parser?._handleCallback === "function" &&
    typeof parser._transform === "function" &&
    Buffer.isBuffer(parser.boundary) &&
    Buffer.isBuffer(parser.lookbehind) &&
    typeof parser.state === "number";
  if (!isKnown) throw new Error("this version of formidable has a different multipart parser");
  return parser as MultipartParser; // its members were checked above
}

/**
 * Handles a part as the form does by default. Throws an Error if this version of formidable does not have the method.
 */
export async function handlePart(form: unknown, part: Part): Promise<void> {
  const { _handlePart } = form as Private; // checked below
  if (typeof _handlePart !== "function") throw new Error("this version of formidable handles parts differently");
  await _handlePart.call(form, part);
}

/** Removes the line ends of a part in base64: formidable decodes it in groups of four characters, and counts them. */
export function removeLines(part: Part): void {
  let text = "";
  const set = (next: string): void => {
    text = next.replace(/\s+/g, "");
  };
  Object.defineProperty(part, "transferBuffer", { get: () => text, set });
}

const maxParts = 1200;
/** In bytes, of one part and of all parts together. */
const maxHeaderBytes = 4096;
const maxTotalHeaderBytes = 1 << 20;
/** Buffers below this size are joined, in bytes. */
const smallBuffer = 1024;
const joinedSize = 1 << 16;
/** How many bytes the parser reads at a time where a part may begin or end. */
const pieceSize = 256;

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
 * The end of the bytes that belong to the part: a boundary is next, or what may become one with the next chunk. The
 * chunk is searched as a text, because Deno searches a buffer for another one 30 times as slowly.
 */
function endOfPart(chunk: Buffer, parser: MultipartParser): number {
  const text = chunk.toString("latin1");
  const boundary = parser.boundary.toString("latin1");
  for (let at = text.indexOf(boundary); at !== -1; at = text.indexOf(boundary, at + 1)) {
    const next = text.slice(at + boundary.length, at + boundary.length + 2);
    if (next.length < 2 || next === "\r\n" || next === "--") return at;
  }
  const end = text.indexOf("\r", text.length - boundary.length + 1);
  return end === -1 ? text.length : end;
}

/**
 * A formidable plugin that runs after the one that makes the parser. The parser looks at each byte that the boundary
 * contains and emits an event for each that could begin it, so 8 MB of carriage returns took 12 s: it only gets the
 * bytes around a boundary. It also reuses the buffer of such bytes, so a part that reads it later gets other bytes:
 * they are joined into new buffers. A header is read as text, so it is joined too: a chunk may end inside a character.
 */
export const limitParts: formidable.PluginFunction = (form) => {
  const parser = parserOf(form);
  const handleEvent: HandleEvent = parser._handleCallback.bind(parser);
  const parseChunk: HandleChunk = parser._transform.bind(parser);
  const checkLimits = limitChecker(parser);
  const joined = Buffer.allocUnsafe(joinedSize);
  /** Of which event bytes are joined, and how many. */
  let joining = "partData";
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    // most are a few bytes between large buffers
    handleEvent(joining, Buffer.from(joined.subarray(0, length)), 0, length);
    length = 0;
  };
  parser._handleCallback = (name, buffer, start = 0, end = 0) => {
    if (buffer !== undefined && start === end) return;
    const isHeader = name === "headerField" || name === "headerValue";
    const isJoined = isHeader || (name === "partData" && end - start < smallBuffer);
    if (!isJoined || name !== joining || length + end - start > joinedSize) flush();
    checkLimits(name, end - start);
    if (parser.destroyed) return;
    if (buffer === undefined) handleEvent(name);
    else if (!isJoined) handleEvent(name, buffer, start, end);
    else {
      joining = name;
      length += buffer.copy(joined, length, start, end);
    }
  };
  parser._transform = (chunk, encoding, done) => {
    let problem: Error | null | undefined;
    for (let rest = chunk; rest.length > 0 && !problem && !parser.destroyed; rest = rest.subarray(pieceSize)) {
      if (parser.state === Formidable.STATES.PART_DATA) {
        if (parser.index > 0) rest = Buffer.concat([parser.lookbehind.subarray(0, parser.index), rest]);
        parser.index = 0;
        const end = endOfPart(rest, parser);
        parser._handleCallback("partData", rest, 0, end);
        rest = rest.subarray(end);
      }
      parseChunk(rest.subarray(0, pieceSize), encoding, (error) => {
        problem = error;
      });
    }
    if (joining === "partData") flush();
    done(problem);
  };
};

// The journal's log: frames appended one after the other, each synced before anything relies on it. What follows the last whole
// frame was never relied on, and is cut off when the log is opened.
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { writeWhole } from "../disk.ts";
import { checksumOf } from "./entry.ts";

/** `<length> <checksum>\n<JSON>\n`: the length in bytes as 8 hex digits. */
const headSize = 8 + 1 + 16 + 1;

/** The frames of a log's bytes, and how many bytes they take; what follows is torn. */
export function readFrames<T>(bytes: Buffer): { frames: T[]; length: number } {
  const frames: T[] = [];
  let at = 0;
  while (at + headSize <= bytes.length) {
    const head = /^([0-9a-f]{8}) ([0-9a-f]{16})\n$/.exec(bytes.toString("latin1", at, at + headSize));
    if (head === null) break;
    const start = at + headSize;
    const end = start + Number.parseInt(head[1] as string, 16);
    if (end >= bytes.length || bytes[end] !== 0x0a) break;
    const text = bytes.subarray(start, end);
    if (checksumOf(text) !== head[2]) break;
    frames.push(JSON.parse(text.toString()));
    at = end + 1;
  }
  return { frames, length: at };
}

export class Log<T> {
  readonly file: string;
  readonly #handle: number;
  #length: number;

  /** Opens a log, or starts one, behind its last whole frame. */
  constructor(file: string, length = 0) {
    this.file = file;
    this.#length = length;
    this.#handle = openSync(file, "a", 0o600);
    ftruncateSync(this.#handle, length);
  }

  /** Frames of a log that may be absent. */
  static read<T>(file: string): { frames: T[]; length: number } {
    try {
      return readFrames<T>(readFileSync(file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return { frames: [], length: 0 };
      throw error;
    }
  }

  /** Appends a frame and brings it to disk; a disk that is full leaves the log as it was. */
  append(frame: T): void {
    const text = Buffer.from(JSON.stringify(frame));
    const head = `${text.length.toString(16).padStart(8, "0")} ${checksumOf(text)}\n`;
    const bytes = Buffer.concat([Buffer.from(head), text, Buffer.from("\n")]);
    try {
      writeWhole(this.#handle, bytes);
      fsyncSync(this.#handle);
    } catch (error) {
      ftruncateSync(this.#handle, this.#length);
      throw error;
    }
    this.#length += bytes.length;
  }

  close(): void {
    closeSync(this.#handle);
  }
}

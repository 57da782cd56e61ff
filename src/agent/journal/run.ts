// A run: a file of entries in order that never changes once it is written. Blocks of entries, each with its checksum in an
// index at the end, so that a path is found by reading one block and a walk reads block after block.
import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync } from "node:fs";
import { writeWhole } from "../disk.ts";
import { checksumOf, decodeEntries, type Entry, encodeEntry, JournalDamage, orderOf } from "./entry.ts";

const blockSize = 32 * 1024;
/** Where the index starts and how long it is, 16 hex digits each, and its checksum. */
const trailerSize = 48;

interface Block {
  offset: number;
  length: number;
  checksum: string;
  /** The order of its first entry. */
  first: string;
}

const hex = (value: number): string => value.toString(16).padStart(16, "0");

function readAt(handle: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const read = readSync(handle, bytes, done, length - done, offset + done);
    if (read === 0) throw new JournalDamage("a file of the journal is too short");
    done += read;
  }
  return bytes;
}

/** Writes a run; entries must come in order. Nobody reads it before `finish` has answered. */
export class RunWriter {
  readonly #file: string;
  readonly #handle: number;
  readonly #blocks: Block[] = [];
  #texts: string[] = [];
  #length = 0;
  #first = "";
  #offset = 0;
  #count = 0;
  #gone = 0;
  #last = "";

  constructor(file: string) {
    this.#file = file;
    this.#handle = openSync(file, "w", 0o600);
  }

  add(entry: Entry): void {
    if (this.#length === 0) this.#first = orderOf(entry.path);
    this.#last = entry.path;
    const text = encodeEntry(entry);
    this.#texts.push(text);
    this.#length += text.length;
    this.#count++;
    if (entry.state === "gone") this.#gone++;
    if (this.#length >= blockSize) this.#endBlock();
  }

  #endBlock(): void {
    if (this.#length === 0) return;
    const bytes = Buffer.from(this.#texts.join(""));
    writeWhole(this.#handle, bytes);
    this.#blocks.push({
      offset: this.#offset,
      length: bytes.length,
      checksum: checksumOf(bytes),
      first: this.#first,
    });
    this.#offset += bytes.length;
    this.#texts = [];
    this.#length = 0;
  }

  /** Brings the run to disk and opens it. */
  finish(): Run {
    this.#endBlock();
    const summary = { count: this.#count, gone: this.#gone, last: orderOf(this.#last), blocks: this.#blocks };
    const index = Buffer.from(JSON.stringify(summary));
    writeWhole(this.#handle, index);
    writeWhole(this.#handle, Buffer.from(hex(this.#offset) + hex(index.length) + checksumOf(index)));
    fsyncSync(this.#handle);
    closeSync(this.#handle);
    return new Run(this.#file);
  }

  /** Gives it up. */
  abandon(): void {
    closeSync(this.#handle);
    rmSync(this.#file, { force: true });
  }
}

export class Run {
  readonly file: string;
  /** Entries in it. */
  readonly count: number;
  /** Those of paths that are gone. */
  readonly gone: number;
  readonly #handle: number;
  readonly #blocks: readonly Block[];
  /** The order of its last entry. */
  readonly #last: string;
  /** The block that was read last: looks often come together. */
  #recent: { at: number; entries: Map<string, Entry> } | undefined;

  /** Throws JournalDamage for a file that is not a whole run. */
  constructor(file: string) {
    this.file = file;
    this.#handle = openSync(file, "r");
    const { size } = fstatSync(this.#handle);
    if (size < trailerSize) throw new JournalDamage(`${file} is too short`);
    const trailer = readAt(this.#handle, size - trailerSize, trailerSize).toString("latin1");
    const offset = Number.parseInt(trailer.slice(0, 16), 16);
    const length = Number.parseInt(trailer.slice(16, 32), 16);
    if (offset + length + trailerSize !== size) throw new JournalDamage(`${file} is not whole`);
    const index = readAt(this.#handle, offset, length);
    if (checksumOf(index) !== trailer.slice(32)) throw new JournalDamage(`${file} has a damaged index`);
    ({ count: this.count, gone: this.gone, last: this.#last, blocks: this.#blocks } = JSON.parse(index.toString()));
  }

  #read(at: number): Entry[] {
    const { offset, length, checksum } = this.#blocks[at] as Block;
    const bytes = readAt(this.#handle, offset, length);
    if (checksumOf(bytes) !== checksum) throw new JournalDamage(`${this.file} has a damaged block`);
    return decodeEntries(bytes.toString());
  }

  /** The last block that starts at `order` or before it; -1 if `order` is before all of them. */
  #blockOf(order: string): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle] as Block).first <= order) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  get(path: string): Entry | undefined {
    const order = orderOf(path);
    const at = order > this.#last ? -1 : this.#blockOf(order);
    if (at === -1) return undefined;
    if (this.#recent?.at !== at)
      this.#recent = { at, entries: new Map(this.#read(at).map((entry) => [entry.path, entry])) };
    return this.#recent.entries.get(path);
  }

  /** Entries from an order on. */
  *scan(from: string): Generator<Entry, undefined> {
    const start = Math.max(0, this.#blockOf(from));
    for (let at = start; at < this.#blocks.length; at++)
      for (const entry of this.#read(at)) if (at > start || orderOf(entry.path) >= from) yield entry;
    return undefined;
  }

  close(): void {
    closeSync(this.#handle);
  }
}

/** Entries of several sources, each in order, as one sequence in order; of one path the source named last wins. */
export function* merge(sources: readonly Iterator<Entry>[]): Generator<Entry, undefined> {
  const heads = sources.map((source) => headOf(source));
  for (;;) {
    let least: Head | undefined;
    for (const head of heads) if (head.entry !== undefined && (!least || head.order <= least.order)) least = head;
    if (least?.entry === undefined) return undefined;
    const { entry, order } = least;
    for (const head of heads) if (head.entry !== undefined && head.order === order) head.advance();
    yield entry;
  }
}

interface Head {
  entry: Entry | undefined;
  order: string;
  advance(): void;
}

function headOf(source: Iterator<Entry>): Head {
  const head: Head = {
    entry: undefined,
    order: "",
    advance() {
      const { done, value } = source.next();
      head.entry = done ? undefined : value;
      if (!done) head.order = orderOf(value.path);
    },
  };
  head.advance();
  return head;
}

// The limits of request bodies, in bytes, each of which is checked before the body is read or while it arrives; those
// of their files; and the memory that all bodies take together.
import { busy, type HttpError, tooLarge, unprocessable } from "./errors.ts";
import type { KeyId } from "./ids.ts";
import { FairQueue, Shares } from "./limits.ts";
import { cut } from "./wording.ts";

/** A JSON body, unless the row of its operation has another limit. */
export const jsonBody = 1 << 20;
/** The JSON body of an operation that takes many things or an image at once. */
export const largeJsonBody = 8 << 20;
/** All fields of a form that are not files, and a form that edits a thing. */
export const formFields = 1 << 20;
/** What the bodies of one key take in memory together, and what all do. */
export const bodiesOfKey = 64 << 20;
export const allBodies = 160 << 20;
/** The same of the texts and values of bodies that are parsed, until they are answered. */
export const parsedOfKey = 64 << 20;
export const allParsed = 160 << 20;

/** The maximum number of files in one request. */
export const maxFiles = 1000;
/** 413: the request has too many files. */
export const tooManyFiles = (): HttpError => tooLarge(`a request must have at most ${maxFiles} files`);

/** Throws 422, by its name, for a file of 0 bytes. */
export function refuseEmpty(file_name: string | null, size: number): void {
  if (size > 0) return;
  const name = file_name === null || file_name === "" ? "a file" : JSON.stringify(cut(file_name));
  throw unprocessable(`${name} is empty: a file of 0 bytes is not stored`);
}

/** What a chunk takes in memory in addition to its bytes. */
const overhead = 256;
/**
 * What a body that is parsed takes beside its bytes, for each of them: its text, of which a character takes up to two
 * bytes, and its values.
 */
const parsedFactor = 3;
/** How long a body waits for the memory in which it is parsed, in milliseconds. */
const maxWait = 30_000;

/** The memory that one body uses. */
interface BodyShare {
  /** Reserves bytes that arrive. Throws 503 if the key, or all keys together, would exceed their limit. */
  take(bytes: number): void;
  /**
   * Reserves what parsing the body takes. Undefined if there is room; otherwise resolves once there is, after the
   * bodies that wait, the first of each key first. Rejects with 503 if that takes too long.
   */
  parse(): Promise<void> | undefined;
  /** Releases what is reserved. */
  release(): void;
}

/** A body that waits to be parsed. */
interface Waiting {
  /** What parsing it takes, in bytes. */
  size: number;
  /** Lets it be parsed: its size is taken. */
  begin(): void;
  /** Refuses it. */
  end(): void;
}

/** How many bytes of request bodies, and of what is made of them, are in memory at once. */
export class BodyBudget {
  readonly #arriving = new Shares<KeyId | null>({ ofOwner: bodiesOfKey, ofAll: allBodies });
  readonly #parsed = new Shares<KeyId | null>({ ofOwner: parsedOfKey, ofAll: allParsed });
  readonly #waiting = new FairQueue<KeyId | null, Waiting>();

  /** Opens the share of a request. All requests without a key count as one key. */
  open(key_id: KeyId | null = null): BodyShare {
    const reserved = { arriving: 0, parsed: 0 };
    let waiting: Waiting | undefined;
    return {
      take: (bytes) => {
        const size = bytes + overhead;
        const exceeded = this.#arriving.exceeded(key_id, size);
        if (exceeded === "owner")
          throw busy(`the request bodies of this key already use the limit of ${bodiesOfKey} bytes of memory`);
        if (exceeded === "all") throw busy("all request bodies together already use the server's limit of memory");
        reserved.arriving += size;
        this.#arriving.take(key_id, size);
      },
      parse: () => {
        const size = parsedFactor * reserved.arriving;
        if (this.#waiting.of(key_id).length === 0 && this.#parsed.exceeded(key_id, size) === undefined) {
          reserved.parsed = size;
          this.#parsed.take(key_id, size);
          return undefined;
        }
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const leave = (): void => {
          clearTimeout(timer);
          waiting = undefined;
        };
        const one: Waiting = {
          size,
          begin: () => {
            leave();
            reserved.parsed = size;
            resolve();
          },
          end: () => {
            leave();
            this.#waiting.remove(key_id, one);
            reject(busy("other request bodies use the memory in which this one would be read"));
          },
        };
        const timer = setTimeout(one.end, maxWait).unref();
        waiting = one;
        this.#waiting.add(key_id, one);
        return promise;
      },
      release: () => {
        waiting?.end(); // the client has gone
        this.#arriving.giveBack(key_id, reserved.arriving);
        this.#parsed.giveBack(key_id, reserved.parsed);
        reserved.arriving = 0;
        reserved.parsed = 0;
        this.#beginWaiting();
      },
    };
  }

  /** Gives room that is free now to bodies that wait for it. */
  #beginWaiting(): void {
    const fits = (owner: KeyId | null, { size }: Waiting) => this.#parsed.exceeded(owner, size) === undefined;
    for (;;) {
      let owner: KeyId | null = null;
      const next = this.#waiting.take((key_id, item) => {
        owner = key_id;
        return fits(key_id, item);
      });
      if (next === undefined) return;
      this.#parsed.take(owner, next.size);
      next.begin();
    }
  }
}

// The limits of request bodies, in bytes, each of which is checked before the body is read or while it arrives; and the memory that all bodies
// take together.
import { busy } from "./errors.ts";
import type { KeyId } from "./ids.ts";
import { Shares } from "./limits.ts";

/** A JSON body, unless the row of its operation has another limit. */
export const jsonBody = 1 << 20;
/** The JSON body of an operation that takes many things or an image at once. */
export const largeJsonBody = 8 << 20;
/** All fields of a form that are not files, and a form that edits a thing. */
export const formFields = 1 << 20;
/** What the bodies of one key take in memory together. */
export const bodiesOfKey = 64 << 20;
/** What all bodies take in memory together. */
export const allBodies = 256 << 20;

/** What a chunk takes in memory in addition to its bytes. */
const overhead = 256;

/** The memory that one body uses. */
export interface BodyShare {
  /** Reserves bytes. Throws 503 if the key, or all keys together, would exceed their limit. */
  take(bytes: number): void;
  /** Releases all reserved bytes. */
  release(): void;
}

/** How many bytes of request bodies are in memory at once. */
export class BodyBudget {
  readonly #shares = new Shares<KeyId | null>({ ofOwner: bodiesOfKey, ofAll: allBodies });

  /** Opens the share of a request. All requests without a key count as one key. */
  open(key_id: KeyId | null = null): BodyShare {
    let reserved = 0;
    return {
      take: (bytes) => {
        const size = bytes + overhead;
        const exceeded = this.#shares.exceeded(key_id, size);
        if (exceeded === "owner")
          throw busy(`the request bodies of this key already use the limit of ${bodiesOfKey} bytes of memory`);
        if (exceeded === "all") throw busy("all request bodies together already use the server's limit of memory");
        reserved += size;
        this.#shares.take(key_id, size);
      },
      release: () => {
        this.#shares.giveBack(key_id, reserved);
        reserved = 0;
      },
    };
  }
}

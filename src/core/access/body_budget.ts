// Limits how many bytes of request bodies are in memory at once, for each key and in total.
import { allBodies, bodiesOfKey } from "../body_limits.ts";
import { busy } from "../errors.ts";

/** What a chunk takes in memory in addition to its bytes. */
const overhead = 256;

/** The part of the budget that one body uses. */
export interface Share {
  /** Reserves bytes. Throws 503 if the key, or all keys together, would exceed their limit. */
  take(bytes: number): void;
  /** Releases all reserved bytes. */
  release(): void;
}

export class BodyBudget {
  readonly #usedByKey = new Map<number, number>();
  #used = 0;

  /** Opens the share of a request. All requests without a key count as one key. */
  open(key_id = 0): Share {
    let reserved = 0;
    return {
      take: (bytes) => {
        const size = bytes + overhead;
        const usedByKey = (this.#usedByKey.get(key_id) ?? 0) + size;
        if (usedByKey > bodiesOfKey)
          throw busy(`the request bodies of this key already use the limit of ${bodiesOfKey} bytes of memory`);
        if (this.#used + size > allBodies)
          throw busy("all request bodies together already use the server's limit of memory");
        reserved += size;
        this.#used += size;
        this.#usedByKey.set(key_id, usedByKey);
      },
      release: () => {
        const left = (this.#usedByKey.get(key_id) ?? 0) - reserved;
        this.#used -= reserved;
        reserved = 0;
        if (left > 0) this.#usedByKey.set(key_id, left);
        else this.#usedByKey.delete(key_id);
      },
    };
  }
}

// Rate limits (token buckets) for the requests of a key and the invalid keys of a network. They are in memory only and start
// full.
import { HttpError } from "../errors.ts";

interface Bucket {
  left: number;
  /** When it was last refilled, in milliseconds. */
  at: number;
}

/** The maximum number of names; the least recently used are removed first. */
const maxNames = 10_000;

/** A token bucket for each name: it has `max` tokens and refills completely in `window` milliseconds. */
export class RateLimiter<Name> {
  readonly #max: number;
  readonly #refill: number;
  readonly #detail: string;
  readonly #buckets = new Map<Name, Bucket>();

  /** `detail` is the beginning of the message of the 429. */
  constructor(max: number, window: number, detail = "too many attempts") {
    this.#max = max;
    this.#refill = max / window;
    this.#detail = detail;
  }

  /** Takes a token at the time `now` in milliseconds. Returns false if none is left. */
  take(name: Name, now: number): boolean {
    const bucket = this.#bucketOf(name, now);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  /** Takes a token. Throws 429 if none is left. */
  check(name: Name, now: number): void {
    if (!this.take(name, now)) this.#refuse(name, now);
  }

  /** Throws 429 if no token is left. Takes none. */
  look(name: Name, now: number): void {
    if (this.#bucketOf(name, now).left < 1) this.#refuse(name, now);
  }

  #refuse(name: Name, now: number): never {
    const seconds = Math.max(1, Math.ceil((1 - this.#bucketOf(name, now).left) / this.#refill / 1000));
    throw new HttpError(429, `${this.#detail}; try again in ${seconds} s`, { "retry-after": String(seconds) });
  }

  #bucketOf(name: Name, now: number): Bucket {
    const bucket = this.#buckets.get(name) ?? { left: this.#max, at: now };
    // max(0, …) because the clock may have been set back.
    bucket.left = Math.min(this.#max, bucket.left + Math.max(0, now - bucket.at) * this.#refill);
    bucket.at = now;
    this.#buckets.delete(name); // re-added at the end: a Map iterates in insertion order
    this.#buckets.set(name, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= maxNames) break;
      this.#buckets.delete(oldest);
    }
    return bucket;
  }
}

// How often something may be done: a key's requests, a network's wrong keys. In memory only: a restart forgets it.
import { HttpError } from "../errors.ts";

interface Bucket {
  left: number;
  /** When it was filled last, in milliseconds. */
  at: number;
}

/** How many names are remembered; the ones that were seen longest ago go first. */
const maxNames = 10_000;

/** Each name may do something `max` times at once, and gets as many back over `window` milliseconds. */
export class RateLimiter<Name> {
  readonly #max: number;
  readonly #refill: number;
  readonly #detail: string;
  readonly #buckets = new Map<Name, Bucket>();

  /** `detail` begins the sentence of a 429. */
  constructor(max: number, window: number, detail = "too many attempts") {
    this.#max = max;
    this.#refill = max / window;
    this.#detail = detail;
  }

  /** Counts one at `now` (milliseconds); false if none is left. */
  take(name: Name, now: number): boolean {
    const bucket = this.#bucketOf(name, now);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  /** Counts one. Throws 429 if none is left. */
  check(name: Name, now: number): void {
    if (!this.take(name, now)) this.#refuse(name, now);
  }

  /** Throws 429 if none is left; counts nothing. */
  look(name: Name, now: number): void {
    if (this.#bucketOf(name, now).left < 1) this.#refuse(name, now);
  }

  #refuse(name: Name, now: number): never {
    const seconds = Math.max(1, Math.ceil((1 - this.#bucketOf(name, now).left) / this.#refill / 1000));
    throw new HttpError(429, `${this.#detail}; try again in ${seconds} s`, { "retry-after": String(seconds) });
  }

  #bucketOf(name: Name, now: number): Bucket {
    const bucket = this.#buckets.get(name) ?? { left: this.#max, at: now };
    // A clock that was set back gives nothing.
    bucket.left = Math.min(this.#max, bucket.left + Math.max(0, now - bucket.at) * this.#refill);
    bucket.at = now;
    this.#buckets.delete(name); // and added again at the end, as the one seen last
    this.#buckets.set(name, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= maxNames) break;
      this.#buckets.delete(oldest);
    }
    return bucket;
  }
}

// Counts what one address does within a window of time, and refuses what is too much. In memory alone: a restart forgets it.
import { HttpError } from "../../errors.ts";

const maxAddresses = 1000;

/** Allows `most` strokes an address within each `window` milliseconds. */
export class RateLimiter {
  readonly #most: number;
  readonly #window: number;
  readonly #hits = new Map<string, { count: number; ends: number }>();

  constructor(most: number, window: number) {
    this.#most = most;
    this.#window = window;
  }

  /** Throws 429 where the address has no stroke left at `now` (milliseconds). */
  check(address: string, now: number): void {
    const { count, ends } = this.#hits.get(address) ?? { count: 0, ends: 0 };
    if (now >= ends || count < this.#most) return;
    const seconds = Math.ceil((ends - now) / 1000);
    throw new HttpError(429, `too many attempts; try again in ${seconds} s`, { "retry-after": String(seconds) });
  }

  /** Counts one. */
  hit(address: string, now: number): void {
    const former = this.#hits.get(address);
    if (former !== undefined && now < former.ends) former.count++;
    else {
      this.#hits.delete(address);
      this.#hits.set(address, { count: 1, ends: now + this.#window });
    }
    for (const oldest of this.#hits.keys()) {
      if (this.#hits.size <= maxAddresses) break;
      this.#hits.delete(oldest);
    }
  }
}

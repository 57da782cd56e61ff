// Counts what one address does within a window of time, and refuses what is too much. In memory alone: a restart forgets it.
import { Refusal } from "../errors.ts";

const mostAddresses = 1000;

/** Allows `most` strokes an address within each `window` milliseconds. */
export class Throttle {
  readonly #most: number;
  readonly #window: number;
  readonly #strokes = new Map<string, { count: number; ends: number }>();

  constructor(most: number, window: number) {
    this.#most = most;
    this.#window = window;
  }

  /** Throws 429 where the address has no stroke left at `now` (milliseconds). */
  check(address: string, now: number): void {
    const { count, ends } = this.#strokes.get(address) ?? { count: 0, ends: 0 };
    if (now >= ends || count < this.#most) return;
    const seconds = Math.ceil((ends - now) / 1000);
    throw new Refusal(429, `too many attempts; try again in ${seconds} s`, { "retry-after": String(seconds) });
  }

  /** Counts one. */
  stroke(address: string, now: number): void {
    const former = this.#strokes.get(address);
    if (former !== undefined && now < former.ends) former.count++;
    else {
      this.#strokes.delete(address);
      this.#strokes.set(address, { count: 1, ends: now + this.#window });
    }
    for (const oldest of this.#strokes.keys()) {
      if (this.#strokes.size <= mostAddresses) break;
      this.#strokes.delete(oldest);
    }
  }
}

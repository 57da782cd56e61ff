// Waits for a time, or until another part of the agent ends the wait early. The time before the next try is longer after each failure, with
// a random part so that agents do not try at the same time, and at least as long as the server asks.
import { setTimeout as sleep } from "node:timers/promises";

/** In milliseconds. */
export interface Pace {
  first: number;
  most: number;
}

export const usualPace: Pace = { first: 1000, most: 60_000 };
/** The longest Retry-After that is obeyed, in milliseconds. */
export const longestRetryAfter = 3_600_000;

/** Milliseconds to wait after `failures` in a row: between half and all of a time that doubles, and at least `asked`. */
export const pauseAfter = (failures: number, { first, most }: Pace, asked: number): number =>
  Math.max(asked, Math.min(most, first * 2 ** Math.min(failures - 1, 30)) * (0.5 + Math.random() / 2));

/** Waits; throws the signal's reason as soon as it is aborted. */
export const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());

export class Alarm {
  #rung = new AbortController();

  /** Ends the wait that is under way, or the next one. */
  ring(): void {
    this.#rung.abort();
  }

  /** Waits for so many milliseconds at the most; throws the signal's reason as soon as it is aborted. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    await waitFor(milliseconds, AbortSignal.any([signal, this.#rung.signal])).catch(() => {});
    if (this.#rung.signal.aborted) this.#rung = new AbortController();
    signal.throwIfAborted();
  }
}

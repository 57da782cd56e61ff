// Waits for a time, or until another part of the agent ends the wait early.
import { setTimeout as sleep } from "node:timers/promises";
import type { Backoff } from "../core/retries.ts";

export const usualBackoff: Backoff = { first: 1000, most: 60_000 };
/** The longest Retry-After that is obeyed, in milliseconds. */
export const longestRetryAfter = 3_600_000;

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

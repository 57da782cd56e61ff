// Waits for a time, or until another part of the agent ends the wait early.
import { setTimeout as sleep } from "node:timers/promises";
import type { Backoff } from "../core/times.ts";
import { hour, minute, second } from "../core/times.ts";

export const usualBackoff: Backoff = { first: second, most: minute };
/** The longest Retry-After that is obeyed, in milliseconds. */
export const longestRetryAfter = hour;

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

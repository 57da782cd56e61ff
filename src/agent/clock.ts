// Makes the timestamps of reports: the server's time as its answers show it, and never earlier than a former timestamp.
// The server ignores a report that is older than what it knows, so a clock that is set back must not affect the
// timestamps.

/**
 * A difference up to this can come from the whole seconds of a Date header and the travel time of an answer. In
 * milliseconds.
 */
const tolerance = 1500;

export class Clock {
  readonly #now: () => number;
  #last: number;
  #skew = 0;

  /** `last` is the latest moment that was used; empty if none was. */
  constructor(last: string, now: () => number = Date.now) {
    this.#now = now;
    this.#last = last === "" ? 0 : Date.parse(last);
  }

  /** The moment of a report, as stored moments are written. */
  stamp(): string {
    this.#last = Math.max(this.#last, this.#now() + this.#skew);
    return new Date(this.#last).toISOString();
  }

  /** Learns the server's time from the Date header of an answer that has just come. */
  observe(date: string | null): void {
    const server = Date.parse(date ?? "");
    if (Number.isNaN(server)) return;
    const skew = server + 500 - this.#now();
    this.#skew = Math.abs(skew) > tolerance ? skew : 0;
  }

  /** Puts every later moment after the second that a Date header names: after what the server did in answering. */
  pass(date: string | null): void {
    const server = Date.parse(date ?? "");
    if (!Number.isNaN(server)) this.#last = Math.max(this.#last, server + 1000);
  }
}

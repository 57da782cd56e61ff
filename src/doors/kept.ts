// Answers kept in memory, so that a polled document costs a look-up. An answer is given again only to the same credentials
// and the same address, while no process has committed anything and nothing has expired by itself; so it is never stale.
import type { App } from "../context.ts";

export interface Kept {
  body: Buffer;
  etag: string;
  operation: string;
  key_id: number;
  /** The store's revision that it was read at. */
  revision: number;
  /** In milliseconds: kept from, and until when at the latest. */
  from: number;
  until: number;
}

const mostBytes = 64 * 1024 * 1024;
const longest = 30_000;
const overhead = 512;

export class KeptAnswers {
  readonly #app: App;
  readonly #answers = new Map<string, Kept>();
  #bytes = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** The answer kept for these credentials and this address, where it still holds at `now` (milliseconds). */
  get(name: string, now: number): Kept | undefined {
    const kept = this.#answers.get(name);
    if (kept === undefined) return undefined;
    if (kept.revision === this.#app.store.revision() && now >= kept.from && now < kept.until) return kept;
    this.#drop(name, kept);
    return undefined;
  }

  /** Keeps an answer read at `revision`. `expiries` are the moments, ISO text, at which its reach ends or changes by itself. */
  put(name: string, kept: Omit<Kept, "until">, expiries: readonly (string | null | undefined)[]): void {
    const size = kept.body.length + overhead;
    if (size > mostBytes / 8) return;
    let until = kept.from + longest;
    for (const expiry of expiries) if (expiry) until = Math.min(until, Date.parse(expiry));
    const former = this.#answers.get(name);
    if (former !== undefined) this.#drop(name, former);
    this.#answers.set(name, { ...kept, until });
    this.#bytes += size;
    for (const [oldest, answer] of this.#answers) {
      if (this.#bytes <= mostBytes) break;
      this.#drop(oldest, answer);
    }
  }

  #drop(name: string, kept: Kept): void {
    this.#answers.delete(name);
    this.#bytes -= kept.body.length + overhead;
  }
}

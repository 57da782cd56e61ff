// Answers kept in memory, so that a polled document costs a look-up. An answer is given again only to the same credentials
// and the same address, while no process has committed anything and nothing has expired by itself; so it is never stale.
import type { App, Context } from "../../context.ts";

interface Answer<Body> {
  body: Body;
  /** Empty where the door has none. */
  etag: string;
  operation: string;
}

export interface CachedResponse<Body> extends Answer<Body> {
  key_id: number;
  /** The store's revision that it was read at. */
  revision: number;
  /** In milliseconds: kept from, and until when at the latest. */
  from: number;
  until: number;
}

const maxBytes = 64 * 1024 * 1024;
const longest = 30_000;
const overhead = 512;

const sizeOf = (name: string, { body }: Answer<{ readonly length: number }>): number =>
  name.length + body.length + overhead;

/** `Body` is bytes in whatever form the door sends them; its length is theirs. */
export class ResponseCache<Body extends { readonly length: number }> {
  readonly #app: App;
  readonly #answers = new Map<string, CachedResponse<Body>>();
  #bytes = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** The answer kept for these credentials and this address, where it still holds at `now` (milliseconds) and `revision`. */
  get(name: string, now: number, revision = this.#app.store.revision()): CachedResponse<Body> | undefined {
    const kept = this.#answers.get(name);
    if (kept === undefined) return undefined;
    if (kept.revision === revision && now >= kept.from && now < kept.until) return kept;
    this.#drop(name, kept);
    return undefined;
  }

  /** Keeps an answer that was read at `revision`, until the caller's credentials or reach end or change by themselves. */
  put(name: string, { caller, now }: Context, revision: number, answer: Answer<Body>): void {
    const size = sizeOf(name, answer);
    if (size > maxBytes / 8) return;
    const { key_id, engagement_id } = caller;
    const reach = engagement_id === null ? null : this.#app.store.json("next_expiry", { engagement_id, now });
    const from = Date.parse(now);
    let until = from + longest;
    for (const expiry of [caller.expires_at, reach]) if (expiry) until = Math.min(until, Date.parse(expiry));
    const former = this.#answers.get(name);
    if (former !== undefined) this.#drop(name, former);
    this.#answers.set(name, { ...answer, key_id, revision, from, until });
    this.#bytes += size;
    for (const [oldest, kept] of this.#answers) {
      if (this.#bytes <= maxBytes) break;
      this.#drop(oldest, kept);
    }
  }

  #drop(name: string, kept: CachedResponse<Body>): void {
    this.#answers.delete(name);
    this.#bytes -= sizeOf(name, kept);
  }
}

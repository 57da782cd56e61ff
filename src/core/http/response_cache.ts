// Caches responses in memory, so that polling a document costs one look-up. The rule: a response is sent again for the
// same credentials and the same request until a transaction of this process changes more of its production than what
// machines report, another process commits, or something of the production or the caller's key expires; one that shows
// what machines report is never cached.
import type { App, Context } from "../context.ts";
import type { KeyId, ProductionId } from "../ids.ts";
import { value } from "../store/statements.ts";
import { nextQuarter } from "../times.ts";
import type { Coded, Coding } from "./send.ts";

/** A response that may be sent again. */
export interface CacheableResponse {
  /** As it is sent: bytes, or a string with one character for each byte, which is sent with the head in one piece. */
  body: Buffer | string;
  /** Empty if the transport does not use one. */
  etag: string;
  operation: string;
  /** Compressed forms of the body, which are added when a client asks for one. */
  coded?: Coded;
  /** The Link header, if the response is a page of a list that goes on. */
  link?: string | undefined;
  /** How many rows all pages of the list have, if it was asked for. */
  total?: number | undefined;
  /** The parameters of the query that were ignored, as a header names them. */
  ignored?: string | undefined;
}

/** A response in the cache, with what says how long it is valid. */
interface CachedResponse extends CacheableResponse {
  key_id: KeyId | null;
  production_id: ProductionId;
  /** The store's revision at which it was begun. */
  revision: number;
  /** The time at which it was begun, in milliseconds. */
  from: number;
  /** When the caller's key expires. */
  expires_at: string | null;
  /**
   * When it expires, in milliseconds. It is asked for with the first use, because many responses are never sent again.
   */
  until?: number;
}

/** The time at which something of a production expires next after `now`; null if nothing does. */
export const nextExpiry = value<{ production_id: ProductionId; now: string }, string | null>("next_expiry");

/** The next expiry of a production that was read at the time `from`, and holds until it or a commit. */
interface Expiry {
  revision: number;
  from: string;
  next: string | null;
}

/** In bytes, of all responses together. One response may use an eighth of it. */
const maxBytes = 64 * 1024 * 1024;
/** In milliseconds. */
const maxAge = 30_000;
/** What an entry takes in memory in addition to its bytes. */
const overhead = 512;

const sizeOf = (name: string, { body, coded }: CacheableResponse): number =>
  name.length + body.length + (coded?.br?.length ?? 0) + (coded?.gzip?.length ?? 0) + overhead;

/**
 * The cache of one server: at most 64 MiB, the oldest response is removed first. docs/performance.md, "Why a bundle is
 * fast".
 */
export class ResponseCache {
  readonly #app: App;
  readonly #enabled: boolean;
  /**
   * Whether the store was checked for commits of other processes in this turn of the event loop: its requests were
   * received before.
   */
  #isChecked = false;
  readonly #responses = new Map<string, CachedResponse>();
  #bytes = 0;
  /** By production: many responses are cached between two commits. */
  readonly #expiries = new Map<number, Expiry>();

  constructor(app: App, enabled = true) {
    this.#app = app;
    this.#enabled = enabled;
  }

  /** Whether no commit since the response was begun may have changed it. */
  #isCurrent({ revision, production_id }: CachedResponse): boolean {
    const { store } = this.#app;
    if (!this.#isChecked) {
      store.revision();
      this.#isChecked = true;
      setImmediate(() => {
        this.#isChecked = false;
      });
    }
    return revision >= store.changedAt(production_id);
  }

  /**
   * Returns the response cached under a name, if it is still valid and serves the request. Counts the request against
   * the rate limit of its key.
   */
  get(name: string, serves: (cached: CachedResponse) => boolean = () => true): CachedResponse | undefined {
    const cached = this.#responses.get(name);
    if (cached === undefined || !serves(cached)) return undefined;
    const now = this.#app.clock();
    if (now < cached.from || !this.#isCurrent(cached) || now >= this.#endOf(cached)) {
      this.#drop(name, cached);
      return undefined;
    }
    return this.#app.rates?.take(cached.key_id, now) === false ? undefined : cached;
  }

  /**
   * When a response that is current expires: with its caller's key, and with anything of its production that was valid
   * when it was begun.
   */
  #endOf(cached: CachedResponse): number {
    if (cached.until !== undefined) return cached.until;
    const { production_id, from, expires_at, revision } = cached;
    cached.until = Math.min(from + maxAge, nextQuarter(from)); // an answer may say what is late
    for (const expiry of [expires_at, this.#nextExpiry(production_id, new Date(from).toISOString(), revision)])
      if (expiry !== null) cached.until = Math.min(cached.until, Date.parse(expiry));
    return cached.until;
  }

  /** The next time after `now` at which something of a production expires; null if nothing does. */
  #nextExpiry(production_id: ProductionId, now: string, revision: number): string | null {
    const known = this.#expiries.get(production_id);
    const { store } = this.#app;
    const isKnown = known !== undefined && known.revision >= store.changedAt(production_id);
    if (isKnown && known.from <= now && (known.next === null || now < known.next)) return known.next;
    const next = nextExpiry(store, { production_id, now }) ?? null;
    this.#expiries.set(production_id, { revision, from: now, next });
    return next;
  }

  /**
   * Caches a response under a name that contains the credentials and the request, until the caller's key or anything
   * that an answer shows of the production expires: a list of grants ends with a grant for every key. `revision` is the
   * store's from before the caller was authenticated, and the context's time is the one at which the answer was begun.
   */
  put(name: string, { caller, now }: Context, revision: number, response: CacheableResponse): void {
    const size = sizeOf(name, response);
    // a former token ends by the latest use of any key, which is a report
    if (!this.#enabled || size > maxBytes / 8 || caller.former) return;
    const from = Date.parse(now);
    const { expires_at, key_id, production_id } = caller;
    const former = this.#responses.get(name);
    if (former !== undefined) this.#drop(name, former);
    // The same tag is the same body. One of another client may have been compressed for it.
    const coded = former?.etag === response.etag && former.etag !== "" ? former.coded : undefined;
    const cached = { ...response, ...(coded && { coded }), key_id, production_id, revision, from, expires_at };
    this.#responses.set(name, cached);
    this.#bytes += sizeOf(name, cached);
    for (const [oldest, cached] of this.#responses) {
      if (this.#bytes <= maxBytes) break;
      this.#drop(oldest, cached);
    }
  }

  /** Adds a compressed form of a response, if it is still the one that is cached under the name. */
  addCoding(name: string, { body }: CacheableResponse, coding: Coding, bytes: Buffer): void {
    const cached = this.#responses.get(name);
    if (cached?.body !== body || cached.coded?.[coding] !== undefined) return;
    cached.coded = { ...cached.coded, [coding]: bytes };
    this.#bytes += bytes.length;
  }

  #drop(name: string, cached: CachedResponse): void {
    this.#responses.delete(name);
    this.#bytes -= sizeOf(name, cached);
  }
}

// Answers kept in memory, so that polling a document costs a look-up. An answer is given again only to the same credentials and
// the same question, while no process has committed anything and nothing has expired by itself; so it is never stale.
import type { Socket } from "node:net";
import type { App, Context } from "../../context.ts";
import type { Store } from "../../store/database.ts";
import { value } from "../../store/statements.ts";

interface Answer {
  /** As the transport sends it: bytes, or a string with one character a byte. */
  body: Buffer | string;
  /** Empty if the transport has none. */
  etag: string;
  operation: string;
}

export interface CachedAnswer extends Answer {
  key_id: number;
  /** The store's revision that it was read at. */
  revision: number;
  /** In milliseconds: cached from, and until when at the latest. */
  from: number;
  until: number;
}

const nextExpiry = value<{ engagement_id: number; now: string }, string | null>("next_expiry");

/** In bytes, of all answers together; one may have an eighth of it. */
const maxBytes = 64 * 1024 * 1024;
/** In milliseconds. */
const maxAge = 30_000;
/** What an entry costs beside its bytes. */
const overhead = 512;

const sizeOf = (name: string, { body }: Answer): number => name.length + body.length + overhead;

/** If more are open, one turn of the event loop may gather arrivals more than once, and every request looks for itself. */
const maxSharing = 100;
/** The turns of Deno's event loop have other phases. */
const sharesLooks = !("Deno" in globalThis);

/**
 * One look at the store's revision for all requests of one turn of the event loop. Whatever arrives in a turn was on its way
 * before the first of it is handled; so what another process commits after the look came later than the requests did.
 */
class RevisionLook {
  readonly #store: Store;
  /** The connections that asked in this turn. */
  readonly #asked = new Set<Socket>();
  #connections = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  connected(socket: Socket): void {
    this.#connections++;
    socket.once("close", () => {
      this.#connections--;
    });
  }

  /** The store's revision for a request that came on `socket`. Only from where requests arrive: the loop's poll phase. */
  revision(socket: Socket): number {
    if (!sharesLooks || this.#connections > maxSharing) return this.#store.revision();
    if (this.#asked.size === 0) setImmediate(() => this.#asked.clear()); // the phase after the arrivals
    // A second request on one connection was pipelined, perhaps after the look.
    const look = this.#asked.size === 0 || this.#asked.has(socket);
    this.#asked.add(socket);
    return this.#store.revision(look);
  }
}

export class ResponseCache {
  readonly #app: App;
  readonly #enabled: boolean;
  readonly #look: RevisionLook;
  readonly #answers = new Map<string, CachedAnswer>();
  #bytes = 0;

  constructor(app: App, enabled = true) {
    this.#app = app;
    this.#enabled = enabled;
    this.#look = new RevisionLook(app.store);
  }

  /** To be told of every connection. */
  readonly connected = (socket: Socket): void => this.#look.connected(socket);

  /** The answer cached under a name, if it still holds; counts a request of its key. */
  get(name: string, socket: Socket): CachedAnswer | undefined {
    const cached = this.#answers.get(name);
    if (cached === undefined) return undefined;
    const now = this.#app.clock();
    if (cached.revision !== this.#look.revision(socket) || now < cached.from || now >= cached.until) {
      this.#drop(name, cached);
      return undefined;
    }
    return this.#app.rates?.take(cached.key_id, now) === false ? undefined : cached;
  }

  /**
   * Caches an answer under a name that holds the credentials and the question, until the caller's credentials or reach change by
   * themselves. `revision` is the store's from before the caller was known.
   */
  put(name: string, { caller, now }: Context, revision: number, answer: Answer): void {
    const size = sizeOf(name, answer);
    if (!this.#enabled || size > maxBytes / 8) return;
    const { key_id, engagement_id } = caller;
    const reachChanges = engagement_id === null ? null : nextExpiry(this.#app.store, { engagement_id, now });
    const from = Date.parse(now);
    let until = from + maxAge;
    for (const expiry of [caller.expires_at, reachChanges]) if (expiry) until = Math.min(until, Date.parse(expiry));
    const former = this.#answers.get(name);
    if (former !== undefined) this.#drop(name, former);
    this.#answers.set(name, { ...answer, key_id, revision, from, until });
    this.#bytes += size;
    for (const [oldest, cached] of this.#answers) {
      if (this.#bytes <= maxBytes) break;
      this.#drop(oldest, cached);
    }
  }

  #drop(name: string, cached: CachedAnswer): void {
    this.#answers.delete(name);
    this.#bytes -= sizeOf(name, cached);
  }
}

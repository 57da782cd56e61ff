// The live feed: after every commit, wakes the readers that wait for events; at once for commits of this process,
// within a quarter of a second for those of other processes. Each reader then reads what is new; readers at the same
// position share it.
import { HttpError } from "../../core/errors.ts";
import type { KeyId } from "../../core/ids.ts";
import { Shares } from "../../core/limits.ts";
import type { Store } from "../../core/store/store.ts";
import { CatchingUp } from "./catching_up.ts";
import { lastEventId } from "./log.ts";

/** Whose credentials a reader has. */
export interface ReaderOwner {
  /** The key that counts it; null for sessions that have none, which count together. */
  readonly key_id: KeyId | null;
  /** The credentials that it was opened with. Readers with the same credentials are checked together. */
  readonly credentials: string;
  /** Whether the credentials are still valid. */
  isAllowed(): boolean;
  /** When the credentials expire, in milliseconds. */
  readonly expires: number;
}

/** Someone who waits for events. */
export interface Reader {
  readonly owner: ReaderOwner;
  /**
   * Called after each commit of events, also of other productions, once its credentials were checked. Does not throw.
   */
  wake(): void;
  /** Called once a second. */
  tick(): void;
  /** Ends the reader: the server stops, or its credentials are not valid any more. */
  end(): void;
}

export interface FeedOptions {
  /** The current time in milliseconds. */
  clock: () => number;
  /** How many readers of one key there may be. */
  readersOfKey: number;
}

/** How often the commits of other processes are looked for, in milliseconds. */
const interval = 100;
const ticksOfSecond = 1000 / interval;

export class Feed {
  /** How readers read what is stored. */
  readonly stored: CatchingUp;
  readonly #store: Store;
  readonly #options: FeedOptions;
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #shares: Shares<KeyId | null>;
  readonly #listeners = new Set<() => void>();
  readonly #timer: ReturnType<typeof setInterval>;
  #position: number;
  #revision = -1;
  #pulling = false;
  #ticks = 0;
  #ended = false;

  constructor(store: Store, options: FeedOptions) {
    this.#store = store;
    this.stored = new CatchingUp(store);
    this.#options = options;
    this.#shares = new Shares({ ofOwner: options.readersOfKey, ofAll: Number.POSITIVE_INFINITY });
    this.#position = lastEventId(store);
    store.afterTransaction(() => this.#pullSoon());
    this.#timer = setInterval(() => this.#tick(), interval);
    this.#timer.unref();
  }

  /** The position of the newest event that the readers were woken for. */
  get position(): number {
    return this.#position;
  }

  /** How many readers wait or stream. */
  get readers(): number {
    let count = 0;
    for (const own of this.#readers.values()) count += own.size;
    return count;
  }

  /** Whether the feed has ended, so that nobody may wait any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Adds a reader. Returns a function that removes it. Throws 503 if the key has too many or if the server stops. */
  add(reader: Reader): () => void {
    const { key_id, credentials } = reader.owner;
    if (this.#ended) throw new HttpError(503, "the server is stopping; try again", { "retry-after": "5" });
    if (this.#shares.exceeded(key_id) !== undefined)
      throw new HttpError(503, `this key has ${this.#shares.of(key_id)} readers of events; close one of them`, {
        "retry-after": "5",
      });
    const readers = this.#readers.get(credentials) ?? new Set();
    this.#readers.set(credentials, readers.add(reader));
    this.#shares.take(key_id);
    return () => {
      if (!readers.delete(reader)) return;
      if (readers.size === 0 && this.#readers.get(credentials) === readers) this.#readers.delete(credentials);
      this.#shares.giveBack(key_id);
    };
  }

  /** Calls `listener` after every commit. Returns a function that stops this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends every reader. No further ones are added. */
  end(): void {
    this.#ended = true;
    clearInterval(this.#timer);
    for (const reader of this.#all()) reader.end();
  }

  *#all(): Generator<Reader> {
    for (const readers of this.#readers.values()) yield* readers;
  }

  /** Looks at the commits in the next turn of the event loop, after the answer of the write has been sent. */
  #pullSoon(): void {
    if (this.#pulling || this.#ended) return;
    this.#pulling = true;
    setImmediate(() => {
      this.#pulling = false;
      if (!this.#ended) this.#look(() => this.#pull());
    });
  }

  /** Reads the database. If that fails, the feed tries again with the next look, and requests report the failure. */
  #look(read: () => void): void {
    if (!this.#store.database.open) return;
    try {
      read();
    } catch {
      this.#revision = -1;
    }
  }

  #tick(): void {
    this.#look(() => {
      if (this.#store.revision() !== this.#revision) this.#pullSoon();
    });
    const now = this.#options.clock();
    const isSecond = ++this.#ticks % ticksOfSecond === 0;
    for (const reader of this.#all()) {
      if (now >= reader.owner.expires) reader.end();
      else if (isSecond) reader.tick();
    }
  }

  #pull(): void {
    this.#revision = this.#store.revision();
    this.#checkCredentials();
    const former = this.#position;
    this.#position = lastEventId(this.#store);
    if (this.#position !== former) for (const reader of this.#all()) reader.wake();
    for (const listener of this.#listeners) listener();
  }

  /** A commit may have revoked a key, so each key is checked before anything is sent to its readers. */
  #checkCredentials(): void {
    for (const readers of this.#readers.values()) {
      const [first] = readers;
      if (first?.owner.isAllowed() === false) for (const reader of readers) reader.end();
    }
  }
}

// Divides what many callers share, so that none of them takes all of it. Everything is in memory and is empty at the
// start.
// Each limit names an owner, which is what a caller cannot have many of for nothing: its key, its network, or its
// production. There are four kinds of limit:
//
//   how much at once   Shares      refuses or makes room      bodies in memory, uploads, readers of events, connections
//   who is next        FairQueue   makes the others wait      jobs on threads, work of the event loop
//   how long           Turn        makes the others wait      reads, bodies that are parsed, commits, readers of events
//   how often          RateLimiter refuses with 429           requests of a key, invalid keys of a network
// Shares has a limit for each owner and one for all of them together. The first is smaller, so that several owners
// always find room. An owner who is refused gets 503 with Retry-After; nothing that runs is ended for another owner,
// except connections that have shown no key.
// A FairQueue takes the first of each owner, then the second of each: who waits for much does not make others wait for
// all of it.
// A Turn bounds the time of one kind of work in one turn of the event loop. Work that may be long asks before it
// begins. Once the time is over, all that waits goes on after new connections were accepted and read, so that a small
// request waits for one long piece of work at most.
// Memory and time of a job are bounded by its thread (features/work/thread.ts) and its deadline
// (features/work/jobs.ts); the rate at which a body must arrive, in http/connections.ts. docs/reference.md, "Limits",
// lists the numbers.
import { HttpError } from "./errors.ts";

/** The most that may be in use at once. */
export interface Most {
  ofOwner: number;
  ofAll: number;
  /**
   * What all may use together while the owner uses nothing; `ofAll` by default. So somebody new finds room when many
   * have taken much.
   */
  withNewOwner?: number;
}

/** What each owner uses of something, and all owners together. */
export class Shares<Owner> {
  readonly #most: Most;
  readonly #used = new Map<Owner, number>();
  #total = 0;

  constructor(most: Most) {
    this.#most = most;
  }

  get total(): number {
    return this.#total;
  }

  of(owner: Owner): number {
    return this.#used.get(owner) ?? 0;
  }

  /** Which limit the owner would exceed with a further amount; undefined if there is room. */
  exceeded(owner: Owner, amount = 1): "owner" | "all" | undefined {
    const { ofOwner, ofAll, withNewOwner = ofAll } = this.#most;
    const used = this.of(owner);
    if (used + amount > ofOwner) return "owner";
    return this.#total + amount > (used === 0 ? withNewOwner : ofAll) ? "all" : undefined;
  }

  /** Takes an amount, whatever the limits are. */
  take(owner: Owner, amount = 1): void {
    this.#used.set(owner, this.of(owner) + amount);
    this.#total += amount;
  }

  giveBack(owner: Owner, amount = 1): void {
    const left = this.of(owner) - amount;
    this.#total -= amount;
    if (left > 0) this.#used.set(owner, left);
    else this.#used.delete(owner);
  }

  /** The owner who uses the most; undefined if nobody uses anything. */
  largest(): Owner | undefined {
    let largest: Owner | undefined;
    for (const [owner, used] of this.#used) if (largest === undefined || used > this.of(largest)) largest = owner;
    return largest;
  }
}

/** What waits, by owner: the first of each owner, in the order in which they began to wait, then the second of each. */
export class FairQueue<Owner, Item> {
  readonly #waiting = new Map<Owner, Item[]>();

  get size(): number {
    let size = 0;
    for (const { length } of this.#waiting.values()) size += length;
    return size;
  }

  of(owner: Owner): readonly Item[] {
    return this.#waiting.get(owner) ?? [];
  }

  all(): Item[] {
    return [...this.#waiting.values()].flat();
  }

  add(owner: Owner, item: Item): void {
    const items = this.#waiting.get(owner);
    if (items === undefined) this.#waiting.set(owner, [item]);
    else items.push(item);
  }

  remove(owner: Owner, item: Item): void {
    this.#keep(
      owner,
      this.of(owner).filter((one) => one !== item),
    );
  }

  /** Takes the next item; undefined if there is none. An owner whose next item may not be taken now keeps its place. */
  take(mayTake: (owner: Owner, item: Item) => boolean = () => true): Item | undefined {
    for (const [owner, items] of this.#waiting) {
      const [item] = items;
      if (item === undefined || !mayTake(owner, item)) continue;
      items.shift();
      this.#waiting.delete(owner); // behind the others
      this.#keep(owner, items);
      return item;
    }
    return undefined;
  }

  #keep(owner: Owner, items: Item[]): void {
    if (items.length > 0) this.#waiting.set(owner, items);
    else this.#waiting.delete(owner);
  }
}

/** Work that may take long asks `isOver` right before it begins, and waits for `next` until it is false. */
interface Turn {
  /** Whether the time is over since the first such question in this turn of the event loop. */
  readonly isOver: boolean;
  /** Resolves when the next turn begins, in the order of a FairQueue. */
  next(owner?: unknown): Promise<void>;
}

const isDeno = "Deno" in globalThis;
/**
 * How many turns of the event loop must pass without a new connection before long work goes on, once the time of a turn
 * was over. What arrived meanwhile is accepted in the first of these turns and read in the second, so it waits for one
 * long piece of work and not for three. Deno does both in the two milliseconds that a timer takes there. Without a
 * timer, Deno looks for arrivals in few turns only.
 */
const quietTurns = isDeno ? 1 : 2;
const nextTurn: (then: () => void) => unknown = isDeno ? (then) => setTimeout(then, 0) : setImmediate;
/** A rest is over after this time and after `quietTurns`, even if connections still arrive, in milliseconds. */
const maxRest = 100;

let connections = 0;
/** What goes on after the rest that is under way; undefined if there is none. */
let resting: (() => void)[] | undefined;

/**
 * Call this for every new connection. Node accepts one in each turn of the event loop, so a rest goes on while some
 * arrive.
 */
export const connectionArrived = (): void => void connections++;

/** Calls `then` when the rest is over that is under way, or that begins now. */
function afterRest(then: () => void): void {
  if (resting !== undefined) return void resting.push(then);
  const those = [then];
  resting = those;
  const until = performance.now() + maxRest;
  let turns = -1;
  let quiet = -1;
  let seen = connections;
  const pass = (): void => {
    turns++;
    quiet = connections === seen ? quiet + 1 : 0;
    seen = connections;
    if (turns < quietTurns || (quiet < quietTurns && performance.now() < until)) return void nextTurn(pass);
    resting = undefined;
    for (const one of those) one();
  };
  pass();
}

/**
 * Opens a Turn whose time is `limit` milliseconds. It begins with the first question of an event loop's turn, so a
 * single short work never waits.
 */
export function openTurn(limit: number): Turn {
  let started = 0;
  let waiting: FairQueue<unknown, () => void> | undefined;
  /**
   * Whether the work that waited asks again now. It does one piece, even if the process was stopped meanwhile and the
   * time is over.
   */
  let goesOn = false;
  const isOver = (): boolean => resting !== undefined || performance.now() - started >= limit;
  const begin = (): FairQueue<unknown, () => void> => {
    started = performance.now();
    const begun = new FairQueue<unknown, () => void>();
    const endLater = (): void => void setImmediate(() => (isOver() ? afterRest(end) : end()));
    // Work goes on one piece after the other. What still waits when the time is over keeps its place, before the work
    // that had a piece of this turn.
    const goOn = async (first: () => void): Promise<void> => {
      started = performance.now();
      for (let next: (() => void) | undefined = first; next !== undefined; next = isOver() ? undefined : begun.take()) {
        goesOn = true;
        next();
        await undefined; // its work is done in this microtask
        goesOn = false;
      }
      endLater();
    };
    const end = (): void => {
      const first = begun.take();
      if (first === undefined) waiting = undefined;
      else void goOn(first);
    };
    endLater();
    return begun;
  };
  return {
    get isOver() {
      waiting ??= begin();
      const mayGoOn = goesOn;
      goesOn = false;
      return !mayGoOn && isOver();
    },
    next(owner) {
      waiting ??= begin();
      const queue = waiting;
      return new Promise((resolve) => queue.add(owner, resolve));
    },
  };
}

/** The turn of what requests read from the database or send as parts of a form: all that is read at once shares it. */
export const requestTurn = openTurn(20);

/** In characters: a text that is longer is hashed, coded and sent in turns of the event loop of their own. */
const longText = 256 * 1024;

/** Waits for the next turn of the event loop if the text is long. */
export async function turnFor({ length }: string, owner: unknown): Promise<void> {
  if (length > longText) await requestTurn.next(owner);
}

/**
 * What `work` makes of each item, one piece after the other. It rests whenever the time of the event loop's turn is
 * over.
 */
export async function inTurns<T, R>(items: Iterable<T>, owner: unknown, work: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) {
    while (requestTurn.isOver) await requestTurn.next(owner);
    made.push(work(item));
  }
  return made;
}

interface Bucket {
  left: number;
  /** When it was last refilled, in milliseconds. */
  at: number;
}

/** How many names a RateLimiter remembers; the least recently used are removed first. */
const maxNames = 10_000;

/** A token bucket for each name: it has `max` tokens and refills completely in `window` milliseconds. */
export class RateLimiter<Name> {
  readonly #max: number;
  readonly #refill: number;
  readonly #detail: string;
  readonly #buckets = new Map<Name, Bucket>();

  /** `detail` is the beginning of the message of the 429. */
  constructor(max: number, window: number, detail = "too many attempts") {
    this.#max = max;
    this.#refill = max / window;
    this.#detail = detail;
  }

  /** Takes a token at the time `now` in milliseconds. Returns false if none is left. */
  take(name: Name, now: number): boolean {
    const bucket = this.#bucketOf(name, now);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  /** Takes a token. Throws 429 if none is left. */
  check(name: Name, now: number): void {
    if (!this.take(name, now)) this.#refuse(name, now);
  }

  /** Throws 429 if no token is left. Takes none. */
  look(name: Name, now: number): void {
    if (this.#bucketOf(name, now).left < 1) this.#refuse(name, now);
  }

  #refuse(name: Name, now: number): never {
    const seconds = Math.max(1, Math.ceil((1 - this.#bucketOf(name, now).left) / this.#refill / 1000));
    throw new HttpError(429, `${this.#detail}; try again in ${seconds} s`, { "retry-after": String(seconds) });
  }

  #bucketOf(name: Name, now: number): Bucket {
    const bucket = this.#buckets.get(name) ?? { left: this.#max, at: now };
    // max(0, …) because the clock may have been set back.
    bucket.left = Math.min(this.#max, bucket.left + Math.max(0, now - bucket.at) * this.#refill);
    bucket.at = now;
    this.#buckets.delete(name); // re-added at the end: a Map iterates in insertion order
    this.#buckets.set(name, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= maxNames) break;
      this.#buckets.delete(oldest);
    }
    return bucket;
  }
}

// Bounds how long work of one kind takes in one turn of the event loop, so that other work can run between.

/** Work that may take long asks `isOver` right before it begins, and waits for `next` until it is false. */
export interface Turn {
  /** Whether the time is over since the first such question in this turn of the event loop. */
  readonly isOver: boolean;
  /**
   * Resolves when the next turn begins. Then the first of each owner goes on, in the order in which they began to wait, then the second of
   * each: whoever waits for much does not make others wait for all of it.
   */
  next(owner?: unknown): Promise<void>;
}

type Waiting = Map<unknown, (() => void)[]>;

function wake(waiting: Waiting): void {
  for (let at = 0; waiting.size > 0; at++)
    for (const [owner, those] of waiting) {
      those[at]?.();
      if (at + 1 >= those.length) waiting.delete(owner);
    }
}

const isDeno = "Deno" in globalThis;
/**
 * How many turns of the event loop must pass without a new connection before long work goes on, once the time of a turn was over. What arrived
 * meanwhile is accepted in the first of these turns and read in the second, so it waits for one long piece of work and not for three.
 * Deno does both in the two milliseconds that a timer takes there. Without a timer, Deno looks for arrivals in few turns only.
 */
const quietTurns = isDeno ? 1 : 2;
const nextTurn: (then: () => void) => unknown = isDeno ? (then) => setTimeout(then, 0) : setImmediate;
/** A rest is over after this time even if connections still arrive, in milliseconds. */
const longestRest = 100;

let connections = 0;
/** What goes on after the rest that is under way; undefined if there is none. */
let resting: (() => void)[] | undefined;

/** Call this for every new connection. Node accepts one in each turn of the event loop, so a rest goes on while some arrive. */
export const connectionArrived = (): void => void connections++;

/** Calls `then` when the rest is over that is under way, or that begins now. */
function afterRest(then: () => void): void {
  if (resting !== undefined) return void resting.push(then);
  const those = [then];
  resting = those;
  const until = performance.now() + longestRest;
  let quiet = -1;
  let seen = connections;
  const pass = (): void => {
    quiet = connections === seen ? quiet + 1 : 0;
    seen = connections;
    if (quiet < quietTurns && performance.now() < until) return void nextTurn(pass);
    resting = undefined;
    for (const one of those) one();
  };
  pass();
}

/** Opens a turn of so many milliseconds. A turn begins only when it is needed, so short work does not wait. */
export function openTurn(limit: number): Turn {
  let started = 0;
  let waiting: Waiting | undefined;
  const isOver = (): boolean => resting !== undefined || performance.now() - started >= limit;
  const begin = (): Waiting => {
    started = performance.now();
    const begun: Waiting = new Map();
    const end = (): void => {
      waiting = undefined;
      wake(begun);
    };
    setImmediate(() => (isOver() ? afterRest(end) : end()));
    return begun;
  };
  return {
    get isOver() {
      waiting ??= begin();
      return isOver();
    },
    next(owner) {
      waiting ??= begin();
      const those = waiting.get(owner) ?? [];
      waiting.set(owner, those);
      return new Promise((resolve) => void those.push(resolve));
    },
  };
}

/** The turn of what requests read from the database or send as parts of a form: all that is read at once shares it. */
export const requestTurn = openTurn(25);

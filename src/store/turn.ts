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

/**
 * How many turns of the event loop pass after one whose time was over: what arrived meanwhile is accepted in the first and read in the
 * second, so it waits for one long piece of work and not for three.
 */
const rest = 2;

/** Opens a turn of so many milliseconds. A turn begins only when it is needed, so short work does not wait. */
export function openTurn(limit: number): Turn {
  let started = 0;
  let waiting: Waiting | undefined;
  const begin = (): Waiting => {
    started = performance.now();
    const begun: Waiting = new Map();
    const end = (left: number): void => {
      if (left > 0) return void setImmediate(end, left - 1);
      waiting = undefined;
      wake(begun);
    };
    setImmediate(() => end(performance.now() - started >= limit ? rest : 0));
    return begun;
  };
  return {
    get isOver() {
      waiting ??= begin();
      return performance.now() - started >= limit;
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

// Bounds how long work of one kind takes in one turn of the event loop, so that other work can run between.

/** Work that may take long asks `isOver` right before it begins, and waits for `next` until it is false. */
export interface Turn {
  /** Whether the time is over since the first such question in this turn of the event loop. */
  readonly isOver: boolean;
  /** Resolves when another turn begins. Those who wait go on in the order in which they began to wait. */
  readonly next: Promise<void> | undefined;
}

/** Opens a turn of so many milliseconds. A turn begins only when it is needed, so short work does not wait. */
export function openTurn(limit: number): Turn {
  let started = 0;
  let next: Promise<void> | undefined;
  const begin = (): void => {
    started = performance.now();
    next = new Promise((resolve) => {
      setImmediate(() => {
        next = undefined;
        resolve();
      });
    });
  };
  return {
    get isOver() {
      if (next === undefined) begin();
      return performance.now() - started >= limit;
    },
    get next() {
      return next;
    },
  };
}

/** The turn of what requests read from the database or send as parts of a form: all that is read at once shares it. */
export const requestTurn = openTurn(25);

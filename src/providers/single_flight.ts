// Work under way, by name: who asks for what is being made already waits for it, and no more than so many go at once.
import { HttpError } from "../errors.ts";

export interface SingleFlight {
  /** The work under way by that name, or else `start`'s. Throws 503 where as many as may be are under way. */
  join<T>(name: string, start: () => Promise<T>): Promise<T>;
}

/** `most` is how many may be under way at once: each holds a still in memory. */
export function openSingleFlight(most: number): SingleFlight {
  const singleFlight = new Map<string, Promise<unknown>>();
  return {
    join<T>(name: string, start: () => Promise<T>): Promise<T> {
      const former = singleFlight.get(name);
      if (former !== undefined) return former as Promise<T>;
      if (singleFlight.size >= most)
        throw new HttpError(503, `${most} look briefs are being made already; try again in a moment`, {
          "retry-after": "5",
        });
      const flight = start().finally(() => singleFlight.delete(name));
      singleFlight.set(name, flight);
      return flight;
    },
  };
}

// Work under way, by name: who asks for what is being made already waits for it, and no more than so many go at once.
import { Refusal } from "../errors.ts";

export interface Flights {
  /** The work under way by that name, or else `start`'s. Throws 503 where as many as may be are under way. */
  join<T>(name: string, start: () => Promise<T>): Promise<T>;
}

/** `most` is how many may be under way at once: each holds a still in memory. */
export function openFlights(most: number): Flights {
  const flights = new Map<string, Promise<unknown>>();
  return {
    join<T>(name: string, start: () => Promise<T>): Promise<T> {
      const former = flights.get(name);
      if (former !== undefined) return former as Promise<T>;
      if (flights.size >= most)
        throw new Refusal(503, `${most} look briefs are being made already; try again in a moment`, {
          "retry-after": "5",
        });
      const flight = start().finally(() => flights.delete(name));
      flights.set(name, flight);
      return flight;
    },
  };
}

// Single-flight: concurrent requests for the same work share one execution. Also limits how many executions run at once.
import { HttpError } from "../errors.ts";

export interface SingleFlight {
  /** Returns the running work of that name, or starts it. Throws 503 if the maximum number is already running. */
  join<T>(name: string, start: () => Promise<T>): Promise<T>;
}

/** `max` is the maximum number of concurrent executions. */
export function openSingleFlight(max: number): SingleFlight {
  const running = new Map<string, Promise<unknown>>();
  return {
    join<T>(name: string, start: () => Promise<T>): Promise<T> {
      const existing = running.get(name);
      if (existing !== undefined) return existing as Promise<T>; // safe: a name always stands for the same kind of work
      if (running.size >= max)
        throw new HttpError(503, `${max} look briefs are already being created; try again in a moment`, {
          "retry-after": "5",
        });
      const flight = start().finally(() => running.delete(name));
      running.set(name, flight);
      return flight;
    },
  };
}

// How many requests a minute one key may make, where the deployment sets a limit. In memory alone.
import { HttpError } from "../errors.ts";

export interface Rates {
  /** Counts one request of a key. False where it has none left. */
  take(key_id: number): boolean;
  /** Counts one request of a key. Throws 429. */
  check(key_id: number): void;
}

interface Bucket {
  left: number;
  at: number;
}

/** A key may make `perMinute` requests at once, and gets as many back over a minute. */
export function openRates(perMinute: number, clock: () => number): Rates {
  const buckets = new Map<number, Bucket>();
  const refill = perMinute / 60_000;
  const bucketOf = (key_id: number): Bucket => {
    const now = clock();
    const bucket = buckets.get(key_id) ?? { left: perMinute, at: now };
    bucket.left = Math.min(perMinute, bucket.left + Math.max(0, now - bucket.at) * refill); // a clock set back gives nothing
    bucket.at = now;
    buckets.set(key_id, bucket);
    return bucket;
  };
  const take = (key_id: number): boolean => {
    const bucket = bucketOf(key_id);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  };
  return {
    take,
    check(key_id) {
      if (take(key_id)) return;
      const seconds = Math.max(1, Math.ceil((1 - bucketOf(key_id).left) / refill / 1000));
      throw new HttpError(429, `this key may make ${perMinute} requests a minute; try again in ${seconds} s`, {
        "retry-after": String(seconds),
      });
    },
  };
}

// Limits concurrent uploads: those of one key, those of all keys together, and by free disk space.

import { diskFull, HttpError } from "../errors.ts";
import type { KeyId } from "../ids.ts";
import { freeBytes } from "./writable.ts";

export interface Uploads {
  /**
   * Begins an upload of a key with `announced` bytes; returns a function that ends it. Throws 503 if the key or all keys together
   * have too many uploads in progress, 507 if the upload would not leave the disk reserve free.
   */
  begin(key_id: KeyId, announced: number): () => void;
  /** The number of uploads in progress. */
  running(): number;
}

/** The limit of all keys together is this multiple of the limit of one key. */
const totalFactor = 8;
/** A key without an upload in progress may exceed the limit of all keys, up to this multiple of it. */
const spareFactor = 2;

const busy = (detail: string) => new HttpError(503, `${detail}; try again in a moment`, { "retry-after": "5" });

/**
 * `folder` is on the disk whose free space counts, `maxOfKey` is the limit of concurrent uploads of one key, `reserve` is the
 * free space in bytes that uploads must leave.
 */
export function openUploads(folder: string, maxOfKey: number, reserve: number): Uploads {
  const ofKey = new Map<number, number>();
  const max = maxOfKey * totalFactor;
  let running = 0;

  function check(key_id: KeyId): void {
    const own = ofKey.get(key_id) ?? 0;
    if (own >= maxOfKey) throw busy(`this key has ${own} uploads in progress`);
    if (running >= (own === 0 ? max * spareFactor : max)) throw busy(`${running} uploads are in progress`);
  }

  function end(key_id: KeyId): void {
    running--;
    const left = (ofKey.get(key_id) ?? 1) - 1;
    if (left === 0) ofKey.delete(key_id);
    else ofKey.set(key_id, left);
  }

  return {
    running: () => running,
    begin(key_id, announced) {
      check(key_id);
      if (freeBytes(folder) - reserve < announced) throw diskFull();
      running++;
      ofKey.set(key_id, (ofKey.get(key_id) ?? 0) + 1);
      let ended = false;
      return () => {
        if (!ended) end(key_id);
        ended = true;
      };
    },
  };
}

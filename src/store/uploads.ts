// Which uploads may be under way: how many in all, how many of one key, and whether the disk has room for one more.
import { statfsSync } from "node:fs";
import { diskFull, HttpError } from "../errors.ts";

export interface Uploads {
  /**
   * Admits an upload of a key that announces so many bytes; answers what ends it. Throws 503 while the key has its share under
   * way or all keys together have theirs, 507 if the upload would not leave the reserve free.
   */
  begin(key_id: number, announced: number): () => void;
}

/** All keys together have at most this many times the share of one. */
const sharesTogether = 8;
/** A key without an upload under way gets one beyond that, up to this many times as many. */
const spare = 2;

const busy = (detail: string) => new HttpError(503, `${detail}; try again in a moment`, { "retry-after": "5" });

/** `folder` lies on the disk that counts. `share` is how many uploads of one key may be under way, `reserve` in bytes. */
export function openUploads(folder: string, share: number, reserve: number): Uploads {
  const ofKey = new Map<number, number>();
  const max = share * sharesTogether;
  let running = 0;

  function check(key_id: number): void {
    const own = ofKey.get(key_id) ?? 0;
    if (own >= share) throw busy(`this key has ${own} uploads under way`);
    if (running >= (own === 0 ? max * spare : max)) throw busy(`${running} uploads are under way`);
  }

  function end(key_id: number): void {
    running--;
    const left = (ofKey.get(key_id) ?? 1) - 1;
    if (left === 0) ofKey.delete(key_id);
    else ofKey.set(key_id, left);
  }

  return {
    begin(key_id, announced) {
      check(key_id);
      const { bavail, bsize } = statfsSync(folder);
      if (bavail * bsize - reserve < announced) throw diskFull();
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

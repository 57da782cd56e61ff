// How many uploads may be under way, and whether the disk has room for one more. Knows nothing of what is in them.
import { statfsSync } from "node:fs";
import { diskFull, Refusal } from "../errors.ts";

export interface Uploads {
  /**
   * Admits an upload that announces so many bytes; answers what ends it. Throws 503 while as many as may be are under way,
   * 507 where it would not leave the reserve free.
   */
  begin(announced: number): () => void;
}

/** `folder` lies on the disk that counts. `reserve` in bytes. */
export function openUploads(folder: string, most: number, reserve: number): Uploads {
  let running = 0;
  return {
    begin(announced) {
      if (running >= most)
        throw new Refusal(503, `${most} uploads are under way; try again in a moment`, { "retry-after": "5" });
      const { bavail, bsize } = statfsSync(folder);
      if (bavail * bsize - reserve < announced) throw diskFull();
      running++;
      let ended = false;
      return () => {
        if (!ended) running--;
        ended = true;
      };
    },
  };
}

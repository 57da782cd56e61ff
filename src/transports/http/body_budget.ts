// How many bytes of request bodies may be in memory at once: of one key, and of all together.
import { HttpError } from "../../errors.ts";

const maxOfKey = 64 << 20;
const maxTogether = 256 << 20;
/** What holding one piece costs beside its bytes. */
const overhead = 256;

/** What one body holds of the budget. */
export interface Share {
  /** Takes so many bytes. Throws 503 if the key, or all keys together, would hold more than they may. */
  take(bytes: number): void;
  /** Gives back all that was taken. */
  release(): void;
}

const refused = (detail: string) => new HttpError(503, `${detail}; try again in a moment`, { "retry-after": "5" });

export class BodyBudget {
  readonly #ofKey = new Map<number, number>();
  #together = 0;

  /** Opens the share of a request; requests without a key share one allowance. */
  open(key_id = 0): Share {
    let held = 0;
    return {
      take: (bytes) => {
        const size = bytes + overhead;
        const own = (this.#ofKey.get(key_id) ?? 0) + size;
        if (own > maxOfKey) throw refused(`the bodies of this key's requests hold ${maxOfKey} bytes already`);
        if (this.#together + size > maxTogether) throw refused("the server holds as many bytes of bodies as it may");
        held += size;
        this.#together += size;
        this.#ofKey.set(key_id, own);
      },
      release: () => {
        const left = (this.#ofKey.get(key_id) ?? 0) - held;
        this.#together -= held;
        held = 0;
        if (left > 0) this.#ofKey.set(key_id, left);
        else this.#ofKey.delete(key_id);
      },
    };
  }
}

// Forms that were sent when their session had ended. They are kept in memory until their senders have signed in again:
// first by the cookie of the visitor, and then by the new session, whose page shows the form filled.
import { hour } from "../../core/times.ts";
import type { SessionOwner } from "./sessions.ts";
import { ShortLived } from "./short_lived.ts";

export interface HeldForm {
  /** The path and the query to which it was sent. */
  address: string;
  fields: readonly (readonly [name: string, text: string])[];
  /** Whose session it was; undefined if that is not known. */
  owner: SessionOwner | undefined;
}

/** The most forms that are kept; the oldest goes first. */
const maxHeld = 100;
/** In milliseconds. */
const heldLifetime = hour;

/** Whether a session may see a form: another vendor's, or another production's, may not. */
export const maySee = ({ owner }: HeldForm, session: SessionOwner): boolean =>
  owner === undefined
    ? session.engagement_id === null
    : owner.production_id === session.production_id && owner.engagement_id === session.engagement_id;

export class HeldForms {
  readonly #forms: ShortLived<HeldForm>;

  constructor(clock: () => number) {
    this.#forms = new ShortLived(clock, { lifetime: heldLifetime, max: maxHeld });
  }

  /** Keeps a form for the holder of a secret. */
  keep(secret: string, form: HeldForm): void {
    this.#forms.set(secret, form);
  }

  has(secret: string | undefined): boolean {
    return secret !== undefined && this.#forms.get(secret) !== undefined;
  }

  /** The form of a holder; it is given once. */
  take(secret: string | undefined): HeldForm | undefined {
    if (secret === undefined) return undefined;
    const found = this.#forms.get(secret);
    this.#forms.delete(secret);
    return found;
  }

  /** The form of a holder if it was sent to that path; it is given once. */
  takeFor(secret: string, path: string): HeldForm | undefined {
    return this.#forms.get(secret)?.address.split("?")[0] === path ? this.take(secret) : undefined;
  }
}

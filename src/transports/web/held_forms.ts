// Keeps forms that were sent when their session had ended, until their senders have signed in again. In memory only: a form is first
// kept by the cookie of the visitor, and then by the new session, whose page shows it filled.
import type { SessionOwner } from "../../access/sessions.ts";

export interface HeldForm {
  /** The path and the query to which it was sent. */
  address: string;
  fields: readonly (readonly [name: string, text: string])[];
  /** Whose session it was; undefined if that is not known. */
  owner: SessionOwner | undefined;
}

/** Whether a session may see the form: another vendor's, or another production's, may not. */
export const maySee = ({ owner }: HeldForm, session: SessionOwner): boolean =>
  owner === undefined
    ? session.engagement_id === null
    : owner.production_id === session.production_id && owner.engagement_id === session.engagement_id;

/** The most forms that are kept; the oldest goes first. */
const maxHeld = 100;
/** In milliseconds. */
const heldLifetime = 60 * 60_000;

export function openHeldForms(clock: () => number) {
  const forms = new Map<string, HeldForm & { until: number }>();

  function take(secret: string | undefined): HeldForm | undefined {
    if (secret === undefined) return undefined;
    const found = forms.get(secret);
    forms.delete(secret);
    return found !== undefined && found.until > clock() ? found : undefined;
  }

  return {
    keep(secret: string, form: HeldForm): void {
      const [oldest] = forms.keys();
      if (forms.size >= maxHeld && oldest !== undefined) forms.delete(oldest);
      forms.set(secret, { ...form, until: clock() + heldLifetime });
    },
    has: (secret: string | undefined): boolean => secret !== undefined && forms.has(secret),
    take,
    /** The form of a session, if it was sent to that path; it is given once. */
    takeFor(secret: string, path: string): HeldForm | undefined {
      return forms.get(secret)?.address.split("?")[0] === path ? take(secret) : undefined;
    },
  };
}

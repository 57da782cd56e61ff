// The closed sets of values of the nouns, and how many things a production may have. docs/format.md, "The sections",
// says which field has which.
import * as v from "valibot";
import * as input from "../core/inputs.ts";
import { withCommas } from "../core/wording.ts";

export const nodeStatuses = ["planned", "active", "blocked", "done"] as const;

export const approvalStatuses = ["pending", "approved", "changes_requested", "rejected"] as const;

/** Of a chain, a step may be decided in nobody's name; a decision needs the name. */
export const approvalModes = ["chain", "decision"] as const;

/** What a client sends; the step then is `approved` or `changes_requested`. */
export const approvalDecisions = ["approved", "changes"] as const;

export const deliveryStatuses = ["draft", "blocked", "ready", "sent", "accepted"] as const;

export const deliveryKinds = ["internal", "external"] as const;

export const purchaseOrderStatuses = ["open", "partial", "closed"] as const;

export const scriptChangeStatuses = ["pending", "approved", "dismissed"] as const;

export const scriptChangeKinds = ["added", "changed", "omitted", "moved"] as const;

export const productionFormats = ["single", "episodic"] as const;

export const jobKinds = ["image", "video"] as const;

export const jobStatuses = ["queued", "running", "done", "failed"] as const;

export const storageTaskStatuses = ["pending", "done", "failed"] as const;

/**
 * The verbs of grants, each with the kinds of target that it may have; a grant has exactly one target. sql/reach.sql
 * decides what a verb reaches; docs/api.md, "Engagements and grants", says it.
 */
export const grantTargets = {
  read: ["node", "department", "delivery"],
  submit: ["delivery"],
  "read:own_po": ["department"],
} as const satisfies Record<string, readonly string[]>;

// Safe: Object.keys returns the keys of the literal above.
export const grantVerbs = Object.keys(grantTargets) as (keyof typeof grantTargets)[];

/** The palette: the possible values of a production's `accent`. */
export const accents = [
  "amber",
  "coral",
  "crimson",
  "forest",
  "indigo",
  "ocean",
  "plum",
  "sand",
  "slate",
  "teal",
] as const;

/** A kind of node that clients can create. Scenes only come from the script. */
export const assetKind = v.pipe(
  input.slug,
  v.check((value) => value !== "scene", "must not be scene: scenes come from the script breakdown"),
);

/** How many scenes, assets or people a production may have, each. */
export const maxThings = 30_000;

/** The end of a sentence that begins with the thing that is one too many: "the asset must not be added: …". */
export const tooMany = (section: string): string =>
  `must not be added: a production has at most ${withCommas(maxThings)} ${section}`;

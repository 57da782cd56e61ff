// Lets a vendor in, all of it or nothing: its engagement, what it is granted, and a key or an invitation; and says
// before it is done what the key would see, by the reach itself: everything is done in a transaction that is rolled
// back.
import type * as v from "valibot";
import { scopes as allScopes, type Scope } from "../../core/access/callers.ts";
import type { Context } from "../../core/context.ts";
import type { EngagementId, ProductionId } from "../../core/ids.ts";
import { authorize } from "../../core/pipeline.ts";
import { type Admin, adminOf } from "../../graph/admin.ts";
import { addEngagement } from "../../graph/engagements.ts";
import { addGrant } from "../../graph/grants.ts";
import { getMe } from "../../graph/me.ts";
import { grantVerbs } from "../../graph/values.ts";
import { mintKey } from "./access.ts";

export type Verb = (typeof grantVerbs)[number];
export type Me = v.InferOutput<typeof getMe.output>;

/** What is granted: a verb on one target. */
export type WantedGrant = Parameters<typeof addGrant>[1] extends infer G
  ? Omit<G & { verb: Verb }, "engagement_id">
  : never;

export interface Setup {
  vendor: string;
  title?: string | undefined;
  grants: readonly WantedGrant[];
}

/** The scope without which a key does not have what a grant gives its engagement. */
export const scopeOfVerb = {
  read: "read",
  submit: "submit:turnover",
  "read:own_po": "read:money",
} as const satisfies Record<Verb, Scope>;

/** The scopes that a vendor's key needs for what is granted; for all that can be granted if that is nothing. */
export const scopesFor = (verbs: readonly Verb[]): Scope[] =>
  grantVerbs
    .filter((verb) => verb === "read" || verbs.length === 0 || verbs.includes(verb))
    .map((verb) => scopeOfVerb[verb]);

/** Grants all of it. Within a write transaction. Returns the grants that did not exist. */
export function grantAll(admin: Admin, engagement_id: EngagementId, grants: readonly WantedGrant[]): number[] {
  const added = grants.map((grant) => addGrant(admin, { ...grant, engagement_id }));
  return added.flatMap(({ id, existed }) => (existed ? [] : [id]));
}

type OwnAdmin = Admin & { production_id: ProductionId };

/** Adds the engagement and its grants. Within a write transaction. */
export function setUp(admin: OwnAdmin, { vendor, title, grants }: Setup): EngagementId {
  const { id } = addEngagement(admin, { vendor, ...(title && { title }), production_id: admin.production_id });
  grantAll(admin, id, grants);
  return id;
}

/** What a key of an engagement sees, as GET /me answers it: the same operation, as if such a key called it. */
export function meOf(context: Context, engagement_id: EngagementId): Me {
  const caller = { ...context.caller, key_id: null, engagement_id, scopes: allScopes, expires_at: null };
  return JSON.parse(String(getMe.run({ ...context, caller }, {})));
}

/** Writes as an admin who may mint keys. Throws 403 if the caller may not. */
export const writeAsMinter = <T>(context: Context, work: (admin: OwnAdmin, context: Context) => T): Promise<T> =>
  context.write((context) => {
    authorize(context, mintKey);
    return work(adminOf(context), context);
  });

class Seen extends Error {
  readonly me: Me;
  constructor(me: Me) {
    super("rolled back");
    this.me = me;
  }
}

/** What a key of the vendor would see once it is set up. Changes nothing. Throws what the setup would. */
export async function previewSetup(context: Context, setup: Setup): Promise<Me> {
  try {
    await writeAsMinter(context, (admin, present) => {
      throw new Seen(meOf(present, setUp(admin, setup)));
    });
  } catch (error) {
    if (error instanceof Seen) return error.me;
    throw error;
  }
  throw new Error("the preview was not rolled back");
}

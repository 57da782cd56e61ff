// Lists, adds and ends vendors' engagements, and reads their grants, including revoked and expired ones. docs/api.md,
// "Engagements and grants".
import * as v from "valibot";
import type { EngagementId, Identified, ProductionId, VendorId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { describe, validate } from "../core/inputs.ts";
import * as out from "../core/records.ts";
import { recordEvent } from "../core/store/events.ts";
import { change, many, one } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";
import { type Admin, recordChange, requireChangeable } from "./admin.ts";
import { grantVerbs } from "./values.ts";

export const grantRow = out.record(
  "Grant",
  v.object({
    id: out.id,
    verb: v.picklist(grantVerbs),
    target: v.picklist(["node", "department", "delivery"]),
    target_id: out.id,
    target_name: out.text,
    created_at: out.timestamp,
    expires_at: v.nullable(out.timestamp),
    revoked_at: v.nullable(out.timestamp),
    live: describe(v.boolean(), "Whether it is neither revoked nor expired, and its engagement is active."),
  }),
);
export type GrantRow = v.InferOutput<typeof grantRow>;

type StoredGrantRow = Identified<Omit<GrantRow, "live">, "grant"> & { engagement_id: EngagementId; live: 0 | 1 };
const grantsOf = many<{ engagement_id: EngagementId | null; now: string }, StoredGrantRow>("list_grants");
const grantOf = one<{ id: number; now: string }, StoredGrantRow>("get_grant");

const withLive = ({ engagement_id: _, live, ...row }: StoredGrantRow): GrantRow => ({ ...row, live: live === 1 });

/** A grant that exists. */
export const getGrant = (store: Store, id: number, now: string): GrantRow =>
  withLive(grantOf(store, { id, now }) as StoredGrantRow); // the caller has found it

/** The grants of one engagement, or of all if it is null, by the id of the engagement. Ended ones are there too. */
export function grantsByEngagement(
  store: Store,
  engagement_id: EngagementId | null,
  now: string,
): Map<number, GrantRow[]> {
  const grants = new Map<number, GrantRow[]>();
  for (const stored of grantsOf(store, { engagement_id, now })) {
    const list = grants.get(stored.engagement_id) ?? [];
    list.push(withLive(stored));
    grants.set(stored.engagement_id, list);
  }
  return grants;
}

export const engagementRow = out.record(
  "Engagement",
  v.object({
    id: out.id,
    production_id: out.id,
    vendor: out.text,
    title: out.text,
    active: v.boolean(),
    created_at: out.timestamp,
    ended_at: describe(v.nullable(out.timestamp), "If it is in the future, the engagement is active until then."),
    grants: v.array(grantRow),
  }),
);
export type EngagementRow = v.InferOutput<typeof engagementRow>;

export const addedEngagement = out.record(
  "AddedEngagement",
  v.object({
    ...engagementRow.entries,
    existed: describe(v.boolean(), "Whether an active engagement existed already, so that none was added."),
  }),
);

type StoredRow = Identified<Omit<EngagementRow, "active" | "grants">, "engagement"> & { active: 0 | 1 };
interface Filter {
  production_id: ProductionId | null;
  id: number | null;
  now: string;
}
interface NewEngagement {
  production_id: ProductionId;
  vendor_id: VendorId;
  title: string;
  now: string;
}

const rowsOf = many<Filter, StoredRow>("list_engagements");
const vendorOf = one<{ production_id: ProductionId; name: string }, { id: VendorId }>("find_vendor");
const insertVendor = change("create_vendor");
const activeOf = one<NewEngagement, { id: EngagementId }>("find_engagement");
const insertEngagement = change("create_engagement");
const end = change("end_engagement");

/** What a grant lets a vendor do, as people say it. */
const allowed: Readonly<Record<EngagementRow["grants"][number]["verb"], string>> = {
  read: "may see",
  submit: "may send in work on",
  "read:own_po": "may see its own orders of",
};

/** Describes a grant in one line, with the reason if it is not live. */
export function grantLine(grant: GrantRow, now: string): string {
  const dead = grant.revoked_at !== null ? "ended" : (grant.expires_at ?? "9") <= now ? "expired" : "work ended";
  const until = grant.live && grant.expires_at !== null ? `, until ${grant.expires_at}` : "";
  const target = grant.target === "node" ? "" : `${grant.target} `; // the name of a node begins with its kind
  return `${grant.id}: ${allowed[grant.verb]} ${target}${grant.target_name}, id ${grant.target_id}${until}${grant.live ? "" : ` (${dead})`}`;
}

/** Engagements with their grants, oldest first: of one production, or of all. */
export function listEngagements(
  store: Store,
  { production_id, id }: { production_id?: ProductionId | undefined; id?: number | undefined },
  now: string,
): EngagementRow[] {
  const grants = grantsByEngagement(store, id ?? null, now);
  return rowsOf(store, { production_id: production_id ?? null, id: id ?? null, now }).map((row) => ({
    ...row,
    active: row.active === 1,
    grants: grants.get(row.id) ?? [],
  }));
}

/** An engagement without its grants, of which it may have many. Throws as getEngagement. */
export function findEngagement(admin: Admin, id: number): Omit<EngagementRow, "grants"> {
  const [row] = rowsOf(admin.store, { production_id: null, id, now: admin.now });
  const { active, ...engagement } = requireChangeable(admin, row, `engagement ${id}`, "engagements list");
  return { ...engagement, active: active === 1 };
}

/** One engagement with its grants. Throws 404 if it does not exist or the admin may not change it. */
export function getEngagement(admin: Admin, id: number): EngagementRow {
  const [row] = listEngagements(admin.store, { id }, admin.now);
  return requireChangeable(admin, row, `engagement ${id}`, "engagements list");
}

/** Adds a vendor to the production, with its event. Returns the vendor's id. */
function addVendor({ store, now, label }: Admin, vendor: { production_id: ProductionId; name: string }): number {
  const { production_id, name } = vendor;
  const { id } = insertVendor(store, vendor);
  const happening = { type: "vendor.added", subject: { kind: "vendor", id }, data: { key: name, fields: {} } } as const;
  recordEvent(store, { ...happening, production_id, actor: label, activity_id: null }, now);
  return id;
}

/**
 * Adds an engagement of a vendor by name, and the vendor if the production does not have it. If an active engagement
 * with that vendor and title exists, nothing is added and `existed` is true. Throws 422 for an empty or overlong name.
 */
export function addEngagement(
  admin: Admin,
  { production_id, vendor, title }: { production_id: ProductionId; vendor: string; title?: string | undefined },
): v.InferOutput<typeof addedEngagement> {
  const names = validate(v.object({ vendor: input.lineLabel(300), title: input.lineLabel(300) }), {
    vendor: vendor.trim(),
    title: title ?? vendor.trim(),
  });
  const { store, now } = admin;
  return store.writeSync(() => {
    const known = vendorOf(store, { production_id, name: names.vendor });
    const vendor_id = known?.id ?? addVendor(admin, { production_id, name: names.vendor });
    const engagement = { production_id, vendor_id, title: names.title, now };
    const active = activeOf(store, engagement);
    const id = active?.id ?? insertEngagement(store, engagement).id;
    if (active === undefined) {
      const summary = `Engaged ${names.vendor}: ${names.title}`;
      const subject = { kind: "engagement", id } as const;
      recordChange(
        admin,
        { production_id, summary, detail: { id, ...names } },
        { type: "engagement.added", subject, data: names },
      );
    }
    return { ...getEngagement(admin, id), existed: active !== undefined };
  });
}

/** Ends an engagement: none of its grants is live from now on. `was_ended`: it had ended already. Throws 404. */
export function endEngagement(admin: Admin, { id }: { id: number }): EngagementRow & { was_ended: boolean } {
  const { store, now } = admin;
  return store.writeSync(() => {
    const { production_id, active, vendor, title } = getEngagement(admin, id);
    if (active) {
      end(store, { production_id, id, now });
      const summary = `Ended the engagement of ${vendor}: ${title}`;
      recordChange(
        admin,
        { production_id, summary, detail: { id, vendor } },
        { type: "engagement.ended", subject: { kind: "engagement", id }, data: { vendor, title } },
      );
    }
    return { ...getEngagement(admin, id), was_ended: !active };
  });
}

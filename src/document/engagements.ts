// Checks, writes and reads vendors, their engagements and the grants of the engagements.
import { grantTargets } from "../inputs.ts";
import { bulkInsert } from "../store/statements.ts";
import type { Change, Changes, Item } from "./changes.ts";
import { type Exporter, exported, exportNames, type Row } from "./exporter.ts";
import { deleteOf, removeAll, updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Columns, Writer } from "./writer.ts";

const exportEngagements = exported("export_engagements");
const exportGrants = exported("export_grants");

const insertVendor = bulkInsert("import_vendor");
const updateVendor = updateOf("update_vendor");
const parkVendor = updateOf("park_vendor");
const deleteVendor = deleteOf("delete_vendor");
const insertEngagement = bulkInsert("import_engagement");
const updateEngagement = updateOf("update_engagement");
const deleteEngagement = deleteOf("delete_engagement");
/** Without their engagement, sessions would show everything. */
const endSessionsAs = deleteOf("delete_sessions_as");
const insertGrant = bulkInsert("import_grant");
const updateGrant = updateOf("update_grant");

type Engagement = Item<"engagements">;
type Grant = Engagement["grants"][number];

export const grantTargetFields = ["scene", "asset", "department", "delivery"] as const;
/** A document names a node by what it is. */
const nounOf = (target: (typeof grantTargetFields)[number]) =>
  target === "scene" || target === "asset" ? "node" : target;

function checkGrant(validator: Validator, grant: Grant, place: string): void {
  const named = grantTargetFields.filter((target) => grant[target] !== undefined);
  const [target] = named;
  if (target === undefined || named.length > 1) {
    validator.report(place, `must have exactly one of ${grantTargetFields.join(", ")}`);
    return;
  }
  if (!validator.isUsable(`${place}.verb`)) return;
  const fit: readonly string[] = grantTargets[grant.verb];
  if (!fit.includes(nounOf(target)))
    validator.report(
      `${place}.verb`,
      `${grant.verb} needs a ${fit[0]}, not ${/^a/.test(target) ? "an" : "a"} ${target}`,
    );
}

export function checkEngagements(validator: Validator): void {
  validator.each("engagements", (engagement, place) => {
    for (const [grant, here] of validator.items(`${place}.grants`, engagement.grants))
      checkGrant(validator, grant, here);
  });
}

function columnsOf(writer: Writer, engagement: Engagement): Columns {
  const { vendor, title, ref = null, ended_at = null } = engagement;
  return { vendor_id: writer.id("vendor", vendor), title, ref, ended_at };
}

export function writeEngagements(writer: Writer, changes: Changes): void {
  const vendors = changes.of("vendors");
  for (const { id } of vendors.removed) parkVendor(writer, id);
  for (const { id, item: name } of vendors.added) writer.insert(insertVendor, { id, name });
  updateAll(writer, vendors.changed, {
    ...{ unique: ["name"], park: parkVendor },
    update: ({ id, item: name }) => updateVendor(writer, id, { name }),
  });
  const { added, changed } = changes.of("engagements");
  for (const { id, item } of added) {
    const { created_at = writer.now } = item;
    writer.insert(insertEngagement, { id, ...columnsOf(writer, item), created_at });
  }
  updateAll(writer, changed, { update: ({ id, item }) => updateEngagement(writer, id, columnsOf(writer, item)) });
}

function columnsOfGrant(writer: Writer, grant: Grant): Columns {
  const { verb, created_at, expires_at = null, revoked_at = null } = grant;
  const department_id = writer.id("department", grant.department);
  const target = { node_id: writer.node(grant), department_id, delivery_id: writer.id("delivery", grant.delivery) };
  return { verb, ...target, created_at: created_at ?? writer.now, expires_at, revoked_at };
}

function updateGrants(writer: Writer, { item, stored, row }: Change<"engagements">): void {
  const rows = (row?.grants ?? []) as { id: number }[];
  stored.grants.forEach((before, at) => {
    const { expires_at = null, revoked_at = null } = item.grants[at] as Grant; // stored grants come first
    if (expires_at === (before.expires_at ?? null) && revoked_at === (before.revoked_at ?? null)) return;
    updateGrant(writer, (rows[at] as { id: number }).id, { expires_at, revoked_at });
  });
}

/** Grants, once what they are on exists. */
export function writeGrants(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("engagements");
  for (const change of changed) updateGrants(writer, change);
  for (const { id, grants } of [
    ...added.map(({ id, item }) => ({ id, grants: item.grants })),
    ...changed.map(({ id, item, stored }) => ({ id, grants: item.grants.slice(stored.grants.length) })),
  ])
    for (const grant of grants)
      writer.insert(insertGrant, { id: writer.next("grants"), engagement_id: id, ...columnsOfGrant(writer, grant) });
}

export function removeEngagements(writer: Writer, changes: Changes): void {
  removeAll(writer, changes.of("engagements").removed, "engagements", ({ id }) => {
    endSessionsAs(writer, id);
    deleteEngagement(writer, id);
  });
  removeAll(writer, changes.of("vendors").removed, "vendors", ({ id }) => deleteVendor(writer, id));
}

export const collectVendors = (exporter: Exporter): Row[] =>
  exporter.rows(exportNames.vendor).map(({ id, name }) => ({ id, name }));

export function collectEngagements(exporter: Exporter): Row[] {
  const grants = exporter.grouped(exportGrants, "engagement_id");
  return exporter.rows(exportEngagements).map((row) => ({
    ...row,
    ref: exporter.ref("engagement", row.id),
    vendor: exporter.name("vendor", row.vendor_id),
    grants: grants(row.id).map((grant) => ({
      ...grant,
      ...exporter.node(grant.node_id),
      department: exporter.name("department", grant.department_id),
      delivery: exporter.name("delivery", grant.delivery_id),
    })),
  }));
}

// Checks, writes and reads vendors, their engagements and the grants of the engagements, purchase orders, and the weekly cost reports.
import { grantTargets } from "../../../graph/values.ts";
import type { Validator } from "../check/validator.ts";
import type { Item } from "../sections/sections.ts";
import { changeById, node, type RowList, recordedParts, replacedParts, rowsOf } from "./columns.ts";
import type { Entry } from "./entries.ts";
import { exported } from "./exporter.ts";
import type { Writer } from "./writer.ts";

type Engagement = Item<"engagements">;
type Grant = Engagement["grants"][number];

export const grantTargetFields = ["scene", "asset", "department", "delivery"] as const;
/** A document names a node in the field of its kind. */
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

const newGrants = recordedParts("engagements", "grants")("import_grant", {
  read: exported("export_grants"),
  by: "engagement_id",
  table: "grants",
  fields: { scene: node("scene"), asset: node("asset") },
});

function updateGrants(writer: Writer, entries: readonly Entry<"engagements">[]): void {
  for (const { item, stored, row } of entries) {
    const rows = (row?.grants ?? []) as { id: number }[];
    stored?.grants.forEach((before, at) => {
      const { expires_at = null, revoked_at = null } = item.grants[at] as Grant; // stored grants come first
      if (expires_at === (before.expires_at ?? null) && revoked_at === (before.revoked_at ?? null)) return;
      writer.set("import_grant", rows[at]?.id as number, { expires_at, revoked_at });
    });
  }
}

const grants: RowList<"engagements"> = {
  ...newGrants,
  list(writer, entries) {
    updateGrants(writer, entries);
    newGrants.list(writer, entries);
  },
};

export const vendors = rowsOf("vendors")({
  read: exported("export_vendors"),
  insert: ["import_vendor"],
  unique: ["name"],
  fields: {},
});

export const engagements = rowsOf("engagements")({
  check(validator, { grants }, place) {
    for (const [grant, here] of validator.items(`${place}.grants`, grants)) checkGrant(validator, grant, here);
  },
  read: exported("export_engagements"),
  insert: ["import_engagement"],
  leave: [changeById("delete_sessions_as")], // without their engagement, sessions would show everything
  fields: { grants },
});

export const purchase_orders = rowsOf("purchase_orders")({
  checkAll: (validator, orders) => validator.distinct("purchase_orders", orders, ({ number }) => number, ".number"),
  read: exported("export_purchase_orders"),
  insert: ["import_purchase_order"],
  unique: ["number"],
  fields: {},
});

export const cost_reports = rowsOf("cost_reports")({
  checkAll: (validator, reports) => validator.oneActive("cost_reports", reports, "cost report"),
  check: (validator, { lines }, place) =>
    validator.distinct(`${place}.lines`, lines, ({ account }) => account, ".account"),
  read: exported("export_cost_reports"),
  insert: ["import_cost_report"],
  unique: ["week_of", "active"],
  fields: {
    lines: replacedParts("cost_reports", "lines")("import_cost_report_line", {
      read: exported("export_cost_report_lines"),
      by: "cost_report_id",
      table: "cost_report_lines",
      fields: {},
    }),
  },
});

// Writes and reads vendors, their engagements and the grants of the engagements, purchase orders, and the weekly cost reports.
import type { Item } from "../sections/sections.ts";
import { changeById, node, type RowList, recordedParts, replacedParts, rowsOf } from "./columns.ts";
import type { Entry } from "./entries.ts";
import { exported } from "./exporter.ts";
import type { Writer } from "./writer.ts";

type Engagement = Item<"engagements">;
type Grant = Engagement["grants"][number];

const newGrants = recordedParts("engagements", "grants")("import_grant", {
  read: exported("export_grants"),
  by: "engagement_id",
  table: "grants",
  fields: { scene: node("scene"), asset: node("asset") },
});

function updateGrants(writer: Writer, entries: readonly Entry<"engagements">[]): void {
  for (const { item, stored, row } of entries) {
    const rows = (row?.grants ?? []) as { id: number }[]; // as they were read
    stored?.grants.forEach((before, at) => {
      const { expires_at = null, revoked_at = null } = item.grants[at] as Grant; // stored grants come first
      if (expires_at === (before.expires_at ?? null) && revoked_at === (before.revoked_at ?? null)) return;
      writer.set("import_grant", rows[at]?.id as number, { expires_at, revoked_at }); // each stored grant has a row
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
  read: exported("export_engagements"),
  insert: ["import_engagement"],
  leave: [changeById("delete_sessions_as")], // without their engagement, sessions would show everything
  fields: { grants },
});

export const purchase_orders = rowsOf("purchase_orders")({
  read: exported("export_purchase_orders"),
  insert: ["import_purchase_order"],
  unique: ["number"],
  fields: {},
});

export const cost_reports = rowsOf("cost_reports")({
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

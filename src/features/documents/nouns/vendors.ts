// Writes and reads vendors, their engagements and the grants of the engagements, purchase orders, and the weekly cost reports.
import { changeById, node, recordedParts, replacedParts, rowsOf } from "./columns.ts";
import { exported } from "./exporter.ts";

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
  fields: {
    grants: recordedParts("engagements", "grants")(
      "import_grant",
      {
        read: exported("export_grants"),
        by: "engagement_id",
        table: "grants",
        fields: { scene: node("scene"), asset: node("asset") },
      },
      { changing: ["expires_at", "revoked_at"] },
    ),
  },
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

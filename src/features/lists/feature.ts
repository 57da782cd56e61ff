// Readers and writers of CSV lists, and the kinds of lists, a row each.
import type { Feature, Load } from "../../core/feature.ts";
import type { ListKindRow } from "../documents/kinds.ts";
import type { List } from "./list.ts";

export const listKindRows = {
  schedule: {
    section: "schedule",
    hasScenes: true,
    exported: "of episodes too",
    turn: "last",
    load: async () => (await import("./schedule.ts")).scheduleList,
  },
  people: {
    section: "people",
    hasScenes: false,
    exported: "whole",
    turn: "first",
    load: async () => (await import("./people.ts")).peopleList,
  },
  vendors: {
    section: "vendors",
    hasScenes: false,
    exported: "never",
    turn: "first",
    load: async () => (await import("./vendors.ts")).vendorList,
  },
  deliveries: {
    section: "deliveries",
    hasScenes: true,
    exported: "whole",
    turn: "last",
    load: async () => (await import("./deliveries.ts")).deliveryList,
  },
  assets: {
    section: "assets",
    hasScenes: true,
    exported: "of episodes too",
    turn: "second",
    load: async () => (await import("./assets.ts")).assetList,
  },
  "purchase-orders": {
    section: "purchase_orders",
    hasScenes: false,
    exported: "whole",
    turn: "last",
    load: async () => (await import("./purchase_orders.ts")).purchaseOrderList,
  },
  "cost-report": {
    section: "cost_reports",
    hasScenes: false,
    exported: "whole",
    turn: "last",
    load: async () => (await import("./cost_report.ts")).costReport,
  },
  scenes: {
    section: "scenes",
    hasScenes: true,
    exported: "of episodes too",
    turn: "second",
    load: async () => (await import("./scene_list.ts")).sceneList,
  },
  breakdown: {
    section: "scenes",
    hasScenes: true,
    exported: "of episodes too",
    turn: "last",
    load: async () => (await import("./breakdown_list.ts")).breakdownList,
  },
  cast: {
    section: "assets",
    hasScenes: true,
    exported: "of episodes too",
    turn: "second",
    load: async () => (await import("./assets.ts")).castList,
  },
  departments: {
    section: "departments",
    hasScenes: false,
    exported: "whole",
    turn: "first",
    load: async () => (await import("./departments.ts")).departmentList,
  },
  approvals: {
    section: "approvals",
    hasScenes: true,
    exported: "whole",
    turn: "last",
    load: async () => (await import("./approvals.ts")).approvalList,
  },
} as const satisfies Readonly<Record<string, ListKindRow & { load: Load<List> }>>;

type Kinds = typeof listKindRows;

declare module "../documents/kinds.ts" {
  interface ListKinds extends Kinds {}
}

export const lists: Feature = {
  name: "lists",
  url: import.meta.url,
  needs: ["csv", "documents", "paperwork"],
  listKinds: listKindRows,
  importers: {
    kind: "list",
    extensions: [".csv", ".tsv", ".xlsx", ".xls", ".ods", ".numbers"],
    load: () => import("./importers.ts"),
  },
  exporters: () => import("./exporters.ts"),
};

// Vendors, their engagements and the grants of those: checked, written and collected.

import { grantTargets } from "../inputs.ts";
import { bulkInsert } from "../store/statements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported, exportNames } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Validator } from "./validator.ts";

const exportEngagements = exported("export_engagements");
const exportGrants = exported("export_grants");
const importEngagement = bulkInsert("import_engagement");
const importGrant = bulkInsert("import_grant");
const importVendor = bulkInsert("import_vendor");

type Grant = ProductionDocument["engagements"][number]["grants"][number];

const targets = ["scene", "asset", "department", "delivery"] as const;
/** A document names a node by what it is. */
const nounOf = (target: (typeof targets)[number]) => (target === "scene" || target === "asset" ? "node" : target);

function checkGrant(validator: Validator, grant: Grant, place: string): void {
  const named = targets.filter((target) => grant[target] !== undefined);
  for (const target of named) validator.refer(`${place}.${target}`, target, grant[target]);
  const [target] = named;
  if (target === undefined || named.length > 1) {
    validator.report(place, `must have exactly one of ${targets.join(", ")}`);
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
    validator.refer(`${place}.vendor`, "vendor", engagement.vendor);
    for (const [grant, here] of validator.items(`${place}.grants`, engagement.grants))
      checkGrant(validator, grant, here);
  });
}

export function insertEngagements(importer: Importer): void {
  const own = importer.production_id;
  importer.document.vendors.forEach((name, at) => {
    importer.row(importVendor, importer.idAt("vendor", at), own, name);
  });
  importer.document.engagements.forEach(({ vendor, title, created_at, ended_at }, at) => {
    const id = importer.idAt("engagement", at);
    importer.row(importEngagement, id, own, importer.id("vendor", vendor), title, created_at, ended_at ?? null);
  });
}

export function insertGrants(importer: Importer): void {
  importer.document.engagements.forEach(({ grants }, at) => {
    const engagement_id = importer.idAt("engagement", at);
    for (const grant of grants) {
      const target = [
        importer.node(grant),
        importer.id("department", grant.department),
        importer.id("delivery", grant.delivery),
      ];
      const moments = [grant.created_at, grant.expires_at ?? null, grant.revoked_at ?? null];
      const id = importer.next("grants");
      importer.row(importGrant, id, importer.production_id, engagement_id, grant.verb, ...target, ...moments);
    }
  });
}

export function collectEngagements(exporter: Exporter): Row {
  const grants = exporter.grouped(exportGrants, "engagement_id");
  return {
    vendors: exporter.rows(exportNames.vendor).map(({ name }) => name),
    engagements: exporter.rows(exportEngagements).map((row) => ({
      ...row,
      ref: exporter.ref("engagement", row.id),
      vendor: exporter.name("vendor", row.vendor_id),
      grants: grants(row.id).map((grant) => ({
        ...grant,
        ...exporter.node(grant.node_id),
        department: exporter.name("department", grant.department_id),
        delivery: exporter.name("delivery", grant.delivery_id),
      })),
    })),
  };
}

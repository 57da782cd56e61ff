// Vendors, their engagements and the grants of those: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Writing } from "./writing.ts";

type Grant = ProductionDocument["engagements"][number]["grants"][number];

const targets = ["scene", "asset", "department", "delivery"] as const;
const fitting = {
  read: targets,
  submit: ["delivery"],
  "read:own_po": ["department"],
} as const satisfies Record<Grant["verb"], readonly (typeof targets)[number][]>;

function checkGrant(checking: Checking, grant: Grant, place: string): void {
  const named = targets.filter((target) => grant[target] !== undefined);
  for (const target of named) checking.refer(`${place}.${target}`, target, grant[target]);
  const [target] = named;
  if (target === undefined || named.length > 1) {
    checking.report(place, `must have exactly one of ${targets.join(", ")}`);
    return;
  }
  if (!checking.isUsable(`${place}.verb`)) return;
  const fit: readonly string[] = fitting[grant.verb];
  if (!fit.includes(target))
    checking.report(
      `${place}.verb`,
      `${grant.verb} needs a ${fit[0]}, not ${/^a/.test(target) ? "an" : "a"} ${target}`,
    );
}

export function checkEngagements(checking: Checking): void {
  checking.each("engagements", (engagement, place) => {
    checking.refer(`${place}.vendor`, "vendor", engagement.vendor);
    for (const [grant, here] of checking.items(`${place}.grants`, engagement.grants)) checkGrant(checking, grant, here);
  });
}

export function insertEngagements(writing: Writing): void {
  const own = writing.production_id;
  writing.document.vendors.forEach((name, at) => {
    writing.row("import_vendor", writing.idAt("vendor", at), own, name);
  });
  writing.document.engagements.forEach(({ vendor, title, created_at, ended_at }, at) => {
    const id = writing.idAt("engagement", at);
    writing.row("import_engagement", id, own, writing.id("vendor", vendor), title, created_at, ended_at ?? null);
  });
}

export function insertGrants(writing: Writing): void {
  writing.document.engagements.forEach(({ grants }, at) => {
    const engagement_id = writing.idAt("engagement", at);
    for (const grant of grants) {
      const target = [
        writing.node(grant),
        writing.id("department", grant.department),
        writing.id("delivery", grant.delivery),
      ];
      const moments = [grant.created_at, grant.expires_at ?? null, grant.revoked_at ?? null];
      const id = writing.next("grants");
      writing.row("import_grant", id, writing.production_id, engagement_id, grant.verb, ...target, ...moments);
    }
  });
}

export function collectEngagements(collecting: Collecting): Row {
  const grants = collecting.grouped("export_grants", "engagement_id");
  return {
    vendors: collecting.rows("export_vendor_names").map(({ name }) => name),
    engagements: collecting.rows("export_engagements").map((row) => ({
      ...row,
      ref: collecting.ref("engagement", row.id),
      vendor: collecting.name("vendor", row.vendor_id),
      grants: grants(row.id).map((grant) => ({
        ...grant,
        ...collecting.node(grant.node_id),
        department: collecting.name("department", grant.department_id),
        delivery: collecting.name("delivery", grant.delivery_id),
      })),
    })),
  };
}

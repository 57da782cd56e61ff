// Deliveries, what they are about, and the work handed in on them: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { Writing } from "./writing.ts";

export function checkDeliveries(checking: Checking): void {
  checking.each("deliveries", (delivery, place) => {
    const { kind, external_to } = delivery;
    if (checking.isUsable(`${place}.kind`))
      checking.present(`${place}.external_to`, external_to, kind === "external", "on an external delivery");
    checking.refer(`${place}.from_department`, "department", delivery.from_department);
    checking.refer(`${place}.to_department`, "department", delivery.to_department);
    checking.referEach(`${place}.scenes`, "scene", delivery.scenes);
    checking.referEach(`${place}.assets`, "asset", delivery.assets);
    for (const [{ engagement }, here] of checking.items(`${place}.submissions`, delivery.submissions))
      checking.refer(`${here}.engagement`, "engagement", engagement);
  });
}

export function insertDeliveries(writing: Writing): void {
  const own = writing.production_id;
  writing.document.deliveries.forEach((delivery, at) => {
    const id = writing.idAt("delivery", at);
    const { title, status, kind } = delivery;
    const from = writing.id("department", delivery.from_department);
    const to = writing.id("department", delivery.to_department);
    const nullable = [delivery.due ?? null, delivery.external_to ?? null, from, to];
    const spec = JSON.stringify(delivery.spec);
    writing.row("import_delivery", id, own, title, status, kind, ...nullable, spec, delivery.sent_at ?? null);
    for (const scene of delivery.scenes) writing.row("import_delivery_node", own, id, writing.id("scene", scene));
    for (const asset of delivery.assets) writing.row("import_delivery_node", own, id, writing.id("asset", asset));
    for (const media of delivery.media) writing.keep(media, { delivery_id: id });
    for (const { engagement, status, title, media, ...rest } of delivery.submissions) {
      const work_item_id = writing.next("submissions");
      const nullable = [rest.note ?? null, rest.created_by ?? null, rest.created_at ?? null];
      const engagement_id = writing.id("engagement", engagement);
      writing.row("import_submission", work_item_id, own, id, engagement_id, status, title, ...nullable);
      for (const item of media) writing.keep(item, { delivery_id: id, work_item_id });
    }
  });
}

export function collectDeliveries(collecting: Collecting): Row {
  const about = collecting.grouped("export_delivery_nodes", "delivery_id");
  const submissions = collecting.grouped("export_submissions", "delivery_id");
  return {
    deliveries: collecting.rows("export_deliveries").map((row) => {
      const nodes = about(row.id).map(({ node_id }) => collecting.node(node_id));
      return {
        ...row,
        ref: collecting.ref("delivery", row.id),
        from_department: collecting.name("department", row.from_department_id),
        to_department: collecting.name("department", row.to_department_id),
        spec: JSON.parse(row.spec as string),
        scenes: nodes.flatMap(({ scene }) => scene ?? []),
        assets: nodes.flatMap(({ asset }) => asset ?? []),
        media: collecting.media("delivery_id", row.id),
        submissions: submissions(row.id).map((submission) => ({
          ...submission,
          engagement: collecting.name("engagement", submission.engagement_id),
          media: collecting.media("work_item_id", submission.id),
        })),
      };
    }),
  };
}

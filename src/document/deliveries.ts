// Deliveries, what they are about, and the work handed in on them: checked, written and collected.

import { bulkInsert } from "../store/statements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import type { Validator } from "./validator.ts";

const exportDeliveries = exported("export_deliveries");
const exportDeliveryNodes = exported("export_delivery_nodes");
const exportSubmissions = exported("export_submissions");
const importDelivery = bulkInsert("import_delivery");
const importDeliveryNode = bulkInsert("import_delivery_node");
const importSubmission = bulkInsert("import_submission");

export function checkDeliveries(validator: Validator): void {
  validator.each("deliveries", (delivery, place) => {
    const { kind, external_to } = delivery;
    if (validator.isUsable(`${place}.kind`))
      validator.present(`${place}.external_to`, external_to, kind === "external", "on an external delivery");
    validator.refer(`${place}.from_department`, "department", delivery.from_department);
    validator.refer(`${place}.to_department`, "department", delivery.to_department);
    validator.referEach(`${place}.scenes`, "scene", delivery.scenes);
    validator.referEach(`${place}.assets`, "asset", delivery.assets);
    for (const [{ engagement }, here] of validator.items(`${place}.submissions`, delivery.submissions))
      validator.refer(`${here}.engagement`, "engagement", engagement);
  });
}

export function insertDeliveries(importer: Importer): void {
  const own = importer.production_id;
  importer.document.deliveries.forEach((delivery, at) => {
    const id = importer.idAt("delivery", at);
    const { title, status, kind } = delivery;
    const from = importer.id("department", delivery.from_department);
    const to = importer.id("department", delivery.to_department);
    const nullable = [delivery.due ?? null, delivery.external_to ?? null, from, to];
    const spec = JSON.stringify(delivery.spec);
    importer.row(importDelivery, id, own, title, status, kind, ...nullable, spec, delivery.sent_at ?? null);
    for (const scene of delivery.scenes) importer.row(importDeliveryNode, own, id, importer.id("scene", scene));
    for (const asset of delivery.assets) importer.row(importDeliveryNode, own, id, importer.id("asset", asset));
    for (const media of delivery.media) importer.keep(media, { delivery_id: id });
    for (const { engagement, status, title, media, ...rest } of delivery.submissions) {
      const work_item_id = importer.next("submissions");
      const nullable = [rest.note ?? null, rest.created_by ?? null, rest.created_at ?? null];
      const engagement_id = importer.id("engagement", engagement);
      importer.row(importSubmission, work_item_id, own, id, engagement_id, status, title, ...nullable);
      for (const item of media) importer.keep(item, { delivery_id: id, work_item_id });
    }
  });
}

export function collectDeliveries(exporter: Exporter): Row {
  const about = exporter.grouped(exportDeliveryNodes, "delivery_id");
  const submissions = exporter.grouped(exportSubmissions, "delivery_id");
  return {
    deliveries: exporter.rows(exportDeliveries).map((row) => {
      const nodes = about(row.id).map(({ node_id }) => exporter.node(node_id));
      return {
        ...row,
        ref: exporter.ref("delivery", row.id),
        from_department: exporter.name("department", row.from_department_id),
        to_department: exporter.name("department", row.to_department_id),
        spec: JSON.parse(row.spec as string),
        scenes: nodes.flatMap(({ scene }) => scene ?? []),
        assets: nodes.flatMap(({ asset }) => asset ?? []),
        media: exporter.media("delivery_id", row.id),
        submissions: submissions(row.id).map((submission) => ({
          ...submission,
          engagement: exporter.name("engagement", submission.engagement_id),
          media: exporter.media("work_item_id", submission.id),
        })),
      };
    }),
  };
}

// Checks, writes and reads deliveries, the things that they are about, and the work that was submitted on them.
import { isDeepStrictEqual } from "node:util";
import { bulkInsert } from "../store/statements.ts";
import type { DocumentMedia } from "./attachments.ts";
import type { Change, Changes, Entry, Item } from "./changes.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { deleteOf, removeAll, removeMedia, updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Columns, Writer } from "./writer.ts";

const exportDeliveries = exported("export_deliveries");
const exportDeliveryNodes = exported("export_delivery_nodes");
const exportSubmissions = exported("export_submissions");

const insertDelivery = bulkInsert("import_delivery");
const updateDelivery = updateOf("update_delivery");
const deleteDelivery = deleteOf("delete_delivery");
const insertDeliveryNode = bulkInsert("import_delivery_node");
const deleteDeliveryNodes = deleteOf("delete_delivery_nodes");
const insertSubmission = bulkInsert("import_submission");

type Delivery = Item<"deliveries">;
type Submission = Delivery["submissions"][number];

export function checkDeliveries(validator: Validator): void {
  validator.each("deliveries", ({ kind, external_to }, place) => {
    if (validator.isUsable(`${place}.kind`))
      validator.present(`${place}.external_to`, external_to, kind === "external", "on an external delivery");
  });
}

function columnsOf(writer: Writer, delivery: Delivery): Columns {
  const { title, ref = null, status, kind, due = null, external_to = null, spec, sent_at = null } = delivery;
  const from_department_id = writer.id("department", delivery.from_department);
  const to_department_id = writer.id("department", delivery.to_department);
  const departments = { from_department_id, to_department_id };
  return { title, ref, status, kind, due, external_to, ...departments, spec: JSON.stringify(spec), sent_at };
}

function insertNodes(writer: Writer, { id, item }: Entry<"deliveries">): void {
  for (const node_id of [
    ...item.scenes.map((scene) => writer.id("scene", scene)),
    ...item.assets.map((asset) => writer.id("asset", asset)),
  ])
    writer.insert(insertDeliveryNode, { delivery_id: id, node_id });
}

function insertSubmissions(writer: Writer, delivery_id: number, submissions: readonly Submission[]): void {
  for (const { engagement, status, title, media, ...optional } of submissions) {
    const id = writer.next("submissions");
    const engagement_id = writer.id("engagement", engagement);
    const { note = null, decision_note = null, created_by = null, created_at = null } = optional;
    const columns = { id, delivery_id, engagement_id, status, title, note, decision_note, created_by, created_at };
    writer.insert(insertSubmission, columns);
    for (const item of media) writer.attach(item, { delivery_id, work_item_id: id });
  }
}

/** The delivery's own media: media that the document does not list are removed, and media that are not stored are added. */
function replaceMedia(writer: Writer, { id, item, stored, row }: Change<"deliveries">): void {
  const rows = (row?.media ?? []) as Row[];
  const wanted: (DocumentMedia | undefined)[] = [...item.media];
  stored.media.forEach((media, at) => {
    const same = wanted.findIndex((one) => isDeepStrictEqual(one, media));
    if (same === -1) removeMedia(writer, rows[at]);
    else wanted[same] = undefined;
  });
  for (const media of wanted) writer.attach(media, { delivery_id: id });
}

/** What a document adds to stored submissions, and those that it adds. */
function addSubmissions(writer: Writer, { id, item, stored, row }: Change<"deliveries">): void {
  const rows = (row?.submissions ?? []) as { id: number }[];
  stored.submissions.forEach(({ media }, at) => {
    const { media: all = [] } = item.submissions[at] ?? {}; // stored submissions come first
    for (const added of all.slice(media.length)) writer.attach(added, { delivery_id: id, work_item_id: rows[at]?.id });
  });
  insertSubmissions(writer, id, item.submissions.slice(stored.submissions.length));
}

export function writeDeliveries(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("deliveries");
  for (const entry of added) {
    const { id, item } = entry;
    writer.insert(insertDelivery, { id, ...columnsOf(writer, item) });
    insertNodes(writer, entry);
    for (const media of item.media) writer.attach(media, { delivery_id: id });
    insertSubmissions(writer, id, item.submissions);
  }
  updateAll(writer, changed, {
    update(change) {
      const { id, item, fields } = change;
      updateDelivery(writer, id, columnsOf(writer, item));
      if (fields.has("scenes") || fields.has("assets")) {
        deleteDeliveryNodes(writer, id);
        insertNodes(writer, change);
      }
      if (fields.has("media")) replaceMedia(writer, change);
      if (fields.has("submissions")) addSubmissions(writer, change);
    },
  });
}

export function removeDeliveries(writer: Writer, changes: Changes): void {
  removeAll(writer, changes.of("deliveries").removed, "deliveries", ({ id, row }) => {
    deleteDeliveryNodes(writer, id);
    for (const media of (row?.media ?? []) as Row[]) removeMedia(writer, media);
    deleteDelivery(writer, id);
  });
}

export function collectDeliveries(exporter: Exporter): Row[] {
  const about = exporter.grouped(exportDeliveryNodes, "delivery_id");
  const submissions = exporter.grouped(exportSubmissions, "delivery_id");
  return exporter.rows(exportDeliveries).map((row) => {
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
  });
}

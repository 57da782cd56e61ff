// Checks, writes and reads deliveries, the things that they are about, and the work that was submitted on them.
import { isDeepStrictEqual } from "node:util";
import { bulkInsert } from "../../store/statements.ts";
import type { DocumentMedia } from "../read/read.ts";
import type { Change, Item } from "../sections/sections.ts";
import { deleteOf, elsewhere, grouped, partOf, removeMedia, rowsOf } from "./columns.ts";
import { exported, type Row } from "./exporter.ts";
import type { Writer } from "./writer.ts";

const exportDeliveryNodes = exported("export_delivery_nodes");
const deleteNodes = deleteOf("delete_delivery_nodes");
bulkInsert("import_delivery_node");

type Delivery = Item<"deliveries">;

/** The nodes that it is about, which `scenes` and `assets` share: both are written with the scenes. */
const nodesOf = (noun: "scene" | "asset") =>
  grouped(
    exportDeliveryNodes,
    "delivery_id",
    (exporter) =>
      ({ node_id }) =>
        exporter.node(node_id)[noun],
  );

function insertNodes(writer: Writer, delivery_id: number, { scenes, assets }: Delivery): void {
  for (const node_id of [
    ...scenes.map((scene) => writer.id("scene", scene)),
    ...assets.map((asset) => writer.id("asset", asset)),
  ])
    writer.insert("import_delivery_node", { delivery_id, node_id });
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

const submission = partOf("deliveries", "submissions")("import_submission", {
  media: elsewhere((exporter) => (row) => exporter.media("work_item_id", row.id)),
});

function insertSubmissions(writer: Writer, delivery_id: number, submissions: Delivery["submissions"]): void {
  for (const one of submissions) {
    const id = writer.next("submissions");
    submission.insert(writer, one, { id, delivery_id });
    for (const item of one.media) writer.attach(item, { delivery_id, work_item_id: id });
  }
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

/** Reads a list that is written with another one. */
const withOther = (open: ReturnType<typeof grouped>) => ({ open, list() {} });

export const deliveries = rowsOf("deliveries")({
  check(validator, { kind, external_to }, place) {
    if (validator.isUsable(`${place}.kind`))
      validator.present(`${place}.external_to`, external_to, kind === "external", "on an external delivery");
  },
  ...{ read: exported("export_deliveries"), insert: ["import_delivery"], update: ["update_delivery"] },
  remove: ["delete_delivery_nodes", "delete_delivery"],
  fields: {
    scenes: {
      open: nodesOf("scene"),
      list(writer, { added, changed }) {
        const others = changed.filter(({ fields }) => fields.has("scenes") || fields.has("assets"));
        for (const { id } of others) deleteNodes(writer, id);
        for (const { id, item } of [...added, ...others]) insertNodes(writer, id, item);
      },
    },
    assets: withOther(nodesOf("asset")),
    media: {
      open: (exporter) => (row) => exporter.media("delivery_id", row.id),
      list(writer, { added, changed }) {
        for (const { id, item } of added) {
          for (const media of item.media) writer.attach(media, { delivery_id: id });
          insertSubmissions(writer, id, item.submissions);
        }
        for (const change of changed) {
          if (change.fields.has("media")) replaceMedia(writer, change);
          if (change.fields.has("submissions")) addSubmissions(writer, change);
        }
      },
    },
    submissions: withOther(grouped(exported("export_submissions"), "delivery_id", submission.open)),
  },
});

// Writes and reads deliveries, the things that they are about, and the work that was submitted on them.
import { isDeepStrictEqual } from "node:util";
import type { DocumentMedia } from "../read/read.ts";
import { attachedMedia, isWritten, named, partRows, recordedParts, removeMedia, rowsOf } from "./columns.ts";
import type { Entry } from "./entries.ts";
import { exported, type Row } from "./exporter.ts";
import type { Writer } from "./writer.ts";

/** The nodes that it is about, which `scenes` and `assets` share: both are written with the scenes. */
const nodes = { read: exported("export_delivery_nodes"), by: "delivery_id" } as const;
const [scenes, assets] = [
  partRows("deliveries", "scenes")("import_delivery_node", { ...nodes, fields: named("scene", "node_id") }),
  partRows("deliveries", "assets")("import_delivery_node", { ...nodes, fields: named("asset", "node_id") }),
];

/** The delivery's own media: media that the document does not list are removed, and media that are not stored are added. */
function replaceMedia(writer: Writer, { id, item, stored, row }: Entry<"deliveries">): void {
  const rows = (row?.media ?? []) as Row[]; // the exporter reads them as rows
  const wanted: (DocumentMedia | undefined)[] = [...item.media];
  stored?.media.forEach((media, at) => {
    const same = wanted.findIndex((one) => isDeepStrictEqual(one, media));
    if (same === -1) removeMedia(writer, rows[at]);
    else wanted[same] = undefined;
  });
  for (const media of wanted) writer.attach(media, { delivery_id: id });
}

const submissions = recordedParts("deliveries", "submissions")(
  "import_submission",
  {
    read: exported("export_submissions"),
    by: "delivery_id",
    table: "submissions",
    fields: { media: attachedMedia("work_item_id") },
  },
  { ownerOf: (work_item_id, delivery_id) => ({ delivery_id, work_item_id }) },
);

/** Reads a list that is written with another one. */
const withOther = ({ open }: Pick<typeof submissions, "open">) => ({ ...(open && { open }), list() {} });

export const deliveries = rowsOf("deliveries")({
  read: exported("export_deliveries"),
  insert: ["import_delivery"],
  fields: {
    scenes: {
      ...scenes,
      list(writer, entries) {
        const own = entries.filter((one) => isWritten(one, "scenes") || isWritten(one, "assets"));
        for (const { id, stored } of own) if (stored !== undefined) scenes.clear(writer, id);
        for (const { id, item } of own) {
          for (const one of item.scenes) scenes.insert(writer, id, one);
          for (const one of item.assets) assets.insert(writer, id, one);
        }
      },
    },
    assets: withOther(assets),
    media: {
      ...attachedMedia("delivery_id"),
      list(writer, entries) {
        for (const entry of entries) {
          if (isWritten(entry, "media")) replaceMedia(writer, entry);
          submissions.list(writer, [entry]);
        }
      },
    },
    submissions: withOther(submissions),
  },
});

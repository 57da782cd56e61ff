// Lists the deliveries between departments and to external recipients.
import * as v from "valibot";
import { date, describe, listOf } from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import { free, id, record, text, timestamp } from "../core/records.ts";
import { nodeReference } from "./me.ts";
import { mediaFile } from "./media.ts";
import { approvalModes, approvalStatuses, deliveryKinds, deliveryStatuses } from "./values.ts";

/** A delivery, without its files. */
export const delivery = record(
  "Delivery",
  v.object({
    id,
    title: text,
    status: v.picklist(deliveryStatuses),
    due: v.optional(text),
    external_to: v.optional(text),
    spec: v.array(free),
    sent_at: v.nullable(timestamp),
    kind: v.picklist(deliveryKinds),
    from_department: v.nullable(text),
    to_department: v.nullable(text),
    approval: v.nullable(
      v.object({ id, title: text, status: v.picklist(approvalStatuses), mode: v.picklist(approvalModes) }),
    ),
  }),
);

const deliveryWithMedia = record(
  "DeliveryWithMedia",
  v.object({
    ...delivery.entries,
    media: describe(v.array(mediaFile), "The delivery's own files, without the work that was submitted on it."),
  }),
);

const listedDelivery = record(
  "ListedDelivery",
  v.object({
    ...deliveryWithMedia.entries,
    nodes: describe(
      v.optional(v.array(nodeReference)),
      "The scenes and assets that it is about. Present only with include=nodes.",
    ),
    awaiting: v.optional(
      describe(
        v.array(
          v.object({
            person_id: id,
            person: text,
            approval_id: describe(
              v.nullable(id),
              "The approval that the person decides; null for a head of department.",
            ),
          }),
        ),
        "Who must act: whoever decides the pending approvals; if there is none, the heads of from_department. Present only with include=awaiting.",
      ),
    ),
  }),
);

export const listDeliveries = reading({
  name: "list_deliveries",
  summary: "Lists every delivery, internal and external, with its gating approval if it has one.",
  path: "/deliveries",
  scope: "read",
  input: v.object({
    status: v.optional(
      describe(listOf(deliveryStatuses), "Return only deliveries with these statuses, separated by commas."),
    ),
    due_before: v.optional(describe(date, "Return only deliveries that are due before this date.")),
    include: v.optional(describe(listOf(["awaiting", "nodes"]), "Adds the fields of these names to each row.")),
  }),
  output: v.array(listedDelivery),
  tool: { omit: ["status", "due_before", "include"] },
  resource: "service://deliveries",
});

export const getDelivery = reading({
  name: "get_delivery",
  summary: "Returns one delivery, as the list of deliveries has it.",
  path: "/deliveries/:delivery_id",
  scope: "read",
  output: deliveryWithMedia,
});

// Lists the deliveries between departments and to external recipients.
import * as v from "valibot";
import * as input from "../core/inputs.ts";
import { describe } from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { nodeReference } from "./me.ts";
import { mediaFile } from "./media.ts";
import { approvalModes, approvalStatuses, deliveryKinds, deliveryStatuses } from "./values.ts";

/** A delivery, without its files. */
export const delivery = out.record(
  "Delivery",
  v.object({
    id: out.id,
    title: out.text,
    status: v.picklist(deliveryStatuses),
    due: v.optional(out.text),
    external_to: v.optional(out.text),
    spec: v.array(out.free),
    sent_at: v.nullable(out.timestamp),
    kind: v.picklist(deliveryKinds),
    from_department: v.nullable(out.text),
    to_department: v.nullable(out.text),
    approval: v.nullable(
      v.object({ id: out.id, title: out.text, status: v.picklist(approvalStatuses), mode: v.picklist(approvalModes) }),
    ),
  }),
);

const deliveryWithMedia = out.record(
  "DeliveryWithMedia",
  v.object({
    ...delivery.entries,
    media: describe(v.array(mediaFile), "The delivery's own files, without the work that was submitted on it."),
  }),
);

const deliveryWithNodes = out.record(
  "DeliveryWithNodes",
  v.object({
    ...deliveryWithMedia.entries,
    nodes: describe(
      v.optional(v.array(nodeReference)),
      "The scenes and assets that it is about. Present only with include=nodes.",
    ),
  }),
);

const listedDelivery = out.record(
  "ListedDelivery",
  v.object({
    ...deliveryWithNodes.entries,
    awaiting: v.optional(
      describe(
        v.array(
          v.object({
            person_id: out.id,
            person: out.text,
            approval_id: describe(
              v.nullable(out.id),
              "The approval that the person decides; null for a head of department.",
            ),
          }),
        ),
        "Who must act: whoever decides the pending approvals; if there is none, the heads of from_department. Present only with include=awaiting.",
      ),
    ),
  }),
);

/** The filters of lists of deliveries. */
export const deliveryFilters = {
  status: v.optional(describe(input.listOf(deliveryStatuses), "Return only deliveries with these statuses.")),
  due_before: v.optional(describe(input.date, "Return only deliveries that are due before this date.")),
};

export const listDeliveries = reading({
  name: "list_deliveries",
  summary: "Lists every delivery, internal and external, with its gating approval if it has one.",
  path: "/deliveries",
  scope: "read",
  input: v.object({
    ...deliveryFilters,
    include: v.optional(describe(input.listOf(["awaiting", "nodes"]), "Adds the fields of these names to each row.")),
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
  input: v.object({
    include: v.optional(describe(input.listOf(["nodes"]), "nodes adds the scenes and assets that it is about.")),
  }),
  output: deliveryWithNodes,
});

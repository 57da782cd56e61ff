// Lists the deliveries between departments and to external recipients.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import {
  approvalModes,
  approvalStatuses,
  deliveryKinds,
  deliveryStatuses,
  describe,
  id as inputId,
} from "../inputs.ts";
import { free, id, record, text, timestamp } from "../records.ts";
import { document } from "../store/statements.ts";
import { listing, pageEntries, pageFields, readPage } from "./listing.ts";
import { mediaFile } from "./media.ts";
import { operation } from "./operation.ts";
import { read } from "./read.ts";

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

const listedDelivery = record(
  "ListedDelivery",
  v.object({
    ...delivery.entries,
    media: describe(v.array(mediaFile), "The delivery's own files, without the work that was submitted on it."),
  }),
);

const deliveriesOf = listing<Reach, v.InferOutput<typeof listedDelivery>>("list_deliveries");

export const listDeliveries = operation({
  name: "list_deliveries",
  summary: "Lists every delivery, internal and external, with its gating approval if it has one.",
  method: "GET",
  path: "/deliveries",
  scope: "read",
  reach: "production",
  input: v.object(pageEntries),
  output: v.array(listedDelivery),
  errors: [],
  tool: { omit: pageFields },
  resource: "service://deliveries",
  run: (context, page) => readPage(context, deliveriesOf, {}, page),
});

const deliveryOf = document<Reach & { delivery_id: number }, v.InferOutput<typeof delivery>>("get_delivery");

export const getDelivery = operation({
  name: "get_delivery",
  summary: "Returns one delivery, as the list of deliveries has it.",
  method: "GET",
  path: "/deliveries/:delivery_id",
  scope: "read",
  reach: "production",
  input: v.object({ delivery_id: inputId }),
  output: delivery,
  errors: [404],
  run: (context, { delivery_id }) => read(context, deliveryOf, { delivery_id }),
});

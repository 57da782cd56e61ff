// Lists the vendors with their engagements.
import * as v from "valibot";
import { describe, listOf } from "../../core/inputs.ts";
import { reading } from "../../core/operation.ts";
import { id, record, text, timestamp } from "../../core/records.ts";
import { grantVerbs } from "../../graph/values.ts";

const vendor = record(
  "Vendor",
  v.object({
    id,
    name: text,
    engagements: v.array(
      v.object({
        id,
        title: text,
        ended_at: describe(v.nullable(timestamp), "When the engagement ended or will end; null if it has no end."),
        access: v.optional(
          describe(
            v.array(
              v.object({
                verb: v.picklist(grantVerbs),
                kind: describe(text, "scene or the kind of the assets, department or delivery."),
                expires_at: v.nullable(timestamp),
                ids: v.array(id),
                labels: describe(v.array(text), "In the order of ids."),
              }),
            ),
            "The live grants, those of one verb, kind and expiry together. Present only with include=access.",
          ),
        ),
      }),
    ),
  }),
);

export const listVendors = reading({
  name: "list_vendors",
  summary: "Lists the vendors with their engagements, ended ones too.",
  path: "/vendors",
  scope: "read",
  input: v.object({
    include: v.optional(
      describe(listOf(["access"]), "access adds to each engagement what it may read and submit, and until when."),
    ),
  }),
  output: v.array(vendor),
});

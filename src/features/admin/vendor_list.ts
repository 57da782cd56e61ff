// Lists the vendors with their engagements.
import * as v from "valibot";
import * as input from "../../core/inputs.ts";
import { describe } from "../../core/inputs.ts";
import { reading } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { grantVerbs } from "../../graph/values.ts";

const vendor = out.record(
  "Vendor",
  v.object({
    id: out.id,
    name: out.text,
    engagements: v.array(
      v.object({
        id: out.id,
        title: out.text,
        ended_at: describe(v.nullable(out.timestamp), "When the engagement ended or will end; null if it has no end."),
        access: v.optional(
          describe(
            v.array(
              v.object({
                verb: v.picklist(grantVerbs),
                kind: describe(out.text, "scene or the kind of the assets, department or delivery."),
                expires_at: v.nullable(out.timestamp),
                ids: v.array(out.id),
                labels: describe(v.array(out.text), "In the order of ids."),
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
      describe(input.listOf(["access"]), "access adds to each engagement what it may read and submit, and until when."),
    ),
  }),
  output: v.array(vendor),
});

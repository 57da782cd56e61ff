// Lists the vendors with their engagements.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { describe } from "../inputs.ts";
import { id, record, text, timestamp } from "../records.ts";
import { listing, pageEntries, readPage } from "./listing.ts";
import { operation } from "./operation.ts";

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
      }),
    ),
  }),
);

const vendorsOf = listing<Reach, v.InferOutput<typeof vendor>>("list_vendors");

export const listVendors = operation({
  name: "list_vendors",
  summary: "Lists the vendors with their engagements, ended ones too.",
  method: "GET",
  path: "/vendors",
  scope: "read",
  reach: "production",
  input: v.object(pageEntries),
  output: v.array(vendor),
  errors: [],
  run: (context, page) => readPage(context, vendorsOf, {}, page),
});

// The operations of the admin API that list, add and end vendors' engagements.
import * as v from "valibot";
import * as input from "../../inputs.ts";
import { operation } from "../../operations/operation.ts";
import { writeAsAdmin } from "../admin.ts";
import * as engagements from "../engagements.ts";

const { describe } = input;

export const listEngagements = operation({
  name: "list_engagements",
  summary: "Lists the vendors' engagements with all their grants, oldest first, also those that have ended.",
  path: "/admin/engagements",
  scope: "admin",
  output: v.array(engagements.engagementRow),
  noStore: true, // `active` and `live` depend on the time
  run: ({ app, caller, now }) => engagements.listEngagements(app.store, { production_id: caller.production_id }, now),
});

export const addEngagement = operation({
  name: "add_engagement",
  summary: "Adds an engagement, creating the vendor if needed. Keeps an active one of the same vendor and title.",
  method: "POST",
  path: "/admin/engagements",
  scope: "admin",
  input: v.object({
    vendor: describe(input.text(300), "The vendor's name."),
    title: v.optional(describe(input.text(300), "The vendor's name by default.")),
  }),
  output: engagements.addedEngagement,
  run: (context, given) =>
    writeAsAdmin(context, (admin) =>
      engagements.addEngagement(admin, { ...given, production_id: admin.production_id }),
    ),
});

export const endEngagement = operation({
  name: "end_engagement",
  summary:
    "Ends an engagement and thereby all its grants, from the next call on. An engagement that has already ended does not change.",
  method: "POST",
  path: "/admin/engagements/:id/end",
  scope: "admin",
  body: "none",
  output: engagements.engagementRow,
  run: (context, { id }) =>
    writeAsAdmin(context, (admin) => {
      const { was_ended: _, ...engagement } = engagements.endEngagement(admin, { id });
      return engagement;
    }),
});

// The operations of the admin API that decide who reaches what: vendors' engagements, their grants, and API keys.
import * as v from "valibot";
import { scopes } from "../../core/access/callers.ts";
import { unprocessable } from "../../core/errors.ts";
import * as input from "../../core/inputs.ts";
import { pageEntries, pageOf } from "../../core/listing.ts";
import { operation } from "../../core/operation.ts";
import { writeAsAdmin } from "../../graph/admin.ts";
import * as engagements from "../../graph/engagements.ts";
import * as grants from "../../graph/grants.ts";
import * as keys from "../../graph/keys.ts";
import { grantVerbs } from "../../graph/values.ts";

const { describe } = input;

/** The expiry under both of its names: answers, events and documents call it expires_at. */
const expiry = {
  expires: v.optional(
    describe(
      input.text(40),
      "The expiry: a date, which is valid until its end in the time zone of the production, or an ISO timestamp.",
    ),
  ),
  expires_at: v.optional(describe(input.text(40), "The same; only one of the two.")),
};

/** Throws 422 if both names are given. */
function withExpiry<T extends { expires?: string | undefined; expires_at?: string | undefined }>(given: T) {
  const { expires, expires_at, ...rest } = given;
  if (expires !== undefined && expires_at !== undefined)
    throw unprocessable("expires and expires_at are one field: give only one of them");
  return { ...rest, expires: expires ?? expires_at };
}

export const listEngagements = operation({
  name: "list_engagements",
  summary: "Lists the vendors' engagements with all their grants, oldest first, also those that have ended.",
  path: "/admin/engagements",
  scope: "admin",
  input: v.object(pageEntries),
  output: v.array(engagements.engagementRow),
  noStore: true, // `active` and `live` depend on the time
  run: ({ app, caller: { production_id }, now }, page) =>
    pageOf("engagements", engagements.listEngagements(app.store, { production_id }, now), page),
});

export const addEngagement = operation({
  name: "add_engagement",
  summary: "Adds an engagement, creating the vendor if needed. Keeps an active one of the same vendor and title.",
  method: "POST",
  path: "/admin/engagements",
  scope: "admin",
  input: v.object({
    vendor: describe(input.lineLabel(300), "The vendor's name."),
    title: v.optional(describe(input.lineLabel(300), "The vendor's name by default.")),
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

export const addGrant = operation({
  name: "add_grant",
  summary:
    "Grants an engagement one verb on one target, from the next call on. If this grant is already live, keeps it and sets a given expiry.",
  method: "POST",
  path: "/admin/grants",
  scope: "admin",
  input: v.object({
    engagement_id: input.id,
    verb: input.oneOf(grantVerbs),
    node_id: v.optional(describe(input.id, "The target for read: a scene, a character or any other asset.")),
    department_id: v.optional(describe(input.id, "The target for read or read:own_po.")),
    delivery_id: v.optional(describe(input.id, "The target for read or submit.")),
    ...expiry,
  }),
  output: grants.addedGrant,
  errors: [404, 409],
  run: (context, given) => writeAsAdmin(context, (admin) => grants.addGrant(admin, withExpiry(given))),
});

export const revokeGrant = operation({
  name: "revoke_grant",
  summary: "Revokes a grant, from the next call on. A grant that is already revoked does not change.",
  method: "POST",
  path: "/admin/grants/:id/revoke",
  scope: "admin",
  body: "none",
  output: grants.revokedGrant,
  run: (context, { id }) =>
    writeAsAdmin(context, (admin) => {
      const { was_revoked: _, ...revoked } = grants.revokeGrant(admin, { id });
      return revoked;
    }),
});

export const listKeys = operation({
  name: "list_keys",
  summary: "Lists every key that was ever minted for the production, oldest first, without tokens.",
  path: "/admin/keys",
  scope: "admin",
  input: v.object(pageEntries),
  output: v.array(keys.keyRow),
  noStore: true, // `live` depends on the time
  run: ({ app, caller: { production_id }, now }, page) =>
    pageOf("keys", keys.listKeys(app.store, { production_id }, now), page),
});

export const mintKey = operation({
  name: "mint_key",
  summary: "Mints a key and returns its token, only this once. It cannot mint a key with the admin scope.",
  method: "POST",
  path: "/admin/keys",
  scope: "admin",
  input: v.object({
    label: describe(input.lineLabel(200), "Who or what uses the key."),
    scopes: v.optional(
      describe(
        v.pipe(input.list(input.oneOf(scopes), scopes.length * 2), v.minLength(1, "must have at least one scope")),
        "Not admin. By default read and write; a key that is bound to an engagement can do nothing with write.",
      ),
    ),
    engagement_id: v.optional(describe(input.id, "Binds the key to a vendor's engagement.")),
    person_id: v.optional(describe(input.id, "The person accountable for the key.")),
    ...expiry,
  }),
  output: keys.mintedKey,
  errors: [404, 409],
  noStore: true, // the response contains a credential
  while_frozen: true,
  run: (context, given) =>
    writeAsAdmin(context, (admin) => keys.mintKey(admin, { ...withExpiry(given), production_id: admin.production_id })),
});

export const revokeKey = operation({
  name: "revoke_key",
  summary: "Revokes a key, from its next call on. A key that is already revoked does not change.",
  method: "POST",
  path: "/admin/keys/:id/revoke",
  scope: "admin",
  body: "none",
  output: keys.keyRow,
  while_frozen: true,
  run: (context, { id }) =>
    writeAsAdmin(context, (admin) => {
      const { was_revoked: _, ...key } = keys.revokeKey(admin, { key: id });
      return key;
    }),
});

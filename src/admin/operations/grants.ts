// The operations of the admin API that add and revoke grants.
import * as v from "valibot";
import * as input from "../../inputs.ts";
import { operation } from "../../operations/operation.ts";
import { expires, writeAsAdmin } from "../admin.ts";
import * as grants from "../grants.ts";

const { describe } = input;

export const addGrant = operation({
  name: "add_grant",
  summary:
    "Grants an engagement one verb on one target, from the next call on. If this grant is already live, keeps it and sets a given expiry.",
  method: "POST",
  path: "/admin/grants",
  scope: "admin",
  input: v.object({
    engagement_id: input.id,
    verb: input.oneOf(input.grantVerbs),
    node_id: v.optional(describe(input.id, "The target for read: a scene, a character or any other asset.")),
    department_id: v.optional(describe(input.id, "The target for read or read:own_po.")),
    delivery_id: v.optional(describe(input.id, "The target for read or submit.")),
    expires,
  }),
  output: grants.addedGrant,
  errors: [404, 409],
  run: (context, given) => writeAsAdmin(context, (admin) => grants.addGrant(admin, given)),
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

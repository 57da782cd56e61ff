// Describes the key of the call to its holder: its production, and what its engagement was granted and reaches.
// docs/api.md, "Keys and scopes".
import * as v from "valibot";
import { scopes } from "../core/access/callers.ts";
import type { Context } from "../core/context.ts";
import * as input from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { grantVerbs, productionFormats } from "./values.ts";

const { describe } = input;

/** A node that another answer names. */
export const nodeReference = out.record(
  "NodeReference",
  v.object({
    node_id: out.id,
    kind: out.text,
    label: describe(out.text, "The label of an asset; the number and the slugline of a scene."),
  }),
);

const liveGrant = out.record(
  "LiveGrant",
  v.object({
    id: out.id,
    verb: v.picklist(grantVerbs),
    target: v.object({ kind: v.picklist(["node", "department", "delivery"]), id: out.id, label: out.text }),
    expires_at: v.nullable(out.timestamp),
  }),
);

const me = out.record(
  "Me",
  v.object({
    key: v.object({
      id: out.id,
      label: out.text,
      prefix: describe(out.text, "The first characters of the key's token."),
      scopes: describe(
        v.array(v.picklist(scopes)),
        "What this call may do. An access token may have fewer scopes than its key.",
      ),
      expires_at: describe(v.nullable(out.timestamp), "When the key or the access token expires; null if it does not."),
      person_id: describe(v.nullable(out.id), "The person accountable for the key."),
    }),
    production: v.object({ id: out.id, title: out.text, format: v.picklist(productionFormats) }),
    engagement: describe(
      v.nullable(
        v.object({
          id: out.id,
          title: out.text,
          vendor: out.text,
          grants: describe(v.array(liveGrant), "The grants that are neither revoked nor expired."),
        }),
      ),
      "Null for a production-wide key.",
    ),
    reach: describe(
      v.nullable(
        v.object({
          nodes: v.array(nodeReference),
          deliveries: v.array(v.object({ id: out.id, title: out.text, can_submit: v.boolean() })),
          submitted_on: describe(
            v.array(out.id),
            "The deliveries on which the engagement submitted work. GET /turnovers/{delivery_id}/submissions lists it, also where no grant reaches the delivery any more.",
          ),
        }),
      ),
      "Null for a production-wide key, which reaches everything.",
    ),
  }),
);

export const getMe = reading({
  name: "get_me",
  summary:
    "Describes the key of the call: its scopes, its production, and what its engagement was granted and reaches.",
  path: "/me",
  scope: null,
  reach: "engagement",
  output: me,
  parameters: ({ caller: { key_id, scopes, expires_at } }: Context) => ({ key_id, scopes, expires_at }),
});

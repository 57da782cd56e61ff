// The operations of the admin API that list, mint and revoke API keys.
import * as v from "valibot";
import * as input from "../../inputs.ts";
import { operation } from "../../operations/operation.ts";
import { expires, writeAsAdmin } from "../admin.ts";
import * as keys from "../keys.ts";

const { describe } = input;

export const listKeys = operation({
  name: "list_keys",
  summary: "Lists every key that was ever minted for the production, oldest first, without tokens.",
  path: "/admin/keys",
  scope: "admin",
  output: v.array(keys.keyRow),
  noStore: true, // `live` depends on the time
  run: ({ app, caller, now }) => keys.listKeys(app.store, { production_id: caller.production_id }, now),
});

export const mintKey = operation({
  name: "mint_key",
  summary: "Mints a key and returns its token, only this once. It cannot mint a key with the admin scope.",
  method: "POST",
  path: "/admin/keys",
  scope: "admin",
  input: v.object({
    label: describe(input.text(200), "Who or what uses the key."),
    scopes: v.optional(
      describe(
        v.pipe(
          input.list(input.oneOf(input.scopes), input.scopes.length * 2),
          v.minLength(1, "must have at least one scope"),
        ),
        "Not admin. By default read and write; required for a key that is bound to an engagement.",
      ),
    ),
    engagement_id: v.optional(describe(input.id, "Binds the key to a vendor's engagement.")),
    person_id: v.optional(describe(input.id, "The person accountable for the key.")),
    expires,
  }),
  output: keys.mintedKey,
  errors: [404, 409],
  noStore: true, // the response contains a credential
  while_frozen: true,
  run: (context, given) =>
    writeAsAdmin(context, (admin) => keys.mintKey(admin, { ...given, production_id: admin.production_id })),
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

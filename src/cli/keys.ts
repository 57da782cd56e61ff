// tallylight keys mint, list, revoke: API keys.
import { listKeys, mintKey, revokeKey } from "../admin/keys.ts";
import { scopes } from "../inputs.ts";
import { type Command, tabled } from "./arguments.ts";
import { asAdmin, idNamed, productionNamed, productionOf } from "./data.ts";

const mint: Command = {
  words: "keys mint",
  summary: "mints a key and shows its token, only this once",
  flags: {
    production: { value: "ID", required: true, summary: "the key's production" },
    label: { value: "TEXT", required: true, summary: "who or what uses the key" },
    scope: { value: "SCOPE", many: true, summary: `one of ${scopes.join(", ")}; read and write by default` },
    engagement: { value: "ID-OR-TITLE", summary: "binds the key to a vendor's engagement" },
    person: { value: "ID-OR-NAME", summary: "the person accountable for the key" },
    expires: { value: "WHEN", summary: "the expiry: a date (valid until its end in UTC) or an ISO timestamp" },
  },
  run: (args) =>
    asAdmin(args, (admin) => {
      const { store } = admin;
      const production_id = productionOf(store, args).id;
      const engagement_id = idNamed(store, args, "engagement", production_id);
      const minted = mintKey(admin, {
        production_id,
        label: args.text("label") as string, // present: parseCommandArgs checks required flags
        scopes: args.texts("scope"),
        engagement_id,
        person_id: idNamed(store, args, "person", production_id),
        expires: args.text("expires"),
      });
      const uselessWrite = engagement_id !== undefined && minted.scopes.includes("write");
      return {
        document: minted,
        lines: [minted.token],
        notes: [
          `key ${minted.id}, ${minted.prefix}…, ${minted.scopes.join(" ")}: the token is shown only this once`,
          ...(uselessWrite
            ? ["note: every endpoint that needs the write scope refuses a key that is bound to an engagement"]
            : []),
        ],
      };
    }),
};

const list: Command = {
  words: "keys list",
  summary: "lists keys with their label, prefix, scopes, person and last use",
  flags: { production: { value: "ID", summary: "only the keys of this production" } },
  run: (args) =>
    asAdmin(args, (admin) => {
      const production_id = productionNamed(admin.store, args)?.id;
      const keys = listKeys(admin.store, { production_id }, args.now);
      const columns = [
        "id",
        "prefix",
        "label",
        "scopes",
        "production_id",
        "vendor",
        "person",
        "last_used_at",
        "expires_at",
        "live",
      ] as const;
      return { document: keys, lines: tabled(keys, columns) };
    }),
};

const revoke: Command = {
  words: "keys revoke",
  summary: "revokes a key, from its next call on",
  positionals: ["ID-OR-PREFIX"],
  run: (args) =>
    asAdmin(args, (admin) => {
      const { was_revoked, ...key } = revokeKey(admin, { key: args.positionals[0] as string });
      const result = was_revoked ? `was already revoked at ${key.revoked_at}` : "is revoked";
      return { document: key, lines: [`key ${key.id}, ${key.prefix}…, ${key.label}, ${result}`] };
    }),
};

export const commands: readonly Command[] = [mint, list, revoke];

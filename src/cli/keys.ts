// tallylight keys mint, list, revoke.
import { listKeys, mintKey, revokeKey } from "../admin/keys.ts";
import { scopes } from "../inputs.ts";
import { type Command, tabled } from "./arguments.ts";
import { asAdmin, productionNamed, productionOf } from "./data.ts";

const mint: Command = {
  words: "keys mint",
  summary: "makes a key and shows its token, once",
  flags: {
    production: { value: "ID", required: true, summary: "the production it is for" },
    label: { value: "TEXT", required: true, summary: "whose it is, or what for" },
    scope: { value: "SCOPE", many: true, summary: `one of ${scopes.join(", ")}; read and write if none is named` },
    engagement: { value: "ID", id: true, summary: "binds it to a vendor's engagement" },
    person: { value: "ID", id: true, summary: "the person accountable for it" },
    expires: { value: "WHEN", summary: "a date, through its end in UTC, or an ISO timestamp" },
  },
  run: (args) =>
    asAdmin(args, (admin) => {
      const engagement_id = args.id("engagement");
      const minted = mintKey(admin, {
        production_id: productionOf(admin.store, args).id,
        label: args.text("label") as string, // parseCommandArgs has refused its absence
        scopes: args.texts("scope"),
        engagement_id,
        person_id: args.id("person"),
        expires: args.text("expires"),
      });
      const idle = engagement_id !== undefined && minted.scopes.includes("write");
      return {
        document: minted,
        lines: [minted.token],
        notes: [
          `key ${minted.id}, ${minted.prefix}…, ${minted.scopes.join(" ")}: this is the only time its token is shown`,
          ...(idle ? ["note: every endpoint that asks for write refuses a key of an engagement"] : []),
        ],
      };
    }),
};

const list: Command = {
  words: "keys list",
  summary: "shows keys: label, prefix, scopes, person, last used",
  flags: { production: { value: "ID", summary: "of one production" } },
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
  summary: "ends a key, from its next call on",
  positionals: ["ID-OR-PREFIX"],
  run: (args) =>
    asAdmin(args, (admin) => {
      const { was_revoked, ...key } = revokeKey(admin, { key: args.positionals[0] as string });
      const deed = was_revoked ? `was revoked at ${key.revoked_at} already` : "is revoked";
      return { document: key, lines: [`key ${key.id}, ${key.prefix}…, ${key.label}, ${deed}`] };
    }),
};

export const keyCommands: readonly Command[] = [mint, list, revoke];

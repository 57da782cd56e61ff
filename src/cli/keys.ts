// tallylight keys mint, list, revoke.
import { listKeys, mintKey, revokeKey } from "../access/keys.ts";
import { findProduction } from "../access/productions.ts";
import { scopes } from "../inputs.ts";
import { type Command, tabled } from "./arguments.ts";
import { openData, using } from "./data.ts";

const mint: Command = {
  words: "keys mint",
  summary: "makes a key and shows its token, once",
  flags: {
    production: { value: "ID", required: true, summary: "the production it is for" },
    label: { value: "TEXT", required: true, summary: "whose it is, or what for" },
    scope: { value: "SCOPE", many: true, summary: `one of ${scopes.join(", ")}; read and write where none is named` },
    engagement: { value: "ID", id: true, summary: "binds it to a vendor's engagement" },
    person: { value: "ID", id: true, summary: "the person accountable for it" },
    expires: { value: "WHEN", summary: "a date, through its end in UTC, or an ISO moment" },
  },
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const engagement_id = args.id("engagement");
      const minted = mintKey(
        store,
        {
          production_id: findProduction(store, args.text("production") as string).id,
          label: args.text("label") as string,
          scopes: args.texts("scope"),
          engagement_id,
          person_id: args.id("person"),
          expires: args.text("expires"),
        },
        args.now,
      );
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
    using(openData(args.data), ({ store }) => {
      const named = args.text("production");
      const production_id = named === undefined ? undefined : findProduction(store, named).id;
      const keys = listKeys(store, { production_id }, args.now);
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
      ];
      return { document: keys, lines: tabled(keys as never, columns) };
    }),
};

const revoke: Command = {
  words: "keys revoke",
  summary: "ends a key, from its next call on",
  positionals: ["ID-OR-PREFIX"],
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const { was_revoked, ...key } = revokeKey(store, { key: args.positionals[0] as string }, args.now);
      const deed = was_revoked ? `was revoked at ${key.revoked_at} already` : "is revoked";
      return { document: key, lines: [`key ${key.id}, ${key.prefix}…, ${key.label}, ${deed}`] };
    }),
};

export const keyCommands: readonly Command[] = [mint, list, revoke];

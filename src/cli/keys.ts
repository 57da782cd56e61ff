// tallylight keys mint, list, revoke: API keys.
import { scopes } from "../core/access/callers.ts";
import type { Command, Output } from "../core/command.ts";
import { UsageError } from "../core/errors.ts";
import { rowsOutput } from "../core/tables.ts";
import type { Admin } from "../graph/admin.ts";
import { type DataArgs, dataCommand } from "../graph/data_command.ts";
import { formerTokenLines, listKeys, mintKey, mintWarnings, revokeKey, revokeKeys } from "../graph/keys.ts";
import { idGiven } from "./named_ids.ts";

/** Revokes every key of a person, an engagement or a label. */
async function revokeAll(admin: Admin, args: DataArgs): Promise<Output> {
  const { id: production_id } = args.production;
  const person_id = await idGiven(admin.store, "person", args.text("person"), production_id);
  const engagement_id = await idGiven(admin.store, "engagement", args.text("engagement"), production_id);
  const keys = revokeKeys(admin, { production_id, person_id, engagement_id, label: args.text("label") });
  const lines = keys.map(({ id, prefix, label }) => `key ${id}, ${prefix}…, ${label}, has ended`);
  return { document: keys, lines: lines.length > 0 ? lines : ["there is no such key that has not ended"] };
}

const keyColumns = [
  ...(["id", "prefix", "label", "scopes", "production_id", "vendor", "person"] as const),
  ...(["last_used_at", "expires_at", "live"] as const),
];

const revokeFlags = ["person", "label", "engagement"] as const;

export const commands: readonly Command[] = [
  dataCommand({
    words: "keys mint",
    summary: "makes a key and shows its token once",
    example: 'tallylight keys mint --production 1 --label "Dailies dashboard"',
    flags: {
      production: { value: "ID", required: true, summary: "the key's production" },
      label: { value: "TEXT", required: true, summary: "who or what uses the key" },
      scope: {
        value: "SCOPE",
        many: true,
        choices: scopes,
        summary: `one of ${scopes.join(", ")}; read and write by default`,
      },
      engagement: { value: "ID-OR-TITLE", summary: "makes it the key of a vendor, for this work" },
      person: { value: "ID-OR-NAME", summary: "the person as whom the key signs" },
      expires: {
        value: "WHEN",
        summary: "the expiry: a date (valid until its end where the production is) or an ISO timestamp",
      },
    },
    run: async (args, admin) => {
      const { store } = admin;
      const production_id = args.production.id;
      const minted = mintKey(admin, {
        production_id,
        label: args.required("label"),
        scopes: args.texts("scope"),
        engagement_id: await idGiven(store, "engagement", args.text("engagement"), production_id),
        person_id: await idGiven(store, "person", args.text("person"), production_id),
        expires: args.text("expires"),
      });
      return {
        document: minted,
        lines: [minted.token],
        notes: [
          `key ${minted.id}, ${minted.prefix}…, ${minted.scopes.join(" ")}: the token is shown only this once`,
          ...mintWarnings(minted).map((warning) => `note: ${warning}`),
        ],
      };
    },
  }),
  dataCommand({
    words: "keys list",
    summary: "lists keys, who uses them and their last use",
    details: "With their label, prefix, scopes, person and last use.",
    example: "tallylight keys list --production 1",
    flags: { production: { value: "ID", summary: "only the keys of this production" } },
    run: ({ production_id, now }, { store }) => {
      const keys = listKeys(store, { production_id }, now);
      return { ...rowsOutput(keys, keyColumns), notes: keys.flatMap(formerTokenLines) };
    },
  }),
  dataCommand({
    words: "keys revoke",
    summary: "ends keys, from their next call on",
    details:
      "One key, or every key of a person, of a vendor's work or with a label, with its sessions and MCP sign-ins. The prefix of a former token ends only that token.",
    example: "tallylight keys revoke 3",
    positionals: ["[ID-OR-PREFIX]"],
    flags: {
      person: { value: "ID-OR-NAME", summary: "every key that signs as this person" },
      label: { value: "TEXT", summary: "every key with this label" },
      engagement: { value: "ID-OR-TITLE", summary: "every key of a vendor for this work" },
      production: { value: "ID", summary: "the production; required without an ID" },
    },
    check({ positionals, text }) {
      const flags = revokeFlags.filter((flag) => text(flag) !== undefined);
      if (flags.length + positionals.length !== 1)
        throw new UsageError("keys revoke needs ID-OR-PREFIX, or one of --person, --label and --engagement");
      if (flags.length > 0 && text("production") === undefined)
        throw new UsageError(`keys revoke --${flags[0]} needs --production ID`);
    },
    run(args, admin) {
      const [named] = args.positionals;
      if (named === undefined) return revokeAll(admin, args);
      const { was_revoked, ended_token, ...key } = revokeKey(admin, { key: named });
      const result = was_revoked ? `ended already at ${key.revoked_at}` : "has ended";
      const line =
        ended_token === undefined
          ? `key ${key.id}, ${key.prefix}…, ${key.label}, ${result}`
          : `the former token ${ended_token}… of key ${key.id} is ended; the key goes on`;
      return { document: key, lines: [line] };
    },
  }),
];

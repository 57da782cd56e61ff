// tallylight keys rotate; submissions list, remove: what an admin does beyond minting, listing and revoking.
import type { Command } from "../../core/command.ts";
import { UsageError } from "../../core/errors.ts";
import { rowsOutput } from "../../core/tables.ts";
import { cut } from "../../core/wording.ts";
import { dataCommand, itsProduction } from "../../graph/data_command.ts";
import { formerTokenLines, listKeys } from "../../graph/keys.ts";
import { rotateKey } from "./key_rotation.ts";
import { listSubmitted, removeSubmission } from "./submissions.ts";

export const commands: readonly Command[] = [
  dataCommand({
    words: "keys rotate",
    summary: "gives a key another token",
    details:
      "Shows it, only this once. The former token is good for some time, so that clients can be changed one after the other, but opens no sign-in and no session. If others know a token, end the key.",
    example: "tallylight keys rotate 3 --hours 48",
    positionals: ["ID"],
    flags: {
      ...itsProduction,
      hours: { value: "N", summary: "how long the former token is good; 24 by default, 0 ends it now" },
    },
    run: (args, admin) => {
      const written = args.text("hours") ?? "24";
      if (!/^\d{1,6}$/.test(written)) throw new UsageError(`--hours takes a whole number, not ${cut(written)}`);
      const rotated = rotateKey(admin, Number(args.positionals[0]), Number(written));
      const { id, label, prefix, former } = rotated;
      const others = listKeys(admin.store, { production_id: rotated.production_id }, args.now)
        .filter((key) => key.id === id)
        .flatMap(formerTokenLines)
        .filter((line) => !line.includes(`${former.prefix}…`));
      return {
        document: rotated,
        lines: [rotated.token],
        notes: [
          `key ${id}, ${prefix}…, ${label}: the token is shown only this once; the former one, ${former.prefix}…, ${written === "0" ? "is ended" : `is good until ${former.ends_at}`}`,
          ...others,
        ],
      };
    },
  }),
  dataCommand({
    words: "submissions list",
    summary: "lists the work that vendors submitted",
    details: "With its number of files and its size.",
    example: "tallylight submissions list --production 1",
    flags: { production: { value: "ID", required: true, summary: "the production" } },
    run: ({ production }, { store }) => {
      const columns = ["id", "vendor", "delivery", "title", "status", "created_at", "files", "bytes"] as const;
      return rowsOutput(listSubmitted(store, production.id), columns);
    },
  }),
  dataCommand({
    words: "submissions remove",
    summary: "removes submitted work; cannot be undone",
    details:
      "With its files: bytes that nothing else needs are deleted. Its files no longer count for `engagement_quota`.",
    example: "tallylight submissions remove 2",
    positionals: ["ID"],
    flags: itsProduction,
    run: async (args, admin, blobs) => {
      const { removed, summary } = removeSubmission(admin, blobs, Number(args.positionals[0]));
      await blobs.removeUnneeded();
      return { document: removed, lines: [summary] };
    },
  }),
];

// tallylight open: what connects a browser to a server.
import type { Command } from "../../core/command.ts";
import { requireData } from "../../core/data_directory.ts";
import { CliError } from "../../core/errors.ts";
import { typedCommand } from "../../core/program.ts";
import { serverAddressesOf } from "../../core/store/directory_records.ts";
import { durationText } from "../../core/wording.ts";
import { asAdmin } from "../../graph/data_command.ts";
import { beginLinkLifetime } from "./first_visit.ts";
import { createAdminLink } from "./session_list.ts";
import { linkLifetime } from "./sessions.ts";

export const commands: readonly Command[] = [
  {
    words: "open",
    summary: "prints a link that opens the pages",
    details: `As the admin of a production; the link works once, for ${durationText(linkLifetime)}. Without a production, the link begins the first one; it works for ${durationText(beginLinkLifetime)}.`,
    example: "tallylight open --production 1",
    flags: {
      production: { value: "ID", summary: "the production, by id or title; required if there are several productions" },
    },
    async run(args) {
      requireData(args.data);
      const url = serverAddressesOf(args.data)?.base_url;
      if (url === undefined)
        throw new CliError(`no server runs on ${args.data}; \`${typedCommand("serve", args.data)}\` starts one`);
      const document = await asAdmin(args, (admin) => createAdminLink(admin, url, args.text("production")));
      return {
        document,
        lines: [document.link],
        notes: [
          document.production === null
            ? `begins the first production, once, for ${durationText(beginLinkLifetime)}`
            : `opens ${document.production}; works once, for ${durationText(linkLifetime)}`,
        ],
      };
    },
  },
];

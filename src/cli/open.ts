// tallylight open: prints a one-time link that opens the running server's pages as the admin of one production.
import { createAdminLink } from "../admin/sessions.ts";
import { CliError } from "../errors.ts";
import { serverAddressOf } from "../store/server_address.ts";
import type { Command } from "./arguments.ts";
import { asAdmin, requireData } from "./data.ts";

const open: Command = {
  words: "open",
  summary: "prints a link that opens the pages as a production's admin; it works once, for 10 minutes",
  flags: {
    production: { value: "ID", summary: "the production, by id or title; required if there are several productions" },
  },
  async run(args) {
    requireData(args.data);
    const url = serverAddressOf(args.data);
    if (url === undefined)
      throw new CliError(
        `no server is running on ${args.data}; start one with \`tallylight serve --data ${args.data}\``,
      );
    const document = await asAdmin(args, (admin) => createAdminLink(admin, url, args.text("production")));
    return { document, lines: [document.link], notes: [`opens ${document.production}; works once, for 10 minutes`] };
  },
};

export const commands: readonly Command[] = [open];

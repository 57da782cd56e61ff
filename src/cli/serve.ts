// tallylight serve: serves a data directory until it is stopped.
import type { Command } from "../core/command.ts";
import { addressFlags, serveUntilStopped } from "../core/serve_command.ts";

export const commands: readonly Command[] = [
  {
    words: "serve",
    summary: "serves the data directory",
    details: "Prints the address, and serves until it is stopped.",
    example: "tallylight serve --data ./show --port 8080",
    flags: {
      ...addressFlags,
      new: { summary: "creates the data directory if it is absent or empty; the first page then takes a script" },
      "as-found": { summary: "serves a replica read-only, and every other directory as a primary; for a service" },
      replica: { summary: "serves a replica, which follow or another program copies into the directory, read-only" },
    },
    async run(args) {
      await serveUntilStopped(args, ({ url }) => {
        process.stdout.write(args.json ? `${JSON.stringify({ url })}\n` : `${url}\n`);
      });
      return undefined;
    },
  },
];

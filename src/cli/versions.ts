// tallylight versions release, versions archive.
import { flagVersion } from "../admin/versions.ts";
import type { Command } from "./arguments.ts";
import { asAdmin } from "./data.ts";

const versionCommand = (verb: string, flag: "released" | "archived", summary: string): Command => ({
  words: `versions ${verb}`,
  summary,
  positionals: ["ID"],
  run: (args) =>
    asAdmin(args, (admin) => {
      const id = Number(args.positionals[0]);
      const { version, summary } = flagVersion(admin, { id, flag });
      return { document: version, lines: [summary ?? `version ${id} is already ${flag}`] };
    }),
});

export const commands: readonly Command[] = [
  versionCommand("release", "released", "releases a version: its asset and bundles show it from the next call on"),
  versionCommand("archive", "archived", "marks a version as archived"),
];

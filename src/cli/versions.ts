// tallylight versions release, versions archive: releases and archives versions of assets.
import { flagVersion, versionNumbered } from "../admin/versions.ts";
import type { Command } from "./arguments.ts";
import { asAdmin, idNamed, productionNamed } from "./data.ts";

const versionCommand = (verb: string, flag: "released" | "archived", summary: string): Command => ({
  words: `versions ${verb}`,
  summary,
  positionals: ["ID"],
  flags: {
    asset: { value: "ID-OR-NAME", summary: "the asset; ID is then the number of its version, such as 3" },
    production: { value: "ID", summary: "the production in which the asset's name is looked up; all by default" },
  },
  run: (args) =>
    asAdmin(args, (admin) => {
      const given = Number(args.positionals[0]);
      const node_id = idNamed(admin.store, args, "asset", productionNamed(admin.store, args)?.id);
      const id = node_id === undefined ? given : versionNumbered(admin, { node_id, version: given });
      const { version, summary } = flagVersion(admin, { id, flag });
      return { document: version, lines: [summary ?? `version ${id} is already ${flag}`] };
    }),
});

export const commands: readonly Command[] = [
  versionCommand("release", "released", "releases a version: its asset and bundles show it from the next call on"),
  versionCommand("archive", "archived", "marks a version as archived"),
];

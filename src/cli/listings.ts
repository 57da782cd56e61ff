// tallylight list: shows the sections of a production.

import { listedFields, listSection } from "../document/export/export.ts";
import { type SectionName, sectionNames } from "../document/sections/sections.ts";
import { type Command, tabled, UsageError } from "./arguments.ts";
import { openData, productionOf, using } from "./data.ts";

/** Returns the section of a name. Throws UsageError if there is none. */
function sectionNamed(text: string): SectionName {
  const name = sectionNames.find((known) => known === text.replaceAll("-", "_"));
  if (name === undefined)
    throw new UsageError(
      `there is no section ${text}; the sections are ${sectionNames.join(", ")}`,
      "tallylight list --help",
    );
  return name;
}

const section: Command = {
  words: "list",
  summary: "lists a section of a production: ids, the keys by which documents refer to things, and main fields",
  positionals: ["SECTION"],
  flags: { production: { value: "ID", required: true, summary: "the production" } },
  run: (args) => {
    const name = sectionNamed(args.positionals[0] as string);
    return using(openData(args.data), ({ store }) => {
      const rows = listSection(store, productionOf(store, args).id, name);
      return { document: rows, lines: tabled(rows, listedFields(name)) };
    });
  },
};

export const commands: readonly Command[] = [section];

// tallylight list: shows a section of a stored production.
import type { Command } from "../../../core/command.ts";
import { choiceOf } from "../../../core/errors.ts";
import { rowsOutput } from "../../../core/tables.ts";
import { dataCommand } from "../../../graph/data_command.ts";
import { listedFields, listSection } from "../export/export.ts";
import { type SectionName, sectionNames } from "../sections/sections.ts";

/** The section that a command names. Throws UsageError if there is none. */
const sectionNamed = ([text = ""]: readonly string[]): SectionName =>
  choiceOf("SECTION", text.replaceAll("-", "_"), sectionNames);

export const commands: readonly Command[] = [
  dataCommand({
    words: "list",
    summary: "lists a section: ids, keys and main fields",
    details: "The keys are those by which documents refer to things.",
    example: "tallylight list scenes --production 1",
    positionals: ["SECTION"],
    flags: { production: { value: "ID", required: true, summary: "the production" } },
    check: ({ positionals }) => void sectionNamed(positionals),
    run({ positionals, production }, { store }) {
      const name = sectionNamed(positionals);
      return rowsOutput(listSection(store, production.id, name), listedFields(name));
    },
  }),
];

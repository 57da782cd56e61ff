// tallylight init: prints a small production document to start from.
import { type ProductionFormat, starterDocument } from "../document/export/starter.ts";
import { productionFormats } from "../inputs.ts";
import { type Command, UsageError } from "./arguments.ts";

/** Returns the format of a name. Throws UsageError if there is none. */
function formatNamed(text: string): ProductionFormat {
  const format = productionFormats.find((known) => known === text);
  if (format === undefined)
    throw new UsageError(`--format is one of ${productionFormats.join(", ")}, not ${text}`, "tallylight init --help");
  return format;
}

const init: Command = {
  words: "init",
  summary: "prints a small production document to start from, with comments; it can be imported as it is",
  flags: { format: { value: "FORMAT", summary: `one of ${productionFormats.join(", ")}; single by default` } },
  run: (args) => {
    const document = starterDocument(formatNamed(args.text("format") ?? "single"));
    return { document, lines: [JSON.stringify(document, null, 2)] };
  },
};

export const commands: readonly Command[] = [init];

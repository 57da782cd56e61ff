// tallylight init: prints a small production document to start from.
import { readFileSync } from "node:fs";
import { productionFormats } from "../inputs.ts";
import { type Command, UsageError } from "./arguments.ts";

const init: Command = {
  words: "init",
  summary: "prints a small production document to start from, with comments; it can be imported as it is",
  flags: { format: { value: "FORMAT", summary: `one of ${productionFormats.join(", ")}; single by default` } },
  run: (args) => {
    const format = args.text("format") ?? "single";
    if (!productionFormats.some((known) => known === format))
      throw new UsageError(
        `--format is one of ${productionFormats.join(", ")}, not ${format}`,
        "tallylight init --help",
      );
    const file = new URL(`../../fixtures/starter/${format}.json`, import.meta.url);
    const document: unknown = JSON.parse(readFileSync(file, "utf8"));
    return { document, lines: [JSON.stringify(document, null, 2)] };
  },
};

export const commands: readonly Command[] = [init];

// Creates a production from a script: the document of a first draft, with its text stored for the next comparison.

import type { Problem } from "../../core/errors.ts";
import { checkedDocument } from "../documents/apply/create.ts";
import { refuseDocuments } from "../documents/apply/update.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import type { NewProduction } from "../documents/importers.ts";
import { asSource } from "../documents/match/matching.ts";
import { unreadable } from "../documents/read/read.ts";
import { warningsIn } from "../paperwork/findings.ts";
import { definedFields } from "../paperwork/partial.ts";
import { planFirstDraft } from "./first_draft.ts";
import type { Script } from "./script.ts";

const refuse = (file: string, problems: readonly Problem[]): never =>
  refuseDocuments([asSource(unreadable(file, problems))]);

/** The title of the script: the given one, else that of its title page. Throws CliError if there is none. */
function titleOf(file: string, { title }: Script, given: string | undefined): string {
  const found = given ?? title;
  if (found !== null) return found.slice(0, 300);
  return refuse(file, [{ file, sentence: "the script has no title page; add --title TEXT" }]);
}

/** With an episode, the production is a series, of which the script is the first season's. */
const productionFields = (title: string, episode: string | undefined) =>
  episode === undefined
    ? { production: { title } }
    : {
        production: { title, format: "episodic", season_number: 1, current_episode: episode },
        episodes: [{ code: episode, title: episode }],
      };

/** The production that a script makes. Throws CliError if it has no title, or if flags are of a stored production. */
export function newProduction(
  script: Script,
  file: string,
  { episode, color, map }: PaperworkFlags,
  { title, now }: { title: string | undefined; now: string },
): NewProduction {
  if (map.length > 0)
    return refuse(file, [{ file, sentence: "--map names departments, but a new production has no departments" }]);
  const head = { file, color, departments: {}, now };
  const { document, warnings, write } = planFirstDraft(script, head, {
    departments: [],
    ...definedFields({ episode }),
  });
  const value = {
    document: "tallylight production",
    document_version: 1,
    ...productionFields(titleOf(file, script, title), episode),
    ...document,
  };
  return {
    read: { ...checkedDocument(value, file, ""), beside: { write } },
    warnings: [...warningsIn(file, script.warnings), ...warnings],
  };
}

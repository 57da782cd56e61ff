// The importers of scripts, by extension. In a stored production a first draft becomes scenes, and a later one script changes.
import type { Store } from "../../core/store/store.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import { FormatError, warningsIn } from "../paperwork/findings.ts";
import type { PaperScript, PlannedScript, PlanOptions, ScriptImporter } from "../paperwork/importers.ts";
import { breakdownOptions } from "./breakdown.ts";
import { readFdx } from "./fdx.ts";
import { newProduction, planFirstDraft, type ScriptPlan } from "./first_draft.ts";
import { readFountain } from "./fountain.ts";
import { planLaterDraft } from "./later_draft.ts";
import { givenColor, type Script } from "./script.ts";
import { scriptKeyOf, scriptRows } from "./script_store.ts";
import { withStateRecord } from "./script_undo.ts";

/** Plans what a script does to a stored production, with a record of what becomes of the stored script. */
function planScript(
  script: Script,
  store: Store,
  stored: StoredProduction,
  file: string,
  { flags: { episode, color, pages: isPages }, departments, now, actor }: PlanOptions,
): PlannedScript {
  const { production_id } = stored;
  const head = { file, color: givenColor(color), departments, now };
  const key = scriptKeyOf(store, production_id, episode);
  const isFirst =
    scriptRows(store, key).length === 0 && stored.items("scenes").every(({ raw }) => raw.episode !== episode);
  const { write, warnings, ...planned }: ScriptPlan = isFirst
    ? planFirstDraft(script, head, breakdownOptions(stored, departments, episode))
    : planLaterDraft(store, { stored, key, episode }, script, { head, isPages, actor });
  return {
    ...planned,
    warnings: [...warningsIn(file, script.warnings), ...warnings],
    beside: write && withStateRecord(store, production_id, write),
  };
}

/** Makes an importer of a reader. */
const importerWith = (reader: (bytes: Uint8Array) => Script): ScriptImporter => ({
  kind: "script",
  read(bytes): PaperScript {
    const script = reader(bytes);
    if (script.problems.length > 0) throw new FormatError(script.problems);
    return {
      plan: (store, stored, file, options) => planScript(script, store, stored, file, options),
      newProduction: (file, flags, options) => newProduction(script, file, flags, options),
    };
  },
});

export const importers: Readonly<Record<string, ScriptImporter>> = {
  ".fountain": importerWith(readFountain),
  ".fdx": importerWith(readFdx),
};

// The importers of scripts, by extension.

import type { Store } from "../../core/store/store.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import { FormatError, warningsIn } from "../paperwork/findings.ts";
import type { PaperScript, PlannedScript, PlanOptions, ScriptImporter } from "../paperwork/importers.ts";
import { readFdx } from "./fdx.ts";
import { readFountain } from "./fountain.ts";
import { newProduction } from "./new_production.ts";
import type { Script } from "./script.ts";
import { planScript } from "./script_import.ts";
import { tellOfChange } from "./script_store.ts";
import { withStateRecord } from "./script_undo.ts";

/** Plans what a script does to a stored production, with a record of what becomes of the stored script. */
function plan(
  script: Script,
  store: Store,
  stored: StoredProduction,
  file: string,
  { flags: { episode, color, pages }, departments, now, actor }: PlanOptions,
): PlannedScript {
  const { production_id } = stored;
  const { write, warnings, ...planned } = planScript(store, stored, script, {
    head: { file, color, departments, now },
    episode,
    pages,
    superseded: (change) => tellOfChange(store, { production_id, actor, now }, "dismissed", change),
  });
  const beside = write && withStateRecord(store, production_id, write);
  return { ...planned, warnings: [...warningsIn(file, script.warnings), ...warnings], beside };
}

/** Makes an importer of a reader. */
const importerWith = (reader: (bytes: Uint8Array) => Script): ScriptImporter => ({
  kind: "script",
  read(bytes): PaperScript {
    const script = reader(bytes);
    if (script.problems.length > 0) throw new FormatError(script.problems);
    return {
      plan: (store, stored, file, options) => plan(script, store, stored, file, options),
      newProduction: (file, flags, options) => newProduction(script, file, flags, options),
    };
  },
});

export const importers: Readonly<Record<string, ScriptImporter>> = {
  ".fountain": importerWith(readFountain),
  ".fdx": importerWith(readFdx),
};

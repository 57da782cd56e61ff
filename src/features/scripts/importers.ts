// The importers of scripts, by extension. In a stored production a first draft becomes scenes, and a later one script
// changes.
import type { Store } from "../../core/store/store.ts";
import type { StoredProduction } from "../documents/stored.ts";
import { FormatError, warningsIn } from "../paperwork/findings.ts";
import type { PaperScript, PlannedScript, PlanOptions, ScriptImporter } from "../paperwork/importers.ts";
import { breakdownOptions } from "./breakdown.ts";
import { type EpisodeScript, episodeParts } from "./episode_parts.ts";
import { readFdxScripts } from "./fdx.ts";
import { type EpisodeScript as FirstDraft, newProduction, planFirstDraft, type ScriptPlan } from "./first_draft.ts";
import { readFountain } from "./fountain.ts";
import { planLaterDraft } from "./later_draft.ts";
import { liftedScenes } from "./lifted_scenes.ts";
import { givenColor, type Script, withoutCode } from "./script.ts";
import { scriptKeyOf, scriptRows } from "./script_store.ts";

/** Plans what a script does to a stored production. */
function planScript(
  script: Script,
  store: Store,
  stored: StoredProduction,
  file: string,
  { flags: { episode, color, pages: isPages }, departments, now, actor, drafted }: PlanOptions,
): PlannedScript {
  const { production_id } = stored;
  const head = { file, color: givenColor(color), departments, now };
  const key = scriptKeyOf(store, production_id, episode);
  const isFirst =
    scriptRows(store, key).length === 0 && stored.items("scenes").every(({ raw }) => raw.episode !== episode);
  const { warnings, beside, ...planned }: ScriptPlan = isFirst
    ? planFirstDraft(script, head, breakdownOptions(stored, departments, episode), (scenes) =>
        episode === undefined ? undefined : liftedScenes(store, key, { head, episode, actor, drafted }, scenes),
      )
    : planLaterDraft(store, { stored, key, episode }, script, { head, isPages, actor, drafted });
  return {
    ...planned,
    warnings: [...warningsIn(file, script.warnings), ...warnings],
    beside,
  };
}

/** A script with what a new production is made of: one draft, or those of its parts. */
interface ReadScript extends PaperScript {
  readonly drafts: readonly FirstDraft[];
}

/** Makes an importer of a reader, which gives each script of a file of several episodes with the code of its own. */
const importerWith = (reader: (bytes: Uint8Array) => readonly EpisodeScript[]): ScriptImporter => ({
  kind: "script",
  read(bytes): ReadScript {
    const parts = reader(bytes).map(({ script, code }) => ({ script: soundScript(script), line: code }));
    const first = parts[0] as (typeof parts)[number]; // a file has at least one
    if (first.line === undefined) return paperOf(first.script);
    return {
      ...paperOf(first.script, first.line),
      parts: parts.map(({ script, line }) => paperOf(script, line)),
      drafts: parts,
    };
  },
  newProduction(scripts, flags, options) {
    const drafts = scripts.flatMap(
      // an importer of this file read it
      ({ file, script }) => (script as ReadScript).drafts.map((draft) => ({ ...draft, file })),
    );
    return newProduction(drafts, flags, options);
  },
});

/** The scripts of a Fountain file. */
function readFountains(bytes: Uint8Array): EpisodeScript[] {
  const parts = episodeParts(bytes);
  if (parts.length === 0) return [{ script: readFountain(bytes) }];
  return parts.map(({ code, bytes: own }) => ({ code, script: readFountain(own) }));
}

/** A script that was read. Throws FormatError with what makes it useless. */
function soundScript(script: Script): Script {
  if (script.problems.length > 0) throw new FormatError(script.problems);
  return script;
}

/** A script with what says its episode: a heading, or the line of its title page. */
function paperOf(script: Script, line = script.title_page.get("episode")): ReadScript {
  return {
    episode: line,
    title: script.title,
    drafts: [{ script, line }],
    plan: (store, stored, file, options) =>
      planScript(withoutCode(script, options.flags.episode), store, stored, file, options),
  };
}

export const importers: Readonly<Record<string, ScriptImporter>> = {
  ".fountain": importerWith(readFountains),
  ".fdx": importerWith(readFdxScripts),
};

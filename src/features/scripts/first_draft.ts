// Makes scenes of a first draft, in a stored production or in a new one, and keeps the text of its scenes for the next comparison.
import type { Problem } from "../../core/errors.ts";
import { listed } from "../../core/wording.ts";
import { checkedDocument } from "../documents/apply/create.ts";
import { refuseDocuments } from "../documents/apply/update.ts";
import type { Written } from "../documents/apply/written.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import { type NewProduction, nameOfFile } from "../documents/importers.ts";
import { asSource } from "../documents/match/matching.ts";
import type { NameChange } from "../documents/plan/scenes.ts";
import { unreadable } from "../documents/read/read.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { warningsIn } from "../paperwork/findings.ts";
import type { Pairs } from "../paperwork/header_maps.ts";
import { definedFields } from "../paperwork/partial.ts";
import { type BreakdownOptions, breakDown, castListOf } from "./breakdown.ts";
import { draftOf, type ScriptDraft } from "./compare/drafts.ts";
import { draftColor, givenColor, type Script } from "./script.ts";
import {
  insertDraft,
  lastDetection,
  type NextRow,
  rowWrites,
  type ScriptKey,
  scriptKeyOf,
  writeRows,
} from "./script_store.ts";

/** A draft as it is recorded. */
export interface DraftHead {
  /** The name of the file. */
  file: string;
  /** The revision colour that the import gives; undefined: what the file marks. */
  color: string | undefined;
  departments: Pairs;
  now: string;
}

/** What a script does to a production. */
export interface ScriptPlan {
  document: Record<string, Raw[]>;
  /** Whether the document lists scenes in the order of the script: those of a first draft. */
  orders_scenes: boolean;
  warnings: string[];
  /** Writes what is kept of the draft. Undefined if nothing is written. */
  write?(planned: unknown, writer: Written): void;
}

/** The colour of a draft: the given one, else that of its highest revision set, else that of its title page, else white. */
const colorOf = (script: Script, given: string | undefined): string => given ?? draftColor(script) ?? "white";

/** Records a draft, which is never before another one, with the renames of it that were dismissed before. Returns its id. Inside a write transaction. */
export const recordDraft = (
  { store, now }: Written,
  key: ScriptKey,
  script: Script,
  { file, color, departments }: DraftHead,
  dismissed: readonly NameChange[] = [],
): number =>
  insertDraft(store, {
    ...key,
    id: null,
    file: nameOfFile(file),
    color: colorOf(script, color),
    departments: JSON.stringify(departments),
    dismissed: JSON.stringify(dismissed),
    imported_at: lastDetection(store, { production_id: key.production_id, now }) ?? now,
  }).id;

/** A warning with the numbers that scenes got because the script has none for them. */
function inventedNumbers(script: Script, { scenes }: ScriptDraft): string[] {
  const invented = scenes.filter((_, at) => script.scenes[at]?.number === null).map(({ number }) => number);
  if (invented.length === 0) return [];
  const all = invented.length === scenes.length;
  const last = all && invented.length > 1 ? `1 to ${invented.at(-1)}` : listed(invented);
  return [
    `the script has no number for ${invented.length === 1 ? "a scene" : `${invented.length} scenes`}: numbered ${last}`,
  ];
}

/** The document of a first draft, and what keeps the text of its scenes once they are written. */
export function planFirstDraft(script: Script, head: DraftHead, options: BreakdownOptions) {
  const { episode } = options;
  const draft = draftOf(script, head.color, castListOf(options));
  return {
    document: breakDown(draft, options),
    orders_scenes: true,
    warnings: [...inventedNumbers(script, draft), ...draft.warnings],
    write(_: unknown, writer: Written): void {
      const { store, production_id } = writer;
      const key = scriptKeyOf(store, production_id, episode);
      const id = recordDraft(writer, key, script, head);
      const rows = draft.scenes.map((scene, place): NextRow => {
        const node_id = writer.id("scene", sceneName(scene.number, episode));
        return { id: undefined, node_id, place, scene, approved: null, dismissed: 0, kept: [] };
      });
      writeRows(store, key, rowWrites([], rows), id);
    },
  };
}

const refuse = (file: string, problems: readonly Problem[]): never =>
  refuseDocuments([asSource(unreadable(file, problems))]);

/** With an episode, the production is a series, of which the script is the first season's. */
const productionFields = (title: string, episode: string | undefined) =>
  episode === undefined
    ? { production: { title } }
    : {
        production: { title, format: "episodic", season_number: 1, current_episode: episode },
        episodes: [{ code: episode, title: episode }],
      };

/** The production that a script makes, titled by its title page or by a given title. Throws CliError if it has no title, or if flags are of a stored production. */
export function newProduction(
  script: Script,
  file: string,
  { episode, color, map }: PaperworkFlags,
  { title = script.title ?? undefined, now }: { title: string | undefined; now: string },
): NewProduction {
  if (map.length > 0)
    return refuse(file, [{ file, sentence: "--map names departments, but a new production has no departments" }]);
  if (title === undefined) return refuse(file, [{ file, sentence: "the script has no title page; add --title TEXT" }]);
  const head = { file, color: givenColor(color), departments: {}, now };
  const { document, warnings, write } = planFirstDraft(script, head, {
    departments: [],
    ...definedFields({ episode }),
  });
  const value = {
    document: "tallylight production",
    document_version: 1,
    ...productionFields(title.slice(0, 300), episode),
    ...document,
  };
  return {
    read: { ...checkedDocument(value, file, ""), beside: { write } },
    warnings: [...warningsIn(file, script.warnings), ...warnings],
  };
}

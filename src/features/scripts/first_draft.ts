// Makes scenes of a first draft, in a stored production or in a new one, and keeps the text of its scenes for the next
// comparison.
import type { Problem } from "../../core/errors.ts";
import { listed } from "../../core/wording.ts";
import type { NameChange } from "../documents/cast_names.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import { type NewProduction, type NewProductionOptions, nameOfFile } from "../documents/importers.ts";
import { unreadable } from "../documents/read/read.ts";
import { asSource, refuseDocuments } from "../documents/read/sources.ts";
import { checkedDocument } from "../documents/read/whole.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import type { Planning, UpdateInput } from "../documents/update_input.ts";
import { cutText } from "../paperwork/clean_text.ts";
import { type TitledEpisode, titledEpisode } from "../paperwork/episodes.ts";
import { warningsIn } from "../paperwork/findings.ts";
import type { Pairs } from "../paperwork/header_maps.ts";
import { definedFields } from "../paperwork/partial.ts";
import { append } from "../sequences/sequences.ts";
import { type BreakdownOptions, breakDown, castListOf } from "./breakdown.ts";
import { draftOf, type ScriptDraft } from "./compare/drafts.ts";
import { draftColor, givenColor, type Script, withoutCode } from "./script.ts";
import { added, lastDetection, type NextRow, rowOperations, rowWrites, type ScriptKey } from "./script_store.ts";

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
  /** What is written beside the document. Undefined if nothing is. */
  beside?: NonNullable<UpdateInput["beside"]>;
}

/**
 * The colour of a draft: the given one, else that of its highest revision set, else that of its title page, else white.
 */
const colorOf = (script: Script, given: string | undefined): string => given ?? draftColor(script) ?? "white";

/** What records a draft, which is never before another one, with the renames of it that were dismissed before. */
export const draftOperation = (
  { store, next, now }: Planning,
  key: ScriptKey,
  script: Script,
  { file, color, departments }: DraftHead,
  dismissed: readonly NameChange[] = [],
): RowOperation =>
  added(next, "script_drafts", {
    ...key,
    file: nameOfFile(file),
    color: colorOf(script, color),
    departments: JSON.stringify(departments),
    dismissed: JSON.stringify(dismissed),
    imported_at: lastDetection(store, { production_id: key.production_id, now }) ?? now,
  });

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

/** The scenes of a first draft about which somebody is asked, because another episode omits them. */
export interface Lifted {
  /** Their places in the draft. */
  places: ReadonlySet<number>;
  /** Their changes as a document has them. */
  changes: Raw[];
  warnings: string[];
  /** The operations of the import with what no document has of these changes. */
  operations(planning: Planning, draft_id: number): RowOperation[];
  write(): void;
}

/** The document of a first draft, and what keeps the text of its scenes once they are written. */
export function planFirstDraft(
  script: Script,
  head: DraftHead,
  options: BreakdownOptions,
  lift?: (scenes: ScriptDraft["scenes"]) => Lifted | undefined,
) {
  const { episode } = options;
  const draft = draftOf(script, head.color, castListOf(options));
  const lifted = lift?.(draft.scenes);
  const isLifted = (at: number) => lifted?.places.has(at) === true;
  return {
    document: {
      ...breakDown({ scenes: draft.scenes.filter((_, at) => !isLifted(at)) }, options),
      ...(lifted !== undefined && { script_changes: lifted.changes }),
    },
    orders_scenes: true,
    warnings: [...inventedNumbers(script, draft), ...draft.warnings, ...(lifted?.warnings ?? [])],
    beside: {
      operations(planning: Planning): RowOperation[] {
        const { production_id, id } = planning;
        const key = { production_id, episode_id: id("episode", episode) };
        const recorded = draftOperation(planning, key, script, head);
        const rows = draft.scenes.map((scene, place): NextRow => {
          const node_id = isLifted(place) ? null : id("scene", sceneName(scene.number, episode));
          return { id: undefined, node_id, place, scene, approved: null, dismissed: 0, kept: [], by_hand: [] };
        });
        const operations = lifted?.operations(planning, recorded.id) ?? planning.operations;
        return [...operations, recorded, ...rowOperations(planning, key, rowWrites([], rows), recorded.id)];
      },
      write: () => lifted?.write(),
    },
  };
}

const refuse = (file: string, problems: readonly Problem[]): never =>
  refuseDocuments([asSource(unreadable(file, problems))]);

/** As a document takes them. */
const maxTitle = 300;

/** With episodes, the production is a series. `say` gets a sentence about a title that is cut. */
function productionFields(
  whole: string,
  episodes: readonly TitledEpisode[],
  { season, say }: { season: number; say: (sentence: string) => void },
) {
  const title = cutText(whole, maxTitle, say);
  const coded = episodes.flatMap(({ code, title: named = code }) =>
    code === undefined ? [] : [{ code, title: named && cutText(named, maxTitle, say) }],
  );
  const [first] = coded;
  if (first === undefined) return { production: { title } };
  return {
    production: { title, format: "episodic", season_number: season, current_episode: first.code },
    episodes: coded,
  };
}

/** A script with what says its episode, such as the line of its title page. */
export interface EpisodeScript {
  script: Script;
  line: string | undefined;
}

/** A script with its file. */
type FiledScript = EpisodeScript & { file: string };

/** What is wrong with the episodes of scripts that make a production. */
function episodeProblem(
  episodes: readonly (TitledEpisode & { file: string })[],
  { given, season }: { given: string | undefined; season: number | undefined },
): string | undefined {
  const other = episodes.find(({ code }) => given !== undefined && code !== undefined && code !== given);
  if (other !== undefined) return `the title page is of episode ${other.code}, and --episode says ${given}`;
  const codes = episodes.map(({ code }) => code ?? given);
  const uncoded = codes.length > 1 ? episodes[codes.indexOf(undefined)] : undefined;
  if (uncoded !== undefined)
    return `scripts of one title are episodes of one series, and the title page of ${nameOfFile(uncoded.file)} names no episode; write a line such as Episode: 101 on each`;
  const twice = codes.find((code, at) => codes.indexOf(code) !== at);
  if (twice !== undefined) {
    const files = new Set(episodes.flatMap(({ file }, at) => (codes[at] === twice ? nameOfFile(file) : [])));
    return `two scripts are of episode ${twice}${files.size > 1 ? `: ${listed([...files])}` : ""}`;
  }
  return season !== undefined && codes[0] === undefined ? "--season is for a series; add --episode CODE" : undefined;
}

/** The first drafts of scripts, each of which knows the assets of those before it. */
function planFirstDrafts(
  scripts: readonly (FiledScript & { episode: string | undefined })[],
  head: Omit<DraftHead, "file">,
) {
  const assets: ReturnType<typeof planFirstDraft>["document"]["assets"] = [];
  return scripts.map(({ script, episode, file }) => {
    const options = { departments: [], known: [...assets], ...definedFields({ episode }) };
    const plan = planFirstDraft(withoutCode(script, episode), { ...head, file }, options);
    append(assets, plan.document.assets);
    return plan;
  });
}

/** Scripts in the order of the codes of their episodes, if all of these are numbers. */
function byCode(scripts: readonly FiledScript[]): readonly FiledScript[] {
  const codes = new Map(scripts.map((one) => [one, titledEpisode([], one.line).code ?? ""]));
  const areNumbers = [...codes.values()].every((code) => /^\d{1,15}$/.test(code));
  return areNumbers ? scripts.toSorted((one, other) => Number(codes.get(one)) - Number(codes.get(other))) : scripts;
}

/**
 * The production that scripts make, titled by their title page or by a given title. Throws CliError if it has no title,
 * or if flags are of a stored production.
 */
export function newProduction(
  drafts: readonly FiledScript[],
  { episode: given, color, map }: PaperworkFlags,
  { title = drafts[0]?.script.title ?? undefined, now, season }: NewProductionOptions,
): NewProduction {
  const files = [...new Set(drafts.map(({ file: own }) => own))];
  const file = files.length === 1 ? String(files[0]) : files.map(nameOfFile).join(", ");
  if (map.length > 0)
    return refuse(file, [{ file, sentence: "--map names departments, but a new production has no departments" }]);
  if (title === undefined) return refuse(file, [{ file, sentence: "the script has no title page; add --title TEXT" }]);
  const scripts = byCode(drafts);
  const titled = scripts.map(({ line, file: own }) => ({ ...titledEpisode([], line), file: own }));
  const problem = episodeProblem(titled, { given, season });
  if (problem !== undefined) return refuse(file, [{ file, sentence: problem }]);
  const episodes = titled.map((one) => ({ ...one, ...definedFields({ code: given }) }));
  const head = { color: givenColor(color), departments: {}, now };
  const plans = planFirstDrafts(
    scripts.map((one, at) => ({ ...one, episode: episodes[at]?.code })),
    head,
  );
  const cut: string[] = [];
  const value = {
    document: "tallylight production",
    document_version: 1,
    ...productionFields(title, episodes, { season: season ?? 1, say: (sentence) => cut.push(`${file}: ${sentence}`) }),
    scenes: plans.flatMap(({ document }) => document.scenes),
    assets: plans.flatMap(({ document }) => document.assets),
  };
  const operations = (planning: Planning): RowOperation[] =>
    plans.reduce((all, { beside }) => beside.operations({ ...planning, operations: all }), [...planning.operations]);
  const codes = episodes.flatMap(({ code }) => code ?? []);
  const begun = `${files.length === 1 ? "the script is" : "the scripts are"} of ${codes.length === 1 ? "episode" : "episodes"} ${listed(codes)}, so the production begins as a series, season ${season ?? 1}`;
  return {
    episode: codes[0],
    read: { ...checkedDocument(value, file, ""), beside: { operations } },
    warnings: [
      ...scripts.flatMap(({ script, file: own }) => warningsIn(own, script.warnings)),
      ...plans.flatMap(({ warnings }, at) =>
        files.length === 1 ? warnings : warnings.map((warning) => `${scripts[at]?.file}: ${warning}`),
      ),
      ...cut,
      ...(given === undefined && codes.length > 0 ? [`${file}: ${begun}`] : []),
    ],
  };
}

// Imports a later draft of a script: differences that need a decision become pending script changes, the others become a document, and
// the text is stored for the next comparison.
import type { Raw } from "../document/partial_schema.ts";
import type { StoredProduction } from "../document/stored.ts";
import { breakDown } from "../formats/breakdown.ts";
import { compareDrafts } from "../formats/comparison.ts";
import { type Draft, type DraftScene, laterDraft } from "../formats/drafts.ts";
import type { Script } from "../formats/script.ts";
import type { Store } from "../store/database.ts";
import { breakdownOptions, scriptOf } from "./breakdowns.ts";
import { Comparing, type Raised } from "./comparing.ts";
import type { DraftHead } from "./first_draft.ts";
import { knownScenes } from "./known_scenes.ts";
import { placeAmongOthers } from "./revised_pages.ts";
import { decidedFields, type Fields, sceneChange } from "./scene_changes.ts";
import { type NextRow, type Part, type Proposal, proposalsOf, type ScriptRow, scriptRows } from "./script_store.ts";

export type { Raised };

export interface LaterDraft {
  raised: Raised[];
  /** The scenes that change without a decision, as a document has them, and the assets that they need. */
  scenes: Raw[];
  assets: Raw[];
  before: readonly ScriptRow[];
  rows: NextRow[];
  /** The pending changes that the draft supersedes. */
  superseded: readonly Proposal[];
  /** The other pending changes; their places may have changed. */
  waiting: readonly Proposal[];
  /** Whether there is anything to write. */
  changes: boolean;
}

/** What makes two changes ask for the same decision. */
const questionOf = (
  row: number | string | null,
  { kind, fields, scene }: { kind: string; fields: Fields; scene: DraftScene },
): string => {
  const { number, slugline, omitted, text, cast } = scene;
  return JSON.stringify([
    row,
    kind,
    decidedFields.filter((name) => name in fields),
    number,
    slugline,
    omitted,
    text,
    cast,
  ]);
};

/** The revision colour of each scene, if the import or the file says one. */
const colorsOf = (script: Script, given: string | undefined): (string | null)[] =>
  script.scenes.map(({ revision }) => given ?? revision?.color ?? null);

/** The changes of known scenes that need no decision, as a document has them. */
function silentDocument(
  stored: StoredProduction,
  { silent }: Comparing,
  { departments }: DraftHead,
  episode: string | undefined,
): { scenes: Raw[]; assets: Raw[] } {
  const options = breakdownOptions(stored, departments, episode);
  const tagged = silent.map(({ scene, fields }) =>
    "tags" in fields ? { ...scene, cast: [] } : { ...scene, cast: [], tags: {} },
  );
  const { scenes, assets } = breakDown(scriptOf(tagged), {
    ...options,
    numbers: silent.map(({ scene }) => scene.number),
  });
  const parts = silent.map(({ node, fields, scene }, at) =>
    sceneChange(node, fields, scenes[at] as (typeof scenes)[number], { color: null, draft: scene }),
  );
  return { scenes: parts, assets: assets.map((asset) => ({ ...asset })) };
}

interface LaterOptions {
  head: DraftHead;
  episode: string | undefined;
  part: Part;
  pages: boolean;
}

/** Compares a draft with the script that is kept, or with the production's scenes if none is. */
export function planLaterDraft(
  store: Store,
  stored: StoredProduction,
  script: Script,
  { head, episode, part, pages }: LaterOptions,
): LaterDraft {
  const nodes = stored.items("scenes").filter(({ raw }) => raw.episode === episode);
  const before = scriptRows(store, part);
  const known = knownScenes(before, nodes);
  const earlier: Draft = { scenes: known.map(({ scene }) => scene) };
  const options = { ...breakdownOptions(stored, head.departments, episode), ...(head.color && { color: head.color }) };
  const { draft } = laterDraft(script, earlier, options);
  const comparison = compareDrafts(earlier, draft, { pagesOnly: pages });
  const comparing = new Comparing(known, draft, colorsOf(script, head.color));
  for (const { before, after } of comparison.unchanged) comparing.take(before, after, {});
  for (const { before, after, fields } of comparison.silent) comparing.take(before, after, fields);
  for (const change of comparison.changes) comparing.change(change);
  const isTouched = touchedIn(comparing);
  const proposals = proposalsOf(store, part);
  const pending = proposals.filter((one) => !pages || isTouched(one));
  const waiting = pages ? proposals.filter((one) => !isTouched(one)) : [];
  if (pages) placeAmongOthers(comparing, waiting);
  const isAsked = sameQuestions(pending, comparing);
  const raised = isAsked ? [] : comparing.raised;
  const kept = comparing.next.flatMap((row) => row ?? []);
  const indexes = new Map(kept.map((row, at) => [row, at]));
  for (const one of raised) if (one.row !== null) one.row = indexes.get(comparing.next[one.row] as NextRow) ?? null; // a raised scene stays
  const document = silentDocument(stored, comparing, head, episode);
  const isSame =
    kept.length === before.length &&
    kept.every((row, at) => JSON.stringify(row) === JSON.stringify(ordered(before[at] as ScriptRow)));
  return {
    ...{ raised, ...document, before, rows: kept, waiting, superseded: isAsked ? [] : pending },
    changes: raised.length > 0 || document.scenes.length > 0 || (!isAsked && pending.length > 0) || !isSame,
  };
}

const ordered = ({ id, node_id, place, scene }: ScriptRow): NextRow => ({ id, node_id, place, scene });

/** Whether a pending change is about a scene that the draft has or that it changes. */
function touchedIn({ known, next, raised }: Comparing): (pending: Proposal) => boolean {
  const touched = new Set([
    ...known.flatMap(({ row }, at) => (row !== undefined && next[at]?.place !== null ? row.id : [])),
    ...raised.flatMap(({ row }) => (row === null ? [] : (known[row]?.row?.id ?? []))),
  ]);
  const numbers = new Set(raised.map(({ number }) => number));
  return ({ script_scene_id, scene_number }) =>
    script_scene_id === null ? numbers.has(scene_number) : touched.has(script_scene_id);
}

/** Whether every change that a draft would raise is pending already, and no other. */
function sameQuestions(pending: readonly Proposal[], { raised, known }: Comparing): boolean {
  if (pending.length !== raised.length) return false;
  const asked = new Set(pending.map((one) => questionOf(one.script_scene_id, one)));
  return raised.every((one) => asked.has(questionOf(one.row === null ? null : (known[one.row]?.row?.id ?? ""), one)));
}

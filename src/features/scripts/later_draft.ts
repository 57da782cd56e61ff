// Imports a later draft of a script: differences that need a decision become pending script changes, the others become a document, and
// the text is stored for the next comparison.
import type { Store } from "../../core/store/database.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Raw } from "../documents/sections/form.ts";
import { append } from "../sequences/sequences.ts";
import { breakDown } from "./breakdown.ts";
import { breakdownOptions } from "./breakdown_options.ts";
import { isRename } from "./character_renames.ts";
import {
  type Colors,
  type Compared,
  type KnownScene,
  knownScenes,
  type RaisedChange,
  raiseChanges,
} from "./comparing.ts";
import { compareDrafts } from "./comparison.ts";
import { draftRenames, raiseRename, waitingRenames } from "./draft_renames.ts";
import { type DraftScene, laterDraft, type ScriptDraft } from "./drafts.ts";
import type { DraftHead } from "./first_draft.ts";
import type { Matching } from "./matching.ts";
import { mergePages } from "./revised_pages.ts";
import { decidedFields, type FieldChanges, sceneChange, withChangedNames } from "./scene_changes.ts";
import type { Script } from "./script.ts";
import {
  inDraftOrder,
  type NextRow,
  type Proposal,
  proposalsOf,
  type ScriptKey,
  type ScriptRow,
  scriptRows,
} from "./script_store.ts";

export interface LaterDraft {
  raised: RaisedChange[];
  /** The scenes that change without a decision, as a document has them, and the assets that they need. */
  scenes: Raw[];
  assets: Raw[];
  before: readonly ScriptRow[];
  rows: NextRow[];
  /** The pending changes that the draft supersedes. */
  superseded: readonly Proposal[];
  /** The other pending changes; their places may have changed. */
  waiting: readonly Proposal[];
  /** How many scenes had no text yet, and have one now. */
  texts: number;
  /** Whether there is anything to write. */
  changes: boolean;
}

const comparedOf = ({ estimated: _, revision_color: __, shape: ___, draft: ____, ...compared }: DraftScene) => compared;

/** What makes two changes ask for the same decision. */
const questionOf = (
  row: number | string | null,
  { kind, fields, scene }: { kind: string; fields: FieldChanges; scene: DraftScene },
): string => {
  if (isRename(fields)) return JSON.stringify([fields.character, fields.except?.to]);
  const asked = decidedFields.filter((name) => name in fields);
  return JSON.stringify([row, kind, asked, comparedOf(scene), fields.order?.to]);
};

/** The revision colours that the import and the file say. */
const colorsOf = (script: Script, given: string | undefined): Colors => ({
  given: given ?? null,
  scenes: script.scenes.map(({ revision }) => revision?.color ?? null),
});

/** The changes of known scenes that need no decision, as a document has them. */
function silentDocument(
  stored: StoredProduction,
  { silent }: Compared,
  { departments }: DraftHead,
  episode: string | undefined,
): { scenes: Raw[]; assets: Raw[] } {
  const brought = silent.map(({ scene, fields }) => withChangedNames(fields, scene));
  const { scenes, assets } = breakDown({ scenes: brought }, breakdownOptions(stored, departments, episode));
  const parts = silent.map(({ node, fields, scene }, at) =>
    sceneChange(node, fields, scenes[at] as (typeof scenes)[number], { color: null, draft: scene, leaving: new Set() }),
  );
  return { scenes: parts, assets };
}

interface LaterOptions {
  head: DraftHead;
  episode: string | undefined;
  key: ScriptKey;
  pages: boolean;
}

/** Compares a draft with the script that is kept, or with the production's scenes if none is. */
export function planLaterDraft(
  store: Store,
  stored: StoredProduction,
  script: Script,
  { head, episode, key, pages }: LaterOptions,
): LaterDraft {
  const nodes = stored.items("scenes").filter(({ raw }) => raw.episode === episode);
  const before = scriptRows(store, key);
  const found = knownScenes(before, nodes);
  const proposals = proposalsOf(store, key);
  const given = laterDraft(script, { scenes: found.map(({ scene }) => scene) }, head.color);
  const whole = { ...given, colors: colorsOf(script, head.color) };
  const merged = pages ? mergePages(found, proposals, whole) : undefined;
  const { draft, matching, colors } = merged ?? whole;
  const renames = pages ? waitingRenames(proposals, found) : draftRenames(stored, found, draft, matching);
  const { known, base } = renames;
  const earlier: ScriptDraft = { scenes: known.map(({ scene }) => scene) };
  const orders = new Map(nodes.map(({ id }, order) => [id as number | null, order]));
  const approved = known.map(({ node, approved: scene }) => node && { scene, order: orders.get(node.id) as number });
  const asked = new Map(proposals.filter(moves).map((one) => [one.script_scene_id, one]));
  const places = known.map(({ row, scene }) => {
    const waiting = asked.get(row?.id ?? 0);
    const at = row?.place ?? waiting?.place ?? null;
    return {
      at,
      stands: row === undefined ? !scene.omitted : row.place !== null && row.stands === 1,
      asked: waiting !== undefined,
    };
  });
  const comparison = compareDrafts(earlier, draft, {
    pages: merged?.pages,
    approved,
    places,
    ...(known === found && { matching }), // a scene is more like one that calls its characters by the same names
  });
  const compared = raiseChanges(known, draft, colors, comparison);
  renames.keepNames(compared.next);
  if (!pages)
    for (const one of renames.asked) append(compared.raised, raiseRename(one, { base, known, compared, colors }));
  const isTouched = isAffectedBy(known, compared, merged?.pages, matching);
  const pending = proposals.filter(isTouched);
  const others = proposals.filter((one) => !isTouched(one));
  merged?.place(compared.next);
  const asking = keepPendingIds(pending, compared.raised, known, colors);
  const kept = new Set(asking.values());
  const raised = compared.raised.filter((one) => !kept.has(one));
  const superseded = pending.filter((one) => !asking.has(one));
  const inOrder = inDraftOrder(compared.next.flatMap((row) => row ?? []));
  const indexes = new Map(inOrder.map((row, at) => [row, at]));
  for (const one of raised) if (one.row !== null) one.row = indexes.get(compared.next[one.row] as NextRow) ?? null; // a raised scene stays
  const document = silentDocument(stored, compared, head, episode);
  const isSame =
    inOrder.length === before.length &&
    inOrder.every((row, at) => JSON.stringify(row) === JSON.stringify(ordered(before[at] as ScriptRow)));
  return {
    raised,
    ...document,
    before,
    rows: inOrder,
    superseded,
    waiting: [...others, ...asking.keys()],
    texts: compared.texts,
    changes: raised.length > 0 || document.scenes.length > 0 || superseded.length > 0 || !isSame,
  };
}

const ordered = ({ id, node_id, place, stands, scene, approved }: ScriptRow): NextRow => ({
  id,
  node_id,
  place,
  stands,
  scene,
  approved,
});

/** Whether a pending change is about a scene that the draft has, or its pages, or whose number a change of them has. */
function isAffectedBy(
  known: readonly KnownScene[],
  { raised }: Compared,
  pages: ReadonlySet<number> | undefined,
  { pairs }: Matching,
): (pending: Proposal) => boolean {
  if (pages === undefined) return () => true;
  const touched = new Set(
    pairs.flatMap(({ before, after }) => (pages.has(after) ? known[before]?.row?.id : undefined)),
  );
  const numbers = new Set(raised.map(({ number }) => number));
  return ({ script_scene_id, scene_number, fields }) => {
    if (isRename(fields)) return false;
    return script_scene_id === null ? numbers.has(scene_number) : touched.has(script_scene_id);
  };
}

/**
 * The pending changes that ask what a draft would raise, in the colour of the import if it says one, each with what it raised. They get their places
 * in this draft.
 */
function keepPendingIds(
  pending: readonly Proposal[],
  raised: readonly RaisedChange[],
  known: readonly KnownScene[],
  colors: Colors,
): ReadonlyMap<Proposal, RaisedChange> {
  const asked = new Map(pending.map((one) => [questionOf(one.script_scene_id, one), one]));
  const asking = new Map<Proposal, RaisedChange>();
  for (const one of raised) {
    const found = asked.get(questionOf(one.row === null ? null : (known[one.row]?.row?.id ?? ""), one));
    if (found === undefined || (colors.given !== null && found.color !== colors.given)) continue;
    found.place = one.place;
    asking.set(found, one);
  }
  return asking;
}

const moves = ({ fields }: Pick<RaisedChange | Proposal, "fields">): boolean => "order" in fields;

// Compares a later draft with the stored script: differences that need a decision become pending script changes, the others become a document,
// and the draft becomes the newest one.
import { isDeepStrictEqual } from "node:util";
import type { Store } from "../../core/store/store.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Raw } from "../documents/sections/form.ts";
import { append } from "../sequences/sequences.ts";
import { breakDown } from "./breakdown.ts";
import { breakdownOptions } from "./breakdown_options.ts";
import { isRename, isSameRename, renameOf } from "./character_renames.ts";
import {
  type Colors,
  type Compared,
  type KnownScene,
  knownScenes,
  lastTextOf,
  type RaisedChange,
  raiseChanges,
} from "./comparing.ts";
import { compareDrafts } from "./comparison.ts";
import { draftRenames, raiseRename } from "./draft_renames.ts";
import { type DraftScene, laterDraft } from "./drafts.ts";
import type { DraftHead } from "./first_draft.ts";
import { mergePages } from "./revised_pages.ts";
import {
  changedSince,
  contentFields,
  decidedFields,
  dependenciesOf,
  sceneChange,
  withChangedNames,
} from "./scene_changes.ts";
import type { Script } from "./script.ts";
import {
  type NextRow,
  type PendingChange,
  pendingChangesOf,
  type RowWrites,
  rowWrites,
  type ScriptKey,
  scriptRows,
} from "./script_store.ts";

export interface LaterDraft {
  raised: RaisedChange[];
  /** The scenes that change without a decision, as a document has them, and the assets that they need. */
  scenes: Raw[];
  assets: Raw[];
  rows: RowWrites;
  /** The pending changes that the draft does not ask. */
  superseded: readonly PendingChange[];
  /** How many scenes had no text yet, and have one now. */
  texts: number;
  /** How many scenes the production has that are not omitted. */
  standing: number;
  /** Whether there is anything to write. */
  changes: boolean;
}

const contentOf = ({ estimated: _, revision_color: __, shape: ___, draft: ____, ...content }: DraftScene) => content;
const isSameScene = (one: DraftScene, other: DraftScene): boolean =>
  one === other || isDeepStrictEqual(contentOf(one), contentOf(other));

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

/**
 * Whether a pending change asks what a draft raises: the same fields of the same scene, which is as the change found it, in the colour of the
 * import if it says one.
 */
function isSameQuestion(pending: PendingChange, { kind, fields, known, scene }: RaisedChange, given: string | null) {
  if (given !== null && pending.revision_color !== given) return false;
  if (isRename(fields)) {
    const isSame = isRename(pending.fields) && isSameRename(renameOf(pending.fields), renameOf(fields));
    return isSame && isDeepStrictEqual(pending.fields.except?.to, fields.except?.to);
  }
  const askedOf = (of: typeof fields) => [decidedFields.filter((name) => name in of), of.order?.to];
  return (
    pending === known?.waiting &&
    pending.kind === kind &&
    isDeepStrictEqual(askedOf(pending.fields), askedOf(fields)) &&
    isSameScene(known.scene, scene) &&
    (known.node === undefined || changedSince(pending.fields, dependenciesOf(known.node)).length === 0)
  );
}

interface LaterOptions {
  head: DraftHead;
  episode: string | undefined;
  key: ScriptKey;
  pages: boolean;
}

/** What of each known scene was there before, for the comparison. */
function formerStates(known: readonly KnownScene[], orders: ReadonlyMap<number | null, number>) {
  return {
    approved: known.map(({ node, approved: scene }) => node && { scene, order: orders.get(node.id) as number }),
    places: known.map(({ row, scene, waiting }) => ({
      at: row?.place ?? null,
      stands: row === undefined ? !scene.omitted : row.place !== null && row.stands === 1,
      asked: waiting?.fields.order !== undefined,
    })),
    waiting: known.map(({ waiting }) => waiting !== undefined && contentFields.some((name) => name in waiting.fields)),
  };
}

/** The rows of the script as they will be. A scene is replaced only where it differs, or is asked about; then nobody decided about it yet. */
function nextRows(
  found: readonly KnownScene[],
  { next, added }: Compared,
  [raised, asking]: readonly [ReadonlySet<NextRow | undefined>, ReadonlySet<NextRow | undefined>],
): NextRow[] {
  for (const [at, row] of next.entries()) {
    const former = found[at]?.row;
    if (row === undefined || former === undefined) continue;
    if (asking.has(row) || (!raised.has(row) && isSameScene(former.scene, row.scene))) row.scene = former.scene;
    else row.decided = null;
    const last = former.approved ?? former.scene;
    if (row.approved !== null && isSameScene(last, row.approved)) row.approved = last;
    if (row.approved !== null && isSameScene(row.approved, row.scene)) row.approved = null;
  }
  return [...next.flatMap((row) => row ?? []), ...added];
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
  const pending = pendingChangesOf(store, key);
  const found = knownScenes(before, nodes, pending);
  const given = laterDraft(script, { scenes: found.map(lastTextOf) }, head.color);
  const whole = { ...given, colors: colorsOf(script, head.color), pages: undefined };
  const merged = pages ? mergePages(found, whole) : whole;
  const { draft, matching, colors } = merged;
  const { asked, known, keepNames } = draftRenames(stored, found, pending, { draft, matching, pages });
  const orders = new Map(nodes.map(({ id }, order) => [id as number | null, order]));
  const comparison = compareDrafts({ scenes: known.map(({ scene }) => scene) }, draft, {
    pages: merged.pages,
    matching,
    ...formerStates(known, orders),
  });
  const compared = raiseChanges(known, draft, colors, comparison);
  keepNames(compared.next);
  for (const one of asked) append(compared.raised, raiseRename(one, known, compared, colors));
  const asking = new Map(
    compared.raised.flatMap((one) => {
      const isOfFile = merged.pages === undefined || (one.place !== null && merged.pages.has(one.place));
      const same = pending.find((other) => isSameQuestion(other, one, isOfFile ? colors.given : null));
      return same === undefined ? [] : [[one, same] as const];
    }),
  );
  const raised = compared.raised.filter((one) => !asking.has(one));
  const stays = new Set(asking.values());
  const superseded = pending.filter((one) => !stays.has(one));
  const rowsOf = (changes: Iterable<RaisedChange>) => new Set([...changes].map(({ row }) => row));
  const rows = rowWrites(before, nextRows(found, compared, [rowsOf(raised), rowsOf(asking.keys())]));
  const document = silentDocument(stored, compared, head, episode);
  const sizes = [raised, document.scenes, superseded, rows.put, rows.removed].map(({ length }) => length);
  return {
    raised,
    ...document,
    rows,
    superseded,
    texts: compared.texts,
    standing: found.filter(({ node, approved }) => node !== undefined && !approved.omitted).length,
    changes: sizes.some((size) => size > 0),
  };
}

// Compares a later draft with the stored script: differences that need a decision become pending script changes, the others become a document,
// and the draft becomes the newest one.
import { isDeepStrictEqual } from "node:util";
import type { Store } from "../../core/store/store.ts";
import type { StoredItem, StoredProduction } from "../documents/nouns/stored.ts";
import type { NameChange } from "../documents/plan/scenes.ts";
import type { Raw } from "../documents/sections/form.ts";
import { type BrokenDownScene, breakDown } from "./breakdown.ts";
import { breakdownOptions } from "./breakdown_options.ts";
import { type Comparison, compareScript, type Question } from "./compare/comparison.ts";
import { type DraftScene, laterDraft } from "./compare/drafts.ts";
import { askedFields, changedSince, type FieldChanges, isAsDecided, isSameScene, silentOf } from "./compare/fields.ts";
import { type NextScene, nextScenes } from "./compare/next_draft.ts";
import { mergePages } from "./compare/pages.ts";
import { isRename, isSameRename } from "./compare/renames.ts";
import type { DraftHead } from "./first_draft.ts";
import {
  changeOfQuestion,
  characterFinder,
  dependenciesOf,
  type FoundScene,
  foundScenes,
  lastTextOf,
} from "./known_scenes.ts";
import { sceneChange, withChangedNames } from "./scene_changes.ts";
import type { Script } from "./script.ts";
import {
  changesOf,
  dismissedRenames,
  type NextRow,
  type RowWrites,
  rowWrites,
  type ScriptKey,
  type StoredChange,
  scriptRows,
} from "./script_store.ts";

/** A change that a draft raises. */
export interface RaisedChange extends Question {
  node: StoredItem | undefined;
  color: string | null;
  scene: DraftScene;
}

export interface LaterDraft {
  raised: RaisedChange[];
  /** The scenes that change without a decision, as a document has them, and the assets that they need. */
  scenes: Raw[];
  assets: Raw[];
  rows: RowWrites;
  /** The dismissed renames that the draft has, too. */
  dismissed: readonly NameChange[];
  /** The pending changes that the draft asks, too, with another length or other tags: what they are now. */
  described: readonly { id: number; change: RaisedChange }[];
  /** The pending changes that the draft does not ask, and those that documents brought of scenes that it changes. */
  superseded: readonly StoredChange[];
  /** How many scenes had no text yet, and have one now. */
  texts: number;
  /** How many scenes the production has that are not omitted. */
  standing: number;
  /** Whether there is anything to write. */
  changes: boolean;
}

/** The changes of stored scenes that need no decision, as a document has them. */
function silentDocument(
  stored: StoredProduction,
  changes: readonly { node: StoredItem; fields: FieldChanges; scene: DraftScene }[],
  { departments }: DraftHead,
  episode: string | undefined,
): { scenes: Raw[]; assets: Raw[] } {
  const brought = changes.map(({ scene, fields }) => withChangedNames(fields, scene));
  const { scenes, assets } = breakDown({ scenes: brought }, breakdownOptions(stored, departments, episode));
  const leaving: ReadonlySet<string> = new Set();
  const parts = changes.map(
    ({ node, fields, scene: draft }, at) =>
      sceneChange(node, fields, scenes[at] as BrokenDownScene, { color: null, draft, leaving }), // one for each
  );
  return { scenes: parts, assets };
}

/**
 * Whether the pending change of a scene or a character asks what a draft raises: the same fields of the scene, which is as the change found it, in
 * the colour of the import if it says one.
 */
function isSameQuestion(
  pending: StoredChange,
  { kind, fields, scene }: RaisedChange,
  found: FoundScene | undefined,
  given: string | null,
): boolean {
  if (given !== null && pending.revision_color !== given) return false;
  if (isRename(fields)) return isDeepStrictEqual(pending.fields.except?.to, fields.except?.to);
  const askedOf = (of: FieldChanges) => [askedFields(of), of.order?.to];
  return (
    found !== undefined &&
    pending.kind === kind &&
    isDeepStrictEqual(askedOf(pending.fields), askedOf(fields)) &&
    isAsDecided(found.scene, scene) &&
    (found.node === undefined || changedSince(pending.fields, dependenciesOf(found.node)).length === 0)
  );
}

/** The index of the scene that a question is about; -1 for a rename. */
const sceneAt = ({ at, fields }: Question): number => (isRename(fields) ? -1 : at);

interface LaterOptions {
  head: DraftHead;
  episode: string | undefined;
  key: ScriptKey;
  pages: boolean;
}

/** The rows of the script as they will be. What is as before stays the same text, so that it is not written again. */
function nextRows(
  found: readonly FoundScene[],
  next: readonly NextScene[],
  { settled }: Comparison,
  raised: ReadonlySet<number>,
): NextRow[] {
  return next.map(({ given, scene: same, place, known, stored }, at): NextRow => {
    const scene = raised.has(at) ? given : same;
    const { row, node } = found[known ?? -1] ?? {};
    const { approved, dismissed = 0 } = settled[at] ?? {}; // there is one for each
    const last = row?.approved ?? row?.scene;
    const isApproved = approved === undefined || stored === undefined || isSameScene(approved, scene);
    const kept = approved !== undefined && last !== undefined && isSameScene(last, approved) ? last : approved;
    return {
      id: row?.id,
      node_id: node?.id ?? null,
      place,
      scene,
      approved: isApproved ? null : (kept ?? null),
      dismissed,
      kept: row?.kept ?? [],
    };
  });
}

/** Compares a draft with the script that is kept, or with the production's scenes if none is. */
export function planLaterDraft(
  store: Store,
  stored: StoredProduction,
  script: Script,
  { head, episode, key, pages: isPages }: LaterOptions,
): LaterDraft {
  const nodes = stored.items("scenes").filter(({ raw }) => raw.episode === episode);
  const before = scriptRows(store, key);
  const pending = changesOf(store, key);
  const found = foundScenes(before, nodes, pending);
  const given = laterDraft(script, { scenes: found.map(lastTextOf) }, head.color);
  const { pages, ...whole } = isPages ? mergePages(found, given) : { ...given, pages: undefined };
  const color = head.color ?? null;
  const next = nextScenes(found, { ...whole, color, pages: pages && new Set(pages.keys()) });
  const former = dismissedRenames(store, key);
  const comparison = compareScript(next, { hasCharacter: characterFinder(stored), dismissed: former });
  const ofNext = next.map((one) => found[one.known ?? -1]);
  const raisedNow = comparison.questions.map((question): RaisedChange => {
    const { place, scene } = next[question.at] as NextScene; // its index
    const page = place === null ? undefined : pages === undefined ? place : pages.get(place);
    const own = isRename(question.fields) || page === undefined ? null : (script.scenes[page]?.revision?.color ?? null);
    return { ...question, node: ofNext[question.at]?.node, color: color ?? own ?? script.color, scene };
  });
  const changeOf = changeOfQuestion(pending);
  const asking = new Map(
    raisedNow.flatMap((one) => {
      const isOfFile = pages === undefined || next[one.at]?.isOfPages === true;
      const found = ofNext[one.at];
      const same = changeOf(one, found?.row);
      return same !== undefined && isSameQuestion(same, one, found, isOfFile ? color : null)
        ? [[one, same] as const]
        : [];
    }),
  );
  const raised = raisedNow.filter((one) => !asking.has(one));
  const described = [...asking].flatMap(([change, { id, fields }]) =>
    isDeepStrictEqual(silentOf(change.fields), silentOf(fields)) ? [] : [{ id, change }],
  );
  const stays = new Set(asking.values());
  const changed = new Set(raised.flatMap(({ node }) => node?.id ?? []));
  const numbers = new Set(raised.map(({ number }) => number));
  const brought = changesOf(store, key, "brought").filter(({ node_id, scene_number }) =>
    node_id === null ? numbers.has(scene_number) : changed.has(node_id),
  );
  const superseded = [...pending.filter((one) => !stays.has(one)), ...brought];
  const rows = rowWrites(before, nextRows(found, next, comparison, new Set(raised.map(sceneAt))));
  const asked = new Set(comparison.questions.map(sceneAt));
  const silent = comparison.settled.flatMap(({ silent }, at) => {
    const [one, node] = [next[at], ofNext[at]?.node];
    const isChanged = one !== undefined && node !== undefined && Object.keys(silent).length > 0;
    return isChanged ? [{ node, fields: silent, scene: one.scene }] : [];
  });
  const document = silentDocument(stored, silent, head, episode);
  const sizes = [raised, described, document.scenes, superseded, rows.put, rows.removed].map(({ length }) => length);
  return {
    raised,
    ...document,
    rows,
    described,
    dismissed: former.filter((one) => comparison.renames.some((other) => isSameRename(one, other))),
    superseded,
    texts: next.filter(({ place, former }, at) => place !== null && former?.text === null && !asked.has(at)).length,
    standing: found.filter(({ stored }) => stored?.omitted === false).length,
    changes: sizes.some((size) => size > 0),
  };
}

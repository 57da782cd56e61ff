// Compares a later draft with the stored script: differences that need a decision become pending script changes, the
// others become a document, and the draft becomes the newest one.
import type { Store } from "../../core/store/store.ts";
import { plural, textIsStored } from "../../core/wording.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { Row } from "../documents/changes/rows.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import type { Planning, Written } from "../documents/update_input.ts";
import type { DraftedScene, PlanOptions } from "../paperwork/importers.ts";
import { type BrokenDownScene, breakDown, breakdownOptions, castListOf } from "./breakdown.ts";
import { summaryOf } from "./change_summaries.ts";
import type { SettledScene } from "./compare/comparison.ts";
import { laterDraft, withSingleCards } from "./compare/drafts.ts";
import { isEmpty, isSameScene } from "./compare/fields.ts";
import type { NextScene } from "./compare/next_draft.ts";
import { mergePages } from "./compare/pages.ts";
import { isRename, renameKey, renamesOf } from "./compare/renames.ts";
import { type DraftHead, draftOperation, type ScriptPlan } from "./first_draft.ts";
import { charactersOf, type LinkedCharacter, linkedOf, linksByHand } from "./linked_characters.ts";
import {
  type DraftedMoves,
  draftedMoves,
  fieldsOfMove,
  inMoves,
  moveOperations,
  movesIn,
  raisedInMoves,
  tellOfMoves,
  warningsOfTwins,
} from "./moves.ts";
import { elsewhereText, namedElsewhere, renameAsked } from "./other_episodes.ts";
import { type Asked, compareWith, type FoundScene, lastTextOf, type StoredScript } from "./questions.ts";
import { changeOperations, changesOfScript, reconcile } from "./reconcile.ts";
import { sceneChange, withChangedNames } from "./scene_changes.ts";
import { draftColor, type Script } from "./script.ts";
import { lastDetection, type NextRow, rowOperations, rowWrites, type ScriptKey, tellOfChange } from "./script_store.ts";

/** A question in the colour of its change; null if no draft says one. */
export type Raised = Asked & { color: string | null };

/** The changes of stored scenes that need no decision, as a document has them. */
function silentDocument(
  { stored, episode }: StoredScript,
  { departments }: DraftHead,
  next: readonly NextScene<FoundScene>[],
  settled: readonly SettledScene[],
): { scenes: Raw[]; assets: Raw[] } {
  const changes = next.flatMap(({ known, scene }, at) => {
    const [node, fields] = [known?.node, settled[at]?.silent ?? {}];
    return node === undefined || isEmpty(fields) ? [] : [{ node, fields, scene }];
  });
  const brought = changes.map(({ scene, fields }) => withChangedNames(fields, scene));
  const { scenes, assets } = breakDown({ scenes: brought }, breakdownOptions(stored, departments, episode));
  const parts = changes.map(({ node, fields, scene: draft }, at) =>
    // There is one for each.
    sceneChange(node, fields, scenes[at] as BrokenDownScene, { color: null, draft, former: draft, leaving: new Set() }),
  );
  return { scenes: parts, assets };
}

/** A row of the script as it will be. What is as before stays the same text, so that it is not written again. */
function nextRow(
  { given, scene: same, place, known, stored }: NextScene<FoundScene>,
  { approved, dismissed }: SettledScene,
  isRaised: boolean,
  characters: ReadonlyMap<string, LinkedCharacter>,
): NextRow {
  const scene = isRaised ? given : same;
  const { row, node } = known ?? {};
  const last = row?.approved ?? row?.scene;
  const kept = last !== undefined && isSameScene(last, approved) ? last : approved;
  const isApproved = stored === undefined || isSameScene(approved, scene);
  const by_hand = row?.by_hand ?? [];
  return {
    id: row?.id,
    node_id: node?.id ?? null,
    place,
    scene,
    approved: isApproved ? null : kept,
    dismissed,
    kept: row?.kept ?? [],
    by_hand:
      isApproved && last !== undefined ? linksByHand({ by_hand }, last, scene, linkedOf(characters, node)) : by_hand,
  };
}

/** A time after every change and draft of the production, so that each change has its own key. */
export function detectionTime(store: Store, production_id: number, now: string): string {
  const last = lastDetection(store, { production_id, now }) ?? null;
  return last === null ? now : new Date(Date.parse(last) + 1).toISOString();
}

/** The changes of a draft as a document has them. */
export const changesIn = (raised: readonly Raised[], detected_at: string, episode: string | undefined): Raw[] =>
  raised.map((one) => {
    const { kind, number, color, of } = one;
    const node = of.known?.node;
    const scene = node === undefined ? {} : { scene: sceneName(String(node.raw.number), episode) };
    const about = { ...(episode !== undefined && { episode }), ...scene, scene_number: number };
    const revision_color = color ?? String(node?.raw.revision_color ?? "white");
    return { ...about, kind, status: "pending", summary: summaryOf(one, episode), revision_color, detected_at };
  });

/** What is asked about renames of characters whom scenes of other episodes have, too. */
function renameQuestions(store: Store, { production_id, episode_id }: ScriptKey, raised: readonly Raised[]): string[] {
  const asked = raised.flatMap(({ fields }, at) => renameAsked({ id: at, episode_id, fields }));
  const elsewhere = namedElsewhere(store, production_id, asked);
  return asked.flatMap(({ id, from }) => {
    const found = elsewhere.get(id);
    const to = raised[id]?.fields.character?.to;
    return found === undefined
      ? []
      : `the draft calls ${from} ${to}; ${elsewhereText(from, found)}: an approval says whether the new name holds everywhere, or ${to} is a new character of this episode`;
  });
}

/** The least scenes that a file lacks for the question. */
const manyOmitted = 5;

/**
 * What a draft does, in sentences; asks whether a file that lacks most scenes of the script has revised pages alone.
 */
function warningsOf(
  { superseded, texts, omitted, standing }: Record<"superseded" | "texts" | "omitted" | "standing", number>,
  isPages: boolean,
): string[] {
  const lacksMost = !isPages && omitted >= manyOmitted && omitted * 2 > standing;
  return [
    ...(superseded > 0
      ? [`${plural(superseded, "pending script change")} ${superseded === 1 ? "is" : "are"} superseded`]
      : []),
    ...(texts > 0 ? [`the text of ${plural(texts, "scene")} ${textIsStored}`] : []),
    ...(lacksMost
      ? [
          `the file lacks ${omitted} of the ${standing} scenes of the script, which omits them: if it has only revised pages, import it with --pages`,
        ]
      : []),
  ];
}

/** The scenes that a draft omits or adds, as they may come from, or go to, another episode. */
export const draftedScenes = (
  raised: readonly Raised[],
  { episode_id }: ScriptKey,
  { episode, file }: { episode: string | undefined; file: string },
): DraftedScene[] =>
  raised.flatMap(({ kind, number, color, of: { known, scene } }, at) => {
    if (episode_id === null || episode === undefined || kind === "changed") return [];
    const { node } = known ?? {};
    const of = kind === "omitted" ? known?.approved : scene;
    const named = kind === "omitted" && node !== undefined ? String(node.raw.number) : number;
    const about = { kind, episode_id, episode, number: named, text: of?.text ?? null, file, raised: at };
    return [{ ...about, change_id: null, node_id: node?.id ?? null, color: color ?? scene.revision_color }];
  });

/** The operation that adds a change which the draft raises, with the cells that no document has. */
function withCells(operation: RowOperation, cells: Row | undefined, draft_id: number): RowOperation {
  const { table, to } = operation;
  if (table !== "script_changes" || cells === undefined || to === null || Array.isArray(to)) return operation;
  return { ...operation, to: { ...to, ...cells, draft_id } };
}

/** The operations of an import with the cells of changes that a draft raises, and what moves do to stored ones. */
export function questionOperations(
  planning: Planning,
  raised: readonly Raised[],
  moved: DraftedMoves,
  { file, draft_id }: { file: string; draft_id: number },
): RowOperation[] {
  const ids = planning.added("script_changes", file);
  // each is in the document
  const moveIds = ids.slice(raised.length);
  const cellsOf = new Map([
    ...raised.map(({ fields }, at) => [ids[at], { fields: JSON.stringify(fields) }] as const),
    ...moved.moves.map((one, at) => [moveIds[at], { fields: JSON.stringify(fieldsOfMove(one)) }] as const),
  ]);
  return [
    ...inMoves(planning, moved.moves, { draft_id, ids: moveIds }).map((one) =>
      withCells(one, cellsOf.get(one.id), draft_id),
    ),
    ...moveOperations(planning.store, moved, { now: planning.now, draft_id, ids: moveIds }),
  ];
}

/** Plans a later draft: compares it with the script that is kept, or with the production's scenes if none is. */
export function planLaterDraft(
  store: Store,
  stored: StoredScript,
  given: Script,
  {
    head,
    isPages,
    actor,
    drafted,
  }: { head: DraftHead; isPages: boolean; actor: string; drafted: PlanOptions["drafted"] },
): ScriptPlan {
  const { key, episode } = stored;
  const changes = changesOfScript(store, key);
  const castList = castListOf(breakdownOptions(stored.stored, head.departments, episode));
  let [script, ofScript]: [Script, string[]] = [given, []];
  const compared = compareWith(store, stored, changes.waiting, (found) => {
    const before = { scenes: found.map(lastTextOf) };
    const single = withSingleCards(given, before);
    const { warnings, ...draft } = laterDraft(single.script, before, head.color, castList);
    [script, ofScript] = [single.script, [...single.warnings, ...warnings]];
    return { color: head.color ?? null, ...(isPages ? mergePages(found, draft) : { ...draft, pages: undefined }) };
  });
  const { rows: before, found, next, settled, pages } = compared;
  const color = draftColor(script);
  const questions = compared.questions.map((one): Raised => {
    const page = pages === undefined ? one.of.place : pages.get(one.of.place ?? -1);
    const own = isRename(one.fields) ? undefined : script.scenes[page ?? -1]?.revision?.color;
    return { ...one, color: head.color ?? own ?? color };
  });
  const reconciled = reconcile(questions, changes, {
    colorOf: ({ of }) => (!isPages || of.isOfPages === true ? head.color : undefined),
  });
  const { raised, described, superseded } = reconciled;
  const ofScenes = (of: readonly Asked[]) => new Set(of.flatMap(({ fields, of }) => (isRename(fields) ? [] : [of])));
  const [asked, raisedOf] = [ofScenes(questions), ofScenes(raised)];
  const characters = charactersOf(stored.stored);
  const rows = rowWrites(
    before,
    // there is one for each
    next.map((one, at) => nextRow(one, settled[at] as SettledScene, raisedOf.has(one), characters)),
  );
  const gone = new Set(superseded.map(({ id }) => id));
  const own = draftedScenes(raised, key, { episode, file: head.file });
  const moved = draftedMoves(store, key, gone, own, drafted);
  const lifted = new Set<unknown>(moved.moves.map(({ omission }) => omission));
  const left = own.filter((one) => one.kind === "omitted" && !lifted.has(one));
  const detected_at = detectionTime(store, key.production_id, head.now);
  const isInMove = raisedInMoves(moved.moves, head.file);
  const document = {
    ...silentDocument(stored, head, next, settled),
    script_changes: [
      ...changesIn(raised, detected_at, episode).map((one, at) =>
        isInMove.has(at) ? { ...one, status: "dismissed", decided_at: detected_at } : one,
      ),
      ...movesIn(moved.moves, detected_at),
    ],
  };
  const counts = {
    superseded: superseded.length,
    texts: next.filter((one) => one.place !== null && one.former?.text === null && !asked.has(one)).length,
    omitted: raised.filter(({ kind }) => kind === "omitted").length,
    standing: found.filter(({ stored }) => stored?.omitted === false).length,
  };
  const isIdle = [raised, described, document.scenes, superseded, rows.put, rows.removed].every(isEmpty);
  const renamed = renamesOf(compared.renames);
  const renames = compared.dismissed.filter((one) => renamed.has(renameKey(one)));
  function operations(planning: Planning): RowOperation[] {
    const recorded = draftOperation(planning, key, script, head, renames);
    const { id: draft_id } = recorded;
    return [
      ...questionOperations(planning, raised, moved, { file: head.file, draft_id }),
      recorded,
      ...rowOperations(planning, key, rows, draft_id),
      ...changeOperations(store, reconciled, { now: planning.now, draft_id, episode }),
    ];
  }
  function write(_: unknown, { production_id }: Written): void {
    for (const change of superseded) tellOfChange(store, { production_id, actor, now: head.now }, "dismissed", change);
    tellOfMoves(store, moved, { production_id, actor, now: head.now });
  }
  return {
    document: Object.fromEntries(Object.entries(document).filter(([, list]) => list.length > 0)),
    orders_scenes: false,
    warnings: [
      ...warningsOf(counts, isPages),
      ...ofScript,
      ...renameQuestions(store, key, raised),
      ...warningsOfTwins(store, key.production_id, left),
    ],
    ...(!isIdle && { beside: { operations, write } }),
  };
}

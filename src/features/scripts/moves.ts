// Scenes that one episode of a series omits and another one adds with their text: one change asks about both.
import { commandText } from "../../core/program.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { replay } from "../documents/changes/replay.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import type { Planning, Written } from "../documents/update_input.ts";
import type { DraftedScene, PlanOptions } from "../paperwork/importers.ts";
import { Likeness } from "./compare/likeness.ts";
import { changed, findScriptChange, type ScriptKey, tellOfChange } from "./script_store.ts";

/** A change of kind `moved`, with the omission, if that is no approved one, and the addition that it stands for. */
export interface MoveChange {
  id: number;
  status: "pending" | "approved" | "dismissed";
  draft_id: number;
  superseded_by: number | null;
  omission: number | null;
  omission_status: string | null;
  addition: number | null;
  addition_status: string | null;
  /** Whether its scene is omitted in the production. */
  is_omitted: 0 | 1;
}
const movesOf = many<{ production_id: number }, MoveChange>("list_scene_moves");

/** A scene that an episode omits, or whose omission was approved, or one that an episode adds. */
type OpenScene = Omit<DraftedScene, "file" | "raised">;
const openScenes = many<{ production_id: number }, OpenScene>("list_open_scenes");

/** A scene that stands, with its last approved text. */
type StandingScene = Pick<OpenScene, "episode_id" | "episode" | "number" | "text">;
const standingTexts = many<{ production_id: number }, StandingScene>("list_standing_texts");

type Side = OpenScene | DraftedScene;
const raisedIn = (side: Side): DraftedScene | undefined => ("raised" in side ? side : undefined);

/** A scene that goes from one episode to another. */
export interface Move {
  omission: Side;
  addition: Side;
}

/** The least likeness of the texts of a scene that one episode omits and another one adds. */
const moveLikeness = 0.5;

/**
 * The scenes of different episodes that are the same, the most alike first; each in one pair at most, and one of each
 * pair in `own`.
 */
function pairsOf<O extends StandingScene, A extends StandingScene>(
  omissions: readonly O[],
  additions: readonly A[],
  own: ReadonlySet<StandingScene>,
  least = moveLikeness,
): { omission: O; addition: A }[] {
  if (omissions.length === 0 || additions.length === 0) return [];
  const likeness = new Likeness(
    omissions.map(({ text }) => text),
    additions.map(({ text }) => text),
  );
  const candidatesOf = likeness.candidates(additions.keys());
  const found = [...omissions.entries()].flatMap(([at, omission]) =>
    candidatesOf(at).flatMap((other) => {
      const addition = additions[other] as A; // one of them
      const score = likeness.of(at, other);
      const isNew = own.has(omission) || own.has(addition);
      const isMove = isNew && addition.episode_id !== omission.episode_id && score >= least;
      return isMove ? [{ omission, addition, score, at, other }] : [];
    }),
  );
  found.sort((one, other) => other.score - one.score || one.at - other.at || one.other - other.other);
  const taken = new Set<StandingScene>();
  return found.flatMap(({ omission, addition }) => {
    if (taken.has(omission) || taken.has(addition)) return [];
    taken.add(omission).add(addition);
    return [{ omission, addition }];
  });
}

/** The least words of a text that two scenes have by no chance, and the least likeness of a scene that stands. */
const [tellingWords, twinLikeness] = [12, 0.75];

/** Warns of scenes that a draft omits and another episode has already: no change asks about these. */
export function warningsOfTwins(store: Store, production_id: number, omissions: readonly DraftedScene[]): string[] {
  const telling = omissions.filter(({ text }) => (text?.match(/\S+/g) ?? []).length >= tellingWords);
  if (telling.length === 0) return [];
  const standing = standingTexts(store, { production_id });
  return pairsOf(telling, standing, new Set(telling), twinLikeness).map(({ omission, addition }) => {
    const [former, now] = [omission, addition].map((one) => sceneName(one.number, one.episode));
    return `${now} has the text of ${former}, which the draft omits: they are two scenes. If they are one, give ${former} the place of ${now}, so that it keeps its id and its days: ${commandText(`set scenes ${now} status=omitted "number=${addition.number} (omitted)"`)}, then ${commandText(`set scenes ${former} episode=${addition.episode} number=${addition.number}`)}`;
  });
}

/** What a draft does to the moves of scenes between the episodes. */
export interface DraftedMoves {
  moves: readonly Move[];
  /** Those that do not wait any more, because the draft does not ask about one side of them. */
  withdrawn: readonly MoveChange[];
  /** The other sides of these, which wait again. */
  released: readonly number[];
}

/** Finds what a draft moves; `superseded` are the changes of its script that it does not ask any more. */
export function draftedMoves(
  store: Store,
  { production_id, episode_id }: ScriptKey,
  superseded: ReadonlySet<number>,
  own: readonly DraftedScene[],
  drafted: PlanOptions["drafted"],
): DraftedMoves {
  if (episode_id === null) return { moves: [], withdrawn: [], released: [] };
  const waiting = movesOf(store, { production_id }).filter(({ status }) => status === "pending");
  const withdrawn = waiting.filter(({ omission, addition }) =>
    [omission, addition].some((id) => id !== null && superseded.has(id)),
  );
  const freed = withdrawn
    .flatMap(({ omission, addition }) => [omission ?? [], addition ?? []].flat())
    .filter((id) => !superseded.has(id));
  const busy = new Set(
    waiting.filter((one) => !withdrawn.includes(one)).flatMap(({ omission, addition }) => [omission, addition]),
  );
  const isOpen = ({ change_id }: OpenScene) =>
    change_id === null || !(superseded.has(change_id) || drafted.superseded.has(change_id) || busy.has(change_id));
  const others = openScenes(store, { production_id }).filter((one) => isOpen(one));
  const all = [...own, ...drafted.scenes, ...others];
  const moves = pairsOf(
    all.filter(({ kind }) => kind === "omitted"),
    all.filter(({ kind }) => kind === "added"),
    new Set(own),
  );
  const taken = new Set<Side>(moves.flatMap(({ omission, addition }) => [omission, addition]));
  drafted.scenes = [...drafted.scenes, ...own].filter((one) => !taken.has(one));
  for (const id of superseded) drafted.superseded.add(id);
  const moved = new Set(moves.flatMap(({ omission, addition }) => [omission.change_id, addition.change_id]));
  return { moves, withdrawn, released: freed.filter((id) => !moved.has(id)) };
}

/** The changes of moves as a document has them. */
export const movesIn = (moves: readonly Move[], detected_at: string): Raw[] =>
  moves.map(({ omission, addition }) => ({
    episode: addition.episode,
    scene: sceneName(omission.number, omission.episode),
    scene_number: addition.number,
    kind: "moved",
    status: "pending",
    summary: `${sceneName(addition.number, addition.episode)}: moved from ${sceneName(omission.number, omission.episode)}`,
    revision_color: addition.color,
    detected_at,
  }));

export const fieldsOfMove = ({ omission, addition }: Move): object => ({
  episode: { from: omission.episode, to: addition.episode },
  number: { from: omission.number, to: addition.number },
});

/** The places of the questions of a file for which moves stand. */
export const raisedInMoves = (moves: readonly Move[], file: string): ReadonlySet<number> =>
  new Set(
    moves.flatMap(({ omission, addition }) =>
      [omission, addition].flatMap((side) => {
        const drafted = raisedIn(side);
        return drafted?.file === file ? [drafted.raised] : [];
      }),
    ),
  );

const answered = (now: string, superseded_by: number) => ({ status: "dismissed", decided_at: now, superseded_by });
const waits = { status: "pending", decided_at: null, superseded_by: null };

/** The operations that add changes of the import, of which a move stands for some. */
export function inMoves(
  { operations, added, now }: Planning,
  moves: readonly Move[],
  { draft_id, ids }: { draft_id: number; ids: readonly number[] },
): RowOperation[] {
  const cells = new Map(
    moves.flatMap(({ omission, addition }, at) =>
      [omission, addition].flatMap((side) => {
        const drafted = raisedIn(side);
        if (drafted === undefined) return [];
        const id = added("script_changes", drafted.file)[drafted.raised];
        return [[id, { ...answered(now, draft_id), moved_by: ids[at] ?? null }] as const];
      }),
    ),
  );
  return operations.map((one) => {
    const own = one.table === "script_changes" && one.from === null ? cells.get(one.id) : undefined;
    return own === undefined || one.to === null || Array.isArray(one.to) ? one : { ...one, to: { ...one.to, ...own } };
  });
}

/** What a draft does to stored changes: `ids` are those of the moves. */
export function moveOperations(
  store: Store,
  { moves, withdrawn, released }: DraftedMoves,
  { now, draft_id, ids }: { now: string; draft_id: number; ids: readonly number[] },
): RowOperation[] {
  const put = (id: number, cells: Parameters<typeof changed>[3]) => changed(store, "script_changes", id, cells);
  return [
    ...moves.flatMap(({ omission, addition }, at) =>
      [omission, addition].flatMap((side) =>
        raisedIn(side) !== undefined || side.change_id === null
          ? []
          : put(side.change_id, { ...answered(now, draft_id), moved_by: ids[at] ?? null }),
      ),
    ),
    ...withdrawn.flatMap(({ id }) => put(id, answered(now, draft_id))),
    ...released.flatMap((id) => put(id, waits)),
  ];
}

/** Tells of the stored changes that a move stands for from now on, and of those that wait again. */
export function tellOfMoves(
  store: Store,
  { moves, withdrawn, released }: DraftedMoves,
  by: { production_id: number; actor: string; now: string },
): void {
  const taken = moves.flatMap(({ omission, addition }) => [omission.change_id ?? [], addition.change_id ?? []].flat());
  const tell = (what: "dismissed" | "detected", ids: readonly number[]) => {
    for (const id of ids) {
      const change = findScriptChange(store, id);
      if (change !== undefined) tellOfChange(store, by, what, change);
    }
  };
  tell("dismissed", [...taken, ...withdrawn.map(({ id }) => id)]);
  tell("detected", released);
}

/**
 * Follows an update: a move does not wait if the production has one side of it, and waits again once both sides do.
 * Returns how many do not, and how many do again.
 */
export function followMoves(
  { store, production_id, now }: Written,
  actor: string,
  made: ReadonlySet<number>,
): { made: number; again: number } {
  const by = { production_id, actor, now };
  const put = (id: number, cells: Parameters<typeof changed>[3]) => {
    replay(store.database, changed(store, "script_changes", id, cells), { now, planned: now });
  };
  const tell = (id: number, what: "dismissed" | "detected") => {
    const change = findScriptChange(store, id);
    if (change !== undefined) tellOfChange(store, by, what, change);
  };
  const moves = movesOf(store, { production_id });
  const isOver = ({ status, omission, addition, is_omitted }: MoveChange) =>
    status === "pending" &&
    ([omission, addition].some((id) => id !== null && made.has(id)) || (omission === null && is_omitted === 0));
  const over = moves.filter(isOver);
  for (const { id, draft_id, omission, addition } of over) {
    put(id, answered(now, draft_id));
    tell(id, "dismissed");
    for (const side of [omission, addition])
      if (side !== null && !made.has(side)) {
        put(side, waits);
        tell(side, "detected");
      }
  }
  const isBack = ({ status, superseded_by, omission, omission_status, addition_status, is_omitted }: MoveChange) =>
    status === "dismissed" &&
    superseded_by !== null &&
    addition_status === "pending" &&
    (omission === null ? is_omitted === 1 : omission_status === "pending");
  const back = moves.filter((one) => !over.includes(one) && isBack(one));
  for (const { id, draft_id, omission, addition } of back) {
    put(id, waits);
    tell(id, "detected");
    for (const side of [omission, addition])
      if (side !== null) {
        put(side, { ...answered(now, draft_id), moved_by: id });
        tell(side, "dismissed");
      }
  }
  return { made: over.length, again: back.length };
}

/** What a decision against a move does: both sides of it wait again. */
export const releasedBy = (
  store: Store,
  { omission, addition }: { omission: number | null; addition: number | null },
): RowOperation[] =>
  [omission, addition].flatMap((id) => (id === null ? [] : changed(store, "script_changes", id, waits)));

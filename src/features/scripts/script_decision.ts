// The decision of changes of one script: what becomes of its scenes.
import type { Store } from "../../core/store/store.ts";
import { sameName } from "../../core/wording.ts";
import { type NameChange, renamedCast } from "../documents/cast_names.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { Planning } from "../documents/update_input.ts";
import { dismissedOf, isContentDismissed, isPlaceDismissed } from "./compare/compared.ts";
import { type FieldChanges, isAsDecided } from "./compare/fields.ts";
import { formerByNew, hasName, isRename, renameOf, withFormerCast, withName } from "./compare/renames.ts";
import { namesToday } from "./other_episodes.ts";
import { changeFinder } from "./questions.ts";
import type { FormerTexts } from "./scheduled_scenes.ts";
import {
  changesOf,
  dismissedRenames,
  dismissRenames,
  type NextRow,
  rowOperations,
  rowWrites,
  type ScriptKey,
  type ScriptRow,
  type StoredChange,
  scriptRows,
} from "./script_store.ts";

/** A pending change that a draft raised, with the scene of the script that it is about; a rename has none. */
export interface Case {
  change: StoredChange;
  row: DecidedRow | undefined;
}

/** A case of a scene. */
export type SceneCase = Case & { row: DecidedRow };

/** A scene of the script as it will be. */
export interface DecidedRow extends NextRow {
  /** The reference of a scene that is added to the production. */
  added?: string;
}

/** A place in the newest draft. */
export interface DraftPlace {
  /** The scene of the production before it; undefined if it is the first. */
  after: DecidedRow | undefined;
  /** The omitted scenes behind that one. */
  between: readonly DecidedRow[];
  /** The scenes of the production that the draft does not have. */
  lacking: ReadonlySet<number | null>;
}

/** Whether a change is about more than the place of its scene. */
const hasContent = (fields: FieldChanges): boolean => Object.keys(fields).some((name) => name !== "order");

/** Decides the changes of one script. */
export class ScriptDecision {
  readonly cases: readonly Case[];
  /** The pending changes that are not decided, and their scenes. */
  readonly waiting: readonly StoredChange[];
  readonly #asked: ReadonlySet<number | null>;
  /** The renames that wait, or that were dismissed: what is approved has the former names. */
  readonly unnamed: readonly NameChange[];
  readonly #formerNames: ReadonlyMap<string, string>;
  /** The rows that have, or had, a name in their approved cast. */
  readonly #rowsByName = new Map<string, Set<DecidedRow>>();
  /** The names that the approved text has of characters whom another episode renamed, with those of today. */
  readonly aliases: readonly NameChange[];
  /** In the order of the draft, after those that it does not have. */
  readonly rows: readonly DecidedRow[];
  readonly key: ScriptKey;
  readonly #before: readonly ScriptRow[];
  /** The renames that are dismissed. */
  readonly #dismissed: NameChange[] = [];
  readonly #indexes: ReadonlyMap<DecidedRow, number>;
  /** The scenes that the production has where the draft has them. */
  readonly #placed: Set<DecidedRow>;

  readonly #lacking: ReadonlySet<number | null>;

  constructor(store: Store, key: ScriptKey, changes: readonly StoredChange[], hasCharacter: (name: string) => boolean) {
    this.key = key;
    this.#before = scriptRows(store, key);
    this.rows = this.#before.map((row) => ({ ...row }));
    this.aliases = namesToday(store, key, { rows: this.#before, hasCharacter });
    this.#lacking = new Set(this.rows.flatMap(({ place, node_id }) => (place === null ? node_id : [])));
    this.#indexes = new Map(this.rows.map((row, at) => [row, at]));
    const all = changesOf(store, key);
    const changeOf = changeFinder(all);
    const rowOf = new Map(this.rows.map((row) => [changeOf(row), row]));
    // A move is decided in the place of the addition for which it stands.
    const chosen = new Map(changes.map((one) => [one.addition ?? one.id, one]));
    this.waiting = all.filter(({ id }) => !chosen.has(id));
    this.#asked = new Set(this.waiting.map(({ node_id }) => node_id));
    const waiting = this.waiting.flatMap(({ fields }) => (isRename(fields) ? renameOf(fields) : []));
    this.unnamed = [...waiting, ...dismissedRenames(store, key)];
    this.#formerNames = formerByNew(this.unnamed);
    if (changes.some(({ fields }) => isRename(fields))) for (const row of this.rows) this.#note(row);
    // In the order of the draft, so that a scene that follows another finds it.
    this.cases = all
      .flatMap((change): Case[] => {
        const own = chosen.get(change.id);
        return own === undefined ? [] : [{ change: own, row: rowOf.get(change) }];
      })
      .sort((one, other) => (one.row?.place ?? -1) - (other.row?.place ?? -1));
    const isThere = (row: DecidedRow) => row.place !== null && row.node_id !== null && !row.scene.omitted;
    this.#placed = new Set(
      this.rows.filter((row) => isThere(row) && !isPlaceDismissed(row) && changeOf(row)?.fields.order === undefined),
    );
  }

  /** The name that a character has today whom the approved text may call by a former one. */
  nameToday(name: string): string {
    return this.aliases.find(({ from }) => sameName(from) === sameName(name))?.to ?? name;
  }

  /** A scene with the names that its characters have today. */
  today<S extends { cast: string[] }>(scene: S): S {
    const cast = renamedCast(scene.cast, this.aliases);
    return cast === undefined ? scene : { ...scene, cast };
  }

  /** The texts of the scenes of the production as they were approved before, by node. */
  get formerTexts(): FormerTexts {
    return new Map(
      this.#before.flatMap(({ node_id, approved, scene }) =>
        node_id === null ? [] : [[node_id, (approved ?? scene).text] as const],
      ),
    );
  }

  /**
   * Where the draft has a scene: after which scene of the production, and which omitted scenes it has between the two.
   */
  placeOf({ row }: Case): DraftPlace {
    const between: DecidedRow[] = [];
    // it is one of the rows
    const at = row === undefined || row.place === null ? 0 : (this.#indexes.get(row) as number);
    let before = at - 1;
    for (let one = this.rows[before]; one !== undefined && !this.#placed.has(one); one = this.rows[--before])
      if (one.place !== null && one.node_id !== null && one.scene.omitted) between.push(one);
    return { after: this.rows[before], between, lacking: this.#lacking };
  }

  /** The scene of a node goes to another episode: what the draft has of it is an omitted scene of its own. */
  leave(node_id: number | null, card: string): DecidedRow | undefined {
    const at = node_id === null ? -1 : this.rows.findIndex((row) => row.node_id === node_id);
    const row = this.rows[at];
    if (row === undefined) return undefined;
    const former = { ...row };
    const scene = { ...row.scene, omitted: true };
    Object.assign(row, { node_id: null, added: card, scene, approved: null, dismissed: 0, kept: [], by_hand: [] });
    return former;
  }

  /** Approves a change, once its scene has been added to the production. */
  approve({ change: { fields, kind }, row }: Case, isEverywhere: boolean): void {
    if (isRename(fields)) this.#rename(renameOf(fields), isEverywhere);
    if (row === undefined) return;
    const { scene, place } = row;
    const isPlaced = "order" in fields || !isPlaceDismissed(row);
    if (fields.omitted?.to === true) {
      const { text } = row.approved ?? scene;
      if (text !== scene.text) row.scene = { ...scene, last: text };
    }
    if (hasContent(fields)) {
      const approved = withFormerCast(row.scene, this.#formerNames);
      row.approved = isAsDecided(approved, row.scene) ? null : approved;
      this.#note(row);
    }
    row.dismissed = dismissedOf(isContentDismissed(row) && !hasContent(fields), !isPlaced);
    if (place !== null && ("order" in fields || kind === "moved")) this.#placed.add(row);
  }

  /** What the newest draft has stays what was not approved. */
  dismiss({ change: { fields }, row }: Case): void {
    if (isRename(fields)) this.#dismissed.push(renameOf(fields));
    if (row === undefined) return;
    const isPlace = isPlaceDismissed(row) || "order" in fields || fields.omitted?.to === false;
    row.dismissed = dismissedOf(isContentDismissed(row) || hasContent(fields), isPlace);
  }

  #note(row: DecidedRow): void {
    for (const name of (row.approved ?? row.scene).cast) {
      const rows = this.#rowsByName.get(sameName(name)) ?? new Set();
      this.#rowsByName.set(sameName(name), rows.add(row));
    }
  }

  /** The rows that may have a name in their approved cast. */
  #rowsWith = (name: string): DecidedRow[] => [...(this.#rowsByName.get(sameName(name)) ?? [])];

  /** Gives a character the name that the draft has, but where it keeps the former one, if not everywhere. */
  #rename(rename: NameChange, isEverywhere: boolean): void {
    for (const row of this.#rowsWith(rename.from)) {
      const isKept = row.place !== null && hasName(row.scene.cast, rename.from);
      if (row.node_id === null || (isKept && !isEverywhere)) continue;
      const last = row.approved ?? row.scene;
      const renamed = withName(last, rename, row.place === null || isKept ? undefined : row.scene);
      if (renamed === last) continue;
      row.approved = isAsDecided(renamed, row.scene) ? null : renamed;
      this.#note(row);
      if (isKept && !this.#asked.has(row.node_id)) row.dismissed = dismissedOf(true, isPlaceDismissed(row));
      if (row.approved === null && row.scene.shape === undefined) row.scene = { ...row.scene, shape: renamed.shape };
    }
  }

  /** The nodes of the scenes in which the draft keeps the former name of a character. */
  keepersOf({ from }: NameChange): number[] {
    return this.#rowsWith(from).flatMap(({ node_id, place, scene, approved }) => {
      const isKept = place !== null && hasName(scene.cast, from) && hasName((approved ?? scene).cast, from);
      return isKept && node_id !== null ? [node_id] : [];
    });
  }

  /** The nodes of the scenes to which the draft brings the new name of a character, in its own colour. */
  renamedBy({ from, to }: NameChange, revision_color: string): number[] {
    return this.#rowsWith(from).flatMap(({ node_id, place, scene }) => {
      const isRenamed = place !== null && hasName(scene.cast, to) && !hasName(scene.cast, from);
      return isRenamed && node_id !== null && scene.revision_color === revision_color ? [node_id] : [];
    });
  }

  /** Gives the scenes of nodes other numbers. */
  renumber(numbers: ReadonlyMap<number | null, string>): void {
    for (const row of this.rows) {
      const number = numbers.get(row.node_id);
      if (number === undefined) continue;
      if (row.approved === null) row.scene = { ...row.scene, number };
      else row.approved = { ...row.approved, number };
    }
  }

  /** What makes the stored script as it will be. */
  operations(planning: Planning): RowOperation[] {
    const { store } = planning;
    const next = this.rows.map(({ added, ...row }) =>
      added === undefined ? row : { ...row, node_id: planning.id("scene", added) },
    );
    const dismissed = [...dismissedRenames(store, this.key), ...this.#dismissed];
    return [
      ...rowOperations(planning, this.key, rowWrites(this.#before, next)),
      ...(this.#dismissed.length > 0 ? dismissRenames(store, this.key, dismissed) : []),
    ];
  }
}

// The decision of changes of one script: what becomes of its scenes.
import type { Store } from "../../core/store/store.ts";
import type { Written } from "../documents/apply/written.ts";
import type { NameChange } from "../documents/plan/scenes.ts";
import { dismissedOf, isContentDismissed, isPlaceDismissed } from "./compare/compared.ts";
import { type FieldChanges, isAsDecided } from "./compare/fields.ts";
import { hasName, isRename, renameOf, withFormerCast, withName } from "./compare/renames.ts";
import { changeFinder } from "./questions.ts";
import type { FormerTexts } from "./scheduled_scenes.ts";
import {
  changesOf,
  dismissedRenames,
  dismissRenames,
  type NextRow,
  rowWrites,
  type ScriptKey,
  type ScriptRow,
  type StoredChange,
  scriptRows,
  writeRows,
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
}

/** Whether a change is about more than the place of its scene. */
const hasContent = (fields: FieldChanges): boolean => Object.keys(fields).some((name) => name !== "order");

/** Decides the changes of one script. */
export class ScriptDecision {
  readonly cases: readonly Case[];
  /** The pending changes that are not decided. */
  readonly waiting: readonly StoredChange[];
  /** The renames that wait, or that were dismissed: what is approved has the former names. */
  readonly unnamed: readonly NameChange[];
  /** In the order of the draft, after those that it does not have. */
  readonly rows: readonly DecidedRow[];
  readonly #key: ScriptKey;
  readonly #before: readonly ScriptRow[];
  /** The renames that are dismissed. */
  readonly #dismissed: NameChange[] = [];
  readonly #indexes: ReadonlyMap<DecidedRow, number>;
  /** The scenes that the production has where the draft has them. */
  readonly #placed: Set<DecidedRow>;

  constructor(store: Store, key: ScriptKey, changes: readonly StoredChange[]) {
    this.#key = key;
    this.#before = scriptRows(store, key);
    this.rows = this.#before.map((row) => ({ ...row }));
    this.#indexes = new Map(this.rows.map((row, at) => [row, at]));
    const all = changesOf(store, key);
    const changeOf = changeFinder(all);
    const rowOf = new Map(this.rows.map((row) => [changeOf(row), row]));
    const chosen = new Set(changes.map(({ id }) => id));
    this.waiting = all.filter(({ id }) => !chosen.has(id));
    const waiting = this.waiting.flatMap(({ fields }) => (isRename(fields) ? renameOf(fields) : []));
    this.unnamed = [...waiting, ...dismissedRenames(store, key)];
    // In the order of the draft, so that a scene that follows another finds it.
    this.cases = all
      .flatMap((change): Case[] => (chosen.has(change.id) ? [{ change, row: rowOf.get(change) }] : []))
      .sort((one, other) => (one.row?.place ?? -1) - (other.row?.place ?? -1));
    const isThere = (row: DecidedRow) => row.place !== null && row.node_id !== null && !row.scene.omitted;
    this.#placed = new Set(
      this.rows.filter((row) => isThere(row) && !isPlaceDismissed(row) && changeOf(row)?.fields.order === undefined),
    );
  }

  /** The texts of the scenes of the production as they were approved before, by node. */
  get formerTexts(): FormerTexts {
    return new Map(
      this.#before.flatMap(({ node_id, approved, scene }) =>
        node_id === null ? [] : [[node_id, (approved ?? scene).text] as const],
      ),
    );
  }

  /** Where the draft has a scene: after which scene of the production, and which omitted scenes it has between the two. */
  placeOf({ row }: Case): DraftPlace {
    const between: DecidedRow[] = [];
    const at = row === undefined || row.place === null ? 0 : (this.#indexes.get(row) as number); // it is one of the rows
    let before = at - 1;
    for (let one = this.rows[before]; one !== undefined && !this.#placed.has(one); one = this.rows[--before])
      if (one.place !== null && one.node_id !== null && one.scene.omitted) between.push(one);
    return { after: this.rows[before], between };
  }

  /** Approves a change, once its scene has been added to the production. */
  approve({ change: { fields }, row }: Case, isEverywhere: boolean): void {
    if (isRename(fields)) this.#rename(renameOf(fields), isEverywhere);
    if (row === undefined) return;
    const { scene, place } = row;
    const isPlaced = "order" in fields || !isPlaceDismissed(row);
    if (hasContent(fields)) {
      const approved = withFormerCast(scene, this.unnamed);
      row.approved = isAsDecided(approved, scene) ? null : approved;
    }
    row.dismissed = dismissedOf(isContentDismissed(row) && !hasContent(fields), !isPlaced);
    if (place !== null && "order" in fields) this.#placed.add(row);
  }

  /** What the newest draft has stays what was not approved. */
  dismiss({ change: { fields }, row }: Case): void {
    if (isRename(fields)) this.#dismissed.push(renameOf(fields));
    if (row === undefined) return;
    const isPlace = isPlaceDismissed(row) || "order" in fields || fields.omitted?.to === false;
    row.dismissed = dismissedOf(isContentDismissed(row) || hasContent(fields), isPlace);
  }

  /** Gives a character the name that the draft has, but where it keeps the former one, if not everywhere. */
  #rename(rename: NameChange, isEverywhere: boolean): void {
    const asked = new Set(this.waiting.map(({ node_id }) => node_id));
    for (const row of this.rows) {
      const isKept = row.place !== null && hasName(row.scene.cast, rename.from);
      if (row.node_id === null || (isKept && !isEverywhere)) continue;
      const last = row.approved ?? row.scene;
      const renamed = withName(last, rename, row.place === null || isKept ? undefined : row.scene);
      if (renamed === last) continue;
      row.approved = isAsDecided(renamed, row.scene) ? null : renamed;
      if (isKept && !asked.has(row.node_id)) row.dismissed = dismissedOf(true, isPlaceDismissed(row));
      if (row.approved === null && row.scene.shape === undefined) row.scene = { ...row.scene, shape: renamed.shape };
    }
  }

  /** The nodes of the scenes in which the draft keeps the former name of a character. */
  keepersOf({ from }: NameChange): number[] {
    return this.rows.flatMap(({ node_id, place, scene, approved }) => {
      const isKept = place !== null && hasName(scene.cast, from) && hasName((approved ?? scene).cast, from);
      return isKept && node_id !== null ? [node_id] : [];
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

  /** Writes the script, once its scenes are written. */
  write(writer: Written): void {
    const { store } = writer;
    const next = this.rows.map(({ added, ...row }) =>
      added === undefined ? row : { ...row, node_id: writer.id("scene", added) },
    );
    writeRows(store, this.#key, rowWrites(this.#before, next));
    if (this.#dismissed.length > 0)
      dismissRenames(store, this.#key, [...dismissedRenames(store, this.#key), ...this.#dismissed]);
  }
}

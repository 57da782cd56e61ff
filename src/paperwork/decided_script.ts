// The script of an episode while its changes are decided: the pending changes, and the script that is stored afterwards.
import type { StoredProduction } from "../document/stored.ts";
import { movedPositions } from "../sequences.ts";
import type { Store } from "../store/database.ts";
import { isRename } from "./character_renames.ts";
import {
  inDraftOrder,
  type NextRow,
  type Proposal,
  proposalsOf,
  type ScriptPart,
  type ScriptRow,
  type StoredChange,
  scriptRows,
} from "./script_store.ts";

/** A pending change with what its draft proposes. */
export interface Case {
  change: StoredChange;
  proposal: Proposal;
}

/** A scene of the script as it will be. */
export interface DecidedRow extends NextRow {
  /** The reference of a scene that is added to the production. */
  added?: string;
}

interface Placed {
  place: number;
  row: DecidedRow;
}

/** Decides the changes of one part of a script. */
export class PartDecision {
  readonly part: ScriptPart;
  readonly before: readonly ScriptRow[];
  readonly cases: readonly Case[];
  /** The pending changes that are not decided. */
  readonly waiting: readonly Proposal[];
  readonly #rows: DecidedRow[];
  readonly #byId: ReadonlyMap<number, DecidedRow>;
  /** The scenes that the production has in the order of the draft, by their places there. */
  readonly #placed: Placed[];

  constructor(store: Store, stored: StoredProduction, part: ScriptPart, changes: readonly StoredChange[]) {
    this.part = part;
    this.before = scriptRows(store, part);
    this.#rows = this.before.map((row) => ({ ...row }));
    this.#byId = new Map(this.#rows.map((row) => [row.id as number, row]));
    const proposals = new Map(proposalsOf(store, part).map((proposal) => [proposal.change_id, proposal]));
    const cases = changes.flatMap((change) => {
      const proposal = proposals.get(change.id);
      proposals.delete(change.id);
      return proposal === undefined ? [] : [{ change, proposal }];
    });
    this.waiting = [...proposals.values()];
    // In the order of the draft, so that a scene that follows another finds it.
    this.cases = cases.sort((one, other) => (one.proposal.place ?? -1) - (other.proposal.place ?? -1));
    const orders = new Map(stored.items("scenes").map(({ id }, order) => [id, order]));
    const placed = this.#rows
      .flatMap((row) => (row.place === null || row.node_id === null ? [] : [{ place: row.place, row }]))
      .sort((one, other) => one.place - other.place);
    const moved = movedPositions(placed.map(({ row }) => orders.get(row.node_id as number)));
    this.#placed = placed.filter((_, at) => !moved.has(at));
  }

  /** The scenes of the script in their order. */
  get rows(): DecidedRow[] {
    return inDraftOrder(this.#rows);
  }

  /** Where the scene of a place of the draft is among those that the production has. */
  #indexFor(place: number): number {
    let [low, high] = [0, this.#placed.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#placed[middle] as Placed).place < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The scene of the production after which a place of the draft is; undefined if it is the first. */
  predecessor(place: number): DecidedRow | undefined {
    return this.#placed[this.#indexFor(place) - 1]?.row;
  }

  /** Takes a decided scene of the draft into the script. `added` is the reference of one that is added to the production. */
  settle({ proposal }: Case, decision: "approved" | "dismissed", added?: string): void {
    const { script_scene_id, place, scene, fields } = proposal;
    if (isRename(fields)) return; // the script has the new name since the draft was imported
    const former = script_scene_id === null ? undefined : this.#byId.get(script_scene_id);
    const row: DecidedRow = former ?? { id: undefined, node_id: null, place, scene, approved: null };
    if (former === undefined) this.#rows.push(row);
    const isDismissed = decision === "dismissed" && row.node_id !== null;
    Object.assign(row, {
      ...{ place, scene, approved: isDismissed ? (row.approved ?? row.scene) : null },
      ...(added !== undefined && { added }),
    });
    if (decision === "approved" && place !== null && (added !== undefined || "order" in fields))
      this.#placed.splice(this.#indexFor(place), 0, { place, row });
  }

  /** Gives the scenes of nodes other numbers. */
  renumber(numbers: ReadonlyMap<number | null, string>): void {
    for (const row of this.#rows) {
      const number = numbers.get(row.node_id);
      if (number !== undefined) row.scene = { ...row.scene, number };
    }
  }
}

// The script of an episode while its changes are decided: the pending changes, and the script that is stored afterwards.
import type { Store } from "../store/database.ts";
import {
  type NextRow,
  type Part,
  type Proposal,
  proposalsOf,
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
export interface Row extends NextRow {
  /** The reference of a scene that is added to the production. */
  added?: string;
}

/** Decides the changes of one part of a script. */
export class PartDecision {
  readonly part: Part;
  readonly before: readonly ScriptRow[];
  readonly rows: Row[];
  readonly #cases: readonly Case[];
  #positions: ReadonlyMap<number | undefined, number> | undefined;

  constructor(store: Store, part: Part, changes: readonly StoredChange[]) {
    this.part = part;
    this.before = scriptRows(store, part);
    this.rows = this.before.map((row) => ({ ...row }));
    const proposals = new Map(proposalsOf(store, part).map((proposal) => [proposal.change_id, proposal]));
    const cases = changes.flatMap((change) => {
      const proposal = proposals.get(change.id);
      return proposal === undefined ? [] : [{ change, proposal }];
    });
    // In the order of the draft, so that a scene that follows another finds it.
    this.#cases = cases.sort((one, other) => (one.proposal.place ?? -1) - (other.proposal.place ?? -1));
  }

  get cases(): readonly Case[] {
    return this.#cases;
  }

  /** The scene of the production after which a place of the draft is; undefined if it is the first. */
  predecessor(place: number | null): Row | undefined {
    if (place === null) return undefined;
    let found: Row | undefined;
    for (const row of this.rows)
      if (row.place !== null && row.place < place && (row.node_id !== null || row.added !== undefined))
        if (found === undefined || row.place > (found.place as number)) found = row;
    return found;
  }

  /** Takes a decided scene of the draft into the script. */
  settle({ proposal }: Case, added: string | undefined): void {
    const { script_scene_id, place, scene, fields } = proposal;
    const at = script_scene_id === null ? -1 : (this.#indexes().get(script_scene_id) ?? -1);
    const former = at === -1 ? undefined : (this.rows[at] as Row);
    const next: Row = {
      ...{ id: former?.id, node_id: former?.node_id ?? null, place, scene },
      ...(added !== undefined && { added }),
    };
    if (former !== undefined && !("order" in fields)) {
      this.rows[at] = next;
      return;
    }
    this.#positions = undefined;
    if (former !== undefined) this.rows.splice(at, 1);
    const before = this.#before(place);
    this.rows.splice(before + 1, 0, next);
  }

  /** The index of each scene by its id. */
  #indexes(): ReadonlyMap<number | undefined, number> {
    this.#positions ??= new Map(this.rows.map(({ id }, at) => [id, at]));
    return this.#positions;
  }

  /** The index of the scene before a place of the draft; -1 if it is the first. */
  #before(place: number | null): number {
    let found = -1;
    for (const [at, row] of this.rows.entries())
      if (row.place !== null && row.place < (place ?? 0))
        if (found === -1 || row.place > ((this.rows[found] as Row).place as number)) found = at;
    return found;
  }
}

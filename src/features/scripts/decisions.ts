// Decides script changes: makes a document of the approved ones, and the script that is stored afterwards.

import { change, many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { UpdateInput } from "../documents/apply/apply.ts";
import { changeOf } from "../documents/apply/undo.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Writer } from "../documents/nouns/writer.ts";
import type { PlannedChange } from "../documents/plan/plan.ts";
import { type NameChange, renamedCast } from "../documents/plan/scenes.ts";
import { documentOfPaperwork } from "../documents/read/read.ts";
import type { Raw } from "../documents/sections/form.ts";
import { firstWhere } from "../sequences/sequences.ts";
import { ScriptApproval } from "./approved_scenes.ts";
import type { BrokenDownScene } from "./breakdown.ts";
import { isRename, renamedRow, renameOf, withFormerCast } from "./character_renames.ts";
import type { DraftScene } from "./drafts.ts";
import {
  deleteProposal,
  inDraftOrder,
  type NextRow,
  type Proposal,
  proposalsOf,
  type SceneDependencies,
  type ScriptKey,
  type ScriptRow,
  type StoredChange,
  scriptRows,
  seenByProposals,
  seeProposal,
  writeScriptRows,
} from "./script_store.ts";
import { withStateRecord } from "./script_undo.ts";

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

interface PlacedRow {
  place: number;
  row: DecidedRow;
}

/** Decides the changes of one script. */
class ScriptDecision {
  readonly key: ScriptKey;
  readonly before: readonly ScriptRow[];
  readonly cases: readonly Case[];
  /** The pending changes that are not decided. */
  readonly waiting: readonly Proposal[];
  readonly #rows: DecidedRow[];
  readonly #byId: ReadonlyMap<number, DecidedRow>;
  /** The scenes that the production has where the draft has them, by their places there. */
  readonly #placed: PlacedRow[];

  constructor(store: Store, key: ScriptKey, changes: readonly StoredChange[]) {
    this.key = key;
    this.before = scriptRows(store, key);
    this.#rows = this.before.map((row) => ({ ...row }));
    this.#byId = new Map(this.#rows.map((row) => [row.id as number, row]));
    const proposals = new Map(proposalsOf(store, key).map((proposal) => [proposal.change_id, proposal]));
    const cases = changes.flatMap((change) => {
      const proposal = proposals.get(change.id);
      proposals.delete(change.id);
      return proposal === undefined ? [] : [{ change, proposal }];
    });
    this.waiting = [...proposals.values()];
    // In the order of the draft, so that a scene that follows another finds it.
    this.cases = cases.sort((one, other) => (one.proposal.place ?? -1) - (other.proposal.place ?? -1));
    this.#placed = this.#rows
      .flatMap((row) => (row.place === null || row.stands === 0 ? [] : [{ place: row.place, row }]))
      .sort((one, other) => one.place - other.place);
  }

  /** The scenes of the script in their order. */
  get rows(): DecidedRow[] {
    return inDraftOrder(this.#rows);
  }

  /** Where the scene of a place of the draft is among those that the production has. */
  #indexFor(place: number): number {
    return firstWhere(this.#placed, (one) => one.place >= place);
  }

  /** The scene of the production after which a place of the draft is; undefined if it is the first. */
  predecessor(place: number): DecidedRow | undefined {
    return this.#placed[this.#indexFor(place) - 1]?.row;
  }

  /** The scene of a change as the drafts had it until now. */
  former({ proposal: { script_scene_id } }: Case): DraftScene[] {
    const row = script_scene_id === null ? undefined : this.#byId.get(script_scene_id);
    return row === undefined ? [] : [row.scene, ...(row.approved === null ? [] : [row.approved])];
  }

  /** Takes a decided scene of the draft into the script. `added` is the reference of one that is added to the production. */
  settle(
    { proposal }: Case,
    decision: Decision,
    { added, isEverywhere = false }: { added?: string | undefined; isEverywhere?: boolean } = {},
  ): void {
    const { script_scene_id, place, fields } = proposal;
    if (isRename(fields)) {
      this.#rename(proposal, decision, isEverywhere);
      return;
    }
    const scene = withFormerCast(proposal.scene, this.#waitingNames);
    const former = script_scene_id === null ? undefined : this.#byId.get(script_scene_id);
    const row: DecidedRow = former ?? { id: undefined, node_id: null, place, stands: 0, scene, approved: null };
    if (former === undefined) this.#rows.push(row);
    const isDismissed = decision === "dismissed" && row.node_id !== null;
    const isApproved = decision === "approved";
    if ("order" in fields || "omitted" in fields) row.stands = Number(isApproved && !scene.omitted);
    Object.assign(row, {
      place,
      scene,
      approved: isDismissed ? (row.approved ?? row.scene) : null,
      ...(added !== undefined && { added }),
    });
    if (isApproved && place !== null && "order" in fields)
      this.#placed.splice(this.#indexFor(place), 0, { place, row });
  }

  /** The renames that wait: until they are decided, the script has the former names. */
  get #waitingNames(): NameChange[] {
    return this.waiting.flatMap(({ fields }) => (isRename(fields) ? renameOf(fields) : []));
  }

  /**
   * Gives a character of the script the name that the draft has. What was dismissed keeps the former one as approved, but where another change
   * waits, which was found with the new one. A scene in which the draft keeps the former name has the new one as approved, if all have.
   */
  #rename({ fields, rename = { texts: {}, kept: [] } }: Proposal, decision: Decision, isEverywhere: boolean): void {
    const kept = new Set<number | null>(rename.kept);
    const asked = new Set(this.waiting.map(({ script_scene_id }) => script_scene_id));
    for (const row of this.#rows) {
      const { id, scene, approved } = row;
      const renamed = (one: DraftScene) => renamedRow(one, id, renameOf(fields), rename);
      const last = approved ?? scene;
      if (kept.has(row.node_id)) {
        if (isEverywhere && decision === "approved" && renamed(last) !== last) row.approved = renamed(last);
      } else if (renamed(scene) !== scene || renamed(last) !== last) {
        const keepsApproved = decision === "dismissed" && row.node_id !== null && !asked.has(id ?? null);
        row.scene = renamed(scene);
        row.approved = keepsApproved ? last : approved && renamed(approved);
      }
    }
  }

  /** Gives the scenes of nodes other numbers. */
  renumber(numbers: ReadonlyMap<number | null, string>): void {
    for (const row of this.#rows) {
      const number = numbers.get(row.node_id);
      if (number !== undefined) row.scene = { ...row.scene, number };
    }
  }
}

export type Decision = "approved" | "dismissed";

export const pendingChanges = many<{ production_id: number }, { id: number }>("list_pending_changes");
const decide = change("decide_script_change");

export interface DecisionOptions {
  decision: Decision;
  decided_by: string | null;
  note: string | null;
  /** Whether an approved rename holds for the scenes, too, in which the draft keeps the former name. */
  everywhere: boolean;
  /** Whether what follows on the schedule and of links is done, too. */
  follow: boolean;
  /** Is called with each change that is decided, with the node of its scene and the time of the commit, in the transaction. */
  decided(change: StoredChange, node_id: number | null, now: string): void;
}

const episodeOf = (changes: readonly StoredChange[]): string | undefined => changes[0]?.episode ?? undefined;

/** Applies the approved changes of one script. */
function approve(
  approval: ScriptApproval,
  decision: ScriptDecision,
  changes: readonly StoredChange[],
  { everywhere: isEverywhere }: Pick<DecisionOptions, "everywhere">,
): void {
  for (const one of decision.cases) approval.check(one);
  for (const one of decision.cases) if (isRename(one.proposal.fields)) approval.rename(one, isEverywhere);
  const broken = approval.breakDown(decision.cases, episodeOf(changes), decision.waiting);
  for (const [at, one] of decision.cases.entries()) {
    const scene = broken[at] as BrokenDownScene; // one for each case
    const { kind, place } = one.proposal;
    const after = place === null ? undefined : decision.predecessor(place);
    if (kind !== "added" && !isRename(one.proposal.fields))
      approval.change(one, scene, { after, former: decision.former(one) });
    const added = kind === "added" ? approval.add(one, scene, after) : undefined;
    decision.settle(one, "approved", { added, isEverywhere });
  }
  const proposed = new Set(decision.cases.map(({ change }) => change.id));
  for (const change of changes)
    if (!proposed.has(change.id) && change.kind === "omitted" && change.node_id !== null) approval.omit(change);
}

/** Plans the decision of pending changes of a production. Throws 409 if a scene is not any more what its change found. */
export function decideChanges(
  store: Store,
  stored: StoredProduction,
  changes: readonly StoredChange[],
  options: DecisionOptions,
): UpdateInput {
  const { production_id } = stored;
  const approval = new ScriptApproval(stored, options.follow);
  const decisions = [...Map.groupBy(changes, ({ episode_id }) => episode_id)].map(([episode_id, own]) => {
    const decision = new ScriptDecision(store, { production_id, episode_id }, own);
    if (options.decision === "approved") approve(approval, decision, own, options);
    else for (const one of decision.cases) decision.settle(one, "dismissed");
    return decision;
  });
  const waiting = decisions.flatMap((decision) => decision.waiting);
  const renumbered = approval.settleNumbers(waiting);
  for (const decision of decisions) decision.renumber(renumbered);
  const { scenes, assets, schedule, warnings } = approval.document();
  const raws = new Map(changes.map(({ id }) => [id, stored.rawOf("script_changes", id) as Raw])); // each is stored
  const beside = withStateRecord(store, production_id, (_, writer) => {
    beside.changes = writeDecisions(writer, decisions, changes, raws, options);
    followRenames(writer, approval.renames);
  });
  const sections = Object.entries({ scenes, assets, schedule }).filter(([, list]) => list.length > 0);
  const document = Object.fromEntries(sections);
  return {
    warnings,
    documents: [documentOfPaperwork(document, "script changes", { orders_scenes: true })],
    beside,
  };
}

/** A change that waits found the casts by the names that characters had before a rename was approved. */
function followRenames({ store, production_id }: Writer, renames: readonly NameChange[]): void {
  if (renames.length === 0) return;
  for (const { id: change_id, seen } of seenByProposals(store, { production_id })) {
    const found: Partial<SceneDependencies> = JSON.parse(seen);
    const cast = renamedCast(found.cast ?? [], renames);
    if (cast !== undefined) seeProposal(store, { production_id, change_id, seen: JSON.stringify({ ...found, cast }) });
  }
}

/** Writes the decisions. Returns what becomes of the rows of the script changes, which were `raws`. */
function writeDecisions(
  writer: Writer,
  decisions: readonly ScriptDecision[],
  changes: readonly StoredChange[],
  raws: ReadonlyMap<number, Raw>,
  { decision: status, decided_by, note, decided }: DecisionOptions,
): PlannedChange[] {
  const { store, production_id, now } = writer;
  const added = new Map<number, string>();
  for (const { key, before, rows, cases } of decisions) {
    const addedAt = new Map(rows.flatMap(({ place, added }) => (added === undefined ? [] : [[place, added] as const])));
    for (const { change, proposal } of cases) {
      deleteProposal(store, { production_id, id: change.id });
      const name = proposal.kind === "added" ? addedAt.get(proposal.place) : undefined;
      if (name !== undefined) added.set(change.id, name);
    }
    const next = rows.map(({ id, place, stands, scene, approved, node_id, added }) => ({
      id,
      place,
      stands,
      scene,
      approved,
      node_id: added === undefined ? node_id : writer.id("scene", added),
    }));
    writeScriptRows(store, key, before, next);
  }
  return changes.map((change) => {
    const { id } = change;
    const scene = added.get(id);
    const node_id = change.node_id ?? (scene === undefined ? null : writer.id("scene", scene));
    decide(store, { production_id, id, status, now, decided_by, note, node_id });
    decided(change, node_id, now);
    const raw = raws.get(id) as Raw; // there is one for each change
    const named = change.node_id === null && scene !== undefined ? { scene } : {};
    return changeOf("script_changes", id, raw, { ...raw, ...named, status, decided_at: now });
  });
}

// Decides script changes: what approved ones do to the production, as a document, and what of the script is kept afterwards.
import { sceneName } from "../document/names.ts";
import type { Raw } from "../document/partial_schema.ts";
import { documentOfPaperwork } from "../document/read_partial.ts";
import type { StoredItem, StoredProduction } from "../document/stored.ts";
import type { Reading } from "../document/update.ts";
import type { Writer } from "../document/writer.ts";
import { conflict } from "../errors.ts";
import { type BrokenDownScene, breakDown } from "../formats/breakdown.ts";
import type { Store } from "../store/database.ts";
import { change, many, one } from "../store/statements.ts";
import { breakdownOptions, scriptOf } from "./breakdowns.ts";
import { changedSince, sceneChange, seenOf } from "./scene_changes.ts";
import {
  deleteProposal,
  lastDraft,
  type NextRow,
  type Part,
  type Proposal,
  proposalsOf,
  type ScriptRow,
  scriptRows,
  writeScriptRows,
} from "./script_store.ts";

export type Decision = "approved" | "dismissed";

/** A script change as it is decided. */
export interface StoredChange {
  id: number;
  production_id: number;
  kind: Proposal["kind"];
  status: "pending" | Decision;
  node_id: number | null;
  scene_number: string;
  episode_id: number | null;
  /** The code of the episode. */
  episode: string | null;
  superseded_by: number | null;
}

export const findScriptChange = one<{ id: number }, StoredChange>("find_script_change");
export const pendingChanges = many<{ production_id: number }, { id: number }>("list_pending_changes");
const decide = change<{
  production_id: number;
  id: number;
  status: Decision;
  now: string;
  decided_by: string | null;
  note: string | null;
  node_id: number | null;
}>("decide_script_change");

export interface DecisionOptions {
  decision: Decision;
  decided_by: string | null;
  note: string | null;
  now: string;
  /** Told of each change that is decided, with the node of its scene, in the transaction. */
  decided(change: StoredChange, node_id: number | null): void;
}

/** A pending change with what its draft proposes. */
interface Case {
  change: StoredChange;
  proposal: Proposal;
}

const nameOf = ({ raw }: StoredItem): string => sceneName(String(raw.number), raw.episode as string | undefined);

/** A scene of the script as it will be. */
interface Row extends NextRow {
  /** The reference of a scene that is added to the production. */
  added?: string;
}

/** The scenes of the production in their order, as a document lists them. */
interface Listed {
  /** The node, or the reference of a scene that is added. */
  of: number | string;
  item: Raw;
}

/** Decides the changes of one part of a script. */
class PartDecision {
  readonly part: Part;
  readonly before: readonly ScriptRow[];
  readonly rows: Row[];
  readonly #cases: readonly Case[];

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
    const at = this.rows.findIndex(({ id }) => id !== undefined && id === script_scene_id);
    const former = at === -1 ? undefined : (this.rows[at] as Row);
    const next: Row = {
      ...{ id: former?.id, node_id: former?.node_id ?? null, place, scene },
      ...(added !== undefined && { added }),
    };
    if (former !== undefined && !("order" in fields)) {
      this.rows[at] = next;
      return;
    }
    if (former !== undefined) this.rows.splice(at, 1);
    const before = this.#before(place);
    this.rows.splice(before + 1, 0, next);
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

/** The document of approved changes. */
class Approval {
  readonly #stored: StoredProduction;
  readonly #nodes: ReadonlyMap<number, StoredItem>;
  readonly #list: Listed[];
  readonly #named = new Set<number>();
  #moves = false;
  readonly assets: Raw[] = [];

  constructor(stored: StoredProduction) {
    this.#stored = stored;
    const scenes = stored.items("scenes");
    this.#nodes = new Map(scenes.map((node) => [node.id, node]));
    this.#list = scenes.map(({ id, raw }) => {
      const { number, episode } = raw;
      return { of: id, item: { number, ...(episode !== undefined && { episode }) } };
    });
  }

  node(change: StoredChange): StoredItem | undefined {
    return change.node_id === null ? undefined : this.#nodes.get(change.node_id);
  }

  /** Throws 409 if the scene is not any more what the change found. */
  check({ change, proposal }: Case): void {
    const node = this.node(change);
    if (node === undefined || proposal.seen === null || proposal.kind === "added") return;
    const fields = changedSince(proposal.fields, proposal.seen, seenOf(node));
    if (fields.length > 0)
      throw conflict(
        `scene ${nameOf(node)} has changed since script change ${change.id} was detected: ${fields.join(", ")}; nothing was changed`,
      );
  }

  /** Breaks the approved scenes of a part down, all at once, so that they share the assets that are added. */
  breakDown(cases: readonly Case[], episode: string | undefined): BrokenDownScene[] {
    const departments = Object.assign({}, ...cases.map(({ proposal }) => proposal.departments));
    const scenes = cases.map(({ proposal: { fields, kind, scene } }) => {
      const isWhole = kind === "added" || fields.omitted?.to === false;
      return {
        ...scene,
        ...(!isWhole && !("cast" in fields) && { cast: [] }),
        ...(!isWhole && !("tags" in fields) && { tags: {} }),
        ...(fields.omitted?.to === true && !isWhole && { cast: [], tags: {} }),
      };
    });
    const numbers = scenes.map(({ number }) => number);
    const broken = breakDown(scriptOf(scenes), { ...breakdownOptions(this.#stored, departments, episode), numbers });
    const labels = new Set(this.assets.map(({ label }) => label));
    this.assets.push(...broken.assets.filter(({ label }) => !labels.has(label)).map((asset) => ({ ...asset })));
    return broken.scenes;
  }

  /** Applies an approved change of a stored scene. */
  change({ change, proposal }: Case, scene: BrokenDownScene, after: Row | undefined): void {
    const node = this.node(change) as StoredItem; // a changed or omitted scene is stored
    const { fields, color } = proposal;
    const item = sceneChange(node, fields, scene, { color, draft: proposal.scene });
    const at = this.#list.findIndex(({ of }) => of === node.id);
    this.#list[at] = { of: node.id, item };
    this.#named.add(at);
    if ("order" in fields) this.#place(this.#list.splice(at, 1)[0] as Listed, after, node.raw.episode);
    this.#named.clear();
  }

  /** Omits the scene of a change that has no proposal. */
  omit(change: StoredChange): void {
    const at = this.#list.findIndex(({ of }) => of === change.node_id);
    const one = this.#list[at];
    if (one !== undefined) this.#list[at] = { ...one, item: { ...one.item, status: "omitted" } };
  }

  /** Adds a scene after another. Throws 409 if its number is taken. Returns its reference. */
  add({ change, proposal }: Case, scene: BrokenDownScene, after: Row | undefined): string {
    const { color, scene: draft } = proposal;
    const name = sceneName(scene.number, scene.episode);
    const taken = [...this.#nodes.values()].some((node) => nameOf(node) === name);
    const freed = this.#list.some(({ item }) => item.was === scene.number && item.episode === scene.episode);
    if (taken && !freed)
      throw conflict(`there is a scene ${name} already, which script change ${change.id} adds; nothing was changed`);
    const estimated = draft.estimated ? { pages_estimated: true } : {};
    const item: Raw = { ...scene, revision_color: color ?? "white", elements: { ...scene.elements, ...estimated } };
    this.#place({ of: name, item }, after, scene.episode);
    return name;
  }

  #place(one: Listed, after: Row | undefined, episode: unknown): void {
    this.#moves = true;
    const of = after?.node_id ?? after?.added;
    const before = of === undefined ? -1 : this.#list.findIndex((other) => other.of === of);
    const first = this.#list.findIndex(({ item }) => item.episode === episode);
    const at = before !== -1 ? before + 1 : first === -1 ? this.#list.length : first;
    this.#list.splice(at, 0, one);
  }

  /** The scenes as a document lists them: all if their order changes, else those that change. */
  get scenes(): Raw[] {
    const own = this.#list.map(({ item }) => item);
    return this.#moves
      ? own
      : own.filter((item) => Object.keys(item).some((field) => field !== "number" && field !== "episode"));
  }
}

const episodeOf = (changes: readonly StoredChange[]): string | undefined => changes[0]?.episode ?? undefined;

/** Applies the approved changes of one part. */
function approve(approval: Approval, decision: PartDecision, changes: readonly StoredChange[]): void {
  for (const one of decision.cases) approval.check(one);
  const broken = approval.breakDown(decision.cases, episodeOf(changes));
  for (const [at, one] of decision.cases.entries()) {
    const scene = broken[at] as BrokenDownScene; // one for each case
    const after = decision.predecessor(one.proposal.place);
    const isNew = one.proposal.kind === "added";
    if (!isNew) approval.change(one, scene, after);
    decision.settle(one, isNew ? approval.add(one, scene, after) : undefined);
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
): Reading {
  const { production_id } = stored;
  const approval = new Approval(stored);
  const decisions = [...Map.groupBy(changes, ({ episode_id }) => episode_id)].map(([episode_id, own]) => {
    const decision = new PartDecision(store, { production_id, episode_id }, own);
    if (options.decision === "approved") approve(approval, decision, own);
    else for (const one of decision.cases) decision.settle(one, undefined);
    return decision;
  });
  const { scenes, assets } = approval;
  const document = { ...(scenes.length > 0 && { scenes }), ...(assets.length > 0 && { assets }) };
  const draft = lastDraft(store, { production_id });
  return {
    documents: [documentOfPaperwork(document, "script changes")],
    beside: {
      isStale: () => lastDraft(store, { production_id }) !== draft,
      write: (_, writer) => writeDecisions(writer, decisions, changes, options),
    },
  };
}

function writeDecisions(
  writer: Writer,
  decisions: readonly PartDecision[],
  changes: readonly StoredChange[],
  { decision: status, decided_by, note, now, decided }: DecisionOptions,
): void {
  const { store, production_id } = writer;
  const added = new Map<number, number>();
  for (const { part, before, rows, cases } of decisions) {
    for (const { change, proposal } of cases) {
      deleteProposal(store, { production_id, change_id: change.id });
      const row = rows.find((row) => row.added !== undefined && row.place === proposal.place);
      if (proposal.kind === "added" && row?.added !== undefined) added.set(change.id, writer.id("scene", row.added));
    }
    const next = rows.map(({ id, place, scene, node_id, added }) => ({
      ...{ id, place, scene, node_id: added === undefined ? node_id : writer.id("scene", added) },
    }));
    writeScriptRows(store, part, before, next);
  }
  for (const change of changes) {
    const node_id = change.node_id ?? added.get(change.id) ?? null;
    decide(store, { production_id, id: change.id, status, now, decided_by, note, node_id });
    decided(change, node_id);
  }
}

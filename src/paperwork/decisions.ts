// Decides script changes: makes a document of the approved ones, and the script that is stored afterwards.

import type { Reading } from "../document/apply.ts";
import { documentOfPaperwork } from "../document/read.ts";
import type { StoredProduction } from "../document/stored.ts";
import type { Writer } from "../document/writer.ts";
import type { BrokenDownScene } from "../formats/breakdown.ts";
import type { Store } from "../store/database.ts";
import { change, many } from "../store/statements.ts";
import { ScriptApproval } from "./approved_scenes.ts";
import { isRename } from "./character_renames.ts";
import { PartDecision } from "./decided_script.ts";
import { recordedBeside } from "./script_record.ts";
import { deleteProposal, type StoredChange, writeScriptRows } from "./script_store.ts";

export type Decision = "approved" | "dismissed";

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
  /** Is called with each change that is decided, with the node of its scene, in the transaction. */
  decided(change: StoredChange, node_id: number | null): void;
}

const episodeOf = (changes: readonly StoredChange[]): string | undefined => changes[0]?.episode ?? undefined;

/** Applies the approved changes of one part. */
function approve(approval: ScriptApproval, decision: PartDecision, changes: readonly StoredChange[]): void {
  for (const one of decision.cases) approval.check(one);
  for (const one of decision.cases) if (isRename(one.proposal.fields)) approval.rename(one);
  const broken = approval.breakDown(decision.cases, episodeOf(changes));
  for (const [at, one] of decision.cases.entries()) {
    const scene = broken[at] as BrokenDownScene; // one for each case
    const { kind, place } = one.proposal;
    const after = place === null ? undefined : decision.predecessor(place);
    if (kind !== "added" && !isRename(one.proposal.fields)) approval.change(one, scene, after);
    decision.settle(one, "approved", kind === "added" ? approval.add(one, scene, after) : undefined);
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
  const approval = new ScriptApproval(stored);
  const decisions = [...Map.groupBy(changes, ({ episode_id }) => episode_id)].map(([episode_id, own]) => {
    const decision = new PartDecision(store, stored, { production_id, episode_id }, own);
    if (options.decision === "approved") approve(approval, decision, own);
    else for (const one of decision.cases) decision.settle(one, "dismissed");
    return decision;
  });
  const waiting = decisions.flatMap((decision) => decision.waiting);
  const renumbered = approval.settleNumbers(waiting);
  for (const decision of decisions) decision.renumber(renumbered);
  const { scenes, assets } = approval;
  const document = { ...(scenes.length > 0 && { scenes }), ...(assets.length > 0 && { assets }) };
  return {
    documents: [documentOfPaperwork(document, "script changes", { orders_scenes: true })],
    beside: recordedBeside(store, production_id, (_, writer) => writeDecisions(writer, decisions, changes, options)),
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
    const addedAt = new Map(rows.flatMap(({ place, added }) => (added === undefined ? [] : [[place, added] as const])));
    for (const { change, proposal } of cases) {
      deleteProposal(store, { production_id, change_id: change.id });
      const name = proposal.kind === "added" ? addedAt.get(proposal.place) : undefined;
      if (name !== undefined) added.set(change.id, writer.id("scene", name));
    }
    const next = rows.map(({ id, place, scene, approved, node_id, added }) => ({
      ...{ id, place, scene, approved, node_id: added === undefined ? node_id : writer.id("scene", added) },
    }));
    writeScriptRows(store, part, before, next);
  }
  for (const change of changes) {
    const node_id = change.node_id ?? added.get(change.id) ?? null;
    decide(store, { production_id, id: change.id, status, now, decided_by, note, node_id });
    decided(change, node_id);
  }
}

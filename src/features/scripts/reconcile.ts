// Keeps the changes of a script true: those that wait are what the newest draft has otherwise than what was approved,
// less what was dismissed. Runs with a draft, and after decisions, updates and undos.
import { isDeepStrictEqual } from "node:util";
import type { Store } from "../../core/store/store.ts";
import { plural } from "../../core/wording.ts";
import type { Admin } from "../../graph/admin.ts";
import { replay } from "../documents/changes/replay.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { Plan, PlannedChange } from "../documents/planned.ts";
import { StoredProduction } from "../documents/stored.ts";
import type { Written } from "../documents/update_input.ts";
import { summaryOf } from "./change_summaries.ts";
import { askedFields, isAsDecided, isSameFormer, isSameValue, silentOf } from "./compare/fields.ts";
import { isRename } from "./compare/renames.ts";
import { followMoves } from "./moves.ts";
import { type Asked, changeOfQuestion, compareWith } from "./questions.ts";
import {
  type AskingScript,
  askingScripts,
  changed,
  changesOf,
  type ScriptKey,
  type StoredChange,
  tellOfChange,
} from "./script_store.ts";

/** The changes of a script: those that wait, that updates made, and that documents brought and that wait. */
export function changesOfScript(store: Store, key: ScriptKey) {
  const [waiting, answered, brought] = (["waiting", "answered", "brought"] as const).map((which) =>
    changesOf(store, key, which),
  ) as [StoredChange[], StoredChange[], StoredChange[]]; // one for each
  return { waiting, answered, brought };
}

/** A new draft, with the colour that the import gives to the change of a question. */
interface Drafted<Q> {
  colorOf(question: Q): string | undefined;
}

/** What becomes of the changes of a script. */
export interface Reconciled<Q> {
  /** The questions that no change asks: only a draft has some. */
  raised: Q[];
  /** The changes that wait again, and those that wait and say what they ask otherwise now. */
  again: (readonly [StoredChange, Q])[];
  described: (readonly [StoredChange, Q])[];
  /** Those that wait no more. */
  superseded: StoredChange[];
}

const namesAsked = (one: Asked | StoredChange) => askedFields(one.fields);

/**
 * Whether a change asks a question: the same of a scene that is as the change found it. After an update it may do so
 * without what the production has now, or with what it had before; a draft asks anew then.
 */
function asks<Q extends Asked>(change: StoredChange, question: Q, drafted?: Drafted<Q>): boolean {
  const { kind, fields, of } = question;
  const color = drafted?.colorOf(question);
  if (color !== undefined && change.revision_color !== color) return false;
  if (isRename(fields)) return drafted === undefined || isDeepStrictEqual(change.fields.except?.to, fields.except?.to);
  const { known, scene } = of;
  if (known === undefined || change.kind !== kind || !isAsDecided(known.scene, scene)) return false;
  if (drafted !== undefined && !isDeepStrictEqual(namesAsked(change), namesAsked(question))) return false;
  const approved: Partial<Record<string, unknown>> = { ...known.approved };
  return namesAsked(question).every((name) => {
    const { from, to } = change.fields[name] ?? { from: approved[name], to: fields[name]?.to };
    return (
      (name === "order" || isSameFormer(name, from, fields[name]?.from)) && isSameValue(name, to, fields[name]?.to)
    );
  });
}

/** Whether a change says something else than its question. */
const saysOtherwise = (change: StoredChange, question: Asked): boolean =>
  !isDeepStrictEqual(namesAsked(change), namesAsked(question)) ||
  !isDeepStrictEqual(silentOf(change.fields), silentOf(question.fields));

/** Compares what is asked with the changes of the script: `drafted` if a new draft asks. */
export function reconcile<Q extends Asked>(
  questions: readonly Q[],
  { waiting, answered, brought }: ReturnType<typeof changesOfScript>,
  drafted?: Drafted<Q>,
): Reconciled<Q> {
  const [waitingOf, answeredOf] = [changeOfQuestion(waiting), changeOfQuestion(answered)];
  const kept = new Set<StoredChange | undefined>();
  const settled: Reconciled<Q> = { raised: [], again: [], described: [], superseded: [] };
  for (const one of questions) {
    const [change, former] = [waitingOf(one), answeredOf(one)];
    const isAsked = change !== undefined && asks(change, one, drafted);
    if (isAsked || drafted === undefined) kept.add(change);
    if (isAsked && saysOtherwise(change, one)) settled.described.push([change, one]);
    if (isAsked) continue;
    if (drafted !== undefined) settled.raised.push(one);
    else if (change === undefined && former !== undefined && asks(former, one)) settled.again.push([former, one]);
  }
  const nodes = new Set(settled.raised.flatMap(({ of: { known } }) => known?.node?.id ?? []));
  const numbers = new Set(settled.raised.map(({ number }) => number));
  const isReplaced = ({ node_id, scene_number }: StoredChange) =>
    node_id === null ? numbers.has(scene_number) : nodes.has(node_id);
  settled.superseded = [...waiting.filter((change) => !kept.has(change)), ...brought.filter(isReplaced)];
  return settled;
}

/** What makes the stored changes so; those of a new draft are superseded by it. */
export function changeOperations(
  store: Store,
  { again, described, superseded }: Reconciled<Asked>,
  { now, draft_id, episode }: { now: string; draft_id?: number; episode: string | null | undefined },
): RowOperation[] {
  const saying = (one: Asked) => ({ fields: JSON.stringify(one.fields), summary: summaryOf(one, episode) });
  const waits = { status: "pending", decided_at: null, superseded_by: null };
  const put = (id: number, cells: Parameters<typeof changed>[3]) => changed(store, "script_changes", id, cells);
  return [
    ...superseded.flatMap((one) =>
      put(one.id, { status: "dismissed", decided_at: now, superseded_by: draft_id ?? one.draft_id }),
    ),
    ...described.flatMap(([{ id }, one]) => put(id, saying(one))),
    ...again.flatMap(([{ id }, one]) => put(id, { ...waits, ...saying(one) })),
  ];
}

/**
 * Whether a change of the production may be one about which drafts ask: of a scene that has a change of a script, or of
 * the order of scenes.
 */
function isAbout(changes: readonly StoredChange[]): (planned: PlannedChange) => boolean {
  const nodes = new Set(changes.map(({ node_id }) => node_id));
  const hasRenames = changes.some(({ fields }) => isRename(fields));
  return ({ section, action, id, fields }) =>
    section === "scenes" &&
    (action !== "change" ||
      "order" in fields ||
      "number" in fields ||
      nodes.has(id) ||
      (hasRenames && "elements" in fields));
}

/** Follows an update in one script. Returns the changes that wait no more, and those that wait again. */
function followIn(
  { store, production_id, now }: Written,
  { actor, planned }: { actor: string; planned: readonly PlannedChange[] },
  stored: StoredProduction,
  { episode_id, episode }: AskingScript,
): { made: number[]; again: number } {
  const key = { production_id, episode_id };
  const changes = changesOfScript(store, key);
  const asking = [...changes.answered, ...changes.waiting];
  if (!planned.some(isAbout(asking))) return { made: [], again: 0 };
  const { questions } = compareWith(store, { stored, key, episode: episode ?? undefined }, asking);
  const reconciled = reconcile(questions, changes);
  const operations = changeOperations(store, reconciled, { now, episode });
  replay(store.database, operations, { now, planned: now });
  const tell = tellOfChange.bind(undefined, store, { production_id, actor, now });
  for (const one of reconciled.superseded) tell("dismissed", one);
  for (const [one] of reconciled.again) tell("detected", one);
  return { made: reconciled.superseded.map(({ id }) => id), again: reconciled.again.length };
}

/**
 * Follows an update in the scripts that ask something: what the production has now waits no more, and what it has no
 * longer is asked again, by the same change. Inside its transaction, after it; the plan warns of what became of them.
 */
export function followUpdate({ label: actor }: Admin, { plan }: { plan: Plan }, writer: Written): void {
  const { store, production_id } = writer;
  const stored = new StoredProduction(store, production_id);
  const update = { actor, planned: plan.changes };
  const done = askingScripts(store, { production_id }).map((script) => followIn(writer, update, stored, script));
  const moved = followMoves(writer, actor, new Set(done.flatMap(({ made }) => made)));
  for (const { made, again } of [...done.map((one) => ({ made: one.made.length, again: one.again })), moved]) {
    if (made + again > 0) writer.tables.add("script_changes");
    if (made > 0)
      plan.warnings.push(
        `${plural(made, "script change")} ${made === 1 ? "waits" : "wait"} no more: the production has what the draft asks`,
      );
    if (again > 0) plan.warnings.push(`${plural(again, "script change")} ${again === 1 ? "waits" : "wait"} again`);
  }
}

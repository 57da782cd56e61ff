// Approves or dismisses script changes. Of approved ones it makes a document, which is applied like any other update of
// the production.
import { conflict, unprocessable } from "../../core/errors.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import type { Store } from "../../core/store/store.ts";
import { listed, sameName } from "../../core/wording.ts";
import { type Admin, mayChange, noSuch, recordChange } from "../../graph/admin.ts";
import { findDecider } from "../../graph/people.ts";
import { renamedCast } from "../documents/cast_names.ts";
import { changeOfNamed } from "../documents/changes/plan.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { WorkModule } from "../documents/jobs/import_job.ts";
import type { Plan } from "../documents/planned.ts";
import { updateFrom } from "../documents/production_update.ts";
import { documentOfPaperwork } from "../documents/read/read.ts";
import { conflictOf } from "../documents/refusals.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import type { StoredProduction } from "../documents/stored.ts";
import type { Planning, Told, UpdateInput, WritePlan } from "../documents/update_input.ts";
import { textsIn } from "../names/sluglines.ts";
import { ScriptApproval } from "./approved_scenes.ts";
import type { FieldChange, FieldChanges } from "./compare/fields.ts";
import { isRename, renameOf } from "./compare/renames.ts";
import { releasedBy } from "./moves.ts";
import { scriptChangeOf } from "./one_change.ts";
import type { WithApproval } from "./operations.ts";
import { elsewhereText, namedElsewhere, renameAsked } from "./other_episodes.ts";
import { characterFinder } from "./questions.ts";
import { type DecidedRow, ScriptDecision } from "./script_decision.ts";
import {
  changed,
  findScriptChange,
  pendingChanges,
  type StoredChange,
  scriptKeyOf,
  tellOfChange,
} from "./script_store.ts";

export interface DecisionRequest extends WithApproval {
  ids: readonly number[];
  /** The production of the changes; on the command line their ids may tell it. */
  production_id?: number | undefined;
  decision: "approved" | "dismissed";
  /** The full name or the id of a person of the production. */
  decided_by?: string | undefined;
  note?: string | undefined;
}

/** A request that names the production of the changes. */
export type NamedDecision = DecisionRequest & { production_id: number };

export interface Decided {
  /** The changes that were decided. */
  ids: number[];
  /** What changed in the production. */
  plan: Plan | undefined;
}

const isPending = ({ status }: StoredChange): boolean => status === "pending";

/**
 * The changes of a request. Throws 404 for one that does not exist or belongs to another production, 409 for a decided
 * one.
 */
function requestedChanges(admin: Admin, { ids, production_id, decision, keep = [] }: DecisionRequest): StoredChange[] {
  const changes = [...new Set(ids)].map((id) => {
    const found = findScriptChange(admin.store, id);
    const isOther = production_id !== undefined && found?.production_id !== production_id;
    if (found === undefined || isOther || !mayChange(admin, found.production_id))
      throw noSuch(admin, `script change ${id}`, "script-changes list");
    return found;
  });
  for (const { id, status, superseded_by } of changes)
    if (status !== "pending" && !(status === "approved" && decision === "approved" && keep.length > 0))
      throw conflict(
        superseded_by === null
          ? `script change ${id} is ${status} already; nothing was changed`
          : `script change ${id} was superseded by a newer draft or an update; nothing was changed`,
      );
  if (new Set(changes.map(({ production_id }) => production_id)).size > 1)
    throw unprocessable("script changes of several productions are decided one production after the other");
  return changes;
}

/** "Approved the change of scene 31". */
function summaryOf(one: StoredChange, { decision, keep = [] }: DecisionRequest): string {
  const { kind, scene_number, episode } = one;
  const verb = decision === "approved" ? "Approved" : "Dismissed";
  const scene = episode === null ? scene_number : `${episode}/${scene_number}`;
  if (!isPending(one)) return `Kept ${listed(keep)} in scene ${scene}`;
  const what = {
    added: "that scene % is added",
    changed: "the change of scene %",
    omitted: "that scene % is omitted",
    moved: "the move of scene %",
  };
  return `${verb} ${what[kind].replace("%", scene)}`;
}

/**
 * Decides script changes, all of them or none. Approved ones are applied: scenes keep their ids, links, strips,
 * approvals and status, and an omitted scene its place. Throws 404 if there is no such change, 409 for one that is not
 * pending or whose scene has changed since, 422 for an unknown decided_by, 403 if the key is bound to another person;
 * then nothing is written.
 */
export async function decideScriptChanges(
  admin: Admin,
  blobs: Blobs,
  request: DecisionRequest,
  write: WritePlan,
): Promise<Decided> {
  const { store, person_id } = admin;
  const changes = requestedChanges(admin, request);
  const ids = changes.map(({ id }) => id);
  const production_id = changes[0]?.production_id;
  if (production_id === undefined) return { ids, plan: undefined };
  const decided_by = findDecider(store, { production_id, person_id }, request.decided_by)?.name ?? null;
  const decisions = (stored: StoredProduction) => decideChanges(admin, stored, request, decided_by);
  const summary = changes.map((one) => summaryOf(one, request)).join(". ");
  const doneBy = () => ({ source: "script changes", summary });
  try {
    return { ids, plan: await updateFrom(admin, blobs, decisions, { production_id }, write, doneBy) };
  } catch (error) {
    throw conflictOf(error);
  }
}

/** The work of a thread that decides script changes; `request` is what the operation asked for. */
export const perform: WorkModule["perform"] = async (admin, blobs, request, write) =>
  (await decideScriptChanges(admin, blobs, request as NamedDecision, write)).plan; // what the operation sent

/** The first of the changes that were decided, with what is left to people. */
export function answerOf(...[{ store }, request, plan]: Parameters<Required<WorkModule>["answerOf"]>): string {
  const { production_id, ids } = request as NamedDecision; // the operation made it
  // at least one was just decided
  const first = scriptChangeOf(store, { production_id, id: ids[0] as number }) as string;
  const { warnings = [] } = plan ?? {};
  return warnings.length === 0 ? first : `${first.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`;
}

/** Plans the decision. The changes are looked up again: another decision may have come between. */
function decideChanges(
  admin: Admin,
  stored: StoredProduction,
  request: DecisionRequest,
  decided_by: string | null,
): UpdateInput {
  const { store } = admin;
  const { production_id } = stored;
  const { decision } = request;
  const changes = requestedChanges(admin, request);
  const approval = new ScriptApproval(stored, request);
  const hasCharacter = characterFinder(stored);
  if (decision === "approved") checkRenames(store, production_id, changes.filter(isPending), request);
  const deciding = [...Map.groupBy(changes, ({ episode_id }) => episode_id)].map(([episode_id, own]) => {
    const script = new ScriptDecision(store, { production_id, episode_id }, own.filter(isPending), hasCharacter);
    for (const one of own)
      if (!isPending(one))
        approval.answer(
          one,
          script.rows.find(({ node_id }) => node_id === (one.node_id ?? 0)),
        );
    if (decision === "dismissed") for (const one of script.cases) if (one.change.kind !== "moved") script.dismiss(one);
    return { script, own };
  });
  // Of what is approved, scenes leave their episodes first.
  const leaving = decision === "approved" ? leaveEpisodes(store, deciding, changes, hasCharacter) : undefined;
  for (const { script, own } of decision === "approved" ? deciding : [])
    approve(approval, script, own.filter(isPending), { ...request, stored, former: leaving?.former ?? new Map() });
  const scripts = [...deciding.map(({ script }) => script), ...(leaving?.scripts ?? [])];
  const renumbered = approval.settleNumbers(scripts.flatMap(({ waiting }) => waiting));
  for (const script of scripts) script.renumber(renumbered);
  const { warnings, ...lists } = approval.document();
  const raws = new Map(stored.items("script_changes").map(({ id, raw }) => [id, raw]));
  // each is stored
  const decided = changes.filter(isPending).map((change) => ({ change, raw: raws.get(change.id) as Raw }));
  const added = new Map(scripts.flatMap(({ cases }) => cases.map(({ change, row }) => [change.id, row?.added])));
  const sceneOf = ({ id, node_id }: StoredChange) => (node_id === null ? added.get(id) : undefined);
  const nodeOf = (change: StoredChange, told: Told) => told.id("scene", sceneOf(change)) ?? change.node_id;
  const beside: NonNullable<UpdateInput["beside"]> = {
    operations(planning) {
      const answer = { status: decision, decided_at: planning.now, decided_by, note: request.note ?? null };
      return [
        ...planning.operations,
        ...scripts.flatMap((script) => script.operations(planning)),
        ...decided.flatMap(({ change }) =>
          changed(store, "script_changes", change.id, { ...answer, node_id: nodeOf(change, planning) }),
        ),
        ...(decision === "dismissed" ? decided.flatMap(({ change }) => releasedBy(store, change)) : []),
        ...followRenames(planning, approval.renames, new Set(decided.map(({ change }) => change.id))),
      ];
    },
    write(_, writer) {
      const released =
        decision === "dismissed" ? decided.flatMap(({ change }) => [change.omission, change.addition]) : [];
      for (const id of released) {
        const change = id === null ? undefined : findScriptChange(store, id);
        if (change !== undefined)
          tellOfChange(store, { production_id, actor: admin.label, now: writer.now }, "detected", change);
      }
      beside.changes = decided.map(({ change, raw }) => {
        const scene = sceneOf(change);
        const now = { ...raw, ...(scene !== undefined && { scene }), status: decision, decided_at: writer.now };
        return changeOfNamed("script_changes", change.id, raw, now);
      });
      for (const { change } of decided) {
        const { id, scene_number, kind } = change;
        const node_id = nodeOf(change, writer);
        const detail = { id, decision, ...(decided_by !== null && { decided_by }) };
        recordChange(
          { ...admin, now: writer.now },
          { production_id, node_id, summary: summaryOf(change, request), detail },
          {
            type: `script_change.${decision}`,
            subject: { kind: "script_change", id },
            data: { node_id, scene_number, kind },
          },
        );
      }
    },
  };
  const document = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
  const documents = [documentOfPaperwork(document, "script changes", { orders_scenes: true })];
  return { warnings, documents, keeps_texts: true, beside };
}

/** Throws 422 for a rename of a character who is in other episodes, if the request does not say how it is meant. */
function checkRenames(
  store: Store,
  production_id: number,
  changes: readonly StoredChange[],
  { rename }: DecisionRequest,
): void {
  if (rename !== undefined) return;
  const elsewhere = namedElsewhere(store, production_id, changes.flatMap(renameAsked));
  const asked = changes.flatMap(({ id, fields, episode }) => {
    const found = elsewhere.get(id);
    const { from, to } = fields.character ?? {};
    return found === undefined
      ? []
      : [
          `script change ${id} renames ${from} to ${to} in ${episode}, and ${elsewhereText(String(from), found)}: say \`rename\`, which is \`everywhere\`, or \`episode\` for a new character`,
        ];
  });
  if (asked.length > 0) throw unprocessable(`${asked.join("; ")}; nothing was changed`);
}

/** Takes the scenes that approved moves bring to other episodes out of the scripts that had them. */
function leaveEpisodes(
  store: Store,
  deciding: readonly { script: ScriptDecision }[],
  changes: readonly StoredChange[],
  hasCharacter: (name: string) => boolean,
) {
  const former = new Map<number | null, DecidedRow>();
  const scripts: ScriptDecision[] = [];
  for (const { production_id, node_id, fields } of changes.filter(
    ({ kind, status }) => kind === "moved" && status === "pending",
  )) {
    const episode = String(fields.episode?.from);
    const key = scriptKeyOf(store, production_id, episode);
    const known = [...deciding.map(({ script }) => script), ...scripts].find(
      (one) => one.key.episode_id === key.episode_id,
    );
    const script = known ?? new ScriptDecision(store, key, [], hasCharacter);
    if (known === undefined) scripts.push(script);
    const row = script.leave(node_id, sceneName(String(fields.number?.from), episode));
    if (row !== undefined) former.set(node_id, row);
  }
  return { former, scripts };
}

/**
 * The episodes of a series in which a rename links scenes to another character: its own, or those of all, where a
 * character has the new name already.
 */
function episodesApart(
  stored: StoredProduction,
  { episode }: StoredChange,
  { to, scope }: { to: string; scope: DecisionRequest["rename"] },
): string[] {
  if (episode === null) return [];
  const isThere = stored
    .items("assets")
    .some(({ raw }) => raw.kind === "character" && sameName(String(raw.label)) === sameName(to));
  if (scope === "everywhere" && isThere) return stored.items("episodes").map(({ raw }) => String(raw.code));
  return scope === "episode" || isThere ? [episode] : [];
}

/** Applies the approved changes of one script. */
function approve(
  approval: ScriptApproval,
  script: ScriptDecision,
  changes: readonly StoredChange[],
  {
    everywhere: isEverywhere = false,
    rename: scope,
    former,
    stored,
  }: DecisionRequest & { former: ReadonlyMap<number | null, DecidedRow>; stored: StoredProduction },
): void {
  const colors = new Map<number, string>();
  for (const { change } of script.cases) {
    approval.check(change);
    if (!isRename(change.fields)) continue;
    const rename = renameOf(change.fields);
    const kept = isEverywhere ? [] : script.keepersOf(rename);
    for (const scene of script.renamedBy(rename, change.revision_color)) colors.set(scene, change.revision_color);
    const today = { ...rename, from: script.nameToday(rename.from) };
    const apart = episodesApart(stored, change, { to: rename.to, scope });
    for (const episode of apart) approval.renameApart(today, kept, episode);
    if (apart.length === 0) approval.rename(today, kept);
  }
  approval.learn(script);
  const broken = approval.breakDown(script);
  for (const one of script.cases) {
    const scene = broken.get(one);
    const { row, change } = one;
    if (scene !== undefined && row !== undefined) {
      const [decided, place] = [{ change, row }, script.placeOf(one)];
      if (change.kind === "moved") approval.move(decided, scene, { place, script, former: former.get(change.node_id) });
      else approval.apply(decided, scene, place, script);
    }
    script.approve(one, isEverywhere);
  }
  for (const [scene, color] of colors) approval.color(scene, color);
  for (const one of changes) if (one.draft_id === null) approval.applyBrought(one);
}

/** A change that waits found the cast by the names that characters had before a rename was approved. */
function followRenames(
  { store, production_id }: Planning,
  renames: ScriptApproval["renames"],
  decided: ReadonlySet<number>,
): RowOperation[] {
  if (renames.length === 0) return [];
  const ofEpisode = new Map<string | null, typeof renames>();
  return pendingChanges(store, { production_id }).flatMap(({ id, episode, fields: json }) => {
    const fields: FieldChanges = JSON.parse(json);
    const own = ofEpisode.get(episode) ?? renames.filter(({ apart }) => apart === undefined || apart === episode);
    ofEpisode.set(episode, own);
    const from = decided.has(id) ? undefined : renamedCast(textsIn(fields.cast?.from), own);
    if (from === undefined) return [];
    const cast = { ...(fields.cast as FieldChange), from }; // it has names
    return changed(store, "script_changes", id, { fields: JSON.stringify({ ...fields, cast }) });
  });
}

// Compares documents with what is stored: makes the things as they will be, checks them, and lists what changes and the operations that do it. Takes no
// lock and writes nothing.
import type { ProductionId } from "../../../core/ids.ts";
import { composed } from "../../../core/store/composed.ts";
import type { Store } from "../../../core/store/store.ts";
import { append } from "../../sequences/sequences.ts";
import type { UpdateInput } from "../apply/apply.ts";
import { type Documents, refuseDocuments } from "../apply/update.ts";
import { asSource, type Source, unchangedWarnings } from "../match/matching.ts";
import { unlinkedCalls } from "../nouns/changes.ts";
import { StoredProduction } from "../nouns/stored.ts";
import type { Plan } from "../plan/plan.ts";
import type { InputDocument } from "../read/read.ts";
import { type Raw, rawsOf } from "../sections/form.ts";
import { type SectionName, sectionNames, sections } from "../sections/sections.ts";
import { check } from "./check.ts";
import { type Matches, matchNamed, matchOthers } from "./matching.ts";
import { mergeProduction, mergeSection } from "./merging.ts";
import { keepGeneratedRefs, type Listed, listChanges, printedChanges, revisionOf } from "./plan.ts";
import type { RowOperation } from "./row_operation.ts";
import { Rows } from "./rows.ts";
import { type Move, movesOfPlaced, orderEpisodes, orderScenes } from "./scene_order.ts";
import { linkScenes, renameCasts } from "./scenes.ts";
import { type Item, Update, type UpdateOptions } from "./update.ts";
import { type Clashes, clashesBefore } from "./warnings.ts";

export interface Prepared {
  update: Update;
  listed: Listed;
  plan: Plan;
  operations: readonly RowOperation[];
  reading: UpdateInput;
  /** The revision of the store at which it was compared. */
  at: number;
  /** What clashed for the cast before. */
  clashes: Clashes | undefined;
}

export interface PrepareRequest extends Omit<UpdateOptions, "is_new"> {
  production_id: ProductionId;
  dry_run: boolean;
  /** Throws if the update may not make a plan. */
  check?(plan: Plan): void;
}

/** A document whose lists can be changed. */
function sourceOf(given: InputDocument): Source {
  const document = { ...given.document };
  for (const name of sectionNames)
    if (document[name] !== undefined) document[name] = document[name].map((item) => ({ ...item }));
  return asSource({ ...given, document });
}

/**
 * At most one cost report and one install can be active. The one that a document makes active replaces the former one; a new install
 * that does not say so does not replace one of which an earlier document says it.
 */
function settleActive(update: Update, source: Source): void {
  for (const section of ["cost_reports", "storage"] as const) {
    if (source.document[section] === undefined) continue;
    const items = [...update.items(section, "all").values()];
    const givenAt = ({ source: own, at }: Item["places"][number]): Raw => own.document[section]?.[at] ?? {};
    const saysSo = ({ places }: Item) => places.some((place) => givenAt(place).active === true);
    const made = items.filter(({ places, before }) => {
      const place = places.at(-1);
      if (place?.source !== source) return false;
      return (givenAt(place).active ?? (section === "storage" && before === undefined)) === true;
    });
    if (made.length === 0) continue;
    const stays = made.some(saysSo) ? undefined : items.find((item) => item.next?.active === true && saysSo(item));
    for (const item of items)
      if ((stays === undefined ? !made.includes(item) : item !== stays) && item.next?.active === true)
        item.next = { ...item.next, active: false };
  }
}

/** Removes the stored things that a complete section does not list. A scene becomes omitted instead. */
function removeUnlisted(update: Update): void {
  for (const section of update.given) {
    if (sections[section].history || section === "storage") continue;
    for (const item of update.items(section, "all").values())
      if (item.places.length > 0) continue;
      else item.next = section === "scenes" ? { ...item.next, status: "omitted" } : undefined;
  }
}

/** Merges documents one after the other. A document may name what a later one adds. */
export function mergeDocuments(update: Update): void {
  const matches = update.sources.map((source) => matchNamed(update, source));
  for (const [at, source] of update.sources.entries()) {
    if (source.document.production !== undefined) mergeProduction(update, source, source.document.production);
    const all: Matches = new Map([...(matches[at] ?? []), ...matchOthers(update, source)]);
    for (const section of sectionNames) {
      const ids = all.get(section);
      if (ids !== undefined) mergeSection(update, source, section, ids);
    }
    settleActive(update, source);
  }
  if (update.options.exact) removeUnlisted(update);
}

/** Throws what is wrong with the documents, if anything is. */
export function refuseProblems(sources: readonly Source[]): void {
  if (sources.some(({ problems, unreadable = [] }) => problems.any || problems.more > 0 || unreadable.length > 0))
    refuseDocuments(sources);
}

/** Calls that name what is added or renamed are from then on for that. */
function linkCalls(update: Update, store: Store): void {
  const callable = { assets: "asset", people: "person", departments: "department" } as const;
  const isNamed = (section: keyof typeof callable) =>
    [...update.items(section).values()].some(({ before, next }) => next !== undefined && before !== next);
  if (!isNamed("assets") && !isNamed("people") && !isNamed("departments")) return;
  const production_id = update.rows.production_id as ProductionId; // that of the update
  const nounOf = (who: string) => Object.values(callable).find((noun) => update.names.of(noun).ids.has(who));
  const calls = unlinkedCalls(store, { production_id }).filter(({ who }) => nounOf(who) !== undefined);
  const days = update.items(
    "schedule",
    calls.map(({ shoot_day_id }) => shoot_day_id),
  );
  for (const id of new Set(calls.map(({ shoot_day_id }) => shoot_day_id))) {
    const item = days.get(id);
    if (item?.next === undefined) continue;
    const linked = rawsOf(item.next.calls).map((call) => {
      const noun = typeof call.who === "string" ? nounOf(call.who) : undefined;
      return noun === undefined ? call : { ...call, who: { [noun]: update.names.of(noun).ids.get(String(call.who)) } };
    });
    item.next = { ...item.next, calls: linked };
  }
}

/** Takes the thing of an id out of an update. */
export function removeItem(update: Update, { section, id }: { section: SectionName; id: number }): void {
  const [source] = update.sources;
  const item = update.item(section, id);
  if (source === undefined || item === undefined) return;
  update.touched.set(section, source);
  source.document[section] ??= [];
  const at = source.document[section].push(update.names.namedThing(section, item.before ?? {})) - 1;
  item.places.push({ source, section, at });
  item.next = undefined;
}

/** What the update writes, in operations. What is removed goes after what referred to it. */
function operationsOf(update: Update, listed: Listed): RowOperation[] {
  const { production, rows } = update;
  const own =
    listed.production === undefined
      ? []
      : update.operations.of("production", rows.production_id, {
          before: production.stored,
          next: production.next,
          order: undefined,
        });
  const all = [...listed.items.map(({ item }) => item), ...keepGeneratedRefs(update, listed)];
  return [
    ...own,
    ...all.flatMap(({ section, id, stored, next, order }) =>
      update.operations.of(section, id, { before: stored, next, order }),
    ),
  ];
}

/** Completes an update whose things are made: checks them, and lists what changes. Throws what is wrong. */
function complete(
  update: Update,
  store: Store,
  request: PrepareRequest,
  given: { moves?: ReadonlyMap<number, Move>; operations?: RowOperation[] },
) {
  check(update, store);
  refuseProblems(update.sources);
  if (given.operations === undefined) {
    linkScenes(update);
    renameCasts(update);
    linkCalls(update, store);
    orderEpisodes(update);
  }
  const ordered = given.moves === undefined ? orderScenes(update) : { moves: given.moves, warnings: [] };
  const listed = listChanges(update, ordered.moves);
  const changes = printedChanges(listed);
  const { production_id, dry_run, now } = request;
  const revision = revisionOf(changes, now);
  const plan: Plan = {
    production_id,
    dry_run,
    revision,
    counts: listed.counts,
    changes,
    warnings: [...ordered.warnings],
  };
  request.check?.(plan);
  return { listed, plan, operations: given.operations ?? operationsOf(update, listed) };
}

/** The operations of an update that no document makes: its things are made by them. */
export type Turned = (update: Update) => RowOperation[];

/** An update by documents, by the removal of a thing or by operations, as it would be now. Throws CliError with every problem. */
export function prepare(store: Store, given: Documents, request: PrepareRequest): Prepared {
  const { production_id, now, exact } = request;
  const at = store.revision();
  const reading =
    typeof given === "function" ? given(new StoredProduction(store, production_id)) : { documents: given };
  const sources = reading.documents.map(sourceOf);
  const update = new Update(new Rows(store.database, production_id), sources, { now, exact, is_new: false });
  const { turn, removal } = reading;
  mergeDocuments(update);
  if (removal !== undefined) removeItem(update, removal);
  const operations = turn?.(update);
  const done = complete(
    update,
    store,
    request,
    operations === undefined ? {} : { operations, moves: movesOfPlaced(update) },
  );
  append(done.plan.warnings, sources.flatMap(unchangedWarnings));
  append(done.plan.warnings, reading.warnings ?? []);
  return { ...done, update, reading, at, clashes: clashesBefore(update, store) };
}

/** Things that others added meanwhile with the name of what an update adds: no index says that these names are one. */
export function hasTwin(store: Store, { update, listed }: Prepared): boolean {
  return listed.items.some(({ item: { section, before, next, id } }) => {
    const { noun } = sections[section];
    const [field = ""] = ["label", "title"].filter((name) => next !== undefined && name in next);
    if (
      before !== undefined ||
      next === undefined ||
      noun === undefined ||
      field === "" ||
      noun === "scene" ||
      noun === "episode"
    )
      return false;
    const { tables } = { tables: sections[section] };
    const sql = `SELECT id FROM ${tables.table} WHERE production_id = ? AND ${field} = ? AND id <> ?`;
    const twins = composed<{ id: number }>(store.database, sql).all(update.rows.production_id, next[field], id);
    return twins.some((twin) => !update.names.of(noun).byId.has(twin.id));
  });
}

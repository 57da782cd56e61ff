// Compares documents with what is stored: makes the things as they will be, checks them, and lists what changes and the
// operations that do it. Takes no lock and writes nothing.
import type { ProductionId } from "../../../core/ids.ts";
import { composed } from "../../../core/store/composed.ts";
import { many } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import { append } from "../../sequences/sequences.ts";
import type { Plan } from "../planned.ts";
import type { InputDocument } from "../read/read.ts";
import { asSource, refuseDocuments, type Source, unchangedWarnings } from "../read/sources.ts";
import { type Raw, rawsOf } from "../sections/form.ts";
import { type Noun, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import { StoredProduction } from "../stored.ts";
import type { Documents, Told, UpdateInput } from "../update_input.ts";
import { calledBy } from "./called.ts";
import { check } from "./check.ts";
import { type Matches, matchNamed, matchOthers } from "./matching.ts";
import { mergeProduction, mergeSection } from "./merging.ts";
import { movedTexts } from "./moved_texts.ts";
import { isOwn, keepOtherStrips, refuseOthers } from "./one_episode.ts";
import {
  keepGeneratedRefs,
  type Listed,
  listChanges,
  nothingMoved,
  type Ordered,
  printedChanges,
  revisionOf,
} from "./plan.ts";
import type { RowOperation } from "./row_operation.ts";
import { Rows } from "./rows.ts";
import { orderThings } from "./scene_order.ts";
import { linkCasts, linkScenes, renameCasts } from "./scenes.ts";
import { type Item, Update, type UpdateOptions } from "./update.ts";
import { type Clashes, clashesBefore } from "./warnings.ts";

type UnlinkedCall = { shoot_day_id: number; position: number; who: string };
const unlinkedCalls = many<{ production_id: number }, UnlinkedCall>("list_unlinked_calls");

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
 * At most one cost report and one install can be active. The one that a document makes active replaces the former one;
 * a new install that does not say so does not replace one of which an earlier document says it.
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
    if (update.options.episode !== undefined && section !== "scenes") continue;
    for (const item of update.items(section, "all").values())
      if (item.places.length > 0 || !isOwn(update, section === "scenes" ? item.id : undefined)) continue;
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
  if (update.options.episode !== undefined) {
    refuseOthers(update, update.options.episode);
    keepOtherStrips(update);
  }
  if (update.options.exact) removeUnlisted(update);
}

/** Throws what is wrong with the documents, if anything is. */
function refuseProblems(sources: readonly Source[]): void {
  if (sources.some(({ problems, unreadable = [] }) => problems.any || problems.more > 0 || unreadable.length > 0))
    refuseDocuments(sources);
}

/** Calls that name what is added or renamed are from then on for that. */
function linkCalls(update: Update, store: Store): void {
  const callable = ["asset", "person", "department"] as const;
  const isNamed = (section: SectionName) =>
    [...update.items(section).values()].some(({ before, next }) => next !== undefined && before !== next);
  if (!isNamed("assets") && !isNamed("people") && !isNamed("departments")) return;
  const { production_id } = update.rows;
  const named = ({ who }: { who: string }) => calledBy(update, callable, who);
  const calls = unlinkedCalls(store, { production_id }).filter((call) => typeof named(call).value !== "string");
  const days = update.items(
    "schedule",
    calls.map(({ shoot_day_id }) => shoot_day_id),
  );
  for (const id of new Set(calls.map(({ shoot_day_id }) => shoot_day_id))) {
    const item = days.get(id);
    if (item?.next === undefined) continue;
    const linked = rawsOf(item.next.calls).map((call) =>
      typeof call.who === "string" ? { ...call, who: named({ who: call.who }).value } : call,
    );
    item.next = { ...item.next, calls: linked };
  }
}

/** Takes the thing of an id out of an update. */
function removeItem(update: Update, { section, id }: { section: SectionName; id: number }): void {
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
export function operationsOf(update: Update, listed: Listed): RowOperation[] {
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

/** Makes what follows what documents say. Returns what gets another place. */
function follow(update: Update, store: Store | undefined): Ordered {
  if (update.has("assets", "scenes")) {
    const saying = linkScenes(update);
    renameCasts(update);
    linkCasts(update, saying);
  }
  if (store !== undefined) linkCalls(update, store);
  return update.has("episodes", "scenes") ? orderThings(update) : nothingMoved;
}

/**
 * Completes an update whose things are made, by documents or `turned`, by operations: checks them, and lists what
 * changes. Throws what is wrong.
 */
export function complete(update: Update, store: Store | undefined, request: PrepareRequest, placed?: Ordered) {
  check(update, store);
  refuseProblems(update.sources);
  const { moves, warnings } = placed ?? follow(update, store);
  const listed = listChanges(update, moves);
  const changes = printedChanges(listed);
  const { production_id, dry_run, now } = request;
  const revision = revisionOf(changes, now);
  const plan: Plan = {
    production_id,
    dry_run,
    revision,
    counts: listed.counts,
    changes,
    warnings: [...warnings],
  };
  request.check?.(plan);
  return { listed, plan };
}

/** What is told of an update to what is written beside it. */
export function toldOf(update: Update): Told {
  const { names, operations } = update;
  return {
    id(noun: Noun, name: string | undefined) {
      const id = name === undefined ? undefined : names.of(noun).find(name);
      if (name !== undefined && id === undefined) throw new Error(`an unchecked ${noun}: ${name}`);
      return id === undefined ? null : operations.id(noun, id);
    },
    added(section: SectionName, file: string): number[] {
      const own = [...update.items(section).values()].flatMap(({ id, before, places }) => {
        const place = before === undefined ? places.at(-1) : undefined;
        return place?.source.file === file ? [{ at: place.at, id }] : [];
      });
      return own.sort((one, other) => one.at - other.at).map(({ id }) => id);
    },
  } as Told; // a name has an id, and no name has none
}

/** The operations of the documents, with those on rows that no document says. */
export function withBeside(
  store: Store,
  update: Update,
  beside: UpdateInput["beside"],
  operations: readonly RowOperation[],
  now: string,
): readonly RowOperation[] {
  const { next } = update.operations;
  const { production_id } = update.rows;
  return beside?.operations?.({ ...toldOf(update), store, production_id, now, next, operations }) ?? operations;
}

/** The operations of an update that no document makes: its things are made by them. */
export type Turned = (update: Update) => { operations: readonly RowOperation[]; placed: Ordered };

/**
 * An update by documents, by the removal of a thing or by operations, as it would be now. Throws CliError with every
 * problem.
 */
export function prepare(store: Store, given: Documents, request: PrepareRequest): Prepared {
  const { production_id, now, exact, episode } = request;
  const at = store.revision();
  const reading =
    typeof given === "function" ? given(new StoredProduction(store, production_id)) : { documents: given };
  const sources = reading.documents.map(sourceOf);
  const { turn, removal } = reading;
  const changes_format = turn !== undefined || reading.begins_series === true;
  const options = { now, exact, episode, changes_format, is_new: false };
  const update = new Update(new Rows(store, production_id), sources, options);
  mergeDocuments(update);
  if (removal !== undefined) removeItem(update, removal);
  const turned = turn?.(update);
  const done = complete(update, store, request, turned?.placed);
  append(done.plan.warnings, sources.flatMap(unchangedWarnings));
  append(done.plan.warnings, reading.warnings ?? []);
  const keepsTexts = turn !== undefined || reading.keeps_texts === true || !update.has("scenes");
  const texts = keepsTexts ? [] : movedTexts(update);
  const operations = [...(turned?.operations ?? operationsOf(update, done.listed)), ...texts];
  const all = withBeside(store, update, reading.beside, operations, now);
  return { ...done, operations: all, update, reading, at, clashes: clashesBefore(update, store) };
}

/** Things that others added meanwhile with the name of what an update adds: no index says that these names are one. */
export function hasTwin(store: Store, { update, listed }: Prepared): boolean {
  return listed.items.some(({ item: { section, before, next, id } }) => {
    const { noun, table } = sections[section];
    if (before !== undefined || next === undefined || noun === undefined || noun === "scene" || noun === "episode")
      return false;
    const field = ["label", "title"].find((name) => name in next);
    if (field === undefined) return false;
    const sql = `SELECT id FROM ${table} WHERE production_id = ? AND ${field} = ? AND id <> ?`;
    const twins = composed<{ id: number }>(store.database, sql).all(update.rows.production_id, next[field], id);
    return twins.some((twin) => update.names.of(noun).nameOf(twin.id) === undefined);
  });
}

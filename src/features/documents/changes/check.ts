// Checks what the things of an update become. Adds what it finds to the documents, at the places that name the things.
import type { ProductionId } from "../../../core/ids.ts";
import { one } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import { maxThings, tooMany } from "../../../graph/values.ts";
import type { Source } from "../read/sources.ts";
import { type Field, layoutOf, type Raw, rawsOf, roundsOf } from "../sections/form.ts";
import { namedThing } from "../sections/problems.ts";
import { kindOf, sections } from "../sections/sections.ts";
import { Checking } from "./checking.ts";
import { onEpisodic, rules } from "./rules.ts";
import { isDecided } from "./steps.ts";
import type { Item, Place, Update } from "./update.ts";

export const productionOfTitle = one<{ title: string }, { id: ProductionId }>("import_find_title");

/** Reports the required fields that a thing lacks, in its lists too. */
function checkNeeded(checking: Checking, fields: readonly Field[], thing: Raw, at = ""): void {
  for (const { name, isNeeded, item, fields: inner, medium } of fields) {
    const here = `${at}.${name}`;
    const own = thing[name];
    if (own === undefined || own === null) {
      if (isNeeded && checking.isUsable(here) && checking.isUsable(at)) checking.report(here, "is required");
    } else if (item?.fields !== undefined && !item.medium)
      for (const [index, one] of rawsOf(own).entries()) checkNeeded(checking, item.fields, one, `${here}[${index}]`);
    else if (inner !== undefined && !medium) checkNeeded(checking, inner, own as Raw, here); // an object
  }
}

function checkThing(update: Update, item: Item, place: Place): void {
  const checking = new Checking(update, item, place);
  if (!update.options.is_new) checkNeeded(checking, layoutOf(item.section).fields, checking.thing);
  rules[item.section]?.(checking);
}

/** The production itself, and that only a series has episodes. */
function checkProduction(update: Update, source: Source): void {
  const { problems } = source;
  const { next, before } = update.production;
  const report = (place: string, sentence: string) => void (problems.has(place) || problems.add(place, sentence));
  const mayChange = update.options.is_new || update.options.changes_format === true;
  if (!mayChange && next.format !== before.format)
    report("production.format", `must stay ${String(before.format)}: the format of a stored production cannot change`);
  if (problems.has("production") || problems.has("production.format") || next.format === undefined) return;
  const isEpisodic = next.format === "episodic";
  const isNumbered = next.season_number !== undefined;
  if (isEpisodic && !isNumbered) report("production.season_number", `is required ${onEpisodic}`);
  if (isEpisodic) return;
  if (isNumbered) report("production.season_number", `is allowed only ${onEpisodic}`);
  if (next.current_episode !== undefined) report("production.current_episode", `is allowed only ${onEpisodic}`);
  const episodes = update.items("episodes", "all").values();
  if (episodes.some((item) => item.next !== undefined)) report("episodes", `is allowed only ${onEpisodic}`);
}

/** Two things with one number, or two that say that they are the active one. */
function checkLists(update: Update, source: Source): void {
  const { problems, document } = source;
  for (const section of ["cost_reports", "storage"] as const) {
    const own = update
      .listed(section)
      .flatMap(({ next, places }) =>
        next?.active === true ? (places.findLast((place) => place.source === source)?.at ?? []) : [],
      );
    const active = namedThing(document, `${section}[${own[0]}]`);
    const what = section === "storage" ? "install" : "cost report";
    for (const at of own.slice(1))
      problems.add(`${section}[${at}].active`, `must be false: ${active} is the active ${what}`);
  }
  const first = new Map<unknown, number>();
  for (const { next, places } of update.items("purchase_orders").values()) {
    const place = places.findLast((one) => one.source === source);
    if (place === undefined || typeof next?.number !== "string") continue;
    const before = first.get(next.number);
    if (before === undefined) first.set(next.number, place.at);
    else
      update.report(place, `is the same as that of ${namedThing(document, `purchase_orders[${before}]`)}`, ".number");
  }
}

/**
 * What is added beyond the most that a production may have. A command that reads a whole document has its own process.
 */
function checkCounts(update: Update): void {
  if (update.options.is_new) return;
  for (const section of ["scenes", "assets", "people"] as const) {
    const items = [...update.items(section).values()];
    const added = items.filter(({ before, next }) => before === undefined && next !== undefined);
    if (added.length === 0) continue;
    const { rest, table, where } = sections[section];
    const sql = `SELECT count(*) AS count FROM ${rest?.table ?? table} WHERE production_id = ?${where ? ` AND ${where}` : ""}`;
    const [{ count: stored } = { count: 0 }] = update.rows.all<{ count: number }>(sql, update.rows.production_id);
    const gone = items.filter(({ before, next }) => before !== undefined && next === undefined).length;
    const place = added[Math.max(0, maxThings - stored + gone)]?.places.at(-1);
    if (place !== undefined) update.report(place, tooMany(section));
  }
}

/** The recorded entries that a thing has, because of which it cannot be removed. */
function recordOf({ section, before = {} }: Item): string | undefined {
  const isDecidedOnce = rawsOf(before.steps).some(isDecided) || roundsOf(before.rounds).length > 0;
  if (section === "assets" && rawsOf(before.versions).length > 0) return "has versions";
  if (section === "deliveries" && rawsOf(before.submissions).length > 0) return "has submissions";
  if (section === "engagements" && rawsOf(before.grants).length > 0) return "has grants; end it instead";
  if (section === "approvals" && isDecidedOnce) return "has decisions";
  return section === "storage" ? "has recorded files" : undefined;
}

/** Reports that a thing that goes cannot be removed. */
export function refuseRemoval(update: Update, item: Item, why: string): void {
  const { section, places } = item;
  const place = places.at(-1);
  if (place !== undefined) {
    place.source.problems.add(`${section}[${place.at}]`, `cannot be removed: it ${why}`, `it ${why}`);
    return;
  }
  const hint = sections[section].noun === "person" ? '; `"active": false` says that a person left' : "";
  const key = update.names.keyOf(section, item.before ?? {});
  const source = update.touched.get(section) ?? update.sources[0];
  source?.problems.add(section, `must list ${kindOf(section)} "${key}", which cannot be removed: it ${why}${hint}`);
}

function checkTitle(update: Update, store: Store): void {
  const { production, rows } = update;
  if (production.given.length === 0) return;
  const titled = productionOfTitle(store, { title: String(production.next.title) });
  if (titled === undefined || titled.id === rows.production_id) return;
  for (const { problems } of production.given)
    problems.add("production.title", `is taken: production ${titled.id} has it already`);
}

/** Checks the things that documents name, and what goes. */
export function check(update: Update, store: Store | undefined): void {
  const given = new Set(update.production.given);
  for (const source of update.sources)
    if (given.has(source) || source.document.episodes !== undefined) checkProduction(update, source);
  checkCounts(update);
  for (const section of update.given)
    for (const item of update.items(section).values()) {
      if (item.next === undefined) {
        const why = recordOf(item);
        if (why !== undefined) refuseRemoval(update, item, why);
      } else if (item.next !== item.before)
        for (const one of item.places) if (one.source.problems.more === 0) checkThing(update, item, one);
    }
  for (const source of update.sources) checkLists(update, source);
  if (store !== undefined && !update.options.is_new) checkTitle(update, store);
}

const bindingOf: Readonly<Record<string, string | undefined>> = {
  api_keys: "is bound to a key",
  script_drafts: "has a stored draft",
  script_scenes: "is in the stored script",
};
export const boundBy = (table: string): string | undefined => bindingOf[table];

// What the author of an update may not expect, asked of the database as it is after the update.
import { dirname } from "node:path";
import type { JsonText } from "../../../core/answers.ts";
import { readConfig } from "../../../core/config.ts";
import type { ProductionId } from "../../../core/ids.ts";
import { many } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import { firstOf, listed, sameName } from "../../../core/wording.ts";
import { shifted, type Zone } from "../../../core/zones.ts";
import { areOtherParts } from "../../../graph/scene_parts.ts";
import { daysText, dayText, type UnitDay } from "../../../graph/units.ts";
import { castClashes, type DaySheet, earlierDates, noLocation } from "../../clashes/clashes.ts";
import { formerNamesOf } from "../../names/former_names.ts";
import { listAt } from "../../sequences/sequences.ts";
import { idsOf, layoutOf, type Raw, rawsOf } from "../sections/form.ts";
import { kindOf, namings, type SectionName, sections, unitDayOf } from "../sections/sections.ts";
import { differingFields } from "./plan.ts";
import { unlinkedCasts } from "./scenes.ts";
import type { Item, Update } from "./update.ts";

/** With how many other days of its date and the ones before it a day is compared. */
const maxDays = 20;

const givenIds = (update: Update, section: SectionName): string =>
  JSON.stringify(
    [...update.items(section).values()]
      .filter(({ places, next }) => places.length > 0 && next !== undefined)
      .map(({ id }) => id),
  );

type Numbers = { numbers: string; value: string };

/** Days of one unit on one date. */
function sharedDates(update: Update): string[] {
  const sql = `SELECT json_group_array(json_object('unit', unit, 'day_number', day_number)) AS numbers, date AS value
    FROM (SELECT * FROM shoot_days WHERE production_id = ? ORDER BY day_number)
    GROUP BY date, unit HAVING count(*) > 1 AND sum(id IN (SELECT value FROM json_each(?))) > 0 ORDER BY min(day_number), unit`;
  const found = update.rows.all<Numbers>(sql, update.rows.production_id, givenIds(update, "schedule"));
  return found.map(({ numbers, value }) => `${daysText(JSON.parse(numbers))} are both on ${value}`);
}

function sharedCastNumbers(update: Update): string[] {
  const sql = `SELECT json_group_array(id) AS numbers, cast_number AS value
    FROM (SELECT * FROM nodes WHERE production_id = ? AND kind <> 'scene' AND cast_number IS NOT NULL ORDER BY id)
    GROUP BY cast_number HAVING count(*) > 1 AND sum(id IN (SELECT value FROM json_each(?))) > 0 ORDER BY min(id)`;
  const found = update.rows.all<Numbers>(sql, update.rows.production_id, givenIds(update, "assets"));
  return found.map(({ numbers, value }) => {
    const ids: number[] = JSON.parse(numbers); // ids of nodes
    const names = ids.slice(0, 5).map((id) => `"${update.names.nameOf("asset", id)}"`);
    return `${listed(names)} have the same cast number, ${value}`;
  });
}

const changedIn = (update: Update, section: SectionName): Item[] =>
  [...update.items(section).values()].filter(({ before, next }) => before !== next && next !== undefined);
type DayOfScene = UnitDay & { id: number; part: string | null };

/** The parts of scenes that a day has, by scene. */
const partsOf = (day: Raw | undefined) => new Map(rawsOf(day?.parts).map(({ scene, text }) => [scene, text]));

/** The days on which scenes are, by scene. */
function daysOfScenes(update: Update, scenes: Iterable<number>): Map<number, DayOfScene[]> {
  const sql = `SELECT t.node_id AS scene, d.id, d.unit, d.day_number,
      (SELECT p.text FROM day_parts p WHERE p.shoot_day_id = d.id AND p.scene_node_id = t.node_id) AS part
    FROM json_each(?) s JOIN strips t ON t.node_id = s.value
    JOIN shoot_days d ON d.id = t.shoot_day_id ORDER BY d.day_number, d.unit`;
  const rows = update.rows.all<DayOfScene & { scene: number }>(sql, JSON.stringify([...scenes]));
  return Map.groupBy(rows, ({ scene }) => scene);
}

/**
 * Scenes that come onto a day while they stay on another one, or come onto that one too, but for days that have other
 * parts of them. What another unit has is said of its own.
 */
function sharedScenes(update: Update): string[] {
  const placed = new Map<number, number[]>();
  for (const { id, before, next } of changedIn(update, "schedule")) {
    const former = new Set(idsOf(before?.scenes));
    const [formerParts, parts] = [partsOf(before), partsOf(next)];
    for (const scene of idsOf(next?.scenes))
      if (!former.has(scene) || formerParts.get(scene) !== parts.get(scene)) listAt(placed, scene).push(id);
  }
  return [...daysOfScenes(update, placed.keys())].flatMap(([scene, all]) => {
    const days = all.filter((day) => all.some((other) => other !== day && !areOtherParts(day.part, other.part)));
    if (days.length < 2) return [];
    const name = update.names.nameOf("scene", scene);
    const isNew = ({ id }: DayOfScene) => placed.get(scene)?.includes(id) === true;
    const [now, still] = [days.filter(isNew), days.filter((day) => !isNew(day))];
    const units = new Set(now.map(({ unit }) => unit));
    const [same, others] = [still.filter(({ unit }) => units.has(unit)), still.filter(({ unit }) => !units.has(unit))];
    const also = others.length === 0 ? [] : [`${name} is also on ${daysText(others)}`];
    if (same.length === 0) return now.length < 2 ? also : [`scene ${name} is now on ${daysText(now)}`, ...also];
    return [...now.map((day) => `scene ${name} is now on ${daysText([day])} and still on ${daysText(same)}`), ...also];
  });
}

/**
 * What the calls of a day name that is no asset, person or department, and banners before scenes, and parts of scenes,
 * that are not on the day.
 */
function danglingReferences(update: Update): string[] {
  return changedOrGiven(update).flatMap(({ next = {} }) => {
    const texts = rawsOf(next.calls).flatMap(({ who }) => (typeof who === "string" ? who : []));
    const scenes = new Set(idsOf(next.scenes));
    const notOnIt = (scene: unknown) =>
      typeof scene === "number" && !scenes.has(scene) ? (update.names.nameOf("scene", scene) ?? []) : [];
    const befores = rawsOf(next.banners).flatMap(({ before }) => notOnIt(before));
    const parts = rawsOf(next.parts).flatMap(({ scene }) => notOnIt(scene));
    const day = dayText(unitDayOf(next));
    return [
      ...(texts.length === 0 ? [] : [`${day} calls what is no asset, person or department: ${firstOf(texts)}`]),
      ...(befores.length === 0 ? [] : [`${day} has a banner before a scene that is not on it: ${firstOf(befores)}`]),
      ...(parts.length === 0 ? [] : [`${day} has a part of a scene that is not on it: ${firstOf(parts)}`]),
    ];
  });
}

/** Whoever is called more than once on a day that a document names. Readers of paperwork say it with their lines. */
function repeatedCalls(update: Update): string[] {
  const form = layoutOf("schedule").fields.find(({ name }) => name === "calls") ?? {};
  return changedOrGiven(update).flatMap(({ places, next = {} }) => {
    if (places.every(({ source }) => source.is_paperwork === true)) return [];
    const calls = rawsOf(next.calls);
    const byWho = Map.groupBy(calls, ({ who }) => (typeof who === "string" ? sameName(who) : JSON.stringify(who)));
    return [...byWho.values()].flatMap((own) => {
      const [first] = own;
      if (first === undefined || own.length < 2) return [];
      const [{ who: name } = {}] = rawsOf(update.names.named(form, [first]));
      return `${dayText(unitDayOf(next))} calls ${name} ${calledTimes(own.length)}: ${listed(own.map(({ time }) => String(time)))}; a list of the cast shows the first`;
    });
  });
}
const calledTimes = (count: number): string => (count === 2 ? "twice" : `${count} times`);

/** The shoot days that documents name. */
const changedOrGiven = (update: Update): Item[] =>
  update.listed("schedule").filter(({ places, next }) => places.length > 0 && next !== undefined);

/** Days that the documents name and that have no location, while other days have one. */
function withoutLocation(update: Update): string[] {
  const sql = "SELECT 1 FROM shoot_days WHERE production_id = ? AND location IS NOT NULL LIMIT 1";
  if (update.rows.all(sql, update.rows.production_id).length === 0) return [];
  return changedOrGiven(update).flatMap(({ before, next = {} }) =>
    next.location !== undefined || (before !== undefined && before.location === undefined)
      ? []
      : [`${dayText(unitDayOf(next))}: ${noLocation}`],
  );
}

/** Scenes that become omitted and are still on a day. */
function scheduledOmissions(update: Update): string[] {
  const omitted = changedIn(update, "scenes").filter(
    ({ before, next }) => next?.status === "omitted" && before !== undefined && before.status !== "omitted",
  );
  if (omitted.length === 0) return [];
  const days = daysOfScenes(
    update,
    omitted.map(({ id }) => id),
  );
  return omitted.flatMap(({ id }) => {
    const on = days.get(id) ?? [];
    return on.length === 0
      ? []
      : [`scene ${update.names.nameOf("scene", id)} becomes omitted and is still on ${daysText(on)}`];
  });
}

/** People who leave while a step of an approval waits for them. */
function waitingForAbsent(update: Update): string[] {
  const left = changedIn(update, "people").filter(
    ({ before, next, places }) => places.length > 0 && next?.active === false && before?.active !== false,
  );
  return left.flatMap(({ id, next }) => {
    const sql = `SELECT DISTINCT a.id FROM approval_steps s JOIN approvals a ON a.id = s.approval_id
      WHERE s.person_id = ? AND s.status = 'pending' AND a.status = 'pending' ORDER BY a.id`;
    const waiting = update.rows.all<{ id: number }>(sql, id);
    const titles = waiting.map((one) => `"${update.names.nameOf("approval", one.id)}"`).join(", ");
    if (waiting.length === 0) return [];
    return [
      `"${String(next?.name)}" leaves, and a step waits for them in ${titles}; \`steps\` of these name somebody else`,
    ];
  });
}

/**
 * Things that are added under the former name of another one, also if another file of the update renamed that: the
 * author may not know of the rename. A number is soon another scene's.
 */
function formerNames(update: Update, store: Store): string[] {
  return update.given.flatMap((section) => {
    const { noun } = sections[section];
    const added = [...update.items(section).values()].filter(
      ({ before, next }) => before === undefined && next !== undefined,
    );
    if (noun === undefined || noun === "scene" || added.length === 0) return [];
    const { field } = namings[noun];
    const own = new Set(added.map(({ id }) => id));
    const { production_id } = update.rows;
    const former = new Map(
      formerNamesOf(store, { production_id, section, field })
        .filter(({ id }) => !own.has(id))
        .map(({ id, name }) => [sameName(name), id]),
    );
    const renamed = renamedIn(update, section, field);
    return added.flatMap((item) => {
      const name = String(item.next?.[field]);
      const now = renamed.get(sameName(name)); // the file that renames it may add another one
      const id = former.get(sameName(name)) ?? (now === undefined || shareFile(now, item) ? undefined : now.id);
      const holder = id === undefined || isGone(update, section, id) ? undefined : update.names.nameOf(noun, id);
      return holder === undefined
        ? []
        : [`the ${kindOf(section)} "${name}" is added, although "${holder}" had that name before it was renamed`];
    });
  });
}

/** The things that had a name until the update renamed them. */
const renamedIn = (update: Update, section: SectionName, field: string): ReadonlyMap<string, Item> =>
  new Map(
    [...update.items(section).values()].flatMap((item) =>
      item.before === undefined || item.before[field] === item.next?.[field]
        ? []
        : [[sameName(String(item.before[field])), item]],
    ),
  );

const shareFile = (one: Item, other: Item): boolean =>
  one.places.some(({ source }) => other.places.some((place) => place.source === source));

const isGone = (update: Update, section: SectionName, id: number): boolean => {
  const item = update.items(section).get(id);
  return item !== undefined && item.next === undefined;
};

/** The dates of the days whose cast an update may make clash, with those around them. */
function datesOf(update: Update): string[] {
  const differing = (section: SectionName, fields: readonly string[] | undefined) =>
    [...update.items(section).values()].filter(
      ({ before, next }) =>
        before !== next &&
        differingFields(section, before ?? {}, next ?? {}).some(({ name }) => fields?.includes(name) !== false),
    );
  const days = differing("schedule", undefined).flatMap(({ before, next }) => [before?.date, next?.date]);
  const scenes = differing("scenes", ["status", "assets", "number", "episode"]).map(({ id }) => id);
  const assets = differing("assets", ["kind", "label"]).map(({ id }) => id);
  const sql = `SELECT DISTINCT d.date FROM shoot_days d JOIN strips t ON t.shoot_day_id = d.id WHERE t.node_id IN (
    SELECT value FROM json_each(?) UNION SELECT l.from_node_id FROM json_each(?) a JOIN node_links l ON l.to_node_id = a.value)`;
  const shown =
    scenes.length + assets.length === 0
      ? []
      : update.rows.all<{ date: string }>(sql, JSON.stringify(scenes), JSON.stringify(assets)).map(({ date }) => date);
  const around = Array.from({ length: 2 * earlierDates + 1 }, (_, at) => at - earlierDates);
  const dates = [...days.filter((date) => typeof date === "string"), ...shown];
  return [...new Set(dates.flatMap((date) => around.map((offset) => shifted(date, offset))))];
}

const sheetsOf = many<{ production_id: ProductionId; dates: string }, { sheet: JsonText<DaySheet> }>("list_day_sheets");

/**
 * What clashes for the cast of days of some dates, a text of JSON. Before the update, characters whom it renames are
 * called as after it, so that a new name alone is no new clash.
 */
function clashesIn(update: Update, store: Store, chosen: string): string[] {
  const { production_id } = update.rows;
  const sheets = sheetsOf(store, { production_id, dates: chosen }).map(({ sheet }): DaySheet => JSON.parse(sheet));
  const assets = update.items("assets");
  for (const { scenes } of sheets)
    for (const character of scenes.flatMap(({ characters }) => characters))
      character.renamed = assets.get(Number(character.id))?.next?.label as string | undefined; // text
  const byDate = Map.groupBy(sheets, ({ date }) => date);
  // Without a wrap, and without two days on one date, nothing clashes.
  if (byDate.size === sheets.length && sheets.every(({ wrap }) => (wrap ?? null) === null)) return [];
  const { turnaround } = readConfig(dirname(store.file), process.env);
  const zoneSql = "SELECT time_zone FROM productions WHERE id = ?";
  const [production] = update.rows.all<{ time_zone: Zone }>(zoneSql, update.rows.production_id);
  return sheets.flatMap((day) => {
    const dates = Array.from({ length: earlierDates + 1 }, (_, days) => shifted(day.date, -days));
    const near = dates.flatMap((date) => (byDate.get(date) ?? []).slice(0, maxDays + 1));
    const others = near.filter((other) => other !== day).slice(0, maxDays);
    return castClashes(day, others, turnaround, production?.time_zone ?? null).map(
      (clash) => `${dayText(day)}: ${clash}`,
    );
  });
}

/** What clashed for the cast before an update, around the days that it concerns. */
export interface Clashes {
  /** A list of JSON. */
  dates: string;
  before: ReadonlySet<string>;
}

/**
 * What clashes before an update that may change that; undefined if it concerns no day. `warningsOf` needs it after the
 * update.
 */
export function clashesBefore(update: Update, store: Store): Clashes | undefined {
  const found = datesOf(update);
  if (found.length === 0) return undefined;
  const dates = JSON.stringify(found);
  return { dates, before: new Set(clashesIn(update, store, dates)) };
}

function newClashes(update: Update, store: Store, { dates, before }: Clashes): string[] {
  return clashesIn(update, store, dates).filter((clash) => !before.has(clash));
}

/** In the transaction of the update, once it is written. `former` is what clashed before. */
export function warningsOf(update: Update, store: Store, former: Clashes | undefined): string[] {
  return [
    ...(update.has("schedule")
      ? [
          ...sharedDates(update),
          ...sharedScenes(update),
          ...danglingReferences(update),
          ...repeatedCalls(update),
          ...withoutLocation(update),
        ]
      : []),
    ...(update.has("assets") ? sharedCastNumbers(update) : []),
    ...(former === undefined ? [] : newClashes(update, store, former)),
    ...(update.has("scenes") ? [...scheduledOmissions(update), ...unlinkedCasts(update)] : []),
    ...(update.has("people") ? waitingForAbsent(update) : []),
    ...formerNames(update, store),
  ];
}

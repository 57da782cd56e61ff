// What the author of an update may not expect, asked of the database as it is after the update.
import { dirname } from "node:path";
import { readConfig } from "../../../core/config.ts";
import { composed } from "../../../core/store/composed.ts";
import type { Store } from "../../../core/store/store.ts";
import { firstOf, listed, sameName } from "../../../core/wording.ts";
import { castClashes, type DaySheet, earlierDates, noLocation, shifted } from "../../clashes/clashes.ts";
import { formerNamesOf } from "../../names/former_names.ts";
import { listAt } from "../../sequences/sequences.ts";
import { rawsOf } from "../sections/form.ts";
import { kindOf, namings, type SectionName, sections } from "../sections/sections.ts";
import { differingFields } from "./plan.ts";
import type { Item, Update } from "./update.ts";

/** How many days a sentence names, and with how many other days of its date and the ones before it a day is compared. */
const maxDays = 20;
const daysText = (numbers: readonly unknown[]): string => firstOf(numbers, maxDays, " and ");
const namedDays = (numbers: readonly unknown[]): string =>
  `${numbers.length === 1 ? "day" : "days"} ${daysText(numbers)}`;

const rowsOf = <T>({ rows: { database } }: Update, sql: string, ...values: unknown[]): T[] =>
  database === undefined ? [] : composed<T>(database, sql).all(...values);

const givenIds = (update: Update, section: SectionName): string =>
  JSON.stringify(
    [...update.items(section).values()]
      .filter(({ places, next }) => places.length > 0 && next !== undefined)
      .map(({ id }) => id),
  );

type Numbers = { numbers: string; value: string };

function sharedDates(update: Update): string[] {
  const sql = `SELECT json_group_array(day_number) AS numbers, date AS value FROM (SELECT * FROM shoot_days WHERE production_id = ? ORDER BY day_number)
    GROUP BY date HAVING count(*) > 1 AND sum(id IN (SELECT value FROM json_each(?))) > 0 ORDER BY min(day_number)`;
  const found = rowsOf<Numbers>(update, sql, update.rows.production_id, givenIds(update, "schedule"));
  return found.map(({ numbers, value }) => `days ${daysText(JSON.parse(numbers))} are both on ${value}`);
}

function sharedCastNumbers(update: Update): string[] {
  const sql = `SELECT json_group_array(id) AS numbers, cast_number AS value
    FROM (SELECT * FROM nodes WHERE production_id = ? AND kind <> 'scene' AND cast_number IS NOT NULL ORDER BY id)
    GROUP BY cast_number HAVING count(*) > 1 AND sum(id IN (SELECT value FROM json_each(?))) > 0 ORDER BY min(id)`;
  const found = rowsOf<Numbers>(update, sql, update.rows.production_id, givenIds(update, "assets"));
  return found.map(({ numbers, value }) => {
    const ids: number[] = JSON.parse(numbers); // ids of nodes
    const names = ids.slice(0, 5).map((id) => `"${update.names.nameOf("asset", id)}"`);
    return `${listed(names)} have the same cast number, ${value}`;
  });
}

const changedIn = (update: Update, section: SectionName): Item[] =>
  [...update.items(section).values()].filter(({ before, next }) => before !== next && next !== undefined);
const idsOf = (list: unknown): number[] => (Array.isArray(list) ? list : []);

/** The days on which scenes are, by scene. */
function daysOfScenes(update: Update, scenes: Iterable<number>): Map<number, { id: number; day_number: number }[]> {
  const sql = `SELECT t.node_id AS scene, d.id, d.day_number FROM json_each(?) s JOIN strips t ON t.node_id = s.value
    JOIN shoot_days d ON d.id = t.shoot_day_id ORDER BY d.day_number`;
  const rows = rowsOf<{ scene: number; id: number; day_number: number }>(update, sql, JSON.stringify([...scenes]));
  return Map.groupBy(rows, ({ scene }) => scene);
}

/** Scenes that come onto a day while they stay on another one, or come onto that one too. */
function sharedScenes(update: Update): string[] {
  const placed = new Map<number, number[]>();
  for (const { id, before, next } of changedIn(update, "schedule")) {
    const former = new Set(idsOf(before?.scenes));
    for (const scene of idsOf(next?.scenes)) if (!former.has(scene)) listAt(placed, scene).push(id);
  }
  return [...daysOfScenes(update, placed.keys())].flatMap(([scene, days]) => {
    if (days.length < 2) return [];
    const name = update.names.nameOf("scene", scene);
    const isNew = ({ id }: { id: number }) => placed.get(scene)?.includes(id) === true;
    const numbers = (own: typeof days) => namedDays(own.map(({ day_number }) => day_number));
    const [now, still] = [days.filter(isNew), days.filter((day) => !isNew(day))];
    if (still.length === 0) return [`scene ${name} is now on ${numbers(now)}`];
    return now.map((day) => `scene ${name} is now on ${numbers([day])} and still on ${numbers(still)}`);
  });
}

/** What the calls of a day name that is no asset, person or department, and banners before scenes that are not on the day. */
function danglingReferences(update: Update): string[] {
  return changedOrGiven(update).flatMap(({ next = {} }) => {
    const texts = rawsOf(next.calls).flatMap(({ who }) => (typeof who === "string" ? who : []));
    const scenes = new Set(idsOf(next.scenes));
    const befores = rawsOf(next.banners).flatMap(({ before }) =>
      typeof before === "number" && !scenes.has(before) ? (update.names.nameOf("scene", before) ?? []) : [],
    );
    const day = `day ${String(next.day_number)}`;
    return [
      ...(texts.length === 0 ? [] : [`${day} calls what is no asset, person or department: ${firstOf(texts)}`]),
      ...(befores.length === 0 ? [] : [`${day} has a banner before a scene that is not on it: ${firstOf(befores)}`]),
    ];
  });
}

/** The shoot days that documents name. */
const changedOrGiven = (update: Update): Item[] =>
  update.listed("schedule").filter(({ places, next }) => places.length > 0 && next !== undefined);

/** Days that the documents name and that have no location, while other days have one. */
function withoutLocation(update: Update): string[] {
  const sql = "SELECT 1 FROM shoot_days WHERE production_id = ? AND location IS NOT NULL LIMIT 1";
  if (rowsOf(update, sql, update.rows.production_id).length === 0) return [];
  return changedOrGiven(update).flatMap(({ before, next = {} }) =>
    next.location !== undefined || (before !== undefined && before.location === undefined)
      ? []
      : [`day ${String(next.day_number)}: ${noLocation}`],
  );
}

/** Scenes that become omitted and are still on a day. */
function scheduledOmissions(update: Update): string[] {
  const omitted = changedIn(update, "scenes").filter(
    ({ before, next }) => next?.status === "omitted" && before !== undefined && before.status !== "omitted",
  );
  const days = daysOfScenes(
    update,
    omitted.map(({ id }) => id),
  );
  return omitted.flatMap(({ id }) => {
    const on = [...new Set(days.get(id)?.map(({ day_number }) => day_number))];
    return on.length === 0
      ? []
      : [`scene ${update.names.nameOf("scene", id)} becomes omitted and is still on ${namedDays(on)}`];
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
    const waiting = rowsOf<{ id: number }>(update, sql, id);
    const titles = waiting.map((one) => `"${update.names.nameOf("approval", one.id)}"`).join(", ");
    if (waiting.length === 0) return [];
    return [
      `"${String(next?.name)}" leaves, and a step waits for them in ${titles}; \`steps\` of these name somebody else`,
    ];
  });
}

/** Things that are added under the former name of another one: the author may not know of the rename. A number is soon another scene's. */
function formerNames(update: Update, store: Store): string[] {
  return update.given.flatMap((section) => {
    const { noun } = sections[section];
    const added = [...update.items(section).values()].filter(
      ({ before, next }) => before === undefined && next !== undefined,
    );
    if (noun === undefined || noun === "scene" || added.length === 0) return [];
    const { field } = namings[noun];
    const own = new Set(added.map(({ id }) => id));
    const production_id = update.rows.production_id as Parameters<typeof formerNamesOf>[1]["production_id"]; // that of the update
    const former = new Map(
      formerNamesOf(store, { production_id, section, field })
        .filter(({ id }) => !own.has(id))
        .map(({ id, name }) => [sameName(name), id]),
    );
    return added.flatMap(({ next }) => {
      const name = String(next?.[field]);
      const id = former.get(sameName(name));
      const holder = id === undefined || isGone(update, section, id) ? undefined : update.names.nameOf(noun, id);
      return holder === undefined
        ? []
        : [`the ${kindOf(section)} "${name}" is added, although "${holder}" had that name before it was renamed`];
    });
  });
}

const isGone = (update: Update, section: SectionName, id: number): boolean => {
  const item = update.items(section).get(id);
  return item !== undefined && item.next === undefined;
};

type DayRow = Pick<DaySheet, "day_number" | "date" | "general_call" | "wrap"> & { id: number };

/** The shoot days with their calls, and the characters of their scenes. */
function sheetsOf(update: Update): DaySheet[] {
  const { production_id } = update.rows;
  const days = rowsOf<DayRow>(
    update,
    "SELECT id, day_number, date, general_call, wrap FROM shoot_days WHERE production_id = ? ORDER BY day_number",
    production_id,
  );
  type CallRow = {
    day: number;
    time: string;
    who: string | null;
    node_id: number | null;
    person_id: number | null;
    department_id: number | null;
  };
  const callSql =
    "SELECT shoot_day_id AS day, time, who, node_id, person_id, department_id FROM day_calls WHERE production_id = ? ORDER BY shoot_day_id, position";
  const { names } = update;
  const calls = Map.groupBy(rowsOf<CallRow>(update, callSql, production_id), ({ day }) => day);
  const whoOf = ({ who, node_id, person_id, department_id }: CallRow): string =>
    who ??
    names.nameOf("asset", node_id) ??
    names.nameOf("person", person_id) ??
    names.nameOf("department", department_id) ??
    "";
  const sceneSql = `SELECT t.shoot_day_id AS day, t.position, n.id, c.id AS "character" FROM strips t JOIN nodes n ON n.id = t.node_id AND n.status <> 'omitted'
    LEFT JOIN node_links l ON l.from_node_id = n.id LEFT JOIN nodes c ON c.id = l.to_node_id AND c.kind = 'character'
    WHERE t.production_id = ? ORDER BY t.shoot_day_id, t.position, c.id`;
  type SceneRow = { day: number; position: number; id: number; character: number | null };
  const scenes = Map.groupBy(rowsOf<SceneRow>(update, sceneSql, production_id), ({ day }) => day);
  return days.map(({ id, ...day }) => ({
    ...day,
    calls: (calls.get(id) ?? []).map((call) => ({ who: whoOf(call), time: call.time })),
    scenes: [...Map.groupBy(scenes.get(id) ?? [], ({ position }) => position).values()].map((rows) => ({
      name: names.nameOf("scene", rows[0]?.id) ?? "",
      characters: rows.flatMap(({ character }) =>
        character === null ? [] : [{ id: character, label: names.nameOf("asset", character) ?? "" }],
      ),
    })),
  }));
}

function clashesIn(update: Update, store: Store): string[] {
  const sheets = sheetsOf(update);
  const byDate = Map.groupBy(sheets, ({ date }) => date);
  // Without a wrap, and without two days on one date, nothing clashes.
  if (byDate.size === sheets.length && sheets.every(({ wrap }) => wrap === null || wrap === undefined)) return [];
  const { turnaround } = readConfig(dirname(store.file), process.env);
  return sheets.flatMap((day) => {
    const dates = Array.from({ length: earlierDates + 1 }, (_, days) => shifted(day.date, -days));
    const near = dates.flatMap((date) => (byDate.get(date) ?? []).slice(0, maxDays + 1));
    const others = near.filter((other) => other !== day).slice(0, maxDays);
    return castClashes(day, others, turnaround).map((clash) => `day ${day.day_number}: ${clash}`);
  });
}

/** What can make the cast of days clash: a day, a scene that is another one, or a character. */
function concernsCast(update: Update): boolean {
  const changes = (section: SectionName, fields: readonly string[]) =>
    changedIn(update, section).some(({ before = {}, next = {} }) =>
      differingFields(section, before, next).some(({ name }) => fields.includes(name)),
    );
  return (
    [...update.items("schedule").values()].some(({ before, next }) => before !== next) ||
    changes("scenes", ["status", "assets", "number", "episode"]) ||
    changes("assets", ["kind", "label"])
  );
}

/** What clashes for the cast before an update, if the update can change that. `warningsOf` needs it after the update. */
export const clashesBefore = (update: Update, store: Store): ReadonlySet<string> | undefined =>
  concernsCast(update) ? new Set(clashesIn(update, store)) : undefined;

/** In the transaction of the update, once it is written. `former` is what clashed before. */
export function warningsOf(update: Update, store: Store, former: ReadonlySet<string> | undefined): string[] {
  const has = (section: SectionName) => update.items(section).size > 0;
  return [
    ...(has("schedule")
      ? [...sharedDates(update), ...sharedScenes(update), ...danglingReferences(update), ...withoutLocation(update)]
      : []),
    ...(has("assets") ? sharedCastNumbers(update) : []),
    ...(former === undefined ? [] : clashesIn(update, store).filter((clash) => !former.has(clash))),
    ...(has("scenes") ? scheduledOmissions(update) : []),
    ...(has("people") ? waitingForAbsent(update) : []),
    ...formerNames(update, store),
  ];
}

// Who is called on a call sheet: the cast with their times, and the crew by department.
import { otherDates } from "../../../graph/day_hours.ts";
import type { listDepartments } from "../../../graph/departments.ts";
import { castOrder } from "../../cast/day_out_of_days.ts";
import { dateText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { dataTable } from "../../pages/html_parts.ts";
import { sceneNumber } from "../../pages/scene_facts.ts";
import type { OutputOf } from "../../pages/visit.ts";
import type { DayBundle } from "../day_bundle.ts";
import { callKeys, type DayCall, type SheetChanges } from "./sheet_changes.ts";
import { changedMark, type Person } from "./sheet_head.ts";

export type Department = OutputOf<typeof listDepartments>[number];

const times = [
  ["pickup", "Pick-up"],
  ["makeup", "Make-up"],
  ["costume", "Costume"],
  ["time", "Call"],
  ["on_set", "On set"],
] as const;

type TimeField = (typeof times)[number][0];

/** A time of a call, with its date if that is not the day's; undefined if there is no such time. */
function timeOn(day: DayBundle["day"], call: Partial<DayCall>, field: TimeField): string | undefined {
  const { [field]: time } = call;
  if (!time) return undefined;
  const { [field]: date } = otherDates(day, call);
  return date === undefined ? time : `${time}, ${dateText(date)}`;
}

/** The cell of a column, named by it where a phone has no head of the table: a line for each call. */
const timeCell = (name: string, values: readonly (string | undefined)[]): Markup =>
  html`<td data-label="${name}">${values.flatMap((value) => (value === undefined ? [] : html`<p>${value}</p>`))}</td>`;

export function castTable({ day, cast, scenes }: DayBundle, changes: SheetChanges): Markup {
  const numbers = new Map(scenes.map((scene) => [scene.node_id, sceneNumber(scene)]));
  const calls = Map.groupBy(day.calls ?? [], ({ node_id }) => node_id);
  const rows = cast.toSorted(castOrder).map((member) => {
    const { node_id, label, cast_number, performer, work } = member;
    const own: readonly Partial<DayCall>[] = calls.get(node_id) ?? [{ time: day.general_call ?? "" }];
    const inScenes = member.scenes.map((scene) => numbers.get(scene.node_id)).join(", ");
    return html`<tr><th scope="row">${cast_number}</th><td dir="auto"><a href="/assets/${node_id}">${label}</a>${changedMark(changes, `cast ${node_id}`)}</td><td dir="auto">${performer}</td><td>${work}</td>
${times.map(([field, name]) =>
  timeCell(
    name,
    own.map((call) => timeOn(day, call, field)),
  ),
)}<td dir="auto">${own.flatMap(({ note }) => (note === undefined ? [] : html`<p>${note}</p>`))}</td><td data-label="Scenes">${inScenes}</td></tr>
`;
  });
  const heads = ["No.", "Character", "Performer", "Work", ...times.map(([, name]) => name), "Note", "Scenes"];
  return html`<div class="called">${dataTable("Cast", heads, rows)}</div>`;
}

interface CrewCall {
  who: string;
  under: Markup;
  call: Partial<DayCall>;
  key: string;
}

/** The times of a call beside the call itself, in words, with its note. */
const furtherWords = (day: DayBundle["day"], call: Partial<DayCall>): string =>
  [
    ...times.flatMap(([field, name]) => {
      const time = field === "time" ? undefined : timeOn(day, call, field);
      return time === undefined ? [] : `${name} ${time}`;
    }),
    call.note,
  ]
    .filter(Boolean)
    .join(", ");

const crewRow = (day: DayBundle["day"], { who, under, call, key }: CrewCall, changes: SheetChanges): Markup =>
  html`<li><b dir="auto">${who}</b> <span class="under">${under}</span> <b>${timeOn(day, call, "time")}</b>${changedMark(changes, key)}<span class="under whole" dir="auto">${furtherWords(day, call)}</span></li>
`;

/**
 * Everybody who is not in the cast of the day: each department with its head and its people, then whom no department
 * has.
 */
export function crewCalls(
  bundle: DayBundle,
  {
    people,
    departments,
    changes,
  }: { people: readonly Person[]; departments: readonly Department[]; changes: SheetChanges },
): Markup | false {
  const { day, cast } = bundle;
  const inCast = new Set<number | undefined>(cast.map(({ node_id }) => node_id));
  const calls = callKeys(bundle).filter(([, { node_id }]) => node_id === undefined || !inCast.has(node_id));
  const departmentOf = new Map(people.map(({ id, department }) => [id, department]));
  const of = (slug: string) =>
    calls.filter(([, { person_id }]) => person_id !== undefined && departmentOf.get(person_id) === slug);
  const rows = departments.flatMap(({ id, slug, name }): CrewCall[] => {
    const heads = people.filter((one) => one.is_hod && one.active && one.department === slug);
    const under = html`${heads.map(({ name, role }, at) => html`${at > 0 && "; "}<bdi>${name}</bdi>, <bdi>${role}</bdi>`)}`;
    const own = calls.filter(([, { department_id }]) => department_id === id);
    const persons = of(slug).map(([key, call]) => ({ who: call.who, under: html`<bdi>${name}</bdi>`, call, key }));
    const whole = own.map(([key, call]) => ({ who: name, under, call, key }));
    const general = heads.length > 0 && {
      who: name,
      under,
      call: { time: day.general_call ?? "" },
      key: "general_call",
    };
    return [...(whole.length > 0 || general === false ? whole : [general]), ...persons];
  });
  const placed = new Set(rows.map(({ key }) => key));
  const others = calls
    .filter(([key]) => !placed.has(key))
    .map(([key, call]) => ({ who: call.who, under: html``, call, key }));
  const all = [...rows, ...others];
  return (
    all.length > 0 &&
    html`<section><h2>Crew calls</h2><ul class="crew">${all.map((row) => crewRow(day, row, changes))}</ul></section>`
  );
}

/** When the person of the session is called: by name, by department, or with everybody. */
export function ownCall({ day }: DayBundle, person: Person | undefined, departments: readonly Department[]) {
  if (person === undefined) return undefined;
  const department = departments.find(({ slug }) => slug === person.department);
  const call =
    day.calls?.find(({ person_id }) => person_id === person.id) ??
    day.calls?.find(({ department_id }) => department_id !== undefined && department_id === department?.id);
  const time = call?.time ?? day.general_call;
  return time === null ? undefined : { time, department: department?.name ?? "" };
}

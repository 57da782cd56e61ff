// Random forms of the edit pages.
import { at } from "../support/random_updates.ts";
import type { Json } from "../support/update.ts";
import { chance, integer, type Known, pick, someKey } from "./known.ts";
import type { Step } from "./steps.ts";

/** The sections that have edit pages, with their tables. */
export const pagesOf = {
  scenes: "SELECT node_id AS id FROM scenes WHERE production_id = :id ORDER BY node_id",
  assets: "SELECT id FROM nodes WHERE production_id = :id AND kind <> 'scene' ORDER BY id",
  people: "SELECT id FROM people WHERE production_id = :id ORDER BY id",
  departments: "SELECT id FROM departments WHERE production_id = :id ORDER BY id",
  schedule: "SELECT id FROM shoot_days WHERE production_id = :id ORDER BY id",
  deliveries: "SELECT id FROM deliveries WHERE production_id = :id ORDER BY id",
  approvals: "SELECT id FROM approvals WHERE production_id = :id ORDER BY id",
  department_notes: "SELECT id FROM department_notes WHERE production_id = :id ORDER BY id",
} as const;

/** What may be typed into the fields of forms, by their names. */
function typedFields(known: Known): Record<string, string> {
  const { number, document } = known;
  const some = (list: Json[] = [], field: string): string => pick<Json>(known, list)?.[field] ?? "";
  const lines = (list: Json[] = [], field: string): string =>
    list
      .filter(() => chance(known, 0.2))
      .slice(0, 4)
      .map((one) => one.ref ?? (one.episode === undefined ? one[field] : `${one.episode}/${one[field]}`))
      .join("\n");
  const typed: Record<string, string> = {
    synopsis: `Typed ${number}`,
    slugline: `INT. TYPED ${number} - DAY`,
    status: pick(known, ["planned", "active", "done", "omitted", "draft", "ready", "sent", "scheduled"]),
    label: `Typed ${number}`,
    title: `Typed ${number}`,
    name: `Typed ${number}`,
    number: `${number}T`,
    role: "Typist",
    department: some(document.departments, "slug"),
    to_department: some(document.departments, "slug"),
    assets: lines(document.assets, "label"),
    scenes: lines(document.scenes, "number"),
    costumes: lines(document.assets, "label"),
    due: pick(known, ["", "2026-12-24", "soon"]),
    summary: `Typed ${number}`,
    mission: `Typed ${number}`,
    phases: pick(known, ["prep", "prep\nshoot", ""]),
    general_call: pick(known, ["", "07:00", "7am", "25:99"]),
    notes: `Typed ${number}`,
    active: pick(known, ["yes", "no"]),
    is_hod: pick(known, ["yes", "no"]),
    "elements.cast": pick(known, ["", "ADA\nBEN"]),
    "steps.0.person": some(document.people, "name"),
    "calls.0.who": some(document.people, "name"),
    "calls.0.time": pick(known, ["06:00", "O/C", "seven"]),
  };
  return Object.fromEntries(Object.entries(typed).filter(() => chance(known, 0.25)));
}

export async function form(known: Known): Promise<Step | undefined> {
  const section = pick(known, Object.keys(pagesOf) as (keyof typeof pagesOf)[]);
  const found = at<Json>(await known.rows(pagesOf[section]), integer(known, 500));
  const page = `/edit/${section}${found === undefined || chance(known, 0.15) ? "" : `/${found.id}`}`;
  return { do: "form", key: someKey(known), page, fields: typedFields(known) };
}

// Records an applied update: an event for each change, and an activity entry with one sentence for each section.

import { type Planned, type PlannedChange, verbs } from "../document/plan.ts";
import { sections } from "../document/sections.ts";
import type { Writer } from "../document/writer.ts";
import { createActivity } from "../operations/activity.ts";
import { type EventType, isEventType } from "../store/event_types.ts";
import { eventFields, type Happening, recordEvent } from "../store/events.ts";
import type { Admin } from "./admin.ts";

const titles: Readonly<Record<PlannedChange["section"], string>> = {
  production: "Production",
  episodes: "Episodes",
  departments: "Departments",
  people: "People",
  ingredients: "Ingredients",
  scenes: "Scenes",
  assets: "Assets",
  schedule: "Schedule",
  vendors: "Vendors",
  engagements: "Engagements",
  deliveries: "Deliveries",
  approvals: "Approvals",
  department_notes: "Department notes",
  notes: "Notes",
  purchase_orders: "Purchase orders",
  cost_reports: "Cost reports",
  script_changes: "Script changes",
  jobs: "Jobs",
  activity: "Activity",
  storage: "Storage",
};

/** How many changes of a section are named one by one. */
const maxNamed = 6;
const maxValue = 60;

function shown(value: unknown): string {
  if (value === null) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue).toWellFormed()}…` : text;
}

const isScalar = (value: unknown): boolean => value === null || typeof value !== "object";

/** "status ready -> sent", or only the name of a field whose values are lists. */
const fieldSentence = ([name, { from, to }]: [string, { from: unknown; to: unknown }]): string =>
  isScalar(from) && isScalar(to)
    ? `${name.replaceAll("_", " ")} ${shown(from)} -> ${shown(to)}`
    : name.replaceAll("_", " ");

const thing = ({ section, key }: PlannedChange): string =>
  section === "schedule" ? `day ${key}` : section === "scenes" ? `scene ${key}` : key;

/** Two shoot days that exchanged their dates. */
function swapped(changes: readonly PlannedChange[]): [PlannedChange, PlannedChange] | undefined {
  const dated = changes.flatMap((change) =>
    change.fields.date === undefined ? [] : [{ change, date: change.fields.date }],
  );
  for (const one of dated)
    for (const other of dated)
      if (one !== other && one.date.from === other.date.to && one.date.to === other.date.from)
        return [one.change, other.change];
  return undefined;
}

/** Describes the changes of one section in a sentence. */
export function sentenceOf(section: PlannedChange["section"], changes: readonly PlannedChange[]): string {
  const parts: string[] = [];
  let rest = changes;
  const pair = section === "schedule" && changes.length <= maxNamed ? swapped(changes) : undefined;
  if (pair !== undefined) {
    parts.push(`${thing(pair[0])} and ${thing(pair[1])} swapped`);
    rest = changes.flatMap((change) => {
      if (!pair.includes(change)) return [change];
      const { date: _, ...fields } = change.fields;
      return Object.keys(fields).length === 0 ? [] : [{ ...change, fields }];
    });
  }
  if (rest.length > maxNamed) {
    const count = (action: PlannedChange["action"]) => rest.filter((change) => change.action === action).length;
    const counts = [
      [count("add"), "added"],
      [count("change"), "changed"],
      [count("remove"), "removed"],
    ] as const;
    parts.push(...counts.filter(([many]) => many > 0).map(([many, verb]) => `${many} ${verb}`));
  } else
    for (const change of rest) {
      if (change.action === "add") parts.push(`${thing(change)} added`);
      else if (change.action === "remove") parts.push(`${thing(change)} removed`);
      else parts.push(`${thing(change)}: ${Object.entries(change.fields).map(fieldSentence).join(", ")}`);
    }
  return `${titles[section]}: ${parts.join("; ")}`;
}

/** The event of a change; undefined for an activity entry, which has no event of its own. */
function happeningOf(
  { section, key, id, action, fields }: PlannedChange,
  writer: Writer,
): Happening<EventType> | undefined {
  const kind = section === "production" ? section : sections[section].kind;
  const data = { key, fields: eventFields(fields) };
  const to = (field: string) => fields[field]?.to ?? null;
  const subject = { kind, id: id as number }; // an applied change has its id
  const happening = (type: EventType, data: Readonly<Record<string, unknown>>) =>
    ({ type, subject, data }) as Happening<EventType>;
  switch (section) {
    case "engagements":
      if (action === "add") return happening("engagement.added", { vendor: to("vendor"), title: to("title") });
      return happening(
        fields.ended_at?.to != null ? "engagement.ended" : "engagement.changed",
        fields.ended_at?.to != null ? { vendor: to("vendor"), title: key } : data,
      );
    case "notes":
      return happening("note.created", {
        node_id: writer.id("asset", fields.asset?.to as string),
        version_id: writer.versionId(fields.asset?.to as string, fields.version?.to as number | undefined),
      });
    case "script_changes":
      return happening("script_change.detected", {
        node_id: writer.id("scene", fields.scene?.to as string | undefined),
        scene_number: to("scene_number"),
        kind: to("kind"),
      });
    case "storage":
      return happening("storage.installed", { filespace: key });
    case "jobs":
      return happening("job.added", data);
    default: {
      const type = `${kind}.${verbs[action]}`;
      return isEventType(type) ? happening(type, data) : undefined;
    }
  }
}

/** Records the applied changes. Must run in the transaction of the changes. */
export function recordApplied({ store, now, label, person_id }: Admin, { plan }: Planned, writer: Writer): void {
  const { production_id } = plan;
  for (const [section, changes] of Map.groupBy(plan.changes, (change) => change.section)) {
    const verb = `${section}.imported`;
    const summary = sentenceOf(section, changes);
    const about = { node_id: null, created_at: now, actor: label, actor_person_id: person_id };
    const { id: activity_id } = createActivity(store, { production_id, verb, summary, ...about });
    for (const change of changes) {
      const happening = happeningOf(change, writer);
      if (happening !== undefined) recordEvent(store, { ...happening, production_id, actor: label, activity_id }, now);
    }
  }
}

// Records an applied update: an event for each change, and an activity entry with one sentence for each section.
import { type EventType, isEventType } from "../../core/store/event_types.ts";
import { type EventContent, recordEvent } from "../../core/store/events.ts";
import { wordOf } from "../../core/wording.ts";
import { createActivity } from "../../graph/activity_entries.ts";
import type { Admin } from "../../graph/admin.ts";
import { grantsByEngagement } from "../../graph/engagements.ts";
import { append } from "../sequences/sequences.ts";
import { namesInto, type RecordedIds } from "./difference.ts";
import { eventFields } from "./event_fields.ts";
import type { Target } from "./match/target.ts";
import type { Writer } from "./nouns/writer.ts";
import { type Planned, type PlannedChange, type PlannedSlot, slotsByChange, verbs } from "./plan/plan.ts";
import { factsOfChange, factText, keyOfChange } from "./plan_words.ts";
import { eachReference, itemFormOf, referringField } from "./sections/form.ts";
import { hasMoney, type Item, sections } from "./sections/sections.ts";

/** How many changes of a section are named one by one. */
const maxNamed = 6;
const maxValue = 60;

/** What a change did to a thing that stays: "status ready -> sent". Without values, the fields are named. */
function changedText(change: PlannedChange): string {
  const facts = factsOfChange(change).map((fact) => factText(fact, maxValue, " "));
  return (facts.length > 0 ? facts : Object.keys(change.fields).map(wordOf)).join(", ");
}

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
    parts.push(`${keyOfChange(pair[0])} and ${keyOfChange(pair[1])} swapped`);
    rest = changes.flatMap((change) => {
      if (!pair.includes(change)) return [change];
      const { date: _, ...fields } = change.fields;
      return Object.keys(fields).length === 0 ? [] : [{ ...change, fields }];
    });
  }
  if (rest.length > maxNamed || hasMoney(section)) {
    const count = (action: PlannedChange["action"]) => rest.filter((change) => change.action === action).length;
    const counts = [
      [count("add"), "added"],
      [count("change"), "changed"],
      [count("remove"), "removed"],
    ] as const;
    append(
      parts,
      counts.filter(([many]) => many > 0).map(([many, verb]) => `${many} ${verb}`),
    );
  } else
    for (const change of rest) {
      if (change.action === "change") parts.push(`${keyOfChange(change)}: ${changedText(change)}`);
      else if (change.action === "add" && section === "script_changes") parts.push(keyOfChange(change));
      else parts.push(`${keyOfChange(change)} ${verbs[change.action]}`);
    }
  return `${section === "production" ? "Production" : sections[section].title}: ${parts.join("; ")}`;
}

type Some = EventContent<EventType>;
const happening = (type: EventType, subject: { kind: string; id: number }, data: Readonly<Record<string, unknown>>) =>
  ({ type, subject, data }) as Some; // the rows of event_types.ts say what each type has

/** The fields that a change has in its event, with the ids of what their values name: `{noun: {name: id}}`. What is gone has none. */
function changedFields(section: PlannedChange["section"], fields: PlannedChange["fields"], writer: Writer) {
  const form = itemFormOf(section);
  const withIds = Object.entries(eventFields(fields)).map(([name, field]) => {
    const ids: RecordedIds["names"] = {};
    const visit = namesInto(ids, (noun, named) => writer.ids(noun, named));
    const own = referringField(form, name);
    if (own !== undefined) for (const value of [field.from, field.to]) eachReference(value, own, "", visit);
    return [name, Object.keys(ids).length === 0 ? field : { ...field, ids }];
  });
  return Object.fromEntries(withIds);
}

interface Applied {
  writer: Writer;
  target: Target;
}

/** The events of an engagement that changed, and of its grants. */
function ofEngagement(
  change: PlannedChange,
  slot: PlannedSlot,
  { store, now }: Admin,
  { writer, target }: Applied,
): Some[] {
  const { section, id, action, fields, key } = change;
  const { title, ended_at, grants, ...item } = slot.item as Item<"engagements">; // a thing of its section
  const vendor = target.names.print(item.vendor);
  const former = (slot.stored as Item<"engagements"> | undefined)?.grants ?? []; // a thing of its section, as it was
  const subject = { kind: "engagement", id: id as number }; // an applied change has its id
  if (action === "remove") return [happening("engagement.ended", subject, { vendor, title })];
  const rows = grantsByEngagement(store, id as number, now).get(id as number) ?? []; // as many as `grants`, oldest first
  const ofGrants = grants.flatMap((grant, at) => {
    const [row, before] = [rows[at], former[at]];
    if (row === undefined || (before === undefined && grant.revoked_at !== undefined)) return [];
    const { target, target_id, verb, expires_at } = row;
    const none = { node_id: null, department_id: null, delivery_id: null };
    const data = { engagement_id: id, verb, ...none, [`${target}_id`]: target_id, expires_at };
    const about = { kind: "grant", id: row.id };
    if (before === undefined) return [happening("grant.added", about, data)];
    if (before.revoked_at !== grant.revoked_at) return [happening("grant.revoked", about, data)];
    return before.expires_at === grant.expires_at ? [] : [happening("grant.changed", about, data)];
  });
  if (action === "add") return [happening("engagement.added", subject, { vendor, title }), ...ofGrants];
  const ends = fields.ended_at !== undefined && ended_at !== undefined && ended_at <= now;
  const { ended_at: end, ...others } = fields;
  const rest = ends || end === undefined ? others : fields;
  return [
    ...(ends ? [happening("engagement.ended", subject, { vendor, title })] : []),
    ...(Object.keys(rest).length === 0
      ? []
      : [happening("engagement.changed", subject, { key, fields: changedFields(section, rest, writer) })]),
    ...ofGrants,
  ];
}

/** The events of a change; an activity entry has none, and an install only when it is made the active one. */
function happeningsOf(change: PlannedChange, slot: PlannedSlot | undefined, admin: Admin, applied: Applied): Some[] {
  const { writer } = applied;
  const { section, key, id, action, fields } = change;
  if (section === "engagements" && slot !== undefined) return ofEngagement(change, slot, admin, applied);
  const kind = section === "production" ? section : sections[section].kind;
  const valued = () => (action === "change" ? changedFields(section, fields, writer) : eventFields(fields));
  const data = hasMoney(section) ? { key: null, fields: {} } : { key, fields: valued() };
  const to = (field: string) => fields[field]?.to ?? null;
  const subject = { kind, id: id as number }; // an applied change has its id
  switch (section) {
    case "notes": {
      // as the schema of a note has them
      const [asset, version] = [fields.asset?.to as string, fields.version?.to as number | undefined];
      const about = { node_id: writer.id("asset", asset), version_id: writer.versionId(asset, version) };
      return [happening("note.created", subject, about)];
    }
    case "script_changes": {
      // What an undo makes pending is detected again; what it takes away does not wait for a decision any more.
      const item = (action === "remove" ? slot?.stored : slot?.item) as Item<"script_changes">;
      const { scene, scene_number, kind, status } = item;
      const node_id = action === "remove" ? null : writer.id("scene", scene);
      const decided = action === "change" && status !== "pending" ? status : "detected";
      const type = action === "remove" ? "dismissed" : decided;
      return [happening(`script_change.${type}`, subject, { node_id, scene_number, kind })];
    }
    case "storage":
      return to("active") === true ? [happening("storage.installed", subject, { filespace: key })] : [];
    case "jobs":
      return [happening("job.added", subject, data)];
    default: {
      const type = `${kind}.${verbs[action]}`;
      return isEventType(type) ? [happening(type, subject, data)] : [];
    }
  }
}

/** Records the applied changes; `undone` is the one sentence of an undo. Must run in the transaction of the changes. */
export function recordApplied(admin: Admin, planned: Planned, writer: Writer, undone: string | undefined): void {
  const { store, now, label, person_id } = admin;
  const { plan, target } = planned;
  const { production_id } = plan;
  const slotOf = slotsByChange(planned);
  const about = { node_id: null, created_at: now, actor: label, actor_person_id: person_id };
  const add = (verb: string, summary: string) => createActivity(store, { production_id, verb, summary, ...about }).id;
  const undo_id = undone === undefined ? undefined : add("production.undone", undone);
  for (const [section, changes] of Map.groupBy(plan.changes, (change) => change.section)) {
    const isNew = section === "production" && changes[0]?.action === "add"; // its activity is that of its document
    const activity_id = isNew ? null : (undo_id ?? add(`${section}.imported`, sentenceOf(section, changes)));
    for (const change of changes)
      for (const happened of happeningsOf(change, slotOf.get(change), admin, { writer, target }))
        recordEvent(store, { ...happened, production_id, actor: label, activity_id }, now);
  }
}

// Records a written update: an event for each change, an activity entry with one sentence for each section, the change
// set, and the audit entry.
import { contribution } from "../../../core/features.ts";
import { type ActivityVerb, type EventType, isEventType } from "../../../core/store/event_types.ts";
import { type EventContent, recordEvent } from "../../../core/store/events.ts";
import { indexingSteps } from "../../../core/store/migrations.ts";
import { prepareStatements } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import { createActivity } from "../../../graph/activity_entries.ts";
import type { Admin } from "../../../graph/admin.ts";
import { recordAction } from "../../../graph/audit.ts";
import { grantsByEngagement } from "../../../graph/engagements.ts";
import { type PlannedChange, verbs } from "../planned.ts";
import type { Done, ScriptFollowing } from "../recording.ts";
import { eachReference, layoutOf, type Raw, rawsOf } from "../sections/form.ts";
import { hasMoney, type Noun, sections } from "../sections/sections.ts";
import { sentenceOf } from "../sentences.ts";
import type { Applied } from "./commit.ts";
import type { ItemChange } from "./plan.ts";

type IdsByName = Partial<Record<Noun, Record<string, number>>>;

type Some = EventContent<EventType>;
const happening = (type: EventType, subject: { kind: string; id: number }, data: Readonly<Record<string, unknown>>) =>
  ({ type, subject, data }) as Some; // the rows of event_types.ts say what each type has

/** A field of something that was changed. */
interface FieldChange {
  from?: unknown;
  to?: unknown;
}

/** In characters of JSON. */
const maxValue = 1_000;
const isShort = (value: unknown): boolean => (JSON.stringify(value)?.length ?? 0) <= maxValue;

/**
 * The fields of an import's plan as an event has them: a change with a value of more than 1,000 characters is an empty
 * object, so that events stay small. Readers read such a value from the resource.
 */
export const eventFields = (fields: Readonly<Record<string, FieldChange>>): Record<string, FieldChange> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isShort(field.from) && isShort(field.to) ? field : {}]),
  );

/** The fields that a change has in its event, with the ids of what their values name. What is gone has none. */
function changedFields({ section, fields }: Pick<PlannedChange, "section" | "fields">, { update }: Applied): Raw {
  const form = layoutOf(section);
  const withIds = Object.entries(eventFields(fields)).map(([name, field]) => {
    const ids: IdsByName = {};
    const visit = (noun: Noun, named: string): void => {
      const id = update.names.of(noun).idOf(named);
      if (id === undefined) return;
      ids[noun] ??= Object.create(null) as Record<string, number>; // a thing can be called __proto__
      ids[noun][named] = id;
    };
    const own = form.fields.find((one) => one.name === name) ?? {};
    for (const value of [field.from, field.to]) eachReference(value, own, visit);
    return [name, Object.keys(ids).length === 0 ? field : { ...field, ids }];
  });
  return Object.fromEntries(withIds);
}

/** What became of the grants of an engagement. */
function ofGrants(id: number, before: Raw | undefined, next: Raw, { store, now }: Admin): Some[] {
  const former = rawsOf(before?.grants);
  // an engagement's
  const rows = grantsByEngagement(store, id as Parameters<typeof grantsByEngagement>[1], now).get(id) ?? [];
  return rawsOf(next.grants).flatMap((grant, at) => {
    const [row, was] = [rows[at], former[at]]; // as many rows, oldest first
    if (row === undefined || (was === undefined && grant.revoked_at !== undefined)) return [];
    const { target, target_id, verb, expires_at } = row;
    const none = { node_id: null, department_id: null, delivery_id: null };
    const data = { engagement_id: id, verb, ...none, [`${target}_id`]: target_id, expires_at };
    const about = { kind: "grant", id: row.id };
    if (was === undefined) return [happening("grant.added", about, data)];
    if (was.revoked_at !== grant.revoked_at) return [happening("grant.revoked", about, data)];
    return was.expires_at === grant.expires_at ? [] : [happening("grant.changed", about, data)];
  });
}

/** The events of an engagement that changed, and of its grants. */
function ofEngagement(change: PlannedChange, { item }: ItemChange, admin: Admin, applied: Applied): Some[] {
  const { action, fields, key } = change;
  const { id, before, next } = item;
  const { title, ended_at, vendor: named } = next ?? before ?? {};
  const vendor = applied.update.names.nameOf("vendor", named as number); // every engagement has one
  const subject = { kind: "engagement", id };
  if (action === "remove" || next === undefined) return [happening("engagement.ended", subject, { vendor, title })];
  const grants = ofGrants(id, before, next, admin);
  if (action === "add") return [happening("engagement.added", subject, { vendor, title }), ...grants];
  const ends = fields.ended_at !== undefined && typeof ended_at === "string" && ended_at <= admin.now;
  const { ended_at: end, ...others } = fields;
  const rest = ends || end === undefined ? others : fields;
  return [
    ...(ends ? [happening("engagement.ended", subject, { vendor, title })] : []),
    ...(Object.keys(rest).length === 0
      ? []
      : [
          happening("engagement.changed", subject, {
            key,
            fields: changedFields({ section: "engagements", fields: rest }, applied),
          }),
        ]),
    ...grants,
  ];
}

/**
 * What happened to a script change: what an undo makes pending is detected again; what it takes away does not wait for
 * a decision any more.
 */
function ofScriptChange({ action }: PlannedChange, { item }: ItemChange): Some[] {
  const { scene, scene_number, kind, status } = (action === "remove" ? item.before : item.next) ?? {};
  const node_id = action === "remove" ? null : (scene ?? null);
  const decided = action === "change" && status !== "pending" ? String(status) : "detected";
  const type = `script_change.${action === "remove" ? "dismissed" : decided}`;
  return isEventType(type)
    ? [happening(type, { kind: "script_change", id: item.id }, { node_id, scene_number, kind })]
    : [];
}

/** The events of a change; an activity entry has none, and an install only when it is made the active one. */
function happeningsOf(change: PlannedChange, one: ItemChange | undefined, admin: Admin, applied: Applied): Some[] {
  const { section, key, action, fields } = change;
  const id = change.id as number; // an applied change has its id
  const kind = section === "production" ? section : sections[section].kind;
  const subject = { kind, id };
  if (one !== undefined && section === "engagements") return ofEngagement(change, one, admin, applied);
  if (one !== undefined && section === "script_changes") return ofScriptChange(change, one);
  if (one !== undefined && section === "notes") {
    const { asset, version } = one.item.next ?? {};
    const version_id = applied.update.rows.versionId(asset, version);
    return [
      happening("note.created", subject, {
        node_id: asset ?? null,
        version_id: version === undefined ? null : version_id,
      }),
    ];
  }
  if (section === "storage")
    return fields.active?.to === true ? [happening("storage.installed", subject, { filespace: key })] : [];
  const valued = action === "change" ? changedFields(change, applied) : eventFields(fields);
  const data = hasMoney(section) ? { key: null, fields: {} } : { key, fields: valued };
  const type = `${kind}.${verbs[action]}`;
  return isEventType(type) ? [happening(type, subject, data)] : [];
}

/** Records the events and the activity; `undone` is the one sentence of an undo. */
function recordChanges(admin: Admin, applied: Applied, undone: string | undefined): void {
  const { store, now, label, person_id } = admin;
  const { plan, production_id, listed } = applied;
  const items = new Map(listed.items.map((one) => [one.change, one]));
  const about = { node_id: null, created_at: now, actor: label, actor_person_id: person_id };
  const add = (verb: ActivityVerb, summary: string) =>
    createActivity(store, { production_id, verb, summary, ...about }).id;
  const undo_id = undone === undefined ? undefined : add("production.undone", undone);
  for (const [section, changes] of Map.groupBy(plan.changes, (change) => change.section)) {
    const isNew = section === "production" && changes[0]?.action === "add"; // its activity is that of its document
    const activity_id = isNew ? null : (undo_id ?? add(`${section}.imported`, sentenceOf(section, changes)));
    for (const change of changes)
      for (const happened of happeningsOf(change, items.get(change), admin, applied))
        recordEvent(store, { ...happened, production_id, actor: label, activity_id }, now);
  }
}

/** Loads what records an update. What it does in the transaction is prepared now, without the lock. */
export async function loadRecord(
  store: Store,
): Promise<(admin: Admin, applied: Applied, done: Done, following?: ScriptFollowing) => void> {
  const changeSets = await contribution("changeSets")?.();
  prepareStatements(store, ["create_activity", "record_event", "record_admin_action", ...(changeSets?.used ?? [])]);
  prepareStatements(store, indexingSteps, ["get_frozen", "has_search_changes"]);
  return (requested, applied, done, following) => {
    const admin = { ...requested, now: applied.now };
    const isUndo = done.undoes !== undefined;
    recordChanges(admin, applied, isUndo ? done.summary : undefined);
    if (isUndo || applied.reading.beside === undefined) following?.followUpdate(admin, applied, applied);
    changeSets?.recordChangeSet(admin, applied, done);
    const { production_id } = applied;
    if (done.audit !== undefined) recordAction(admin, { ...done.audit, production_id });
  };
}

// What a key with the scope edit, but not admin, may change: the show's own content, and nothing in the name of others.
import { forbidden } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import type { Store } from "../../core/store/store.ts";
import { cut, samePerson } from "../../core/wording.ts";
import type { Admin } from "../../graph/admin.ts";
import { hasAdminKey } from "../../graph/keys.ts";
import { recordedNamesOf } from "../names/former_names.ts";
import { namedRows } from "../names/name_rules.ts";
import { type ListKind, rowOfKind } from "./kinds.ts";
import type { PlannedChange } from "./planned.ts";
import type { InputDocument } from "./read/read.ts";
import { type Raw, recordedFields } from "./sections/form.ts";
import type { SectionName } from "./sections/sections.ts";

type Section = PlannedChange["section"];
type OfSection = readonly Pick<PlannedChange, "section">[];
export const editableSections = [
  ...(["episodes", "departments", "people", "scenes", "assets", "schedule"] as const),
  ...(["deliveries", "approvals", "department_notes"] as const),
] as const satisfies readonly SectionName[];
const editable: ReadonlySet<Section> = new Set<SectionName>(editableSections);

const isDecided = ({ status = "pending", decided_at, decided_by, signed_as, note, version }: Raw): boolean =>
  status !== "pending" ||
  [decided_at, decided_by, signed_as, note, version].some((value) => value !== undefined && value !== null);

/** The first field of a thing that only an admin may give; undefined if there is none. */
function recordedField(section: SectionName, item: Raw): string | undefined {
  const field = recordedFields(section).find((name) => item[name] !== undefined);
  if (field !== undefined || section !== "approvals") return field;
  if ((item.status ?? "pending") !== "pending") return "status";
  const at = Array.isArray(item.steps) ? item.steps.findIndex(isDecided) : -1;
  return at === -1 ? undefined : `steps[${at}]`;
}

const needsAdmin = (what: string) => forbidden(`${what} needs a key with the \`admin\` scope; nothing was changed`);

/**
 * Throws 403 for a list that the admin may not import. It is not read, because its problems would say what is stored.
 */
export function checkList({ is_editor }: Admin, kind: ListKind): void {
  if (!is_editor) return;
  const { section } = rowOfKind(kind);
  if (!editable.has(section)) throw needsAdmin(`a list of the section ${section}`);
}

/**
 * Whether everything that was changed is the show's own content. `hasScript`: a draft was stored, or its changes were
 * decided.
 */
export const isEditable = (changes: OfSection, hasScript: boolean): boolean =>
  foreignSection(changes, hasScript) === undefined;

const foreignSection = (changes: OfSection, hasScript: boolean): Section | undefined =>
  changes.find(({ section }) => !editable.has(section) && !(hasScript && section === "script_changes"))?.section;

/** The lists of a document by their names, and the production. */
// the rest is skipped
const partsOf = (document: InputDocument["document"]) => Object.entries(document) as [Section, Raw[]][];

/** Throws 403 if the documents have what the admin may not change; the message names the first section or field. */
export function checkDocuments({ is_editor }: Admin, documents: readonly InputDocument[]): void {
  if (!is_editor) return;
  for (const { file, document, is_paperwork = false } of documents)
    for (const [section, things] of partsOf(document)) {
      if (!Array.isArray(things) && section !== "production") continue; // what says that it is a document
      if (!editable.has(section) && !(is_paperwork && section === "script_changes"))
        throw needsAdmin(`${file}: the section ${section}`);
      for (const [at, item] of things.entries()) {
        const field = section === "production" ? undefined : recordedField(section, item);
        if (field !== undefined) throw needsAdmin(`${file}: ${section}[${at}].${field}`);
      }
    }
}

/** Throws 403 if a plan changes who is an admin: a complete list of people does so by not saying it. */
function checkPlan({ is_editor }: Admin, changes: readonly PlannedChange[]): void {
  const found = changes.find(
    ({ section, fields: { is_admin } }) =>
      section === "people" && (is_admin?.from ?? false) !== (is_admin?.to ?? false),
  );
  if (is_editor && found !== undefined) throw needsAdmin(`is_admin of the person "${found.key}"`);
}

/**
 * Throws 403 if a plan says that a person left or came back whose key has the scope admin, or that the person of this
 * key left: what is bound to a person acts only while that person is active.
 */
function checkActive(admin: Admin, production_id: ProductionId, changes: readonly PlannedChange[]): void {
  if (!admin.is_editor) return;
  const found = changes.find(
    ({ section, id, fields: { active } }) =>
      section === "people" &&
      id !== null &&
      active !== undefined &&
      ((id === admin.person_id && active.to === false) || hasAdminKey(admin, production_id, id)),
  );
  if (found === undefined) return;
  const whose = found.id === admin.person_id ? "to whom this key is bound" : "to whom an admin's key is bound";
  throw needsAdmin(`active of the person "${found.key}", ${whose},`);
}

/** The ids of the people who have or had each name; 0 if someone signed with it and nobody is known to have it. */
function ownersOf(store: Store, production_id: ProductionId): ReadonlyMap<string, ReadonlySet<number>> {
  const owners = new Map<string, Set<number>>();
  const present = namedRows(store, production_id, "person");
  for (const { id, name } of [...present, ...recordedNamesOf(store, production_id)]) {
    const key = samePerson(name);
    if (id === 0 && owners.has(key)) continue;
    owners.set(key, (owners.get(key) ?? new Set()).add(id));
  }
  return owners;
}

/** Throws 403 if a plan gives a person a name that another one has or had, under which that one may have signed. */
function checkNames({ store, is_editor }: Admin, production_id: ProductionId, changes: readonly PlannedChange[]): void {
  if (!is_editor) return;
  const given = changes.filter(
    ({ section, action, fields }) => section === "people" && action !== "remove" && typeof fields.name?.to === "string",
  );
  if (given.length === 0) return;
  const owners = ownersOf(store, production_id);
  const found = given.find(({ id, fields }) =>
    [...(owners.get(samePerson(String(fields.name?.to))) ?? [])].some((owner) => owner !== id),
  );
  if (found !== undefined)
    throw needsAdmin(
      `"${cut(String(found.fields.name?.to))}" is a name that another person has or had; to give it again`,
    );
}

/**
 * Whether an approval becomes decided without a decision. An undo of reopening it gives back the decisions of the
 * former round.
 */
const isDecidedBy = ({ section, action, fields: { status, rounds } }: PlannedChange): boolean =>
  section === "approvals" && action === "change" && status !== undefined && status.to !== "pending" && !rounds;

/** Throws 403 if the plan of an update, which an undo is too, changes what only an admin may change. */
export function checkUpdate(admin: Admin, production_id: number, changes: readonly PlannedChange[]): void {
  checkPlan(admin, changes);
  checkActive(admin, production_id, changes);
  checkNames(admin, production_id, changes);
  const found = changes.find(isDecidedBy);
  if (admin.is_editor && found !== undefined)
    throw needsAdmin(`the status ${String(found.fields.status?.to)} of the approval "${found.key}" without a decision`);
}

/** Throws 403 if the admin may not undo a change set. */
export function checkSet(admin: Admin, changes: readonly PlannedChange[], hasScript: boolean): void {
  const section = admin.is_editor ? foreignSection(changes, hasScript) : undefined;
  if (section !== undefined) throw needsAdmin(`the change set changed the section ${section}; its undo`);
  checkPlan(admin, changes);
}

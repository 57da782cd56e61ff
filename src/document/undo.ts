// Makes the document that takes a change set back: it names things by their ids. Finds what was changed again since.
import { isDeepStrictEqual } from "node:util";
import { formOfChange, hashesIn, type Inverse } from "./change_set.ts";
import type { SectionName } from "./changes.ts";
import { renamed } from "./form.ts";
import type { PartialDocument, Raw } from "./item_schemas.ts";
import { differences } from "./merge.ts";
import { type Noun, nouns } from "./names.ts";
import type { PlannedChange } from "./plan.ts";
import { Problems } from "./problems.ts";
import type { GivenDocument } from "./read.ts";
import { keyOf, kindOf, namingOf, sections } from "./sections.ts";
import type { Former, Restored } from "./source.ts";
import { fileOfHash, type StoredProduction } from "./stored.ts";

/** What stands against an undo. */
export interface Conflict {
  sentence: string;
  /** What a later change set changed: a field of a thing of a section, or the thing or the row of the stored script itself. */
  since?: { part: string; id: number; field: string | null };
}

/** Whether the bytes of a hash are stored. */
type IsKept = (sha256: string) => boolean;

/** The former or the later values of fields as they are in a document: media by the hash of their bytes. */
function valuesOf(fields: PlannedChange["fields"], side: "from" | "to"): Raw {
  const own = Object.entries(fields).filter(([field]) => field !== "order");
  return unprinted(Object.fromEntries(own.map(([field, one]) => [field, one[side]]))) as Raw;
}

function unprinted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unprinted);
  if (typeof value !== "object" || value === null) return value;
  const { sha256, ...rest } = value as Raw;
  const own = Object.entries(rest).map(([key, one]) => [key, unprinted(one)]);
  return { ...Object.fromEntries(own), ...(typeof sha256 === "string" && { file: fileOfHash(sha256) }) };
}

const decidedSteps = (steps: unknown): unknown[] =>
  ((steps ?? []) as Raw[]).filter(({ status = "pending" }) => status !== "pending");

const recordedOnly: Partial<Record<SectionName, string>> = {
  engagements: "engagements are ended, not undone",
  storage: "what the storage agent reported stays recorded",
  notes: "a note stays recorded",
  jobs: "a job stays recorded",
  activity: "an activity entry stays recorded",
  script_changes: "a script change stays recorded",
};

/** Why a change cannot be undone whatever happened since; undefined if it can. The undo of the script takes the `raised` changes back. */
function neverUndone(
  { section, action, id, fields }: PlannedChange,
  former: Former | undefined,
  raised: ReadonlySet<number | null>,
  isKept: IsKept,
): string | undefined {
  if (section === "production" || (section === "script_changes" && raised.has(id))) return undefined;
  if (action !== "change" && recordedOnly[section] !== undefined) return recordedOnly[section];
  const recorded = sections[section].recorded?.find((field) => field in fields);
  if (action === "change" && recorded !== undefined) return `its ${recorded} stay recorded`;
  if (section === "engagements" && "ended_at" in fields) return recordedOnly.engagements;
  if (!hashesIn([former, Object.values(fields).map(({ from }) => from)]).every(isKept))
    return "the bytes of its former media are gone, so import the file again instead";
  if (section === "approvals" && action === "change" && "steps" in fields) {
    const known = [fields.steps?.from, ...((fields.rounds?.from ?? []) as unknown[])].flatMap(decidedSteps);
    const taken = decidedSteps(fields.steps?.to).some((step) => !known.some((one) => isDeepStrictEqual(one, step)));
    if (taken) return "its decisions stay recorded";
  }
  return undefined;
}

/** The document that takes a change set back, and what stands against it. In the transaction of `stored`. */
export function undoOf(
  stored: StoredProduction,
  { changes, inverse }: { changes: readonly PlannedChange[]; inverse: Inverse },
  file: string,
  isKept: IsKept,
): { document: GivenDocument; conflicts: Conflict[] } {
  const present = new Map<string, Raw>();
  for (const section of new Set(changes.map(({ section }) => section)))
    if (section !== "production") for (const { id, raw } of stored.items(section)) present.set(`${section} ${id}`, raw);
  const own = nouns.filter((noun) => inverse.names[noun]);
  const byId = new Map(own.map((noun) => [noun, new Map([...stored.ids(noun)].map(([name, id]) => [id, name]))]));
  const nowNamed = namesOf(inverse, byId);
  const raised = new Set((inverse.script ?? []).flatMap(({ table, id }) => (table === "script_changes" ? [id] : [])));
  const conflicts: Conflict[] = [];
  const given: { change: PlannedChange; former: Former | undefined; item: Raw; now: Raw | undefined }[] = [];
  for (const [at, change] of changes.entries()) {
    const { section, action, fields, key } = change;
    const id = change.id as number; // an applied change has its id
    const former = inverse.former[at];
    const thing = section === "production" ? "the production" : `${kindOf(section)} "${key}"`;
    const add = (sentence: string, field: string | null) =>
      conflicts.push({ sentence: `${thing}${sentence}`, since: { part: section, id, field } });
    const never = neverUndone(change, former, raised, isKept);
    const now = section === "production" ? stored.production : present.get(`${section} ${id}`);
    if (never !== undefined) conflicts.push({ sentence: `${thing} cannot be undone: ${never}` });
    else if (action !== "remove" && now === undefined) add(" was removed since", null);
    else if (action !== "remove" && now !== undefined && section !== "script_changes") {
      const left = renamedBy(valuesOf(fields, "to"), section, nowNamed) as Raw;
      for (const field of differences(section, action === "add" ? left : { ...now, ...left }, now))
        add(`: ${field} was changed since`, field);
    }
    const items = { add: { ...now }, change: valuesOf(fields, "from"), remove: unprinted(former?.item ?? {}) as Raw };
    given.push({ change, former, item: items[action], now });
  }
  for (const { change, item, now } of given) {
    const { section, action, id } = change;
    const noun = section === "production" ? undefined : sections[section].noun;
    if (section === "production" || noun === undefined || action === "add") continue;
    const whole = Object.fromEntries(Object.entries({ ...now, ...item }).filter(([, value]) => value !== null));
    byId.get(noun)?.set(id as number, keyOf(section, whole) as string);
  }
  const after = namesOf(inverse, byId); // what gets its former name back is named by that
  const document: PartialDocument = {};
  const restored = new Map<Raw, Restored>();
  for (const { change, former, item, now } of given) {
    const { section, action, id } = change;
    const named = action === "add" ? item : (renamedBy(item, section, after) as Raw);
    if (section === "production") {
      document.production = named;
      continue;
    }
    const own = now ?? {}; // without it there is a conflict
    const thing = action === "change" ? { ...namingOf(section, own), ...named, was: keyOf(section, own) } : named;
    restored.set(thing, { ...former, id: id as number, action: inverses[action] });
    document[section] ??= [];
    document[section].push(thing);
  }
  return {
    document: { file, document, media: new Map(), problems: new Problems(), restored, orders_scenes: false },
    conflicts,
  };
}

const inverses = { add: "remove", change: "change", remove: "add" } as const;
type Names = ReadonlyMap<Noun, ReadonlyMap<string, string>>;

const renamedBy = (value: unknown, section: PlannedChange["section"], names: Names): unknown =>
  [...names].reduce((now, [noun, own]) => renamed(now, formOfChange(section), { noun, names: own }), value);

/** What the things are called that a change set names, by the names that it has for them. */
const namesOf = ({ names }: Inverse, byId: ReadonlyMap<Noun, ReadonlyMap<number, string>>): Names =>
  new Map(
    [...byId].map(([noun, own]) => {
      const recorded = Object.entries(names[noun] ?? {});
      return [noun, new Map(recorded.map(([name, id]) => [name, own.get(id) ?? name]))];
    }),
  );

// What an update changed, as the history keeps it: the changes of its plan, and the ids of what they name. Turned round, it is what an undo changes.
import type { Store } from "../../core/store/store.ts";
import { differences } from "./match/merge.ts";
import { type Stored, StoredProduction } from "./nouns/stored.ts";
import { type PlannedChange, printedChange } from "./plan/plan.ts";
import { eachReference, itemFormOf, type Raw, referringField } from "./sections/form.ts";
import { type Noun, namings, type SectionName } from "./sections/sections.ts";

type IdsByName = Partial<Record<Noun, Record<string, number>>>;

/** The ids that stand behind the words of changes. */
export interface RecordedIds {
  /** Of what the values name. */
  names: IdsByName;
  /** By the id of a scene that was moved or removed, that of the scene before it; 0 if it was the first. */
  before: Record<number, number>;
}

export interface Difference {
  changes: readonly PlannedChange[];
  ids: RecordedIds;
}

export type ScriptTable = "script_drafts" | "script_scenes" | "script_changes";

/** What a change set did to a row of the stored script. */
export interface ScriptEntry {
  table: ScriptTable;
  id: number;
  /** What was changed, as it was; null for a row that was added. */
  from: Readonly<Record<string, string | number | null>> | null;
}

/** Which later change set changed a field of a thing of a section or of a row of the stored script, as the end of a sentence; with null, anything of it. */
export type Since = (part: string, id: number | null, field: string | null) => string | undefined;

/** Adds the ids of the names that it visits. */
export const namesInto =
  (names: IdsByName, idOf: (noun: Noun, name: string) => number | null | undefined) =>
  (noun: Noun, reference: string | readonly string[]): void => {
    for (const name of [reference].flat()) {
      const id = idOf(noun, name);
      if (typeof id !== "number") continue;
      names[noun] ??= Object.create(null) as Record<string, number>; // a thing can be called __proto__
      names[noun][name] = id;
    }
  };

/** Applied changes with the ids of what they name. `stored` is the production before them, `idOf` finds what has a name after them. */
export function differenceOf(
  changes: readonly PlannedChange[],
  stored: Pick<Stored, "things">,
  idOf: (noun: Noun, name: string) => number | undefined,
): Difference {
  const own = new Map(changes.map(({ section, key, id }) => [`${section} ${key}`, id]));
  const ids: RecordedIds = { names: {}, before: {} };
  const visit = namesInto(ids.names, (noun, name) => own.get(`${namings[noun].list} ${name}`) ?? idOf(noun, name));
  let before: Map<number, number> | undefined;
  for (const { section, action, id, fields } of changes) {
    for (const [field, { from, to }] of Object.entries(fields)) {
      const form = referringField(itemFormOf(section), field);
      if (form !== undefined) for (const value of [from, to]) eachReference(value, form, "", visit);
    }
    if (section !== "scenes" || (action !== "remove" && fields.order === undefined)) continue;
    before ??= new Map(stored.things("scenes").map((scene, at, all) => [scene.id, all[at - 1]?.id ?? 0]));
    ids.before[id as number] = before.get(id as number) as number; // a stored scene
  }
  return { changes, ids };
}

const opposite = { add: "remove", change: "change", remove: "add" } as const;

/** What takes changes back: what they added is removed, what they removed is added, and each field is again what it was. */
export const turnedRound = (changes: readonly PlannedChange[]): PlannedChange[] =>
  changes.map(({ action, fields, ...thing }) => ({
    ...thing,
    action: opposite[action],
    fields: Object.fromEntries(Object.entries(fields).map(([name, { from, to }]) => [name, { from: to, to: from }])),
  }));

/** The change of a stored thing from what it was. */
export function changeOf(section: SectionName, id: number, before: Raw, item: Raw): PlannedChange {
  const fields = differences(section, before, item);
  const slot = { before, item, id, gone: false };
  return printedChange(section, slot, { fields, order: undefined, parsed: item });
}

/** The change of one thing that `work` makes. Inside a write transaction. */
export function differenceBy(
  store: Store,
  { production_id, section, id }: { production_id: number; section: SectionName; id: number },
  work: () => void,
): Difference {
  const read = () => new StoredProduction(store, production_id, id);
  const before = read().rawOf(section, id) as Raw; // it is stored
  work();
  const stored = read();
  const changes = [changeOf(section, id, before, stored.rawOf(section, id) as Raw)]; // it is still stored
  return differenceOf(changes, stored, (noun, name) => stored.ids(noun).get(name));
}

// What an applied plan leaves for its undo: the ids of what its values name, what was removed, and the former places of scenes.

import type { Store } from "../store/database.ts";
import type { SectionName } from "./changes.ts";
import { eachReference } from "./form.ts";
import { itemFormOf, productionForm, type Raw } from "./item_schemas.ts";
import type { DraftNames } from "./known_names.ts";
import { differences } from "./merge.ts";
import { type Noun, namings } from "./names.ts";
import { type Planned, type PlannedChange, printed, slotsByChange } from "./plan.ts";
import { keyOf } from "./sections.ts";
import type { Former } from "./source.ts";
import { StoredProduction, shapeOf } from "./stored.ts";

export interface Inverse {
  /** The ids of what the values of the changes name. */
  names: Partial<Record<Noun, Record<string, number>>>;
  /** By the index of the change. */
  former: Record<number, Former>;
  /** What was done to the stored script. */
  script?: readonly ScriptEntry[];
}

export type ScriptTable = "script_drafts" | "script_scenes" | "script_changes" | "script_proposals";

/** What a change set did to a row of the stored script. */
export interface ScriptEntry {
  table: ScriptTable;
  id: number;
  /** What was changed, as it was; null for a row that was added. */
  from: Readonly<Record<string, string | number | null>> | null;
  /** The same, as it became; a long text is marked by its hash. Null for a row that was removed. */
  to: Readonly<Record<string, string | number | null>> | null;
  /** The row before it in the former order; 0 if it was the first. */
  after?: number;
}

/** The form of the things of a section, or of the production itself. */
export const formOfChange = (section: PlannedChange["section"]) =>
  section === "production" ? productionForm : itemFormOf(section);

/** The scene before each stored scene. */
function predecessors(stored: StoredProduction): Map<number, number> {
  const scenes = [...stored.items("scenes")].sort((one, other) => one.order - other.order);
  return new Map(scenes.map(({ id }, at) => [id, scenes[at - 1]?.id ?? 0]));
}

/** The hashes of the media in a printed value, at any depth. */
export const hashesIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return "sha256" in value ? [String(value.sha256)] : Object.values(value).flatMap(hashesIn);
};

/** Adds the ids of the names that it visits. */
export const namesInto =
  (names: Inverse["names"], idOf: (noun: Noun, name: string) => number | null | undefined) =>
  (noun: Noun, reference: string | readonly string[]): void => {
    for (const name of [reference].flat()) {
      const id = idOf(noun, name);
      if (typeof id !== "number") continue;
      names[noun] ??= Object.create(null) as Record<string, number>; // a thing can be called __proto__
      names[noun][name] = id;
    }
  };

/** What the undo of applied changes needs. `stored` is the production before them. */
export function inverseOf(
  changes: readonly PlannedChange[],
  stored: StoredProduction,
  { slots, names }: Pick<Planned, "slots"> & { names: Pick<DraftNames, "ids"> },
): Inverse {
  const own = new Map(changes.map(({ section, key, id }) => [`${section} ${key}`, id]));
  const inverse: Inverse = { names: {}, former: {} };
  const visit = namesInto(
    inverse.names,
    (noun, name) => own.get(`${namings[noun].list} ${name}`) ?? names.ids(noun).get(name),
  );
  const slotOf = slotsByChange({ slots });
  let before: Map<number, number> | undefined;
  for (const [at, change] of changes.entries()) {
    const { section, action, id, fields } = change;
    const form = formOfChange(section);
    for (const [field, { from, to }] of Object.entries(fields))
      for (const value of [from, to]) eachReference({ [field]: value }, form, "", visit);
    const former: Former = {};
    const slot = slotOf.get(change)?.slot;
    if (action === "remove" && slot?.before !== undefined && section !== "production") {
      former.item = printed(shapeOf(section, slot.before)) as Raw;
      eachReference(former.item, form, "", visit);
      if (section === "episodes") former.position = slot.stored?.order as number;
    }
    if (section === "scenes" && (action === "remove" || (action === "change" && "order" in fields))) {
      before ??= predecessors(stored);
      former.after = before.get(id as number) as number;
    }
    if (Object.keys(former).length > 0) inverse.former[at] = former;
  }
  return inverse;
}

/** The change of one thing that `work` makes, with what its undo needs. Inside a write transaction. */
export function changeBy(
  store: Store,
  { production_id, section, id }: { production_id: number; section: SectionName; id: number },
  work: () => void,
): { changes: PlannedChange[]; inverse: Inverse } {
  const read = () => {
    const stored = new StoredProduction(store, production_id);
    return { stored, raw: stored.items(section).find((one) => one.id === id)?.raw ?? {} };
  };
  const { raw: before } = read();
  work();
  const { raw, stored } = read();
  const fields = differences(section, before, raw).map((field) => [
    field,
    { from: printed(before[field]), to: printed(raw[field]) },
  ]);
  const key = keyOf(section, raw) as string;
  const changes: PlannedChange[] = [{ section, key, id, action: "change", fields: Object.fromEntries(fields) }];
  return { changes, inverse: inverseOf(changes, stored, { slots: [], names: stored }) };
}

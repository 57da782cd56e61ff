// Gives approved scenes their numbers: a number that an omitted scene holds is free, and one that another scene has is
// refused.
import { conflict } from "../../core/errors.ts";
import { listed } from "../../core/wording.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import type { StoredItem } from "../documents/stored.ts";
import { runsOf } from "../names/names.ts";
import { withoutMark } from "./compare/drafts.ts";
import type { StoredChange } from "./script_store.ts";

// as the schema has it
export const itemName = ({ number, episode }: Raw): string => sceneName(String(number), episode as string | undefined);
export const nameOf = ({ raw }: StoredItem): string => itemName(raw);

/** A scene of the production, as a document lists it. */
export interface ListedScene {
  /** The node, or the reference of a scene that is added. */
  of: number | string;
  item: Raw;
  /** Undefined if it is added. */
  stored: StoredItem | undefined;
  /** What is printed under the heading of one that is added. */
  text?: string | null;
  /** The change that gives it its number. */
  numbered?: StoredChange;
}

export const isOmitted = ({ item, stored }: ListedScene): boolean => (item.status ?? stored?.raw.status) === "omitted";

/** What stays of the number of an omitted scene that another scene takes: "2 (omitted)". */
const omittedNumber = (number: string, count: number): string => {
  const mark = count === 1 ? " (omitted)" : ` (omitted ${count})`;
  return withoutMark(number).slice(0, maxNumber - mark.length) + mark;
};
const maxNumber = 50;

/**
 * Gives omitted scenes other numbers where approved changes take theirs. Returns those by node. Throws 409 for a number
 * that a scene of the script still has; the message names what of the `waiting` changes frees it.
 */
export function settleNumbers(scenes: readonly ListedScene[], waiting: readonly StoredChange[]): Map<number, string> {
  const names = Map.groupBy(scenes, ({ item }) => itemName(item));
  const renamed = new Map<number, string>();
  const counts = new Map<string, number>(); // by the name that was taken: many omitted scenes may have one number
  for (const [name, all] of [...names]) {
    const taking = all.find((one) => one.numbered !== undefined && !isOmitted(one)) ?? all.find((one) => one.numbered);
    if (taking === undefined || all.length === 1) continue;
    for (const one of all) {
      if (one === taking) continue;
      if (one.stored === undefined || !isOmitted(one)) refuse(taking, name, names, waiting);
      const { id, raw } = one.stored as StoredItem; // what is omitted is stored
      const { number: _, was = raw.number, ...rest } = one.item;
      let count = counts.get(name) ?? 1;
      const free = (): string => omittedNumber(String(one.item.number), count);
      while (names.has(itemName({ ...rest, number: free() }))) count++;
      counts.set(name, count);
      one.item = { number: free(), was, ...rest };
      names.set(itemName(one.item), [one]);
      renamed.set(id, free());
    }
  }
  return renamed;
}

/** Throws 409 for a number that is not free, with the changes that free it, each the number of the next. */
function refuse(
  { numbered }: ListedScene,
  name: string,
  names: ReadonlyMap<string, readonly ListedScene[]>,
  waiting: readonly StoredChange[],
): never {
  const id = (numbered as StoredChange).id; // it takes the number
  const freeing = new Map(
    waiting.flatMap((one) => (one.fields.omitted?.to === true || "number" in one.fields ? [[one.node_id, one]] : [])),
  );
  const needed: StoredChange[] = [];
  for (let held: string | undefined = name; held !== undefined; ) {
    const holder: ListedScene | undefined = names
      .get(held)
      ?.find((one) => one.numbered === undefined && !isOmitted(one));
    const next = freeing.get(holder?.stored?.id ?? 0);
    if (next === undefined || needed.includes(next)) break;
    needed.push(next);
    const number = next.fields.number?.to;
    held = number === undefined ? undefined : itemName({ ...holder?.item, number });
  }
  const changes = `script change${needed.length === 1 ? "" : "s"} ${listed(runsOf(needed.map((one) => one.id)))}`;
  const advice = needed.length === 0 ? "renumber that scene first" : `approve ${changes} with it`;
  throw conflict(
    `there is a scene ${name} already, whose number script change ${id} takes: ${advice}; nothing was changed`,
  );
}

// Names of characters in the casts of scenes, which are texts and no references.
import { sameName } from "../../core/wording.ts";
import { textsIn } from "../names/sluglines.ts";
import type { Raw } from "./sections/form.ts";

/** A character with its former and its new name. */
export interface NameChange {
  from: string;
  to: string;
}

export const capitals = (name: string): string => name.toUpperCase();

/** "mcAVOY" as "Mcavoy": the first letter of each word is a capital. */
const titled = (name: string): string =>
  name.toLowerCase().replace(/(^|[^\p{L}])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());

/** The new name in the case of the former one. */
export function inCaseOf(former: string, name: string): string {
  if (former === capitals(former)) return capitals(name);
  return name === capitals(name) ? titled(name) : name;
}

export const castOfScene = ({ elements }: Raw): string[] => textsIn((elements as Raw | undefined)?.cast);

/**
 * Finds the first rename of a name in any of its forms. The finder stays with the list, because every scene is asked:
 * it may not change later.
 */
function renameFinder(renames: readonly NameChange[]): ReadonlyMap<string, NameChange> {
  const known = finders.get(renames) ?? new Map(renames.toReversed().map((one) => [sameName(one.from), one]));
  finders.set(renames, known);
  return known;
}
const finders = new WeakMap<readonly NameChange[], ReadonlyMap<string, NameChange>>();

/** The cast of a scene with the new names; undefined if no name is renamed. */
export function renamedCast(cast: readonly string[], renames: readonly NameChange[]): string[] | undefined {
  const found = renameFinder(renames);
  const next = cast.map((name) => {
    const rename = found.get(sameName(name));
    return rename === undefined ? name : inCaseOf(name, rename.to);
  });
  return next.some((name, at) => name !== cast[at]) ? next : undefined;
}

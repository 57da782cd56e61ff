// Indexes of the names that a production has. Each is made once for its list and takes what is added to the list, because the files of one import
// may be many and each adds names.
import { sameName } from "./repeats.ts";

/** Declares an index of lists that only grow: `add` puts one item of a list into it. */
export function indexOf<T, I>(make: () => I, add: (index: I, item: T, at: number) => void) {
  const made = new WeakMap<readonly T[], { index: I; count: number }>();
  return (items: readonly T[]): I => {
    const found = made.get(items) ?? { index: make(), count: 0 };
    made.set(items, found);
    for (; found.count < items.length; found.count++) add(found.index, items[found.count] as T, found.count);
    return found.index;
  };
}

/** The names as they are written, and how often each is in the list. */
export const namesIn = indexOf(
  () => new Map<string, number>(),
  (names, name: string) => void names.set(name, (names.get(name) ?? 0) + 1),
);

/** The spelling of each name, by what makes two names the same; of several the first. */
export const spellingsIn = indexOf(
  () => new Map<string, string>(),
  (spellings, name: string) => void (spellings.has(sameName(name)) || spellings.set(sameName(name), name)),
);

// The renames of a document that an earlier import of it has done: they are taken back until that document follows.
import type { Raw } from "../sections/form.ts";
import { namingFields, namingOf, type SectionName, sectionNames } from "../sections/sections.ts";
import { renamedBefore, type Slot, type Source } from "./matching.ts";
import type { ThingNames } from "./thing_names.ts";

type Names = ReturnType<ThingNames["of"]>;

/** What has the things and gives them other names. */
interface Renaming {
  readonly names: Pick<ThingNames, "of">;
  slotsByKey(section: SectionName): ReadonlyMap<string, Slot>;
  rename(section: SectionName, things: readonly { slot: Slot; naming: Raw }[]): unknown;
}

/** The values by which a document named a thing that had another key. `episodes` are the names of episodes, for a scene. */
function formerReference(section: SectionName, item: Raw, key: string, episodes?: Names): Raw {
  const naming = namingOf(section, item);
  if (section === "scenes" && item.episode !== undefined) {
    let end = key.indexOf("/");
    while (end !== -1 && !episodes?.has(key.slice(0, end))) end = key.indexOf("/", end + 1);
    return end === -1 ? naming : { number: key.slice(end + 1), episode: episodes?.get(key.slice(0, end)) };
  }
  if (item.ref !== undefined) return { ...naming, ref: key };
  const [field = ""] = namingFields(section);
  return { ...naming, [field]: typeof item[field] === "number" ? Number(key) : key };
}

/** Takes back the renames of a document that were done before. Returns what does them again. */
export function takeBackRenames(target: Renaming, { document, is_paperwork }: Source): () => void {
  const again: (() => void)[] = [];
  for (const section of is_paperwork ? [] : sectionNames.toReversed()) {
    const items = document[section]?.filter(({ was }) => was !== undefined) ?? [];
    if (items.length === 0) continue;
    const byKey = target.slotsByKey(section);
    const episodes = section === "scenes" ? target.names.of("episode") : undefined;
    const done = [...renamedBefore(section, items, byKey)].map(([now, former]) => {
      const slot = byKey.get(now) as Slot; // the thing is stored
      return {
        slot,
        former: formerReference(section, slot.item, former, episodes),
        now: namingOf(section, slot.item),
      };
    });
    target.rename(
      section,
      done.map(({ slot, former }) => ({ slot, naming: former })),
    );
    again.unshift(() =>
      target.rename(
        section,
        done.map(({ slot, now }) => ({ slot, naming: now })),
      ),
    );
  }
  return () => {
    for (const rename of again) rename();
  };
}

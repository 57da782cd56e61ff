// What the things of a draft are called, and what names mean: references in place of names, and names in place of references.
import type { Stored } from "../nouns/stored.ts";
import { itemFormOf, productionForm, type Raw, respelled } from "../sections/form.ts";
import { idIn, isReference, notReference, nounIn, referenceTo, withNames } from "../sections/references.ts";
import { keyOf, type Noun, namings, type SectionName } from "../sections/sections.ts";
import type { Slot } from "./matching.ts";
import { Names } from "./spelling.ts";

/** The references to things by their names. */
const referencesIn = (noun: Noun, ids: ReadonlyMap<string, number>): Map<string, string> =>
  new Map([...ids].map(([name, id]) => [name, referenceTo(noun, id)]));

const formOfSection = (section: SectionName | "production") =>
  section === "production" ? productionForm : itemFormOf(section);

/** What has the things. */
interface Things {
  readonly stored: Pick<Stored, "ids">;
  isRead(section: SectionName): boolean;
  slots(section: SectionName): readonly Slot[];
}

/** Kept until things get other names. */
export class ThingNames {
  readonly #draft: Things;
  /** The references by the names that things have as they are stored, and by those that they will have. */
  readonly #asStored = new Map<Noun, ReadonlyMap<string, string>>();
  readonly #references = new Map<Noun, Map<string, string>>();
  /** The names by reference, also of what goes; and those that only a change set knows. */
  readonly #names = new Map<Noun, Map<string, string>>();
  readonly #recorded = new Map<string, string>();
  readonly #spellings = new Map<Noun, Names>();

  constructor(draft: Things) {
    this.#draft = draft;
  }

  /** What a name means as things are stored: a reference, or the text itself. */
  readonly storedReference = (name: string, nouns: readonly Noun[]): string => {
    for (const noun of nouns) {
      const known = this.#asStored.get(noun) ?? referencesIn(noun, this.#draft.stored.ids(noun));
      this.#asStored.set(noun, known);
      const found = known.get(name);
      if (found !== undefined) return found;
    }
    return notReference(name);
  };

  /** The things of a noun, if their names can be others than the stored ones. */
  #namedSlots(noun: Noun): readonly Slot[] | undefined {
    const { list } = namings[noun];
    // The name of a scene has that of its episode.
    return this.#draft.isRead(list) || (noun === "scene" && this.#draft.isRead("episodes"))
      ? this.#draft.slots(list)
      : undefined;
  }

  /** The references to the things of a noun by the names that they will have. */
  references(noun: Noun): ReadonlyMap<string, string> {
    let found = this.#references.get(noun);
    if (found === undefined) {
      const slots = this.#namedSlots(noun)?.filter(({ gone }) => !gone);
      found =
        slots === undefined
          ? referencesIn(noun, this.#draft.stored.ids(noun))
          : new Map(slots.map(({ item, ref }) => [this.keyOf(namings[noun].list, item) as string, ref]));
      this.#references.set(noun, found);
    }
    return found;
  }

  /** The id of the stored thing of a name. */
  idOf(noun: Noun, name: string): number | undefined {
    const id = idIn(this.references(noun).get(name) ?? "");
    return id > 0 ? id : undefined;
  }

  readonly #nameOf = (reference: string): string => {
    const noun = nounIn(reference);
    let names = this.#names.get(noun);
    if (names === undefined) {
      const { list } = namings[noun];
      const slots = this.#namedSlots(noun);
      names =
        slots === undefined
          ? new Map([...this.#draft.stored.ids(noun)].map(([name, id]) => [referenceTo(noun, id), name]))
          : new Map(slots.map(({ item, ref }) => [ref, keyOf(list, item) ?? ""]));
      this.#names.set(noun, names);
    }
    return this.print(names.get(reference) ?? this.#recorded.get(reference) ?? "");
  };

  /** A text with the present names in place of references. */
  readonly print = (text: string): string => withNames(text, this.#nameOf);

  /** A value of a section with the present names in place of references. */
  named(section: SectionName | "production", value: Raw): Raw {
    return respelled(value, formOfSection(section), this.print) as Raw;
  }

  /** A value of a section with references in place of the present names. `isDraft`: it has references already. */
  resolved(section: SectionName | "production", value: Raw, isDraft = false): Raw {
    return respelled(value, formOfSection(section), (name, nouns) => {
      if (isDraft && isReference(name)) return name;
      for (const noun of nouns) {
        const found = this.references(noun).get(name);
        if (found !== undefined) return found;
      }
      return isDraft ? name : notReference(name);
    }) as Raw;
  }

  /** The key of a thing with the present names. */
  keyOf(section: SectionName, item: Raw): string | undefined {
    const key = keyOf(section, item);
    return key === undefined ? undefined : this.print(key);
  }

  /** The reference to a thing that a change set knows by a name. */
  remember(noun: Noun, id: number, name: string): string {
    const reference = referenceTo(noun, id);
    this.#recorded.set(reference, name);
    return reference;
  }

  /** The spellings of the names of a noun. */
  spellingsOf(noun: Noun): Names {
    const known = this.#spellings.get(noun) ?? new Names(this.references(noun).keys());
    this.#spellings.set(noun, known);
    return known;
  }

  /** Takes up the name of a thing that is added. */
  add(noun: Noun, name: string, reference: string): void {
    this.#spellings.get(noun)?.add(name);
    this.#references.get(noun)?.set(name, reference);
    this.#names.get(noun)?.set(reference, name);
  }

  /** Forgets what names mean, after things got others. */
  forget(): void {
    for (const known of [this.#spellings, this.#references, this.#names]) known.clear();
  }
}

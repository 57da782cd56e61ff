// What the things of a target are called, and what names mean: references in place of names, and names in place of references.
import { sameName } from "../../../core/spelling.ts";
import { listAt } from "../../sequences/sequences.ts";
import type { Stored } from "../nouns/stored.ts";
import { itemFormOf, type Raw, respelled } from "../sections/form.ts";
import { idIn, isReference, notReference, nounIn, referenceTo, withNames } from "../sections/references.ts";
import { keyOf, type Noun, namings, type SectionName } from "../sections/sections.ts";
import type { Slot } from "./matching.ts";
import type { KnownNames } from "./spelling.ts";

function namesOfIds(noun: Noun, ids: ReadonlyMap<string, number>): NamesOfNoun {
  const pairs = [...ids].map(([name, id]) => [name, referenceTo(noun, id)] as const);
  return { references: new Map(pairs), names: new Map(pairs.map(([name, reference]) => [reference, name])) };
}

/** What has the things. */
interface Things {
  readonly stored: Pick<Stored, "ids">;
  /** The things of a section that documents touched. */
  touchedSlots(section: SectionName): readonly Slot[];
  slots(section: SectionName): readonly Slot[];
}

/** The names of the things of a noun: references by name, without those of what goes, and names by reference. */
interface NamesOfNoun {
  references: Map<string, string>;
  names: Map<string, string>;
}

const copyOf = ({ references, names }: NamesOfNoun): NamesOfNoun => ({
  references: new Map(references),
  names: new Map(names),
});

/** Kept until things get other names. */
export class ThingNames {
  readonly #things: Things;
  /** As things are stored, and as they will be. */
  readonly #asStored = new Map<Noun, NamesOfNoun>();
  readonly #present = new Map<Noun, NamesOfNoun>();
  /** The names that only a change set knows, by reference. */
  readonly #recorded = new Map<string, string>();
  /** The names by what makes two names the same. Made when a name is not found as it is written. */
  readonly #byForm = new Map<Noun, Map<string, string[]>>();

  constructor(things: Things) {
    this.#things = things;
  }

  #storedNames(noun: Noun): NamesOfNoun {
    const known = this.#asStored.get(noun) ?? namesOfIds(noun, this.#things.stored.ids(noun));
    this.#asStored.set(noun, known);
    return known;
  }

  /** What a name means as things are stored: a reference, or the text itself. */
  readonly storedReference = (name: string, nouns: readonly Noun[]): string => {
    for (const noun of nouns) {
      const found = this.#storedNames(noun).references.get(name);
      if (found !== undefined) return found;
    }
    return notReference(name);
  };

  #presentNames(noun: Noun): NamesOfNoun {
    const known = this.#present.get(noun);
    if (known !== undefined) return known;
    const stored = this.#storedNames(noun);
    const { list } = namings[noun];
    // The name of a scene has that of its episode.
    const isInRenamed = noun === "scene" && this.#things.touchedSlots("episodes").length > 0;
    const others = isInRenamed ? this.#things.slots(list) : this.#things.touchedSlots(list);
    const present = others.length === 0 ? stored : copyOf(stored);
    this.#present.set(noun, present);
    for (const { ref } of others) present.references.delete(stored.names.get(ref) ?? "");
    for (const { ref, item, gone } of others) {
      const name = this.keyOf(list, item) ?? "";
      present.names.set(ref, name);
      if (!gone) present.references.set(name, ref);
    }
    return present;
  }

  /** The references to the things of a noun by the names that they will have. */
  references(noun: Noun): ReadonlyMap<string, string> {
    return this.#presentNames(noun).references;
  }

  /** The id of the stored thing of a name. */
  idOf(noun: Noun, name: string): number | undefined {
    const id = idIn(this.references(noun).get(name) ?? "");
    return id > 0 ? id : undefined;
  }

  /** The present name of a thing. */
  readonly nameOf = (reference: string): string =>
    this.print(this.#presentNames(nounIn(reference)).names.get(reference) ?? this.#recorded.get(reference) ?? "");

  /** A text with the present names in place of references. */
  readonly print = (text: string): string => withNames(text, this.nameOf);

  /** A value of a section with the present names in place of references. */
  named(section: SectionName | "production", value: Raw): Raw {
    return respelled(value, itemFormOf(section), this.print) as Raw;
  }

  /** A value of a section with references in place of the present names. `isResolved`: it has references already. */
  resolved(section: SectionName | "production", value: Raw, isResolved = false): Raw {
    return respelled(value, itemFormOf(section), (name, nouns) => {
      if (isResolved && isReference(name)) return name;
      for (const noun of nouns) {
        const found = this.references(noun).get(name);
        if (found !== undefined) return found;
      }
      return isResolved ? name : notReference(name);
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
  spellingsOf(noun: Noun): KnownNames {
    return {
      has: (name) => this.references(noun).has(name),
      alike: (name) => {
        const byForm = this.#byForm.get(noun) ?? Map.groupBy(this.references(noun).keys(), sameName);
        this.#byForm.set(noun, byForm);
        return byForm.get(sameName(name)) ?? [];
      },
    };
  }

  /** Takes up the name of a thing that is added. */
  add(noun: Noun, name: string, reference: string): void {
    const known = this.#present.get(noun);
    if (known === undefined) return;
    const byForm = this.#byForm.get(noun);
    if (byForm !== undefined && !known.references.has(name)) listAt(byForm, sameName(name)).push(name);
    const present = known === this.#asStored.get(noun) ? copyOf(known) : known;
    this.#present.set(noun, present);
    present.references.set(name, reference);
    present.names.set(reference, name);
  }

  /** Forgets what names mean, after things got others. */
  forget(): void {
    this.#byForm.clear();
    this.#present.clear();
  }
}

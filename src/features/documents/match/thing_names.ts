// What the things of a target are called, and what names mean: references in place of names, and names in place of references.
import { sameName } from "../../../core/wording.ts";
import { listAt } from "../../sequences/sequences.ts";
import type { Stored } from "../nouns/stored.ts";
import { itemFormOf, type Raw, respelled } from "../sections/form.ts";
import { idIn, isReference, notReference, nounIn, referenceTo, withNames } from "../sections/references.ts";
import { keyOf, type Noun, namings, type SectionName } from "../sections/sections.ts";
import type { Slot } from "./matching.ts";
import type { KnownNames } from "./spelling.ts";

/** What has the things. */
interface Things {
  readonly stored: Pick<Stored, "ids" | "nameOf">;
  /** The things of a section that documents touched. */
  touchedSlots(section: SectionName): readonly Slot[];
  slots(section: SectionName): readonly Slot[];
}

/** The names of the things of a noun: as they are stored, but for what things get other names, are added or go. */
class NamesOfNoun {
  readonly #noun: Noun;
  readonly #stored: Things["stored"];
  /** What was asked of what is stored is kept here, too. */
  readonly #references = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #left = new Set<string>();
  readonly #gone = new Set<string>();

  constructor(noun: Noun, stored: Things["stored"]) {
    this.#noun = noun;
    this.#stored = stored;
  }

  /** A thing has no longer the name that is stored of it. */
  leave(reference: string): void {
    this.#left.add(this.#stored.nameOf(this.#noun, idIn(reference)) ?? "");
  }

  /** A thing has a name; one that goes has it only in sentences. */
  set(reference: string, name: string, isGone = false): void {
    this.#names.set(reference, name);
    if (isGone) this.#gone.add(reference);
    else this.#references.set(name, reference);
  }

  /** The reference to what has a name. */
  get(name: string): string | undefined {
    const known = this.#references.get(name);
    if (known !== undefined || this.#left.has(name)) return known;
    const id = this.#stored.ids(this.#noun).get(name);
    const reference = id === undefined ? undefined : referenceTo(this.#noun, id);
    if (reference !== undefined) this.#references.set(name, reference);
    return reference;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  nameOf(reference: string): string | undefined {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const name = this.#stored.nameOf(this.#noun, idIn(reference));
    if (name !== undefined) this.#names.set(reference, name);
    return name;
  }

  /** Whether a reference is to something that stays. */
  stays(reference: string): boolean {
    return (
      isReference(reference) &&
      nounIn(reference) === this.#noun &&
      !this.#gone.has(reference) &&
      this.nameOf(reference) !== undefined
    );
  }

  /** Every name. */
  all(): string[] {
    const stored = [...this.#stored.ids(this.#noun).keys()].filter((name) => !this.#left.has(name));
    return [...new Set([...stored, ...this.#references.keys()])];
  }
}

/** Kept until things get other names. */
export class ThingNames {
  readonly #things: Things;
  readonly #present = new Map<Noun, NamesOfNoun>();
  /** The names that only a change set knows, by reference. */
  readonly #recorded = new Map<string, string>();
  /** The names by what makes two names the same. Made when a name is not found as it is written. */
  readonly #byForm = new Map<Noun, Map<string, string[]>>();

  constructor(things: Things) {
    this.#things = things;
  }

  /** What a name means as things are stored: a reference, or the text itself. */
  readonly storedReference = (name: string, nouns: readonly Noun[]): string => {
    for (const noun of nouns) {
      const id = this.#things.stored.ids(noun).get(name);
      if (id !== undefined) return referenceTo(noun, id);
    }
    return notReference(name);
  };

  /** The names that the things of a noun will have. */
  of(noun: Noun): NamesOfNoun {
    const known = this.#present.get(noun);
    if (known !== undefined) return known;
    const names = new NamesOfNoun(noun, this.#things.stored);
    this.#present.set(noun, names);
    const { list } = namings[noun];
    // The name of a scene has that of its episode.
    const isInRenamed = noun === "scene" && this.#things.touchedSlots("episodes").length > 0;
    const others = isInRenamed ? this.#things.slots(list) : this.#things.touchedSlots(list);
    for (const { ref } of others) names.leave(ref);
    for (const { ref, item, gone } of others) names.set(ref, this.keyOf(list, item) ?? "", gone);
    return names;
  }

  /** The id of the stored thing of a name. */
  idOf(noun: Noun, name: string): number | undefined {
    const id = idIn(this.of(noun).get(name) ?? "");
    return id > 0 ? id : undefined;
  }

  /** The present name of a thing. */
  readonly nameOf = (reference: string): string =>
    this.print(this.of(nounIn(reference)).nameOf(reference) ?? this.#recorded.get(reference) ?? "");

  /** A text with the present names in place of references. */
  readonly print = (text: string): string => withNames(text, this.nameOf);

  /** A value of a section with the present names in place of references. */
  named(section: SectionName | "production", value: Raw): Raw {
    return respelled(value, itemFormOf(section), this.print);
  }

  /** A value of a section with references in place of the present names. `isResolved`: it has references already. */
  resolved(section: SectionName | "production", value: Raw, isResolved = false): Raw {
    return respelled(value, itemFormOf(section), (name, nouns) => {
      if (isResolved && isReference(name)) return name;
      for (const noun of nouns) {
        const found = this.of(noun).get(name);
        if (found !== undefined) return found;
      }
      return isResolved ? name : notReference(name);
    });
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
      has: (name) => this.of(noun).has(name),
      alike: (name) => {
        const byForm = this.#byForm.get(noun) ?? Map.groupBy(this.of(noun).all(), sameName);
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
    if (byForm !== undefined && !known.has(name)) listAt(byForm, sameName(name)).push(name);
    known.set(reference, name);
  }

  /** Forgets what names mean, after things got others. */
  forget(): void {
    this.#byForm.clear();
    this.#present.clear();
  }
}

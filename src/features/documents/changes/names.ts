// What things are called, and what names mean, as an update leaves them: two maps for each noun, of one statement. A
// name is looked up as it is written, and then in any other form of the same name.
import { sameName, withoutAccents } from "../../../core/wording.ts";
import { namedRows } from "../../names/name_rules.ts";
import { canonical, type Field, type Form, layoutOf, type Raw } from "../sections/form.ts";
import {
  type AnySection,
  keyOf,
  type Noun,
  namings,
  type SectionName,
  sceneName,
  sections,
} from "../sections/sections.ts";
import { keyForm } from "./keys.ts";
import type { Rows, StoredRows } from "./rows.ts";

interface StoredName {
  id: number;
  name: string;
  isGenerated?: boolean;
}

/** How many names are looked up one by one before all are read: most changes name few of thousands of scenes. */
const maxLookUps = 16;

/** The names of the things of a noun: all of them are read together, once they are asked for or get others. */
export class NamesOfNoun {
  readonly #read: () => Iterable<StoredName>;
  readonly #lookUp: ((name: string) => number | undefined) | undefined;
  #lookUps = 0;
  readonly #formOf: (name: string) => string;
  #known: { byId: Map<number, string>; ids: Map<string, number>; generated: Map<number, string> } | undefined;
  #byForm: Map<string, string[]> | undefined;
  #unaccented: Map<string, string[]> | undefined;

  /**
   * `lookUp` finds what is stored under one name, if that needs less than reading all; `formOf` is what makes two names
   * one.
   */
  constructor(
    read: () => Iterable<StoredName>,
    {
      lookUp,
      formOf = sameName,
    }: { lookUp?: (name: string) => number | undefined; formOf?(name: string): string } = {},
  ) {
    [this.#read, this.#lookUp, this.#formOf] = [read, lookUp, formOf];
  }

  get #names() {
    if (this.#known !== undefined) return this.#known;
    this.#known = { byId: new Map(), ids: new Map(), generated: new Map() };
    for (const { id, name, isGenerated } of this.#read()) {
      this.set(id, name);
      if (isGenerated) this.#known.generated.set(id, name);
    }
    return this.#known;
  }

  /** All names, with the ids of what they name. */
  get ids(): ReadonlyMap<string, number> {
    return this.#names.ids;
  }

  /** The references that were generated. */
  get generated(): ReadonlyMap<number, string> {
    return this.#names.generated;
  }

  /** What has exactly this name. */
  idOf(name: string): number | undefined {
    const isSingle = this.#known === undefined && ++this.#lookUps <= maxLookUps;
    return (isSingle ? this.#lookUp?.(name) : undefined) ?? this.#names.ids.get(name);
  }

  nameOf(id: number): string | undefined {
    return this.#names.byId.get(id);
  }

  set(id: number, name: string): void {
    this.#names.byId.set(id, name);
    this.#names.ids.set(name, id);
    this.#unaccented = undefined;
    if (this.#byForm === undefined) return;
    const form = this.#formOf(name);
    this.#byForm.set(form, [...(this.#byForm.get(form) ?? []), name]);
  }

  /** Nothing has the name of a thing any more; the thing is still called so in sentences. */
  leave(id: number): void {
    const name = this.nameOf(id);
    if (name === undefined || this.idOf(name) !== id) return;
    this.#names.ids.delete(name);
    this.#byForm = undefined;
    this.#unaccented = undefined;
  }

  /** The names that are the same in another form. */
  alike(name: string): readonly string[] {
    this.#byForm ??= Map.groupBy(this.ids.keys(), this.#formOf);
    return this.#byForm.get(this.#formOf(name)) ?? [];
  }

  /** The names that differ at most in accents. */
  withoutAccents(name: string): readonly string[] {
    this.#unaccented ??= Map.groupBy(this.ids.keys(), withoutAccents);
    return this.#unaccented.get(withoutAccents(name)) ?? [];
  }

  /** The name as it is known; undefined if nothing has it, or several things have it in other forms. */
  spelled(name: string): string | undefined {
    if (this.idOf(name) !== undefined) return name;
    const alike = this.alike(name);
    return alike.length === 1 ? alike[0] : undefined;
  }

  find(name: string): number | undefined {
    const spelled = this.spelled(name);
    return spelled === undefined ? undefined : this.idOf(spelled);
  }
}

export class Names {
  readonly #rows: Rows;
  readonly #former: Names | undefined;
  readonly #of = new Map<Noun, NamesOfNoun>();
  readonly #keys = new Map<SectionName, NamesOfNoun>();

  /** `former` has the names of what is gone. */
  constructor(rows: Rows, former?: Names) {
    this.#rows = rows;
    this.#former = former;
  }

  #stored(noun: Noun) {
    const { store, production_id } = this.#rows;
    return store === undefined ? [] : namedRows(store, production_id, noun);
  }

  of(noun: Noun): NamesOfNoun {
    const looking = noun === "scene" ? { lookUp: this.#storedScene } : {};
    const names = this.#of.get(noun) ?? new NamesOfNoun(() => this.#stored(noun), looking);
    this.#of.set(noun, names);
    return names;
  }

  /** What the things of a section are called: their names, or the keys that no two of them share. */
  in(section: SectionName): NamesOfNoun {
    const { noun, key = [], table } = sections[section];
    if (noun !== undefined) return this.of(noun);
    const sql = `SELECT id, ${key.join(", ")} FROM ${table} WHERE production_id = ? ORDER BY id`;
    const read = () =>
      this.#rows
        .all<Raw & { id: number }>(sql, this.#rows.production_id)
        .map((row) => ({ id: row.id, name: keyForm(section, row) ?? "" }));
    const keys = this.#keys.get(section) ?? new NamesOfNoun(read, { formOf: String });
    this.#keys.set(section, keys);
    return keys;
  }

  /** The references that were generated for things of a section, because others have the same label. */
  generatedIn(section: AnySection): ReadonlyMap<number, string> {
    const noun = section === "production" ? undefined : sections[section].noun;
    return noun !== undefined && "refs" in namings[noun] ? this.of(noun).generated : new Map();
  }

  #storedScene = (name: string): number | undefined => {
    const at = name.lastIndexOf("/");
    const episode = at === -1 ? 0 : this.of("episode").idOf(name.slice(0, at));
    const sql = "SELECT node_id AS id FROM scenes WHERE production_id = ? AND ifnull(episode_id, 0) = ? AND number = ?";
    return this.#rows.all<{ id: number }>(sql, this.#rows.production_id, episode ?? -1, name.slice(at + 1))[0]?.id;
  };

  /** The scenes of renamed episodes have other names. */
  renameScenes(): void {
    const [scenes, episodes] = [this.of("scene"), this.of("episode")];
    const codes = new Map(this.#stored("episode").map(({ id, label }) => [label, episodes.nameOf(id)]));
    for (const { id, label, episode } of this.#stored("scene")) {
      scenes.leave(id);
      scenes.set(id, sceneName(label, episode === null ? null : codes.get(episode)));
    }
  }

  nameOf(noun: Noun, id: number | null | undefined): string | undefined {
    if (id === null || id === undefined) return undefined;
    return this.of(noun).nameOf(id) ?? this.#former?.nameOf(noun, id);
  }

  /** The name by which a document calls a thing of a section. The episode may be a name or an id. */
  nameIn(section: SectionName, item: Raw): string | undefined {
    const { noun } = sections[section];
    if (noun === undefined) return undefined;
    const { field } = namings[noun];
    const name = ("refs" in namings[noun] ? item.ref : undefined) ?? item[field];
    if (typeof name !== "string") return undefined;
    if (noun !== "scene") return name;
    const { episode } = item;
    if (typeof episode === "string") return sceneName(name, this.of("episode").spelled(episode) ?? episode);
    return sceneName(name, typeof episode === "number" ? this.nameOf("episode", episode) : undefined);
  }

  /** The key of a thing as people write it. */
  keyOf(section: AnySection, item: Raw): string | undefined {
    if (section === "production") return String(item.title);
    if (sections[section].noun !== undefined) return this.nameIn(section, item);
    const { key = [] } = sections[section];
    const fields = layoutOf(section).fields.filter(({ name }) => key.includes(name));
    const named = { ...item };
    for (const field of fields) named[field.name] = this.named(field, item[field.name]);
    return keyOf(section, named);
  }

  /** A value with names in place of ids. */
  named(spec: Form, value: unknown): unknown {
    const { noun, nouns, item, fields } = spec;
    if (value === undefined || value === null) return value;
    if (noun !== undefined) return typeof value === "number" ? (this.nameOf(noun, value) ?? null) : value;
    if (nouns !== undefined) {
      if (typeof value !== "object") return value;
      const [[one, id] = []] = Object.entries(value) as [Noun, number][]; // what it names, and its id
      return one === undefined ? undefined : this.nameOf(one, id);
    }
    if (item !== undefined) return Array.isArray(value) ? value.map((one) => this.named(item, one)) : value;
    if (fields === undefined || typeof value !== "object") return value;
    return this.#namedFields(fields, value as Raw); // an object with these fields
  }

  #namedFields(fields: readonly Field[], thing: Raw): Raw {
    const named: Raw = {};
    for (const field of fields) {
      const value = thing[field.name];
      if (value !== undefined) named[field.name] = this.named(field, value);
    }
    if ("sha256" in thing) named.sha256 = thing.sha256;
    return named;
  }

  /**
   * A stored thing in the form of documents, with the ids of others in place of names, and with the reference that was
   * generated for it.
   */
  thingOf(section: AnySection, stored: StoredRows): Raw {
    const { tables, fields } = layoutOf(section);
    const thing = this.#rows.thing(tables, fields, stored);
    const ref = this.generatedIn(section).get(Number(stored.row.id));
    if (ref !== undefined && thing.ref === undefined) thing.ref = ref;
    return canonical(fields, thing);
  }

  /** A thing of a section with names in place of ids. */
  namedThing(section: AnySection, thing: Raw): Raw {
    return this.#namedFields(layoutOf(section).fields, thing);
  }
}

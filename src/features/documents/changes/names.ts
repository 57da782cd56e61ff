// What things are called, and what names mean, as an update leaves them: two maps for each noun, of one statement. A
// name is looked up as it is written, and then in any other form of the same name.
import { composed } from "../../../core/store/composed.ts";
import { sameName, withoutAccents } from "../../../core/wording.ts";
import { canonical, type Field, type Form, type Raw } from "../sections/form.ts";
import { keyOf, type Noun, namings, refsOf, type SectionName, sceneName, sections } from "../sections/sections.ts";
import { type AnySection, layoutOf, sectionOfNoun } from "./layout.ts";
import type { Rows, StoredRows } from "./rows.ts";

/** Where names are stored: all of them, or one. */
interface StoredNames {
  all(generated: Map<number, string>): Iterable<readonly [id: number, name: string]>;
  /** Undefined also where it is not known without the others. */
  idOf?(name: string): number | undefined;
  nameOf?(id: number): string | undefined;
}

/** How many names are looked up one by one before all are read. */
const maxLookUps = 16;

export class NamesOfNoun {
  readonly #stored: StoredNames;
  readonly #byId = new Map<number, string>();
  readonly #ids = new Map<string, number>();
  #lookUps = 0;
  #isWhole = false;
  readonly #generated = new Map<number, string>();
  #byForm: Map<string, string[]> | undefined;
  #unaccented: Map<string, string[]> | undefined;

  constructor(stored: StoredNames) {
    this.#stored = stored;
  }

  /** Reads all names in their order, but for those that are known to be others by now. */
  readAll(): void {
    if (this.#isWhole) return;
    this.#isWhole = true;
    const known = new Map(this.#byId);
    for (const names of [this.#byId, this.#ids]) names.clear();
    for (const [id, name] of this.#stored.all(this.#generated)) this.set(id, known.get(id) ?? name);
    for (const [id, name] of known) if (!this.#byId.has(id)) this.set(id, name);
  }

  /** All names, with the ids of what they name. */
  get ids(): ReadonlyMap<string, number> {
    this.readAll();
    return this.#ids;
  }

  /** The references that were generated, because another thing has the same label: never of a scene. */
  get generated(): ReadonlyMap<number, string> {
    if (this.#stored.idOf === undefined) this.readAll();
    return this.#generated;
  }

  #mayLookUp = (): boolean => ++this.#lookUps <= maxLookUps;

  /** What has exactly this name. */
  idOf(name: string): number | undefined {
    const known = this.#ids.get(name);
    if (known !== undefined || this.#isWhole) return known;
    const id = this.#mayLookUp() ? this.#stored.idOf?.(name) : undefined;
    if (id === undefined) return this.ids.get(name);
    this.set(id, name);
    return id;
  }

  nameOf(id: number): string | undefined {
    const known = this.#byId.get(id);
    if (known !== undefined || this.#isWhole) return known;
    const name = this.#mayLookUp() ? this.#stored.nameOf?.(id) : undefined;
    if (name !== undefined) this.set(id, name);
    else this.readAll();
    return this.#byId.get(id);
  }

  set(id: number, name: string): void {
    this.#byId.set(id, name);
    this.#ids.set(name, id);
    this.#unaccented = undefined;
    if (this.#byForm === undefined) return;
    const form = sameName(name);
    this.#byForm.set(form, [...(this.#byForm.get(form) ?? []), name]);
  }

  /** Nothing has the name any more; what had it is still called so in sentences. */
  leave(name: string): void {
    this.readAll();
    this.#ids.delete(name);
    this.#byForm = undefined;
    this.#unaccented = undefined;
  }

  /** The names that are the same in another form. */
  alike(name: string): readonly string[] {
    this.#byForm ??= Map.groupBy(this.ids.keys(), sameName);
    return this.#byForm.get(sameName(name)) ?? [];
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

type NameRow = [id: number, label: string, further: string | number | null];

export class Names {
  readonly #rows: Rows;
  readonly #former: Names | undefined;
  readonly #of = new Map<Noun, NamesOfNoun>();

  /** `former` has the names of what is gone. */
  constructor(rows: Rows, former?: Names) {
    this.#rows = rows;
    this.#former = former;
  }

  of(noun: Noun): NamesOfNoun {
    const known = this.#of.get(noun);
    if (known !== undefined) return known;
    const names = new NamesOfNoun(
      noun === "scene" ? this.#scenes() : { all: (generated) => this.#allOf(noun, generated) },
    );
    this.#of.set(noun, names);
    return names;
  }

  #rowsOf(noun: Noun, chosen = "", ...values: unknown[]): NameRow[] {
    const { database, production_id } = this.#rows;
    if (database === undefined) return [];
    const { table, where } = sections[sectionOfNoun[noun]];
    const { field } = namings[noun];
    const sql =
      noun === "scene"
        ? `SELECT node_id, number, episode_id FROM scenes WHERE production_id = ?${chosen} ORDER BY node_id`
        : `SELECT id, ${field}, ${"refs" in namings[noun] ? "ref" : "NULL"} FROM ${table}
           WHERE production_id = ?${where === undefined ? "" : ` AND ${where}`} ORDER BY id`;
    return composed<NameRow>(database, sql)
      .raw()
      .all(production_id, ...values);
  }

  #sceneNameOf = ([, number, episode]: NameRow): string =>
    sceneName(number, episode === null ? null : this.nameOf("episode", Number(episode)));

  /** A script may have thousands of scenes, and most changes name few. */
  #scenes(): StoredNames {
    return {
      all: () => this.#rowsOf("scene").map((row) => [row[0], this.#sceneNameOf(row)]),
      idOf: (name) => {
        const at = name.lastIndexOf("/");
        const episode = at === -1 ? 0 : this.of("episode").idOf(name.slice(0, at));
        const chosen = " AND ifnull(episode_id, 0) = ? AND number = ?";
        const [row] = episode === undefined ? [] : this.#rowsOf("scene", chosen, episode, name.slice(at + 1));
        return row?.[0];
      },
      nameOf: (id) => this.#rowsOf("scene", " AND node_id = ?", id).map(this.#sceneNameOf)[0],
    };
  }

  #allOf(noun: Noun, generated: Map<number, string>): [id: number, name: string][] {
    const rows = this.#rowsOf(noun);
    if (!("refs" in namings[noun])) return rows.map(([id, name]) => [id, name]);
    const things = rows.map(([id, label, ref]) => ({ id, label, ref: ref as string | null })); // the column has texts
    const stored = new Map(rows.map(([id, , ref]) => [id, ref]));
    return [...refsOf(things)].map(([id, { name, ref }]) => {
      if (ref !== undefined && stored.get(id) === null) generated.set(id, ref);
      return [id, name];
    });
  }

  /** The scenes of renamed episodes have other names. */
  renameScenes(): void {
    const scenes = this.of("scene");
    scenes.readAll();
    for (const row of this.#rowsOf("scene")) {
      const [id] = row;
      const former = scenes.nameOf(id);
      if (former !== undefined && scenes.idOf(former) === id) scenes.leave(former);
      scenes.set(id, this.#sceneNameOf(row));
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
    const noun = section === "production" ? undefined : sections[section].noun;
    const ref = noun && "refs" in namings[noun] ? this.of(noun).generated.get(Number(stored.row.id)) : undefined;
    if (ref !== undefined && thing.ref === undefined) thing.ref = ref;
    return canonical(fields, thing);
  }

  /** A thing of a section with names in place of ids. */
  namedThing(section: AnySection, thing: Raw): Raw {
    return this.#namedFields(layoutOf(section).fields, thing);
  }
}

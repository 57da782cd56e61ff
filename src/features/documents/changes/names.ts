// What things are called, and what names mean, as an update leaves them: two maps for each noun, of one statement. A name is looked up as it is
// written, and then in any other form of the same name.
import { composed } from "../../../core/store/composed.ts";
import { sameName } from "../../../core/wording.ts";
import type { Raw } from "../sections/form.ts";
import { keyOf, type Noun, namings, refsOf, type SectionName, sceneName, sections } from "../sections/sections.ts";
import { type AnySection, type Kept, layoutOf, type Spec, sectionOfNoun } from "./layout.ts";
import type { Rows } from "./rows.ts";

export class NamesOfNoun {
  readonly byId = new Map<number, string>();
  readonly ids = new Map<string, number>();
  /** The references that were generated, because another thing has the same label. */
  readonly generated = new Map<number, string>();
  #byForm: Map<string, string[]> | undefined;

  set(id: number, name: string): void {
    this.byId.set(id, name);
    this.ids.set(name, id);
    if (this.#byForm === undefined) return;
    const form = sameName(name);
    this.#byForm.set(form, [...(this.#byForm.get(form) ?? []), name]);
  }

  /** Nothing has the name any more; what had it is still called so in sentences. */
  leave(name: string): void {
    this.ids.delete(name);
    this.#byForm = undefined;
  }

  /** The names that are the same in another form. */
  alike(name: string): readonly string[] {
    this.#byForm ??= Map.groupBy(this.ids.keys(), sameName);
    return this.#byForm.get(sameName(name)) ?? [];
  }

  /** The name as it is known; undefined if nothing has it, or several things have it in other forms. */
  spelled(name: string): string | undefined {
    if (this.ids.has(name)) return name;
    const alike = this.alike(name);
    return alike.length === 1 ? alike[0] : undefined;
  }

  find(name: string): number | undefined {
    const spelled = this.spelled(name);
    return spelled === undefined ? undefined : this.ids.get(spelled);
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
    const names = new NamesOfNoun();
    this.#of.set(noun, names);
    this.#load(noun, names);
    return names;
  }

  #rowsOf(noun: Noun): NameRow[] {
    const { database, production_id } = this.#rows;
    if (database === undefined) return [];
    const { tables, where } = layoutOf(sectionOfNoun[noun]);
    const { field } = namings[noun];
    const sql =
      noun === "scene"
        ? "SELECT node_id, number, episode_id FROM scenes WHERE production_id = ? ORDER BY node_id"
        : `SELECT id, ${field}, ${"refs" in namings[noun] ? "ref" : "NULL"} FROM ${tables.table}
           WHERE production_id = ?${where === undefined ? "" : ` AND ${where}`} ORDER BY id`;
    return composed<NameRow>(database, sql).raw().all(production_id);
  }

  #load(noun: Noun, names: NamesOfNoun): void {
    const rows = this.#rowsOf(noun);
    if ("refs" in namings[noun]) {
      const things = rows.map(([id, label, ref]) => ({ id, label, ref: ref as string | null })); // the column has texts
      const stored = new Map(rows.map(([id, , ref]) => [id, ref]));
      for (const [id, { name, ref }] of refsOf(things)) {
        names.set(id, name);
        if (ref !== undefined && stored.get(id) === null) names.generated.set(id, ref);
      }
    } else if (noun === "scene")
      for (const [id, number, episode] of rows)
        names.set(id, sceneName(number, episode === null ? null : this.nameOf("episode", Number(episode))));
    else for (const [id, name] of rows) names.set(id, name);
  }

  /** The scenes of renamed episodes have other names. */
  renameScenes(): void {
    const scenes = this.of("scene");
    for (const [id, number, episode] of this.#rowsOf("scene")) {
      const former = scenes.byId.get(id);
      if (former !== undefined && scenes.ids.get(former) === id) scenes.leave(former);
      scenes.set(id, sceneName(number, episode === null ? null : this.nameOf("episode", Number(episode))));
    }
  }

  nameOf(noun: Noun, id: number | null | undefined): string | undefined {
    if (id === null || id === undefined) return undefined;
    return this.of(noun).byId.get(id) ?? this.#former?.nameOf(noun, id);
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
  named(spec: Spec, value: unknown): unknown {
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

  #namedFields(fields: readonly Kept[], thing: Raw): Raw {
    const named: Raw = {};
    for (const field of fields) {
      const value = thing[field.name];
      if (value !== undefined) named[field.name] = this.named(field, value);
    }
    if ("sha256" in thing) named.sha256 = thing.sha256;
    return named;
  }

  /** A thing of a section with names in place of ids. */
  namedThing(section: AnySection, thing: Raw): Raw {
    return this.#namedFields(layoutOf(section).fields, thing);
  }
}

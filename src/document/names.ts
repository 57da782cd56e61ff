// How one thing of a production document names another: its ref, else its label, title, code, slug or number.
// Knows neither files nor the database.
import type { ProductionDocument } from "./schema.ts";

interface Naming {
  /** The document's list of these things. */
  list: keyof ProductionDocument;
  /** The field that carries the name; a thing with a `ref` goes by that. */
  field: string;
  refs?: true;
  /** Two names that differ in case or surrounding space alone are one name to the database and to people. */
  folded?: true;
}

export const namings = {
  episode: { list: "episodes", field: "code" },
  department: { list: "departments", field: "slug" },
  person: { list: "people", field: "name", folded: true },
  ingredient: { list: "ingredients", field: "label", refs: true },
  scene: { list: "scenes", field: "number" },
  asset: { list: "assets", field: "label", refs: true },
  vendor: { list: "vendors", field: "name", folded: true },
  engagement: { list: "engagements", field: "title", refs: true },
  delivery: { list: "deliveries", field: "title", refs: true },
} as const satisfies Record<string, Naming>;

export type Noun = keyof typeof namings;
export const nouns = Object.keys(namings) as Noun[];

/** Positions in the document's lists, by name. */
export type Names = Readonly<Record<Noun, ReadonlyMap<string, number>>>;

/** What refers to a scene: its number, on an episodic production `<episode code>/<number>`. */
export const sceneName = (number: string, episode: string | null | undefined): string =>
  typeof episode === "string" ? `${episode}/${number}` : number;

/** The name that the rest of the document knows `item` by; undefined where a broken item has none. */
export function nameOf(noun: Noun, item: unknown): string | undefined {
  if (noun === "vendor") return typeof item === "string" ? item : undefined;
  if (typeof item !== "object" || item === null) return undefined;
  const fields = item as Record<string, unknown>;
  const { field, refs } = { refs: false, ...namings[noun] };
  const name = (refs ? fields.ref : undefined) ?? fields[field];
  if (typeof name !== "string") return undefined;
  return noun === "scene" ? sceneName(name, fields.episode as string | undefined) : name;
}

/** Every name of a sound document. */
export function namesOf(document: ProductionDocument): Names {
  const mapOf = (noun: Noun) => {
    const items: readonly unknown[] = document[namings[noun].list] as unknown[];
    return new Map(items.map((item, position) => [nameOf(noun, item) as string, position]));
  };
  return Object.fromEntries(nouns.map((noun) => [noun, mapOf(noun)])) as unknown as Names;
}

/**
 * The references of things by id where several may share a label, in the order given: the first goes by its label, the
 * second by `<label> #2` and so on, passing over what is another's label. Answers the name and, from the second on, the ref.
 */
export function refsOf(things: readonly { id: number; label: string }[]): Map<number, { name: string; ref?: string }> {
  const taken = new Set(things.map(({ label }) => label));
  const seen = new Map<string, number>();
  const refs = new Map<number, { name: string; ref?: string }>();
  for (const { id, label } of things) {
    let count = (seen.get(label) ?? 0) + 1;
    let name = label;
    if (count > 1) {
      while (taken.has(`${label} #${count}`)) count++;
      name = `${label} #${count}`;
      taken.add(name);
    }
    seen.set(label, count);
    refs.set(id, name === label ? { name } : { name, ref: name });
  }
  return refs;
}

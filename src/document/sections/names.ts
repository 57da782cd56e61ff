// Defines how one thing of a production document names another: by its ref if it has one, otherwise by its label, title, code, slug
// or number. Uses no files and no database.

interface Naming {
  /** The document's list of these things. */
  list: string;
  /** The field with the name; if a thing has a `ref`, the `ref` is its name. */
  field: string;
  refs?: true;
  /** Whether two names that differ only in case or surrounding space are one name. */
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
  approval: { list: "approvals", field: "title", refs: true },
} as const satisfies Record<string, Naming>;

export type Noun = keyof typeof namings;
export const nouns = Object.keys(namings) as Noun[];

/** The name of a scene in references: its number, or on an episodic production `<episode code>/<number>`. */
export const sceneName = (number: string, episode: string | null | undefined): string =>
  typeof episode === "string" ? `${episode}/${number}` : number;

/** The name of `item` in references; undefined if a broken item has no name. */
export function nameOf(noun: Noun, item: unknown): string | undefined {
  if (noun === "vendor") return typeof item === "string" ? item : undefined;
  if (typeof item !== "object" || item === null) return undefined;
  const fields = item as Record<string, unknown>;
  const { field, refs } = { refs: false, ...namings[noun] };
  const name = (refs ? fields.ref : undefined) ?? fields[field];
  if (typeof name !== "string") return undefined;
  return noun === "scene" ? sceneName(name, fields.episode as string | undefined) : name;
}

/**
 * The references of things by id, in the order given. A thing with a stored ref is named by it. Of the other things with the same
 * label, the first is named by the label, the second by `<label> #2` and so on, unless another thing has that label or ref.
 * Returns the name and, if it is not the label, the ref.
 */
export function refsOf(
  things: readonly { id: number; label: string; ref: string | null }[],
): Map<number, { name: string; ref?: string }> {
  const stored = new Set(things.flatMap(({ ref }) => ref ?? []));
  const taken = new Set([...stored, ...things.map(({ label }) => label)]);
  const seen = new Map<string, number>();
  const refs = new Map<number, { name: string; ref?: string }>();
  for (const { id, label, ref } of things) {
    if (ref !== null) {
      refs.set(id, { name: ref, ref });
      continue;
    }
    let count = (seen.get(label) ?? (stored.has(label) ? 1 : 0)) + 1;
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

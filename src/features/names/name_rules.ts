// How the things of a production are named in references: in documents, and by admins. docs/format.md, "The rules of
// the format".
import type { ProductionId } from "../../core/ids.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";

interface Naming {
  /** The document's list of these things. */
  list: string;
  /** The field with the name; if a thing has a `ref`, the `ref` is its name. */
  field: string;
  refs?: true;
}

/** The naming of each noun. */
export const namings = {
  episode: { list: "episodes", field: "code" },
  department: { list: "departments", field: "slug" },
  person: { list: "people", field: "name" },
  ingredient: { list: "ingredients", field: "label", refs: true },
  scene: { list: "scenes", field: "number" },
  asset: { list: "assets", field: "label", refs: true },
  vendor: { list: "vendors", field: "name" },
  engagement: { list: "engagements", field: "title", refs: true },
  delivery: { list: "deliveries", field: "title", refs: true },
  approval: { list: "approvals", field: "title", refs: true },
} as const satisfies Record<string, Naming>;

/** A kind of thing that references name. */
export type Noun = keyof typeof namings;
/** Every noun. */
export const nouns = Object.keys(namings) as Noun[]; // Object.keys does not say which keys

/** The name of a scene in references: its number, or on an episodic production `<episode code>/<number>`. */
export const sceneName = (number: string, episode: string | null | undefined): string =>
  typeof episode === "string" ? `${episode}/${number}` : number;

/**
 * The references of things by id, in the order given. A thing with a stored ref is named by it. Of the other things
 * with the same label, the first is named by the label, the second by `<label> #2` and so on, unless another thing has
 * that label or ref. Returns the name and, if it is not the label, the ref.
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

/** A thing with what names it. Things that may share a label have a ref, or get one. */
interface NamedRow {
  id: number;
  label: string;
  ref: string | null;
  /** Of a scene or an asset. */
  kind: string | null;
  /** The code of the episode of a scene. */
  episode: string | null;
}
const exportNames = many<{ production_id: ProductionId; noun: Noun }, NamedRow>("export_names");

type Named = NamedRow & { name: string; isGenerated: boolean };

/** The things of a noun with their names in references, the oldest first, and whether these are generated refs. */
export function namedRows(store: Store, production_id: ProductionId, noun: Noun): Named[] {
  const rows = exportNames(store, { production_id, noun });
  const refs = "refs" in namings[noun] ? refsOf(rows) : undefined;
  return rows.map((row) => {
    const name = refs?.get(row.id)?.name ?? sceneName(row.label, row.episode);
    return Object.assign(row, { name, isGenerated: refs !== undefined && row.ref === null && name !== row.label });
  });
}

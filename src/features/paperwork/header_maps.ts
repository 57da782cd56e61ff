// Reads --map, which says what headers of lists and categories of tags mean: pairs in the flags, and pairs stored under
// a name.
import * as v from "valibot";
import type { ProductionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { change, many, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { listed } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";

type Key = { production_id: ProductionId; name: string };
const pairsOf = value<Key, string>("get_import_map");
const namesOf = many<{ production_id: ProductionId }, { name: string }>("list_import_maps");
const keep = change("keep_import_map");

export type Pairs = Readonly<Record<string, string>>;

export interface Maps {
  pairs: Pairs;
  /** The name under which the pairs are kept, if they differ from what is kept. */
  keep: string | undefined;
  /** What is wrong with the flags. */
  problems: readonly string[];
}

/** The flags that are pairs, and those that are names. */
function sorted(flags: readonly string[]): { pairs: Pairs; names: string[]; problems: string[] } {
  const pairs: [string, string][] = [];
  const names: string[] = [];
  const problems: string[] = [];
  for (const flag of flags) {
    const at = flag.lastIndexOf("=");
    if (at === -1) names.push(flag);
    else if (flag.slice(0, at).trim() === "" || flag.slice(at + 1).trim() === "")
      problems.push(`--map takes "Header=field" or the name of a map, not ${quoted(flag)}`);
    else pairs.push([flag.slice(0, at).trim(), flag.slice(at + 1).trim()]);
  }
  if (names.length > 1) problems.push(`--map names ${listed(names.map(quoted))}; an import uses only one map`);
  for (const name of names)
    if (!v.is(input.slug, name))
      problems.push(`--map ${name} is not a name for a map: use lower-case letters, digits, - and _`);
  return { pairs: Object.fromEntries(pairs), names, problems };
}

/** The pairs of an import: those of the named map, and over them those that the flags give. */
export function mapsOf(store: Store, production_id: ProductionId, flags: readonly string[]): Maps {
  const { pairs, names, problems } = sorted(flags);
  const [name] = names;
  if (name === undefined || problems.length > 0) return { pairs, keep: undefined, problems };
  const stored = pairsOf(store, { production_id, name });
  if (stored === undefined && Object.keys(pairs).length === 0) {
    const known = namesOf(store, { production_id }).map(({ name }) => name);
    const others = known.length === 0 ? "no map is stored yet" : `the stored maps are ${listed(known)}`;
    problems.push(`there is no map ${name}; ${others}; --map "Header=field" together with the name stores one`);
  }
  const all: Pairs = { ...(JSON.parse(stored ?? "{}") as Pairs), ...pairs }; // written by keepMap
  return { pairs: all, keep: JSON.stringify(all) === stored ? undefined : name, problems };
}

/** Keeps pairs under a name. Inside a write transaction. */
export const keepMap = (store: Store, production_id: ProductionId, name: string, pairs: Pairs): void => {
  keep(store, { production_id, name, pairs: JSON.stringify(pairs) });
};

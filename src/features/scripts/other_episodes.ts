// What the names of characters have to do with the other episodes of a series: who is called by a name there, and what
// the approved text of an episode still calls a character whom another episode renamed.
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { listed, plural, sameName } from "../../core/wording.ts";
import type { NameChange } from "../documents/cast_names.ts";
import { listAt } from "../sequences/sequences.ts";
import type { ScriptKey, ScriptRow, StoredChange } from "./script_store.ts";

/** How a rename is meant on a series: for every episode, or as a new character of its own. */
export const renameScopes = ["everywhere", "episode"] as const;
export type RenameScope = (typeof renameScopes)[number];

const approvedRenames = many<{ production_id: number }, NameChange & { episode_id: number | null }>(
  "list_approved_renames",
);

/**
 * The names by which the approved text of a script calls characters whom other episodes renamed, with the names that
 * they have today.
 */
export function namesToday(
  store: Store,
  { production_id, episode_id }: ScriptKey,
  { rows, hasCharacter }: { rows: readonly ScriptRow[]; hasCharacter(name: string): boolean },
): NameChange[] {
  const renames = approvedRenames(store, { production_id }).filter((one) => one.episode_id !== episode_id);
  if (renames.length === 0) return [];
  const names = new Map(
    rows.flatMap(({ approved, scene }) => (approved ?? scene).cast.map((name) => [sameName(name), name])),
  );
  return [...names].flatMap(([key, from]): NameChange[] => {
    if (hasCharacter(from)) return [];
    let to = from;
    for (const rename of renames) if (sameName(rename.from) === sameName(to)) to = rename.to;
    return sameName(to) !== key && hasCharacter(to) ? [{ from, to }] : [];
  });
}

/** A rename that is asked about, with the script that has it. */
export interface AskedRename {
  id: number;
  episode_id: number | null;
  from: string;
}

/** How many scenes of an episode have the former name of a rename. */
export interface Elsewhere {
  episode: string;
  count: number;
}
const countElsewhere = many<{ production_id: number; renames: string }, Elsewhere & { id: number }>(
  "count_names_elsewhere",
);

/** The other episodes whose scenes have the former name of a rename, by the id of its change. */
export function namedElsewhere(
  store: Store,
  production_id: number,
  asked: readonly AskedRename[],
): ReadonlyMap<number, Elsewhere[]> {
  const found = new Map<number, Elsewhere[]>();
  if (asked.length === 0) return found;
  const renames = approvedRenames(store, { production_id });
  const today = asked.map((one) => ({ ...one, from: nameToday(one, renames) }));
  for (const { id, ...one } of countElsewhere(store, { production_id, renames: JSON.stringify(today) }))
    listAt(found, id).push(one);
  return found;
}

/** The name that a character has today of whom the text of an episode may still have a former one. */
function nameToday(
  { from, episode_id }: AskedRename,
  renames: readonly (NameChange & { episode_id: number | null })[],
): string {
  return renames.reduce(
    (name, one) => (one.episode_id !== episode_id && sameName(one.from) === sameName(name) ? one.to : name),
    from,
  );
}

/** "NORA is in 3 scenes of 101 and 2 scenes of 103, too". */
export const elsewhereText = (from: string, elsewhere: readonly Elsewhere[]): string =>
  `${from} is in ${listed(elsewhere.map(({ episode, count }) => `${plural(count, "scene")} of ${episode}`))}, too`;

/** A change that renames a character, as what asks about it. */
export const renameAsked = ({ id, episode_id, fields }: Pick<StoredChange, "id" | "episode_id" | "fields">) => {
  const from = fields.character?.from;
  return typeof from === "string" ? [{ id, episode_id, from }] : [];
};

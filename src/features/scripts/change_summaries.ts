// Says in one line what a script change asks.
import { listed } from "../../core/wording.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { textsIn } from "../names/sluglines.ts";
import type { FieldChanges } from "./compare/fields.ts";
import type { Asked } from "./questions.ts";

const shown = (value: unknown): string => (value === null || value === "" ? "nothing" : String(value));
const names = (value: unknown): string => (Array.isArray(value) && value.length > 0 ? value.join(", ") : "nobody");

const maxCast = 300;
const cut = (text: string): string => (text.length > maxCast ? `${text.slice(0, maxCast).toWellFormed()}…` : text);

/** How a sentence calls a scene of the script. */
type Named = (number: unknown) => string;

/** The phrases of a summary, by the field of a change. Other fields have none. */
const phrases: Readonly<Record<string, (field: FieldChanges[string], fields: FieldChanges, named: Named) => string>> = {
  number: ({ from, to }, _, named) => `number ${named(from)} -> ${named(to)}`,
  slugline: ({ from, to }) => `slugline ${shown(from)} -> ${shown(to)}`,
  text: () => "text changed",
  cast: ({ from, to }) => `cast ${cut(names(from))} -> ${cut(names(to))}`,
  character: ({ from, to }, { scenes, except }) => {
    const [count, others] = [textsIn(scenes?.to).length, textsIn(except?.to)];
    const rest = others.length === 0 ? "" : ` of ${count + others.length}`;
    const kept = others.length === 0 ? "" : `, not in ${cut(listed(others))}`;
    return `character ${shown(from)} -> ${shown(to)} in ${count}${rest} scenes${kept}`;
  },
  order: ({ to }, _, named) => (to === null ? "moved to the beginning" : `moved after ${named(to)}`),
  omitted: ({ to }) => (to === true ? "omitted" : "in the script again"),
  pages: ({ from, to }) => `pages ${shown(from)} -> ${shown(to)}`,
};

/**
 * "52A added after 52: INT. MILL - NIGHT"; "31: text changed, pages 1 2/8 -> 1 4/8"; with an episode "101/31: text
 * changed".
 */
export function summaryOf({ kind, number, fields, hint, of: { scene } }: Asked, episode?: string | null): string {
  const named: Named = (value) => (typeof value === "string" ? sceneName(value, episode ?? undefined) : shown(value));
  const perhaps = hint === undefined ? "" : ` (${hint})`;
  const follows = fields.order?.to ?? null;
  if (kind === "added")
    return `${named(number)} added ${follows === null ? "first" : `after ${named(follows)}`}: ${scene.slugline}${perhaps}`;
  const clauses = Object.entries(fields).flatMap(([name, field]) => phrases[name]?.(field, fields, named) ?? []);
  return `${named(number)}: ${clauses.join(", ")}${perhaps}`;
}

// Describes a script change in a sentence, without text of the script.
import type { Raised } from "./comparing.ts";
import type { FieldChanges } from "./scene_changes.ts";

const shown = (value: unknown): string => (value === null || value === "" ? "nothing" : String(value));
const names = (value: unknown): string => (Array.isArray(value) && value.length > 0 ? value.join(", ") : "nobody");

const maxCast = 300;
const cut = (text: string): string => (text.length > maxCast ? `${text.slice(0, maxCast).toWellFormed()}…` : text);

function partOf(name: string, { from, to }: FieldChanges[string], fields: FieldChanges): string | undefined {
  switch (name) {
    case "number":
      return `number ${shown(from)} -> ${shown(to)}`;
    case "slugline":
      return `slugline ${shown(from)} -> ${shown(to)}`;
    case "text":
      return "text changed";
    case "cast":
      return `cast ${cut(names(from))} -> ${cut(names(to))}`;
    case "character":
      return `character ${shown(from)} -> ${shown(to)} in ${((fields.scenes?.to ?? []) as unknown[]).length} scenes`;
    case "order":
      return to === null ? "moved to the beginning" : `moved after ${shown(to)}`;
    case "omitted":
      return to === true ? "omitted" : "in the script again";
    case "pages":
      return `pages ${shown(from)} -> ${shown(to)}`;
    default:
      return undefined;
  }
}

/** "52A added after 52: INT. MILL - NIGHT"; "31: text changed, pages 1 2/8 -> 1 4/8". */
export function summaryOf({ kind, number, fields, hint, scene }: Raised): string {
  const perhaps = hint === undefined ? "" : ` (${hint})`;
  const follows = fields.order?.to ?? null;
  if (kind === "added")
    return `${number} added ${follows === null ? "first" : `after ${follows}`}: ${scene.slugline}${perhaps}`;
  const parts = Object.entries(fields).flatMap(([name, field]) => partOf(name, field, fields) ?? []);
  return `${number}: ${parts.join(", ")}${perhaps}`;
}

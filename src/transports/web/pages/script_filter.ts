// The filter of the script: by revision, omitted, pending changes, cast and set.
import { filterForm } from "../form_parts.ts";
import type { Markup } from "../html.ts";
import { optionsNamed } from "../parts.ts";
import { sceneFactsOf } from "../scene_facts.ts";
import type { Visit } from "../visit.ts";
import type { Scene } from "./scenes.ts";

const omittedWords = { without: "not shown", only: "only these" };

/** The scenes that the address asks for. `changes` are the pending ones by scene. */
export function foundIn(
  { query }: Visit,
  scenes: readonly Scene[],
  changes: { has(node_id: number): boolean },
): Scene[] {
  const asked = (name: string): string => (query.get(name) ?? "").trim().toLowerCase();
  const [revision, omitted, cast, set] = [asked("revision"), asked("omitted"), asked("cast"), asked("set")];
  return scenes.filter((scene) => {
    if (revision !== "" && scene.revision_color.toLowerCase() !== revision) return false;
    if (omitted in omittedWords && (scene.status === "omitted") !== (omitted === "only")) return false;
    if (asked("changed") === "1" && !changes.has(scene.node_id)) return false;
    if (cast === "" && set === "") return true;
    const facts = sceneFactsOf(scene);
    const isCast = cast === "" || facts.cast.some((name) => name.toLowerCase().includes(cast));
    return isCast && facts.set.toLowerCase().includes(set);
  });
}

export function scriptFilter(visit: Visit, scenes: readonly Scene[]): Markup {
  const colours = [...new Set(scenes.map(({ revision_color }) => revision_color))].sort();
  return filterForm(
    visit,
    [
      { name: "revision", label: "Revision", choices: optionsNamed(colours) },
      { name: "omitted", label: "Omitted", choices: Object.entries(omittedWords) },
      { name: "cast", label: "Cast", maxlength: 200 },
      { name: "set", label: "Set", maxlength: 200 },
    ],
    ["changed", "changes pending"],
  );
}

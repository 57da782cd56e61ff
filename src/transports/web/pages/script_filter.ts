// The filter of the script: by revision, omitted, pending changes, cast and set.
import { html, type Markup } from "../html.ts";
import { options, optionsNamed } from "../parts.ts";
import { sceneFactsOf } from "../scene_facts.ts";
import type { Visit } from "../visit.ts";
import type { Scene } from "./scenes.ts";

interface ScriptFilter {
  revision: string;
  /** Whether omitted scenes are shown with the others, not at all, or alone. */
  omitted: "" | "without" | "only";
  changed: boolean;
  cast: string;
  set: string;
}

const omittedWords = { "": "shown", without: "not shown", only: "only these" } as const;

export function scriptFilterOf({ query }: Visit): ScriptFilter {
  const text = (name: string) => (query.get(name) ?? "").trim().slice(0, 200);
  const omitted = text("omitted");
  return {
    revision: text("revision"),
    omitted: omitted === "without" || omitted === "only" ? omitted : "",
    changed: text("changed") === "1",
    cast: text("cast"),
    set: text("set"),
  };
}

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/** Whether a scene passes the filter. `changes` are the pending ones by scene. */
export function isFound(
  scene: Scene,
  { revision, omitted, changed, cast, set }: ScriptFilter,
  changes: { has(node_id: number): boolean },
): boolean {
  if (revision !== "" && scene.revision_color !== revision) return false;
  if (omitted !== "" && (scene.status === "omitted") !== (omitted === "only")) return false;
  if (changed && !changes.has(scene.node_id)) return false;
  if (cast === "" && set === "") return true;
  const facts = sceneFactsOf(scene);
  return (cast === "" || facts.cast.some((name) => has(name, cast))) && (set === "" || has(facts.set, set));
}

export function filterForm(scenes: readonly Scene[], filter: ScriptFilter): Markup {
  const colours = [...new Set(scenes.map(({ revision_color }) => revision_color))].sort();
  return html`<form class="filters" method="get" action="/scenes">
<label>Revision<select name="revision">${options([["", "all"], ...optionsNamed(colours)], filter.revision)}</select></label>
<label>Omitted<select name="omitted">${options(Object.entries(omittedWords), filter.omitted)}</select></label>
<label>Cast<input name="cast" maxlength="200" value="${filter.cast}"></label>
<label>Set<input name="set" maxlength="200" value="${filter.set}"></label>
<label class="check"><input type="checkbox" name="changed" value="1"${filter.changed && html` checked`}>changes pending</label>
<button>Show</button>
</form>`;
}

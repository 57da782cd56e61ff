// The text of a scene on its page, as a script looks.
import { html, type Markup } from "../../pages/html.ts";
import { panel } from "../../pages/html_parts.ts";
import type { Visit } from "../../pages/visit.ts";
import { getSceneScript } from "../scene_script.ts";

export async function sceneScript(visit: Visit, node_id: number): Promise<Markup | undefined> {
  const { draft, elements } = await visit.ask(getSceneScript, { node_id });
  if (elements.length === 0) return undefined;
  const printed = elements.filter(({ type }) => type !== "dual");
  return panel(
    "Script",
    html`<div class="script">${printed.map(({ type, text }) => html`<p class="${type}">${text}</p>`)}</div>
${draft !== null && html`<p class="under">As approved, ${draft.file}</p>`}`,
  );
}

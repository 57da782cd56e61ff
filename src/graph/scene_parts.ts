// The parts of a scene that is shot on several days: which two are the same, and how the scene is shown on such a day.
import { sameName } from "../core/wording.ts";

/** "pt" alone is any part. */
export const isNamedPart = (text: string): boolean => !/^(?:pt|part)s?\.?$/i.test(text.trim());

/** What makes two parts of one scene the same. */
export const partForm = (text: string): string => sameName(text.replace(/^\s*parts?\b\.?\s*|^\s*pts?\b\.?\s*/i, "pt"));

/** Whether two days may have different parts of a scene; a day without a part has the whole scene. */
export const areOtherParts = (one: string | null | undefined, other: string | null | undefined): boolean =>
  typeof one === "string" &&
  typeof other === "string" &&
  !(isNamedPart(one) && isNamedPart(other) && partForm(one) === partForm(other));

interface ScenePart {
  node_id: number;
  text: string;
  pages?: string | undefined;
}

/** Scenes as a day has them: a part has its text behind the number, and its own length. */
export function inParts<S extends { node_id: number; number: string; elements: Readonly<Record<string, unknown>> }>(
  scenes: readonly S[],
  parts: readonly ScenePart[] = [],
): S[] {
  const byScene = new Map(parts.map((part) => [part.node_id, part]));
  return scenes.map((scene) => {
    const part = byScene.get(scene.node_id);
    if (part === undefined) return scene;
    return { ...scene, number: `${scene.number} ${part.text}`, elements: { ...scene.elements, pages: part.pages } };
  });
}

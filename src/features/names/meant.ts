// What a reference means that no name is equal to: the only name that differs from it in accents alone, or a question.
import { listed } from "../../core/wording.ts";
import { quoted } from "./names.ts";

export interface Meant<T> {
  /** The only one whose name differs in accents alone, with a sentence that says so. */
  found?: T;
  /** Why there is none although several fit. */
  sentence: string;
}

/**
 * Of what is named like a reference but for accents: the only one, or the question which one is meant. Undefined if
 * nothing is.
 */
export function meantOf<T extends string>(text: string, alike: Iterable<T>): Meant<T> | undefined {
  const [found, ...others] = new Set(alike);
  if (found === undefined) return undefined;
  if (others.length === 0) return { found, sentence: `${quoted(text)} was read as ${quoted(found)}` };
  return { sentence: `${quoted(text)} may be ${listed([found, ...others].map(quoted), "or")}; write one of them` };
}

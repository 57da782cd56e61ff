// The warnings of the last changes that forms made, by their change sets, which the page shows behind the form.
import { stateOf } from "../../../core/features.ts";
import type { Visit } from "../../pages/visit.ts";
import { unnamedDocument } from "../kinds.ts";

const warningsBySet = stateOf(() => new Map<string, readonly string[]>());
const maxSets = 100;
const setKey = ({ context: { caller } }: Visit, set: number | string): string => `${caller.production_id}:${set}`;

export function keepWarnings(visit: Visit, set: number | undefined, warnings: readonly string[]): void {
  const kept = warningsBySet(visit.context.app);
  if (set === undefined || warnings.length === 0) return;
  const ofForm = (warning: string) => warning.replace(`${unnamedDocument}: `, "");
  kept.set(setKey(visit, set), warnings.map(ofForm));
  for (const oldest of kept.keys()) if (kept.size > maxSets) kept.delete(oldest);
}

export const warningsOf = (visit: Visit, set: number): readonly string[] =>
  warningsBySet(visit.context.app).get(setKey(visit, set)) ?? [];

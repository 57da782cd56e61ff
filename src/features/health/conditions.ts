// The conditions of a running server: those of each feature, read when they are asked for.
import type { App } from "../../core/context.ts";
import type { Condition } from "../../core/feature.ts";
import { features, stateOf } from "../../core/features.ts";

const open = async (app: App): Promise<() => Condition[]> => {
  const sources: (() => Condition[])[] = [];
  for (const { conditions } of features())
    if (conditions !== undefined) sources.push((await conditions()).openConditions(app));
  return () => {
    const byName = new Map<string, Condition>();
    // Of one that several features have, the first that is wrong counts.
    for (const condition of sources.flatMap((source) => source()))
      if (byName.get(condition.name)?.problem === undefined) byName.set(condition.name, condition);
    return [...byName.values()];
  };
};

/** Returns what reads the conditions of a server: what of it may be wrong, and what is. */
export const conditionsOf = stateOf(open);

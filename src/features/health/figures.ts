// What is wrong with a server, for GET /metrics.
import type { App } from "../../core/context.ts";
import type { Figure } from "../../core/feature.ts";
import { conditionsOf } from "./conditions.ts";

export async function openFigures(app: App): Promise<() => Figure[]> {
  const conditions = await conditionsOf(app);
  return () => [
    {
      name: "tallylight_problem",
      type: "gauge",
      help: "1 if something is wrong with the server, by the condition.",
      samples: conditions().map(({ name, problem }) => ({
        labels: { condition: name },
        value: problem === undefined ? 0 : 1,
      })),
    },
  ];
}

// Loads the operations below a path: those that most clients call by the files of their noun, so that a server has only what is used.
import { loadLater, loadOnce } from "./network.ts";
import type { Operation } from "./operation.ts";

/**
 * The files of the operations, by the first segment of their paths. Each operation that a file exports is one of the API. Of two
 * paths that a request fits, that of the earlier file counts.
 */
const filesOf: Readonly<Record<string, readonly string[]>> = {
  me: ["../graph/me.ts", "../features/search/manifest.ts"],
  production: ["../graph/production.ts"],
  episodes: ["../graph/production.ts"],
  departments: ["../graph/departments.ts"],
  scenes: ["../graph/scenes.ts"],
  assets: ["../features/search/usage.ts", "../graph/assets.ts", "../graph/notes.ts"],
  notes: ["../graph/notes.ts"],
  schedule: ["../graph/schedule.ts"],
  cast: ["../graph/schedule.ts"],
  deliveries: ["../graph/deliveries.ts"],
  approvals: ["../graph/approvals.ts"],
  activity: ["../graph/activity.ts"],
  people: ["../graph/people.ts"],
  jobs: ["../graph/jobs.ts"],
  vendors: ["../graph/vendors.ts"],
  search: ["../features/search/search.ts"],
  events: ["../features/events/operations.ts"],
  bundles: ["../graph/bundles.ts", "../features/days/day_bundle.ts"],
  turnovers: ["../graph/turnovers.ts"],
  submissions: ["../graph/turnovers.ts"],
  media: ["../graph/media.ts"],
  "media-ticket": ["../graph/media.ts"],
  percep: ["../features/restyle/percep.ts"],
  "purchase-orders": ["../graph/purchase_orders.ts"],
  orders: ["../graph/purchase_orders.ts"],
};

/** The first segment of an operation's path, which is its tag in the description. */
export const nounOf = ({ path }: Pick<Operation, "path">): string => path.split("/", 2)[1] ?? "";

const isOperation = (exported: unknown): exported is Operation =>
  typeof exported === "object" && exported !== null && "run" in exported;

async function operationsOf(noun: string, files: readonly string[]): Promise<readonly Operation[]> {
  const modules = await Promise.all(files.map((file) => loadLater<object>(file, import.meta)));
  const operations = modules.flatMap((module) => Object.values(module).filter(isOperation));
  return operations.filter((row) => nounOf(row) === noun);
}

/** Loads the operations whose paths begin with a segment, by these segments; the others are in the table of all. */
export const operationsBelow: ReadonlyMap<string, () => Promise<readonly Operation[]>> = new Map(
  Object.entries(filesOf).map(([noun, files]) => [noun, loadOnce(() => operationsOf(noun, files))]),
);

// Loads the operations below a path: those that most clients call by the files of their noun, so that a server has only what is used.
import { loadLater, loadOnce } from "../network.ts";
import type { Operation } from "./operation.ts";

/**
 * The files of the operations, by the first segment of their paths. Each operation that a file exports is one of the API. Of two
 * paths that a request fits, that of the earlier file counts.
 */
const filesOf: Readonly<Record<string, readonly string[]>> = {
  me: ["./me.ts", "./manifest.ts"],
  production: ["./production.ts"],
  episodes: ["./production.ts"],
  departments: ["./departments.ts"],
  scenes: ["./scenes.ts"],
  assets: ["./usage.ts", "./assets.ts", "./notes.ts"],
  notes: ["./notes.ts"],
  schedule: ["./schedule.ts"],
  cast: ["./schedule.ts"],
  deliveries: ["./deliveries.ts"],
  approvals: ["./approvals.ts"],
  activity: ["./activity.ts"],
  people: ["./people.ts"],
  jobs: ["./jobs.ts"],
  vendors: ["./vendors.ts"],
  search: ["./search.ts"],
  events: ["./events.ts"],
  bundles: ["./bundles.ts", "./day_bundle.ts"],
  turnovers: ["./turnovers.ts"],
  submissions: ["./turnovers.ts"],
  media: ["./media.ts"],
  "media-ticket": ["./media.ts"],
  percep: ["./percep.ts"],
  "purchase-orders": ["./purchase_orders.ts"],
  orders: ["./purchase_orders.ts"],
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

// Finds the operations that the features of the program offer. Those below a path are loaded with the first request for
// it.
import type { Feature } from "./feature.ts";
import { features } from "./features.ts";
import { loadOnce } from "./late_loading.ts";
import { isOperation, type Operation, pathsOf } from "./operation.ts";

/** The places at which features have operations; found with the first request, when all features are installed. */
let places: ReadonlySet<string> | undefined;

/** The features with operations at a place. */
function featuresAt(place: string): Feature[] {
  places ??= new Set(features().flatMap(({ operations }) => Object.keys(operations ?? {})));
  return places.has(place) ? features().filter(({ operations }) => Object.hasOwn(operations ?? {}, place)) : [];
}

/**
 * The part of a path that decides which files are loaded: its first segment; below /admin/ its first two. A feature may
 * name what it has below the id of a noun of the graph, as "scenes/:id/script", so that its file is not loaded with
 * every request for that noun.
 */
function placeOf(path: string): string {
  const [, first = "", second = "", third = ""] = path.split("/", 4);
  if (first === "admin") return `${first}/${second}`;
  const below = `${first}/:id/${third}`;
  return third !== "" && featuresAt(below).length > 0 ? below : first;
}

/** The operations that the files of a feature export for a place, in the order in which they are defined. */
async function loadPlace(feature: Feature, place: string): Promise<readonly Operation[]> {
  const modules = await Promise.all((feature.operations?.[place] ?? []).map((load) => load()));
  return modules.flatMap((module) =>
    Object.values(module)
      .filter(isOperation)
      .filter((row) => placeOf(row.path) === place)
      .sort((one, other) => one.defined - other.defined),
  );
}

/**
 * By this text, a path with a literal segment comes before one with a parameter there: /assets/usage before
 * /assets/:node_id.
 */
const rankOf = (path: string): string => path.replace(/:\w+/g, ":").replace(/[^/:]+/g, "");

/**
 * The paths of operations, in the order in which a request is compared with them: of two that fit, the one with a
 * literal segment comes first.
 */
export const pathsInOrder = (rows: readonly Operation[]): { path: string; row: Operation }[] =>
  rows
    .flatMap((row) => pathsOf(row).map((path) => ({ path, row })))
    .sort((one, other) => (rankOf(one.path) < rankOf(other.path) ? -1 : 1));

const loaded = new Map<string, () => Promise<readonly Operation[]>>();

/** Loads the operations that a path below /api/v1 may be of. */
export function operationsAt(path: string): Promise<readonly Operation[]> {
  const place = placeOf(path);
  const known = loaded.get(place);
  if (known !== undefined) return known();
  const having = featuresAt(place);
  if (having.length === 0) return Promise.resolve([]);
  const load = loadOnce(async () => {
    const rows = await Promise.all(having.map((feature) => loadPlace(feature, place)));
    return rows.flat();
  });
  loaded.set(place, load);
  return load();
}

/** Loads all operations, in the order of the API reference: by feature, then by place. */
export const allOperations = loadOnce(async (): Promise<readonly Operation[]> => {
  const rows = await Promise.all(
    features().flatMap((feature) => Object.keys(feature.operations ?? {}).map((place) => loadPlace(feature, place))),
  );
  return rows.flat();
});

// The features that this program has. The list itself is in src/features.ts, which every process installs when it starts.
import type { Feature, FeatureFile } from "./feature.ts";

let installed: readonly Feature[] = [];
let address: string | undefined;

/** Throws an Error if a feature needs another one that is not in the list before it. */
function checkNeeds(list: readonly Feature[]): void {
  const known = new Set<string>();
  for (const { name, needs = [] } of list) {
    const missing = needs.find((need) => !known.has(need));
    if (missing !== undefined)
      throw new Error(`the feature ${name} needs ${missing}, which is not in the list before it`);
    known.add(name);
  }
}

/** Installs the features of the program. `url` is the address of the list, which threads load as well. */
export function installFeatures(list: readonly Feature[], url: string): void {
  checkNeeds(list);
  installed = list;
  address = url;
}

/** The features of the program, in the order of the list. */
export const features = (): readonly Feature[] => installed;

/** The address of the list of features, for a thread; undefined if none is installed. */
export const featuresUrl = (): string | undefined => address;

/** The first feature that has a contribution of a kind, and the contribution. */
export function contribution<K extends keyof Feature>(
  kind: K,
): { feature: Feature; value: NonNullable<Feature[K]> } | undefined {
  for (const feature of installed) {
    const value = feature[kind];
    if (value !== undefined && value !== null) return { feature, value };
  }
  return undefined;
}

/** Loads a file of a feature. Deno would read a file that is named inside import() together with the first one. */
export const loadFile = <Module>({ url }: Pick<Feature, "url">, file: FeatureFile): Promise<Module> =>
  import(new URL(file, url).href);

/** The contributions that are one file. */
type FileKind = { [K in keyof Feature]-?: NonNullable<Feature[K]> extends FeatureFile ? K : never }[keyof Feature];

/** Loads the module of a contribution that one feature has; undefined if none is installed that has it. */
export function loadContribution<Module>(kind: FileKind): Promise<Module> | undefined {
  const found = contribution(kind);
  return found && loadFile<Module>(found.feature, found.value);
}

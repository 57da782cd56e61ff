// Which features go with a feature, and what of them the rest of the program may use nevertheless: files, by an import,
// and what a feature adds to the types of all, by a name. A file that uses neither compiles without the feature as it
// does with it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import "../src/features.ts";
import type { Feature } from "../src/core/feature.ts";
import { features } from "../src/core/features.ts";
import { blocks } from "../src/core/settings.ts";
import { allBlocks } from "../src/core/store/statements.ts";

const root = join(import.meta.dirname, "..");
export const all = features().filter(({ name }) => name !== "graph");

/** The features that go with `name`: its parts, and those that need one of them. */
export function removedWith(name: string): ReadonlySet<string> {
  const removed = new Set([name]);
  const goes = ({ name: other, needs = [] }: Feature): boolean =>
    [...removed].some((gone) => other.startsWith(`${gone}/`)) || needs.some((need) => removed.has(need));
  for (let size = 0; size !== removed.size; ) {
    size = removed.size;
    for (const feature of all) if (goes(feature)) removed.add(feature.name);
  }
  return removed;
}

/** Whether a file belongs to one of the removed features. */
export const isRemoved = (file: string, removed: ReadonlySet<string>): boolean =>
  [...removed].some(
    (name) =>
      file.startsWith(`src/features/${name}/`) ||
      new RegExp(`^sql/${name}[.]`).test(file) ||
      (name === "agent" && file.startsWith("src/agent/")), // the program that the command of the feature runs
  );

const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

/** The files that a text imports when it is loaded, also for types alone. */
export const importsIn = (text: string, file: string): string[] =>
  [...text.matchAll(/(?:from|import) "(\.\.?\/[^"]+\.ts)"/g)].map(([, name = ""]) => join(file, "..", name));

/** The same with those that it imports later. */
const allImportsIn = (text: string, file: string): string[] => importsIn(text.replaceAll('import("', 'import "'), file);

const isProgram = (file: string): boolean => /^src\/.*\.ts$/.test(file) && file !== "src/features.ts";

/** What the files that are left without a feature import of it, a line each. */
export function importsOfRemoved(feature: string, files: readonly string[]): string[] {
  const removed = removedWith(feature);
  const left = new Set(files.filter((file) => !isRemoved(file, removed)));
  return [...left].filter(isProgram).flatMap((file) =>
    allImportsIn(textOf(file), file)
      .filter((name) => !left.has(name))
      .map((name) => `${file} imports ${name}`),
  );
}

/** The interfaces whose names are the keys of a part of the features that extend it. */
const keysOf: Readonly<Record<string, (feature: Feature) => readonly string[]>> = {
  EventTypes: ({ eventTypes = {} }) => Object.keys(eventTypes),
  Config: ({ settings }) => Object.keys(settings?.(blocks) ?? {}),
  ListKinds: () => [], // without the feature, a kind of a list is any text
};

/** The names that a file of a feature adds to an interface of another file. Throws an Error if they cannot be read. */
function namesAddedIn(file: string, feature: Feature): string[] {
  const [, body] = /^declare module "[^"]+" \{\n(.*?)^\}/ms.exec(textOf(file)) ?? [];
  if (body === undefined) return [];
  const [, name = ""] = /^ {2}interface (\w+)/m.exec(body) ?? [];
  const written = [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??:/gm)].map(([, property = ""]) => property);
  const keys = keysOf[name]?.(feature);
  const names = [...written, ...(keys ?? [])];
  if (names.length === 0 && keys === undefined)
    throw new Error(`${file}: the names that it adds to ${name} cannot be read`);
  return names;
}

/**
 * Finds a name that a feature adds to the types of all: a statement, a setting, an event type, a property. Undefined if
 * it adds none.
 */
function nameAddedBy(feature: Feature, files: readonly string[]): RegExp | undefined {
  const statements = allBlocks().filter(({ file }) => file === `${feature.name}.sql`);
  const own = files.filter((file) => isProgram(file) && isRemoved(file, new Set([feature.name])));
  const names = [...statements.map(({ name }) => name), ...own.flatMap((file) => namesAddedIn(file, feature))];
  if (names.length === 0) return undefined;
  return new RegExp(`(?<![\\w$])(?:${names.join("|").replaceAll(".", "\\.")})(?![\\w$])`);
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, "");

type Pair = `${string} > ${string}`;
const outside = "core and graph";
const places = [outside, ...all.map(({ name }) => name)];
/** What is left of the features, and the core and the graph, without each feature. */
const leftWithout = new Map(
  all.map(({ name }) => [name, new Set(places.filter((place) => !removedWith(name).has(place)))] as const),
);

/** The pairs of a feature, and of one that is left without it and has a name that the first one adds. */
function pairsWithNames(files: readonly string[]): Set<Pair> {
  const placeOf = (file: string): string =>
    places.findLast((place) => place !== outside && isRemoved(file, new Set([place]))) ?? outside;
  const texts = files.filter(isProgram).map((file) => ({ place: placeOf(file), text: withoutComments(textOf(file)) }));
  return new Set(
    all.flatMap((feature): Pair[] => {
      const name = nameAddedBy(feature, files);
      const left = leftWithout.get(feature.name);
      const using = texts.filter(({ place, text }) => left?.has(place) && name?.test(text));
      return using.map(({ place }): Pair => `${feature.name} > ${place}`);
    }),
  );
}

/** Of a set of features that are removed at once: the pairs of a removed one and of one that is left. */
function pairsOf(names: readonly string[]): Pair[] {
  const left = places.filter((place) => names.every((name) => leftWithout.get(name)?.has(place)));
  return names.flatMap((name) => left.map((place): Pair => `${name} > ${place}`));
}

/**
 * Sets of features that must compile without each set: one of them separates the two features of each pair that has a
 * name.
 */
export function setsToCompile(files: readonly string[]): string[][] {
  const missing = pairsWithNames(files);
  const gain = (names: readonly string[]): number => pairsOf(names).filter((pair) => missing.has(pair)).length;
  const sets: string[][] = [];
  while (missing.size > 0) {
    const names: string[] = [];
    for (;;) {
      const others = all.map(({ name }) => name).filter((name) => !names.includes(name));
      const [best] = others
        .map((name) => ({ name, gain: gain([...names, name]) }))
        .sort((one, other) => other.gain - one.gain);
      if (best === undefined || best.gain <= gain(names)) break;
      names.push(best.name);
    }
    for (const pair of pairsOf(names)) missing.delete(pair);
    sets.push(names);
  }
  return sets;
}

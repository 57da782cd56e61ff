// Finds the packages and programs of .ci/tools, which `npm run tools` installs. A test file that needs one of them is
// skipped with a message if it is absent.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Where the tests' imports look. */
const packages = [join(root, "test/node_modules"), join(root, "node_modules")];
const programs = [join(root, ".ci/tools/node_modules/.bin"), join(root, "node_modules/.bin")];

const { devDependencies } = JSON.parse(readFileSync(join(root, ".ci/tools/package.json"), "utf8"));
/** The packages that only `npm run tools` installs. */
export const toolPackages: readonly string[] = Object.keys(devDependencies);

/** What installs them, for messages. */
export const installTools = "`npm run tools` installs it";

const find = (places: readonly string[], name: string): string | undefined =>
  places.map((place) => join(place, name)).find((path) => existsSync(path));
const installed = (name: string): string | undefined => find(packages, name);

/** The folder of a package. Throws an Error if it is not installed. */
export function packageFolder(name: string): string {
  const folder = installed(name);
  if (folder === undefined) throw new Error(`${name} is not installed: ${installTools}`);
  return folder;
}

/** A program of a package, such as deno; undefined if it is not installed. */
export const programOf = (name: string): string | undefined => find(programs, name);

/** The files that a test file imports from the tests, itself included. */
function filesOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g))
    if (!path.includes("/src/")) filesOf(join(dirname(file), path), found);
  return found;
}

/** The tools that a test file imports or looks up, itself or through what it imports. */
export function neededTools(file: string): string[] {
  const text = [...filesOf(join(root, file))].map((path) => readFileSync(path, "utf8")).join("\n");
  const named = [...text.matchAll(/(?:from|import|packageFolder)\s*\(?\s*"([^"]+)"/g)].map(
    ([, name]) => name as string,
  );
  return toolPackages.filter((tool) => named.some((name) => name === tool || name.startsWith(`${tool}/`)));
}

/** Those of them that are not installed. */
export const missingTools = (file: string): string[] =>
  neededTools(file).filter((tool) => installed(tool) === undefined);

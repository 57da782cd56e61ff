// Makes the program as JavaScript for a package, because Node strips no types below node_modules: `node
// .ci/package/javascript.ts FROM INTO` copies a folder and takes the types out of its TypeScript. Each line and column
// stays where it is.
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

/** A relative path to a TypeScript file in quotes, as imports and the starts of threads have it. */
const relative = /(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g;

process.removeAllListeners("warning"); // stripping types is experimental
const [from = "src", into = "lib"] = process.argv.slice(2);
rmSync(into, { recursive: true, force: true });
cpSync(from, into, { recursive: true, filter: (path) => !path.endsWith(".ts") });
for (const file of globSync("**/*.ts", { cwd: from })) {
  const text = stripTypeScriptTypes(readFileSync(join(from, file), "utf8"));
  const place = join(into, file.replace(/\.ts$/, ".mjs")); // pages.js is there already: a script for browsers
  writeFileSync(
    place,
    text.replace(relative, (_, quote, path) => `${quote}${path}.mjs${quote}`),
  );
}

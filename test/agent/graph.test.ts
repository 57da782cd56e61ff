// The modules that an agent loads: it must start quickly, without server modules.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Everything that a file imports except types, with transitive imports: files of this checkout, and modules by name.
 */
function graphOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(root, file), "utf8");
  for (const match of text.matchAll(/^(?:import|export) (?!type)[^;]*?from "([^"]+)";|\bimport\("([^"]+)"\)/gms)) {
    const name = match[1] ?? match[2] ?? "";
    if (name.startsWith(".")) graphOf(join(file, "..", name), found);
    else found.add(name);
  }
  return found;
}

const graph = suite("the agent's module graph");

graph("contains the agent's files, runtime modules without servers, the database engine and valibot", () => {
  for (const entry of ["src/agent/agent.ts", "src/agent/rehearsal.ts", "src/agent/status.ts"]) {
    const found = [...graphOf(entry)];
    assert.ok(found.length > 3, `${found}`);
    for (const name of found)
      assert.match(
        name,
        /^src\/agent\/|^src\/core\/times\.ts$|^(?:better-sqlite3|valibot)$|^node:(?!https?|http2|net|tls|sqlite)/,
        entry,
      );
  }
});

graph("is loaded by its command on first use, so that other commands do not wait for it", () => {
  const text = readFileSync(join(root, "src/features/agent/commands.ts"), "utf8");
  assert.not.match(text, /^import (?!type)[^;]*from "\.\.\/agent\//m);
});
graph.run();

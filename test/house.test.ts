// The house: who may import whom, what may go out, and that every statement of sql/ is used under its name.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { statementTexts } from "../src/store/database.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = globSync("src/**/*.ts", { cwd: root })
  .sort()
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** Floors from the ground up; a file may import from its own floor and from those below. */
const floors: readonly (readonly [floor: number, pattern: RegExp])[] = [
  [1, /^src\/(errors|records|inputs)\.ts$|^src\/agent\//],
  [2, /^src\/store\//],
  [3, /^src\/(access|providers|document)\/|^src\/(context|config)\.ts$/],
  [4, /^src\/operations\//],
  [5, /^src\/operations\.ts$/],
  [6, /^src\/(call|idempotency)\.ts$/],
  [7, /^src\/openapi(\.ts$|\/)/],
  [8, /^src\/doors\/|^src\/log\.ts$/],
  [9, /^src\/(app|server|workers|limits)\.ts$/],
  [10, /^src\/cli\//],
];
const floorOf = (file: string): number => {
  const found = floors.find(([, pattern]) => pattern.test(file));
  assert.ok(found, `${file} stands on no floor of the house`);
  return found[0];
};

const house = suite("the house");

house("imports go down only", () => {
  for (const { file, text } of sources)
    for (const [statement, specifier] of text.matchAll(/^import (?!type)[^;]*?from "(\.[^"]+)";/gms)) {
      const target = join(file, "..", specifier as string);
      assert.ok(floorOf(target) <= floorOf(file), `${file} imports upwards: ${statement}`);
    }
});

house("operations know no HTTP", () => {
  for (const { file, text } of sources)
    if (/^src\/(operations|access|store|document)\//.test(file))
      assert.not.match(text, /from "node:https?"/, `${file} imports node:http`);
});

house("doors touch no SQL", () => {
  for (const { file, text } of sources)
    if (file.startsWith("src/doors/"))
      assert.not.match(text, /better-sqlite3|database\.(prepare|exec)|\bSELECT\b|\bINSERT\b/, file);
});

house("only the providers and the agent's client open outbound connections", () => {
  for (const { file, text } of sources)
    if (!file.startsWith("src/providers/") && file !== "src/agent/client.ts")
      assert.not.match(
        text,
        /(?<![\w.])fetch\(|^import (?!type)[^;]*from "node:(net|tls|http2|dgram)";|\bhttps?\.request\(|new WebSocket\(/m,
        file,
      );
});

house("the agent imports nothing of the server but types, and only its command imports the agent", () => {
  for (const { file, text } of sources)
    for (const match of text.matchAll(/^import (?!type)[^;]*?from "([^"]+)";|\bimport\("([^"]+)"\)/gms)) {
      const specifier = match[1] ?? match[2] ?? "";
      const isAgent = join("/", file, "..", specifier).startsWith("/src/agent/");
      if (file.startsWith("src/agent/")) assert.ok(isAgent || specifier.startsWith("node:"), `${file}: ${specifier}`);
      else assert.ok(!isAgent || file === "src/cli/agent.ts", `${file} imports the agent`);
    }
});

house("every statement of sql/ is used", () => {
  const everything = sources.map(({ text }) => text).join("\n");
  for (const name of statementTexts().keys())
    assert.ok(everything.includes(`"${name}"`) || /^(export|import)_/.test(name), `nothing runs the statement ${name}`);
});

house.run();

// The structure of src/: which layer may import which, and which code may do what.
import { globSync, lstatSync, readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import "../src/features.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { features } from "../src/core/features.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = globSync("src/**/*.ts", { cwd: root })
  .sort()
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/**
 * The name of the feature of a file below src/features; that of a part such as webhooks/pages if it has a feature.ts of
 * its own.
 */
function featureOf(file: string): string | undefined {
  const [, name, part] = /^src\/features\/(\w+)\/(?:(\w+)\/)?/.exec(file) ?? [];
  return part !== undefined && known.has(`${name}/${part}`) ? `${name}/${part}` : name;
}

const known = new Map(features().flatMap(({ name, needs = [] }) => (name === "graph" ? [] : [[name, needs] as const])));

/** A room: core, graph, agent, cli, the list of features, or a feature by its name. */
const roomOf = (file: string): string => featureOf(file) ?? file.replace(/^src\/(\w+).*$/, "$1");

/** The features that a feature needs, and those that these need. */
function neededBy(name: string, found = new Set<string>()): Set<string> {
  for (const need of known.get(name) ?? [])
    if (!found.has(need)) {
      found.add(need);
      neededBy(need, found);
    }
  return found;
}

/** Whether the files of a room may import those of another one. */
function mayImport(room: string, other: string): boolean {
  if (room === other) return true;
  if (room === "features") return other === "core" || other === "graph" || known.has(other); // the list itself
  // what the agent itself imports of these are types, as another test says
  if (room === "agent") return other === "core" || other === "graph";
  if (room === "cli") return ["core", "graph", "features"].includes(other);
  if (room === "core") return false;
  if (room === "graph") return other === "core";
  return other === "core" || other === "graph" || neededBy(room).has(other);
}

/** The imports that there still are although a room may not import the other: each goes, and none is added. */
const exceptions: Readonly<Record<string, string>> = {};

const architecture = suite("architecture");

interface Source {
  file: string;
  text: string;
}

/** The files that a file names, also for types alone and in import(). */
const namedBy = ({ file, text }: Source): string[] =>
  [...text.matchAll(/["'](\.\.?\/[^"'`\n]+\.(?:ts|js|css))["']/g)].map(([, specifier]) =>
    join(file, "..", specifier as string),
  );

/** The pairs of rooms, as "one > other", of which the first may not import the other, with the imports. */
function forbiddenImports(files: readonly Source[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const source of files)
    for (const target of namedBy(source)) {
      const [room, other] = [roomOf(source.file), roomOf(target)];
      if (mayImport(room, other)) continue;
      const pair = `${room} > ${other}`;
      found.set(pair, [...(found.get(pair) ?? []), `${source.file} > ${target}`]);
    }
  return found;
}

/** The position of the bracket that is open at a position of a text; -1 if none is. */
function openBracket(text: string, at: number): number {
  let depth = 0;
  let open = at - 1;
  for (; open >= 0; open--) {
    const mark = text[open] as string;
    if (")]}".includes(mark)) depth++;
    else if ("([{".includes(mark) && depth-- === 0) break;
  }
  return open;
}

/** The calls of a file whose arguments are the items of a list. A function may pass on its own rest parameter. */
const spreadCalls = ({ file, text }: Source): string[] =>
  [...text.matchAll(/\.\.\.(\w*)(.)/g)].flatMap(({ index, 0: spread, 1: name, 2: next }) => {
    const open = openBracket(text, index);
    if (text[open] !== "(" || !/[\w\])>]$/.test(text.slice(0, open)) || spread === '..."') return [];
    const isOwn = next !== "." && next !== "(" && new RegExp(`\\.\\.\\.${name}(\\??:|\\]|\\) =>)`).test(text);
    return isOwn || spread === "...[" ? [] : [`${file}: ${text.slice(open - 20, index + 40)}`];
  });

architecture("the items of a list are never the arguments of a call, because many of them exceed the stack", () => {
  const scripts = globSync("src/**/*.js", { cwd: root }).map((file) => ({
    file,
    text: readFileSync(join(root, file), "utf8"),
  }));
  assert.equal([...sources, ...scripts].flatMap(spreadCalls), []);
  assert.is(spreadCalls({ file: "a", text: "list.push(...found)" }).length, 1);
  assert.is(spreadCalls({ file: "a", text: "Math.max(0, ...rows.map((row) => row.length))" }).length, 1);
});

architecture(
  "the core imports only the core, the graph only these two, and a feature what it needs; types are no exception",
  () => {
    const found = forbiddenImports(sources);
    for (const pair of Object.keys(exceptions)) found.delete(pair);
    assert.equal([...found.values()].flat(), []);
  },
);

architecture("an exception that is not needed any more is not in the list", () => {
  const found = forbiddenImports(sources);
  assert.equal(
    Object.keys(exceptions).filter((pair) => !found.has(pair)),
    [],
  );
});

architecture("an import that a room may not have is found, whichever form it has", () => {
  for (const [file, text] of [
    ["src/core/app.ts", 'import { x } from "../graph/notes.ts";'],
    ["src/core/app.ts", 'import type { X } from "../features/webhooks/state.ts";'],
    ["src/core/http/send.ts", 'type X = import("../../features/pages/route.ts").X;'],
    ["src/graph/notes.ts", 'import "../features/events/feed.ts";'],
    ["src/graph/notes.ts", 'loadLater("../cli/keys.ts", import.meta)'],
    ["src/features/openapi/route.ts", 'export { x } from "../mcp/route.ts";'],
    ["src/features/webhooks/webhooks.ts", 'import { x } from "../pages/route.ts";'],
    ["src/features/webhooks/webhooks.ts", 'import { x } from "./pages/webhooks.ts";'],
    ["src/features/demo/commands.ts", 'import { x } from "../../cli/serve.ts";'],
    ["src/agent/loop.ts", 'import { x } from "../features/uploads/route.ts";'],
  ] as const)
    assert.is(forbiddenImports([{ file, text }]).size, 1, `${file}: ${text}`);
  for (const [file, text] of [
    ["src/graph/notes.ts", 'import { x } from "../core/app.ts";'],
    ["src/features/webhooks/state.ts", 'import { x } from "../events/state.ts";'],
    ["src/features/webhooks/pages/webhooks_page.ts", 'import { x } from "../state.ts";'],
    ["src/features/history/pages/x.ts", 'import { x } from "../../paperwork/reading.ts";'],
  ] as const)
    assert.is(forbiddenImports([{ file, text }]).size, 0, `${file}: ${text}`);
});

architecture("every file but the first one is named by another", () => {
  const scripts = globSync("src/**/*.{js,css}", { cwd: root });
  const named = new Set(sources.flatMap((source) => namedBy(source).filter((target) => target !== source.file)));
  const files = [...sources.map(({ file }) => file), ...scripts];
  assert.equal(
    files.filter((file) => !named.has(file)),
    ["src/cli/main.ts"],
  );
});

/** The files that a file imports by statements; those of which it needs only types are left out. */
const importsOf = ({ file, text }: Source): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type)[^;]*?from "(\.[^"]+)";/gms)].flatMap(([statement, specifier]) =>
    /^import \{(\s*type [^,}]+,?)+\s*\} from/.test(statement) ? [] : [join(file, "..", specifier as string)],
  );

/** The files that a file imports by statements, also for types alone. */
const typesOrImportsOf = ({ file, text }: Source): string[] =>
  [...text.matchAll(/^(?:import|export) [^;]*?from "(\.[^"]+)";/gms)].map(([, specifier]) =>
    join(file, "..", specifier as string),
  );

/**
 * The first circle of files that import each other; undefined if there is none. A file that is not in the map imports
 * nothing.
 */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

architecture("a feature names the extensions of its importers", async () => {
  for (const { name, importers } of features())
    if (importers !== undefined)
      assert.equal(Object.keys((await importers.load()).importers).sort(), [...importers.extensions].sort(), name);
});

architecture("no import goes round in a circle", () => {
  assert.equal(circleIn(new Map(sources.map((source) => [source.file, importsOf(source)]))), undefined);
  assert.ok(
    circleIn(
      new Map([
        ["a", ["b"]],
        ["b", ["c", "a"]],
      ]),
    ),
  );
});

// Inside a room, two files may name each other's types: such a circle goes with the room, and is loaded by nothing.
architecture("no import of types goes round in a circle beyond its room", () => {
  const outside = (files: readonly Source[]) => {
    const imports = new Map<string, string[]>();
    for (const source of files) {
      const room = roomOf(source.file);
      const others = typesOrImportsOf(source).map(roomOf);
      imports.set(room, [...(imports.get(room) ?? []), ...others.filter((other) => other !== room)]);
    }
    return circleIn(imports);
  };
  assert.equal(outside(sources), undefined);
  const [core, graph] = [
    { file: "src/core/app.ts", text: 'import type { A } from "../graph/notes.ts";' },
    { file: "src/graph/notes.ts", text: 'import type { B } from "../core/app.ts";' },
  ];
  assert.ok(outside([core, graph]));
});

architecture("the graph, the store and access do not import node:http", () => {
  for (const { file, text } of sources)
    if (/^src\/(?:graph|core\/(?:access|store))\//.test(file))
      assert.not.match(text, /from "node:https?"|\bloadHttps?\b/, `${file} imports node:http`);
});

architecture("transports contain no SQL", () => {
  for (const { file, text } of sources)
    if (/^src\/core\/(?:http\/|rest\.ts)|^src\/features\/\w+\/route\.ts$/.test(file))
      assert.not.match(text, /better-sqlite3|database\.(prepare|exec)|\bSELECT\b|\bINSERT\b/, file);
});

architecture("the readers of lists, schedules and scripts use no database engine and no network", () => {
  for (const { file, text } of sources)
    if (/^src\/features\/(?:lists|schedules|scripts)\//.test(file))
      assert.not.match(
        text,
        /from "(?:better-sqlite3|node:(?:net|http|https|tls|dgram))"|database\.(?:prepare|exec)/,
        file,
      );
});

architecture("the agent imports nothing of the server, and only its command imports the agent", () => {
  for (const { file, text } of sources)
    for (const match of text.matchAll(/^import (?!type)[^;]*?from "([^"]+)";|\bimport\("([^"]+)"\)/gms)) {
      const specifier = match[1] ?? match[2] ?? "";
      const isAgent = join("/", file, "..", specifier).startsWith("/src/agent/");
      if (file.startsWith("src/agent/"))
        assert.ok(
          isAgent || /^node:|^better-sqlite3$|\/core\/times\.ts$/.test(specifier), // which imports nothing
          `${file}: ${specifier}`,
        );
      else assert.ok(!isAgent || file === "src/features/agent/commands.ts", `${file} imports the agent`);
    }
});

// On Node the statement reads every name of the module, and the name WebSocket loads fetch.
architecture("node:http is loaded by a function of late_loading.ts and never by an import statement", () => {
  for (const { file, text } of sources)
    for (const [statement] of text.matchAll(/^import [^;]*?from "node:https?";/gm))
      assert.match(statement, /^import type /, file);
});

/** A file and every file that is loaded with it: those of its static imports, and of theirs. */
function loadedWith(file: string, found = new Set<string>()): Set<string> {
  const text = sources.find((source) => source.file === file)?.text ?? "";
  found.add(file);
  for (const [statement, specifier] of text.matchAll(/^(?:import|export) (?!type)[^;]*?from "([^"]+)";/gms)) {
    if (/^import \{(\s*type [^,}]+,?)+\s*\} from/.test(statement)) continue;
    const target = specifier?.startsWith(".") ? join(file, "..", specifier) : (specifier as string);
    if (!found.has(target)) loadedWith(target, found);
  }
  return found;
}

// Otherwise Deno reads each file that an import() names together with the first one: a feature.ts names every file of
// its feature so, and a server would start with all of them. On Node an import() is always read with its first use.
architecture("deno.json tells Deno to load the file of an import() with its first use, also in both packages", () => {
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  assert.equal(JSON.parse(read("deno.json")).unstable, ["lazy-dynamic-imports"]);
  assert.ok(JSON.parse(read("package.json")).files.includes("deno.json"), "the package of npm lacks deno.json");
  assert.match(read(".ci/package/build.ts"), /^ +"deno.json",$/m, "the package of a machine lacks deno.json");
});

architecture("the agent's command loads neither the store nor the database engine", () => {
  assert.ok(loadedWith("src/cli/keys.ts").has("better-sqlite3"));
  for (const command of ["src/cli/main.ts", "src/features/agent/commands.ts"])
    for (const file of loadedWith(command)) assert.not.match(file, /^src\/core\/store\/|^better-sqlite3$/, command);
});

architecture("only the providers, webhooks, the agent's client and two boxes open outbound connections", () => {
  for (const { file, text } of sources)
    if (
      !/^src\/features\/(?:restyle|webhooks)\//.test(file) &&
      !["src/agent/client.ts", "src/features/replica/peer.ts"].includes(file)
    )
      assert.not.match(
        text,
        /(?<![\w.])fetch\(|^import (?!type|\{ isIP \} from)[^;]*from "node:(net|tls|http2|dgram)";|\bhttps?\.request\(|new WebSocket\(/m,
        file,
      );
});

architecture("only the two boxes ask another server of Tallylight", () => {
  for (const { file, text } of sources)
    if (!file.startsWith("src/features/replica/")) assert.not.match(text, /\baskServer\b/, file);
});

/** Where several files export the same name, and why it has one meaning there. */
const sameNames: readonly { name: RegExp; files: RegExp; because: string }[] = [
  {
    name: /^(?:commands|openTransport|runTimer|start|importers|exporters|newProduction|perform|openConditions|openFigures|checkData)$/,
    files: /^src\/(?:cli|core\/(?:pipeline|serve_command)|features|graph)\b/,
    because: "what a feature.ts names is exported under the name that the core asks for",
  },
  {
    name: /./,
    files: /^src\/(?:features\/(?:admin|documents|history|scripts|webhooks)|graph)\//,
    because: "the row of an operation is named like the function that it calls",
  },
  {
    name: /./,
    files: /\/(?:search|inputs|place|feature)\.ts$/,
    because: "the value of a feature.ts has the name of the feature",
  },
  {
    name: /^(?:text|timestamp|date)$/,
    files: /^src\/core\/(?:inputs|records)\.ts$/,
    because: "the schema of a field in an answer is named like that of the same field in an input",
  },
  {
    name: /^timeOfDay$/,
    files: /^src\/features\/(?:documents|paperwork)\//,
    because: "a reader is named like the schema of the field that it reads",
  },
];

/**
 * The casts of a text as Node removes them, but for `as const`: the line of each, and whether a comment is on it or on
 * the line before.
 */
function castsIn(text: string): { line: string; isExplained: boolean }[] {
  const plain = nodeModule.stripTypeScriptTypes(text);
  const lines = text.split("\n");
  return [...text.matchAll(/\bas (?!const\b)/g)].flatMap(({ index }) => {
    if (plain.slice(index, index + 2) === "as") return []; // a word of a comment, of a text or of an import
    const at = text.slice(0, index).split("\n").length - 1;
    const line = lines[at] ?? "";
    const before = line.slice(0, index - text.lastIndexOf("\n", index) - 1);
    if (/^\s*(?:\*|\/\*)|\/\/ /.test(before)) return []; // a comment of a type
    if (/^(?:import|export) |^ {2}type \w+ as |\[\w+ in /.test(line)) return [];
    const isExplained = /\/\/ /.test(line) || /^\s*(?:\/\/|\*\/|\/\*\*)/.test(lines[at - 1] ?? "");
    return [{ line: line.trim(), isExplained }];
  });
}

// Deno does not tell what it removes
const onNode = process.versions.deno === undefined ? architecture : architecture.skip;

onNode("a cast has a comment that says why it is safe, and none goes over unknown", () => {
  const found = sources.flatMap(({ file, text }) =>
    castsIn(text).flatMap(({ line, isExplained }) =>
      isExplained && !line.includes("as unknown as") ? [] : [`${file}: ${line}`],
    ),
  );
  assert.equal(found, []);
  assert.is(castsIn("const one = two as string;").filter(({ isExplained }) => !isExplained).length, 1);
  assert.is(castsIn('const one = "served as a replica"; // as it is\nconst two = ["a"] as const;').length, 0);
});

architecture("every random test takes its cases from the seed of the run", () => {
  const tests = globSync("test/**/*.ts", {
    cwd: root,
    exclude: ["test/architecture.test.ts", "test/support/sampling.ts"],
  });
  const unseeded = tests.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const isSampled = /support\/sampling\.ts"|^import .* "\.\/sampling\.ts"/m.test(text);
    return /Math\.random\(/.test(text) || (/fc\.(?:assert|check|sample)\(/.test(text) && !isSampled);
  });
  assert.equal(unseeded, []);
});

architecture("comments end at 120 characters", () => {
  const files = globSync(
    ["{src,test,bin,benchmarks,.ci}/**/*.{ts,js,css}", "sql/*.sql", ".ci/{,*/,package/debian/}[a-z]*[a-z]"],
    {
      cwd: root,
      exclude: (path) => path.includes("node_modules") || path.endsWith(".d.ts"),
    },
  ).filter((path) => lstatSync(join(root, path)).isFile());
  assert.ok(files.length > sources.length);
  for (const file of files) {
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    const isScript = lines[0]?.startsWith("#") ?? false;
    const comment = isScript
      ? /^\s*#/
      : file.endsWith(".sql")
        ? /^\s*--/
        : /^\s+\* |(?:^\s*|[^"' ] )\/[/*]\*? (?!oxlint-disable)/; // also behind code
    const long = lines.findIndex((line) => line.length > 120 && comment.test(line));
    assert.is(long, -1, `${file}:${long + 1} has a comment of more than 120 characters`);
  }
});

architecture("no script of the gate pipes into a command that may end before it has read everything", () => {
  // with pipefail, what writes then fails now and then: "Broken pipe"
  const files = globSync(".ci/{,*/}[a-z]*[a-z]", { cwd: root, exclude: (path) => path.includes("node_modules") })
    .filter((path) => lstatSync(join(root, path)).isFile())
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
    .filter(({ text }) => text.includes("pipefail"));
  assert.ok(files.length > 10);
  for (const { file, text } of files)
    for (const line of text.split("\n")) assert.not.match(line, /\| *(?:grep -\w*[qm]|head\b)/, `${file}: ${line}`);
});

architecture("an exported name is declared in one file", () => {
  const declared = new Map<string, string[]>();
  for (const { file, text } of sources)
    for (const [, name = ""] of text.matchAll(
      /^export (?:async )?(?:abstract )?(?:interface|type|class|function\*?|const|let|enum) (\w+)/gm,
    ))
      declared.set(name, [...new Set(declared.get(name)).add(file)]); // overloads stand in one file
  const several = [...declared].filter(
    ([name, files]) =>
      files.length > 1 &&
      !sameNames.some((same) => same.name.test(name) && files.every((file) => same.files.test(file))),
  );
  assert.equal(several, []);
});

architecture.run();

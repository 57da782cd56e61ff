// The structure of src/: which layer may import which, and which code may do what.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = globSync("src/**/*.ts", { cwd: root })
  .sort()
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** The layers, lowest first. A file imports from its own layer and from lower ones. */
const layers: readonly RegExp[] = [
  /^src\/agent\//,
  /^src\/(file_kinds|sequences|spelling)\.ts$/,
  /^src\/(errors|inputs|json|metrics|network|records|release|body_limits)\.ts$/,
  /^src\/store\//,
  /^src\/(access|providers)\/|^src\/config\.ts$/,
  /^src\/document\/sections\//,
  /^src\/document\/nouns\//,
  /^src\/document\/match\//,
  /^src\/document\/check\//,
  /^src\/document\/read\//,
  /^src\/document\/plan\//,
  /^src\/document\/(apply|export)\//,
  /^src\/formats\//,
  /^src\/(paperwork|replication)\//,
  /^src\/(events)\//,
  /^src\/(context|idempotency|replica)\.ts$/,
  /^src\/operations\//,
  /^src\/admin\//,
  /^src\/operations\.ts$/,
  /^src\/pipeline\.ts$/,
  /^src\/transports\//,
  /^src\/(app|server|server_figures)\.ts$/,
  /^src\/cli\//,
];

function layerOf(file: string): number {
  const layer = layers.findIndex((pattern) => pattern.test(file));
  assert.is.not(layer, -1, `${file} belongs to no layer`);
  return layer;
}

const architecture = suite("architecture");

interface Source {
  file: string;
  text: string;
}

/** The imports of a file that go up a layer. */
const upwardImports = ({ file, text }: Source): string[] =>
  [...text.matchAll(/^import (?!type)[^;]*?(?:from )?"(\.[^"]+)";/gms)].flatMap(([statement, specifier]) => {
    if (/^import \{(\s*type [^,}]+,?)+\s*\} from/.test(statement)) return [];
    return layerOf(join(file, "..", specifier as string)) <= layerOf(file) ? [] : [`${file}: ${statement}`];
  });

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

architecture("imports go to the same layer or to lower ones; types may come from any layer", () => {
  assert.equal(sources.flatMap(upwardImports), []);
});

architecture("an import up a layer is found, also between the folders of documents", () => {
  const planted = (file: string, specifier: string) =>
    upwardImports({ file, text: `import { x } from "${specifier}";` });
  for (const [file, specifier] of [
    ["src/features/documents/sections/form.ts", "../nouns/stored.ts"],
    ["src/features/documents/match/draft.ts", "../plan/plan.ts"],
    ["src/features/documents/apply/apply.ts", "../../formats/lists.ts"],
    ["src/features/lists/lists.ts", "../paperwork/reading.ts"],
    ["src/features/paperwork/reading.ts", "../admin/edit.ts"],
  ] as const)
    assert.is(planted(file, specifier).length, 1, file);
});

architecture("readers are imported by paperwork alone, and paperwork through few files", () => {
  const entries =
    /^src\/paperwork\/(?:decisions|exporters|flags|importers|new_production|reading|script_store|script_undo)\.ts$/;
  for (const { file, text } of sources)
    for (const [, specifier] of text.matchAll(/(?:from |\bimport\()"(\.[^"]+)"/g)) {
      const target = join(file, "..", specifier as string);
      if (target.startsWith("src/formats/")) assert.match(file, /^src\/(?:formats|paperwork)\//, target);
      if (target.startsWith("src/paperwork/") && !file.startsWith("src/paperwork/"))
        assert.match(target, entries, file);
    }
});

/** The files that a file imports by statements; those of which it needs only types are left out. */
const importsOf = ({ file, text }: Source): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type)[^;]*?from "(\.[^"]+)";/gms)].flatMap(([statement, specifier]) =>
    /^import \{(\s*type [^,}]+,?)+\s*\} from/.test(statement) ? [] : [join(file, "..", specifier as string)],
  );

architecture("no import goes round in a circle", () => {
  const imports = new Map(sources.map((source) => [source.file, importsOf(source)]));
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.not.ok(path.includes(file), [...path.slice(path.indexOf(file)), file].join(" -> "));
    if (done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  assert.is(done.size, sources.length);
});

architecture("only transports and the server import node:http", () => {
  for (const { file, text } of sources)
    if (/^src\/(operations|access|admin|store|document|formats)\//.test(file))
      assert.not.match(text, /from "node:https?"|\bloadHttps?\b/, `${file} imports node:http`);
});

architecture("transports contain no SQL", () => {
  for (const { file, text } of sources)
    if (file.startsWith("src/transports/"))
      assert.not.match(text, /better-sqlite3|database\.(prepare|exec)|\bSELECT\b|\bINSERT\b/, file);
});

architecture("formats use no database, no files and no network", () => {
  for (const { file, text } of sources)
    if (file.startsWith("src/formats/"))
      for (const [statement, specifier] of text.matchAll(/^import (?!type)[^;]*?from "([^"]+)";/gms))
        assert.match(
          specifier as string,
          /^\.\/[\w-]+\.ts$|^\.\.\/(errors|file_kinds|json|sequences|spelling|document\/(sections|export)\/\w+)\.ts$|^node:(buffer|util|zlib)$|^csv-parse\/sync$|^saxes$/,
          `${file} imports ${statement}`,
        );
});

architecture("the agent imports only types of the server, and only its command imports the agent", () => {
  for (const { file, text } of sources)
    for (const match of text.matchAll(/^import (?!type)[^;]*?from "([^"]+)";|\bimport\("([^"]+)"\)/gms)) {
      const specifier = match[1] ?? match[2] ?? "";
      const isAgent = join("/", file, "..", specifier).startsWith("/src/agent/");
      if (file.startsWith("src/agent/"))
        assert.ok(
          isAgent || /^node:|^better-sqlite3$|\/core\/retry_after\.ts$/.test(specifier), // which imports nothing
          `${file}: ${specifier}`,
        );
      else assert.ok(!isAgent || file === "src/cli/agent.ts", `${file} imports the agent`);
    }
});

// On Node the statement reads every name of the module, and the name WebSocket loads fetch.
architecture("node:http is loaded by a function of network.ts and never by an import statement", () => {
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

// Deno would read such a file with the first module, and everything that it imports.
architecture("no file that the server loads at its start names another one inside import()", () => {
  for (const file of loadedWith("src/core/server.ts")) {
    const text = sources.find((source) => source.file === file)?.text ?? "";
    assert.not.match(text.replaceAll("typeof import(", ""), /\bimport\(["`]/, `${file}: call loadLater of network.ts`);
  }
});

architecture("the agent's command loads neither the store nor the database engine", () => {
  assert.ok(loadedWith("src/cli/keys.ts").has("better-sqlite3"));
  for (const command of ["src/cli/main.ts", "src/cli/agent.ts"])
    for (const file of loadedWith(command)) assert.not.match(file, /^src\/store\/|^better-sqlite3$/, command);
});

// network.ts asks another server of Tallylight: one that was just installed on this machine, or the other one of two boxes.
architecture("only the providers, webhooks, the agent's client and network.ts open outbound connections", () => {
  for (const { file, text } of sources)
    if (
      !/^src\/(?:providers|events\/webhooks)\//.test(file) &&
      !["src/agent/client.ts", "src/core/network.ts"].includes(file)
    )
      assert.not.match(
        text,
        /(?<![\w.])fetch\(|^import (?!type|\{ isIP \} from)[^;]*from "node:(net|tls|http2|dgram)";|\bhttps?\.request\(|new WebSocket\(/m,
        file,
      );
});

architecture("only `service install` and the two boxes ask another server of Tallylight", () => {
  for (const { file, text } of sources)
    if (!["src/core/network.ts", "src/features/service/systemd.ts", "src/features/replica/peer.ts"].includes(file))
      assert.not.match(text, /\baskServer\b/, file);
});

/** Where several files export the same name, and why it has one meaning there. */
const sameNames: readonly { name: RegExp; files: RegExp; because: string }[] = [
  { name: /^commands$/, files: /^src\/cli\//, because: "each file of commands exports them under this name" },
  { name: /^openTransport$/, files: /^src\/transports\//, because: "the server opens each transport under this name" },
  { name: /./, files: /^src\/admin\//, because: "the row of an operation is named like the function that it calls" },
  {
    name: /^(?:text|timestamp|date)$/,
    files: /^src\/(?:inputs|records)\.ts$/,
    because: "the schema of a field in an answer is named like that of the same field in an input",
  },
  {
    name: /^flag$/,
    files: /^src\/(?:inputs|document\/nouns\/columns)\.ts$/,
    because: "the column of a flag is named like the schema of a flag",
  },
];

architecture("every random test takes its cases from the seed of the run", () => {
  const tests = globSync("test/**/*.ts", {
    cwd: root,
    exclude: ["test/bench/**", "test/guides/pipeline.ts", "test/architecture.test.ts"],
  });
  const unseeded = tests.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const isSampled = /support\/sampling\.ts"|^import .* "\.\/sampling\.ts"/m.test(text);
    return /Math\.random\(/.test(text) || (/fc\.(?:assert|check|sample)\(/.test(text) && !isSampled);
  });
  assert.equal(unseeded, []);
});

architecture("an exported name is declared in one file", () => {
  const declared = new Map<string, string[]>();
  for (const { file, text } of sources)
    for (const [, name = ""] of text.matchAll(
      /^export (?:async )?(?:abstract )?(?:interface|type|class|function\*?|const|let|enum) (\w+)/gm,
    ))
      declared.set(name, [...(declared.get(name) ?? []), file]);
  const several = [...declared].filter(
    ([name, files]) =>
      files.length > 1 &&
      !sameNames.some((same) => same.name.test(name) && files.every((file) => same.files.test(file))),
  );
  assert.equal(several, []);
});

architecture.run();

// The commands and flags that the pages name are those of the program.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commandOf, parseCommandArgs } from "../../src/cli/command_line.ts";
import { allCommands } from "../../src/cli/main.ts";
import { UsageError } from "../../src/core/errors.ts";
import { root } from "../support/command.ts";
import { codeWordsOf, commandsOf, pageAt, pages, tableOf, tablesOf } from "../support/documentation.ts";
import { unsaid } from "../support/unsaid.ts";

const commands = await allCommands();
const bench = suite("docs/performance.md");

bench("has the flags of npm run bench", () => {
  const source = readFileSync(join(root, ".ci/bench/run.ts"), "utf8");
  const options = [...source.matchAll(/^ {4}(\w+): \{ type: "(\w+)"/gm)].map(([, name, type]) => [
    name,
    type === "string",
  ]);
  const { rows } = tableOf(pageAt("docs/performance.md"), "Measure it yourself");
  assert.equal(
    rows.map(([flag = ""]) => [/^`--(\w+)/.exec(flag)?.[1], flag.includes(" ")]),
    options,
  );
});

bench.run();

const everywhere = suite("commands in every page");

/** The commands of a page, without what the shell does with them. */
const typed = pages.flatMap(({ path, text }) =>
  commandsOf({ path, text })
    .flat()
    .flatMap((line) => {
      const words = /(?:npx tallylight|bin\/tallylight\.js) ([^)>|]*)/.exec(line)?.[1];
      return words === undefined ? [] : [{ path, line, words: words.trim().match(/"[^"]*"|'[^']*'|\S+/g) ?? [] }];
    }),
);

everywhere("take their flags and positionals", () => {
  assert.ok(typed.length > 30, "the commands are found");
  for (const { path, line, words } of typed) {
    try {
      const { command, rest } = commandOf(commands, words);
      parseCommandArgs(command, rest, "");
    } catch (error) {
      assert.instance(error, UsageError);
      assert.unreachable(`${path}: ${line}: ${(error as UsageError).message}`);
    }
  }
});

everywhere("name a folder of their own in each guide, so that no guide acts on what another one made", () => {
  const named = /(?:--data|--root|\bmirror(?:\.\w+)?) (?:\.\/)?([a-z][\w-]*)(?=[\s/`]|$)|\.mirror\("([\w-]+)"\)/gm;
  const guideOf = new Map<string, string>();
  for (const { path, text } of pages) {
    if (path === "docs/commands.md") continue; // its examples stand alone
    const code = [...text.matchAll(/```.*?```|`[^`]+`/gs)].map(([all]) => all).join("\n");
    for (const [, folder, mirrored] of code.matchAll(named)) {
      const name = folder ?? mirrored ?? "";
      if (name === "data") continue; // the demo, which every guide shows
      assert.is(guideOf.get(name) ?? path, path, `${path} and ${guideOf.get(name)} both use ${name}`);
      guideOf.set(name, path);
    }
  }
  assert.is(guideOf.get("show"), "README.md");
  assert.is(guideOf.get("first-show"), "docs/first-shoot-day.md");
  assert.ok(guideOf.size >= 8, [...guideOf.keys()].join(", "));
});

everywhere("run TypeScript on the Node of the checkout, because that of the reader may be 20", () => {
  for (const { path, text } of pages)
    for (const line of commandsOf({ path, text }).flat())
      assert.not.match(line, /^node (?:-\S+ )*(?!\.ci\/node\.js )\S*\.ts\b/, `${path}: ${line}`);
});

everywhere("say in recipes for an emergency where the reader finds what stands there as an example", () => {
  const lines =
    pageAt("docs/when-it-burns.md")
      .text.match(/```\n.*?```/gs)
      ?.join("\n")
      .split("\n") ?? [];
  const examples = lines.filter((line) => /\bundo \d|"[^"]+"|\btl_/.test(line));
  assert.ok(examples.length >= 5, examples.join("\n"));
  for (const line of examples) assert.match(line, / {4,}# \w/, line);
});

everywhere("say where the package comes from before they install it", () => {
  const [, before = ""] =
    /## A box in ten minutes\n(.*?)sudo apt install/s.exec(pageAt("docs/operating.md").text) ?? [];
  assert.match(before, /`npm run package` builds it/);
});

/** What guides for a crew, for vendors and for who keeps the box say in sentences: names of the program are code. */
const guides = ["README", "first-shoot-day", "pages", "paperwork", "received-a-key", "operating", "when-it-burns"];

everywhere("say in guides and in help what a crew says", () => {
  for (const name of [...guides, "network", "replication"]) {
    const { text } = pageAt(name === "README" ? "README.md" : `docs/${name}.md`);
    const prose = text
      .replace(/^ *```.*?^ *```$/gms, "")
      .replace(/`[^`]{1,300}`/g, "")
      .replace(/\]\([^)]{1,200}\)/g, "]")
      .replace(/\bNode\b/g, "");
    const found = unsaid.exec(prose);
    assert.is(found?.[0], undefined, `${name}: ${prose.slice((found?.index ?? 0) - 60).slice(0, 140)}`);
  }
  for (const { words, summary, details = "", flags = {} } of commands)
    for (const text of [
      summary,
      details,
      ...Object.values(flags).map(({ choices, summary }) => (choices ? "" : summary)),
    ]) {
      const prose = text.replace(/`[^`]{1,300}`/g, "").replace(/\bwebhook_hosts\b|\bNode\b/g, "");
      assert.is(unsaid.exec(prose)?.[0], undefined, `${words}: ${text}`);
    }
});

everywhere("that the text names exist", () => {
  for (const { path, text } of pages)
    for (const word of codeWordsOf(text)) {
      const [, written = ""] = /^(?:npx )?tallylight ([a-z].*)$/.exec(word) ?? [];
      if (written === "" || /^(help|version)\b/.test(written)) continue;
      assert.not.throws(() => commandOf(commands, written.split(" ")), undefined, `${path}: ${word}`);
    }
});

/** Flags that the text names and no command has. */
const notOurs: readonly string[] = [
  "--workers", // docs/operating.md says why there is none
  "--check", // of the example clients
];

everywhere("have every flag that the text names", () => {
  const known = new Set([
    ...commands.flatMap(({ flags = {} }) => Object.keys(flags)),
    "data",
    "json",
    "help",
    "version",
  ]);
  const measured = tablesOf(pageAt("docs/performance.md")).flatMap(({ rows }) => rows.map(([flag]) => flag));
  for (const { path, text } of pages)
    for (const word of codeWordsOf(text)) {
      const [, flag] = /^--([a-z-]+)/.exec(word) ?? [];
      if (
        flag === undefined ||
        notOurs.includes(word) ||
        (path === "docs/performance.md" && measured.includes(`\`${word}\``))
      )
        continue;
      assert.ok(known.has(flag), `${path}: no command has --${flag}`);
    }
});

everywhere.run();

const sentences = suite("commands in sentences of the program");

sentences("are called as the program was, by program.ts, and exist", () => {
  const first = new Set(commands.map(({ words }) => words.split(" ", 1)[0]));
  let found = 0;
  for (const file of globSync("src/**/*.ts", { cwd: root })) {
    if (file === join("src", "core", "program.ts")) continue;
    for (const line of readFileSync(join(root, file), "utf8").split("\n")) {
      // an example is one of the reference, which the help shows as the program was called
      if (/^\s*(?:\/\/|\*|\/\*|example: )/.test(line)) continue;
      const named = [...line.matchAll(/(?<!")\btallylight ([a-z]+)/g)].some(([, word = ""]) => first.has(word));
      assert.not.ok(
        named || line.includes("\\`tallylight "),
        `${file} writes how the program is called: ${line.trim()}`,
      );
      for (const [, words = ""] of line.matchAll(/\bcommand(?:Text|Words)\(["`]((?!help )[a-z][^"`$]*)/g)) {
        assert.is(typeof commandOf(commands, words.trim().split(" ")).command.words, "string", `${file}: ${words}`);
        found++;
      }
    }
  }
  assert.ok(found > 30, `${found} commands`);
});

sentences.run();

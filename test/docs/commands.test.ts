// docs/commands.md has every command and every flag of the program, and no other.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allCommands } from "../../src/cli/commands.ts";
import { type Command, commandOf, helpOf, parseCommandArgs, UsageError } from "../../src/core/command.ts";
import { root } from "../support/command.ts";
import {
  codeWordsOf,
  commandsOf,
  headingsOf,
  pageAt,
  pages,
  sectionOf,
  tableOf,
  tablesOf,
} from "../support/documentation.ts";

const commands = await allCommands();
const page = pageAt("docs/commands.md");
const titleOf = ({ words, positionals = [] }: Command): string => [words, ...positionals].join(" ");
const headingOf = (command: Command): string => `\`${titleOf(command)}\``;

/** The rows of the flags of a command: its own table, or that of the command that its text points at, except those it names. */
function rowsOf(command: Command): readonly (readonly string[])[] {
  const own = tablesOf(page, headingOf(command)).flatMap(({ rows }) => rows);
  const [, other, except] =
    /takes the flags of \[`(\w+)`\](?:\(#\w+\), except (`--\w+`(?: and `--\w+`)*))?/.exec(
      sectionOf(page, headingOf(command)),
    ) ?? [];
  if (other === undefined) return own;
  const rows = tablesOf(page, `\`${other}\``).flatMap(({ rows }) => rows);
  return rows.filter(([flag = ""]) => !except?.split(" and ").includes(flag));
}

const test = suite("docs/commands.md");

test("has a heading for every command, and none for anything else", () => {
  const headings = headingsOf(page).flatMap(({ level, text }) => (level === 3 ? [text] : []));
  assert.equal(headings.sort(), commands.map(headingOf).sort());
});

for (const command of commands)
  test(`${command.words}: the flags, their values and their defaults are those of the program`, () => {
    const rows = rowsOf(command);
    const flags = Object.entries(command.flags ?? {});
    assert.equal(
      rows.map(([flag = ""]) => flag),
      flags.map(([name, { value }]) => `\`--${name}${value === undefined ? "" : ` ${value}`}\``),
    );
    for (const [at, [name, { value, required, many, summary }]] of flags.entries()) {
      const [, cell = "", text = ""] = rows[at] ?? [];
      assert.is(cell === "required", required === true, `--${name}: ${cell}`);
      if (value === undefined) assert.is(cell, "off", `--${name}`);
      assert.is(/several times/.test(text), many === true, `--${name}: ${text}`);
      const [written] = codeWordsOf(cell);
      if (written !== undefined)
        assert.ok(summary.includes(written), `--${name} is ${written} here, and "${summary}" there`);
    }
  });

test("has the flags of every command, as the help of the program has them", () => {
  const rows = tablesOf(page, "Flags of every command").flatMap(({ rows }) => rows);
  const help = helpOf({ words: "x", summary: "x", example: "x", run: () => undefined }).split("\n");
  const shared = help.flatMap((line) => /^ {2}(--[\w-]+(?: [A-Z]+)?(?:, -\w)?) /.exec(line)?.[1] ?? []);
  assert.equal(
    rows.map(([flag = ""]) => flag.replaceAll("`", "")),
    shared,
  );
});

test.run();

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

everywhere("that the text names exist", () => {
  for (const { path, text } of pages)
    for (const word of codeWordsOf(text)) {
      const [, written = ""] = /^(?:npx )?tallylight ([a-z].*)$/.exec(word) ?? [];
      if (written === "" || /^(help|version)\b/.test(written)) continue;
      assert.not.throws(() => commandOf(commands, written.split(" ")), undefined, `${path}: ${word}`);
    }
});

/** Flags that the text names and no command has. */
const notOurs: readonly string[] = ["--workers"]; // docs/operating.md says why there is none

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

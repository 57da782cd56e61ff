// The settings in the documentation are those of the program, with their defaults and their ranges.
import "../../src/features.ts";
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { agentSettingsOf, readSettingsFile as readAgentConfig } from "../../src/agent/settings.ts";
import { readConfig } from "../../src/core/config.ts";
import { root } from "../support/command.ts";
import { commandsOf, pageAt, pages, quantityOf, tableOf } from "../support/documentation.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const plain = (cell: string): string => cell.replaceAll("`", "");

/** Whether a cell says the default that the program has. */
function isDefault(cell: string, value: unknown): boolean {
  if (value === undefined || (typeof value === "object" && Object.keys(value as object).length === 0))
    return cell === "none" || cell === "any";
  return typeof value === "number" ? quantityOf(cell) === value : plain(cell) === String(value);
}

/** The ends of a cell such as "1 byte to 64 TiB"; undefined if it is not a range. */
function rangeOf(cell: string): [least: number, most: number] | undefined {
  const [, least, most] = /^([\d.,]+(?: \w+)?) to ([\d.,]+(?: \w+)?)$/.exec(cell) ?? [];
  return least === undefined || most === undefined ? undefined : [quantityOf(least), quantityOf(most)];
}

/** Checks that the ends of a range are accepted, and what is just outside is refused. */
function assertRange(cell: string, step: number, accepts: (value: number) => boolean): void {
  const [least, most] = rangeOf(cell) ?? [Number.NaN, Number.NaN];
  assert.ok(accepts(least) && accepts(most), `both ends of "${cell}" are accepted`);
  assert.not.ok(accepts(least - step) || accepts(most + step), `what is outside "${cell}" is refused`);
}

const accepts = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

const server = suite("the settings in docs/reference.md");
const { rows } = tableOf(pageAt("docs/reference.md"), "Settings");
const defaults = readConfig(folder, {});

server("are those of the program", () => {
  const [written, known] = [rows.map(([setting = ""]) => plain(setting)), Object.keys(defaults)];
  const missing = known.filter((name) => !written.includes(name));
  assert.equal(missing, [], "run `npm run reference`");
  assert.equal(written, known);
});

server("are used, each in another place than where it is defined", () => {
  const sources = globSync("src/**/*.ts", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"));
  const words = Map.groupBy(sources.join("\n").match(/\w+/g) ?? [], (word) => word);
  assert.equal(
    Object.keys(defaults).filter((name) => (words.get(name) ?? []).length < 2),
    [],
  );
});

for (const [name = "", cell = "", values = ""] of rows) {
  const setting = plain(name);
  server(`${setting}: the default is that of the program`, () => {
    const value = defaults[setting as keyof typeof defaults];
    assert.ok(isDefault(cell, value), `${value} in the program, and ${cell} here`);
  });
  if (typeof defaults[setting as keyof typeof defaults] === "number" || rangeOf(values) !== undefined)
    server(`${setting}: the range is that of the program`, () => {
      const variable = `TALLYLIGHT_${setting.toUpperCase()}`;
      assertRange(values, 1, (value) => accepts(() => readConfig(folder, { [variable]: String(value) })));
    });
}

server.run();

const agent = suite("the settings of the agent in docs/reference.md");
const agentRows = tableOf(pageAt("docs/reference.md"), "Settings of the agent").rows;
const required = { url: "http://127.0.0.1:8787", key: "tl_x", filespace: "main", root: folder };
const agentDefaults = agentSettingsOf(required, {});

agent("are those of the program", () => {
  assert.equal(agentRows.map(([setting = ""]) => plain(setting)).sort(), Object.keys(agentDefaults).sort());
});

for (const [name = "", cell = "", values = ""] of agentRows) {
  const setting = plain(name);
  agent(`${setting}: the default and the range are those of the program`, () => {
    const value = agentDefaults[setting as keyof typeof agentDefaults];
    if (Object.hasOwn(required, setting)) assert.is(cell, "none");
    else if (setting === "state") assert.is(join(process.cwd(), plain(cell)), value);
    else if (value !== undefined) assert.ok(isDefault(cell, value), `${value} in the program, and ${cell} here`);
    const file = join(folder, "agent.json");
    const takes = (given: unknown): boolean => {
      writeFileSync(file, JSON.stringify({ [setting]: given }));
      return accepts(() => readAgentConfig(file));
    };
    if (rangeOf(values) !== undefined) assertRange(values, 0.001, takes);
    else assert.not.ok(takes(1), "a number is refused where no range is given");
  });
}

agent.run();

const recipes = suite("commands of the pages that write settings");

recipes("make a file that only its owner reads, and replace none", () => {
  const commands = pages
    .flatMap((page) => commandsOf(page).flat())
    .filter((line) => /> ?data\/config\.json/.test(line));
  assert.ok(commands.length > 0);
  for (const command of commands) {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "data"));
    const file = join(cwd, "data/config.json");
    assert.is(spawnSync("sh", ["-c", command], { cwd }).status, 0, command);
    assert.is(statSync(file).mode & 0o777, 0o600, command);
    assert.ok(
      accepts(() => readConfig(join(cwd, "data"), {})),
      command,
    );
    writeFileSync(file, "{}");
    assert.is.not(spawnSync("sh", ["-c", command], { cwd }).status, 0, command);
    assert.is(readFileSync(file, "utf8"), "{}", command);
  }
});

recipes.run();

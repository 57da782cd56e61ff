// Finds commands: those of the command line itself, and those of the features. The module of a command is loaded only when it is needed,
// because most modules load the database engine.
import type { Command } from "../core/command.ts";
import type { Feature, FeatureCommands } from "../core/feature.ts";
import { features, loadFile } from "../core/features.ts";
import type { Group } from "./command_line.ts";

/** The commands that every program has. */
const commandLine: Feature = {
  name: "cli",
  url: import.meta.url,
  commands: [
    { group: "Production", words: ["approvals", "versions"], file: "./approvals_and_versions.ts" },
    { group: "Access", words: ["keys"], file: "./keys.ts" },
    { group: "Access", words: ["whoami"], file: "./whoami.ts" },
    { group: "Access", words: ["engagements", "grants"], file: "./engagements.ts" },
    { group: "Access", words: ["audit"], file: "./audit.ts" },
    { group: "Storage", words: ["storage"], file: "./storage.ts" },
  ],
};

/** The command that serves, which features start servers with as well. */
const core: Feature = {
  name: "core",
  url: new URL("../core/", import.meta.url).href,
  commands: [{ group: "Start", words: ["serve"], file: "./serve_command.ts" }],
};

/** The groups in the order of the help. */
const groups = ["Start", "Production", "Access", "Storage", "Running"] as const satisfies FeatureCommands["group"][];

/** The commands of a file of a feature. */
interface ListedCommands extends FeatureCommands {
  feature: Feature;
}

const listed = (): ListedCommands[] =>
  [core, commandLine, ...features()].flatMap((feature) =>
    (feature.commands ?? []).map((commands) => ({ feature, ...commands })),
  );

const firstWord = ({ words }: Command): string => words.split(" ", 1)[0] ?? "";

async function load({ feature, words: first, file }: ListedCommands): Promise<readonly Command[]> {
  const { commands } = await loadFile<{ commands: readonly Command[] }>(feature, file);
  return commands.filter((command) => first.includes(firstWord(command)));
}

/** Loads every command, in its group; those with the same first word stand together. */
export const groupsOfCommands = (): Promise<readonly Group[]> =>
  Promise.all(
    groups.map(async (title) => {
      const loaded = await Promise.all(listed().flatMap((file) => (file.group === title ? [load(file)] : [])));
      const byWord = Map.groupBy(loaded.flat(), firstWord);
      return { title, commands: [...byWord.values()].flat() };
    }),
  );

/** Loads every command. */
export const allCommands = async (): Promise<readonly Command[]> =>
  (await groupsOfCommands()).flatMap(({ commands }) => commands);

/** Loads the files whose commands begin with `word`; every command if there is no such file. */
export async function commandsOf(word = ""): Promise<readonly Command[]> {
  const found = listed().filter(({ words }) => words.includes(word));
  return found.length === 0 ? allCommands() : (await Promise.all(found.map(load))).flat();
}

// Lists every command in the order of the help, in its groups. A command's module is loaded only when it is needed, because most modules
// load the database engine.
import type { Command, Group } from "./arguments.ts";

type Module = readonly [firstWords: readonly string[], file: string];

/**
 * The modules by the first words of their commands. They are names in a list, because Deno reads every module that is named inside an
 * import() with the first module, and keeps its text.
 */
const modules: readonly { title: string; modules: readonly Module[] }[] = [
  {
    title: "Start",
    modules: [
      [["demo"], "./demo.ts"],
      [["init"], "./export.ts"],
      [["import"], "./import.ts"],
      [["serve"], "./serve.ts"],
      [["open", "mcp-config", "openapi"], "./clients.ts"],
    ],
  },
  {
    title: "Production",
    modules: [
      [["productions", "people"], "./productions.ts"],
      [["list", "set"], "./update.ts"],
      [["export"], "./export.ts"],
      [["script-changes"], "./script-changes.ts"],
      [["approvals", "submissions", "versions"], "./reviews.ts"],
      [["history", "undo"], "./history.ts"],
    ],
  },
  {
    title: "Access",
    modules: [
      [["keys"], "./keys.ts"],
      [["whoami"], "./whoami.ts"],
      [["engagements", "grants"], "./engagements.ts"],
      [["webhooks"], "./webhooks.ts"],
      [["audit"], "./audit.ts"],
    ],
  },
  {
    title: "Storage",
    modules: [
      [["storage"], "./storage.ts"],
      [["agent"], "./agent.ts"],
      [["backup", "restore"], "./backup.ts"],
    ],
  },
  {
    title: "Running",
    modules: [
      [["doctor"], "./doctor.ts"],
      [["service"], "./service.ts"],
      [["upgrade"], "./upgrade.ts"],
      [["follow", "promote"], "./follow.ts"],
    ],
  },
];

async function load([firstWords, file]: Module): Promise<readonly Command[]> {
  const { commands }: { commands: readonly Command[] } = await import(file);
  return commands.filter(({ words }) => firstWords.includes(words.split(" ", 1)[0] ?? ""));
}

/** Loads every command, in its group. */
export const groupsOfCommands = (): Promise<readonly Group[]> =>
  Promise.all(
    modules.map(async ({ title, modules }) => ({ title, commands: (await Promise.all(modules.map(load))).flat() })),
  );

/** Loads every command. */
export const allCommands = async (): Promise<readonly Command[]> =>
  (await groupsOfCommands()).flatMap(({ commands }) => commands);

/** Loads the commands of the module whose commands begin with `word`; every command if there is no such module. */
export async function commandsOf(word = ""): Promise<readonly Command[]> {
  const found = modules.flatMap(({ modules }) => modules).find(([firstWords]) => firstWords.includes(word));
  return found === undefined ? allCommands() : load(found);
}

// Lists every command in the order of the help. A command's module is loaded only when it is needed, because most modules load the
// database engine.
import type { Command } from "./arguments.ts";

/**
 * The modules by the first words of their commands. They are names in a list, because Deno reads every module that is named inside an
 * import() with the first module, and keeps its text.
 */
const modules: readonly (readonly [firstWords: readonly string[], file: string])[] = [
  [["demo"], "./demo.ts"],
  [["serve"], "./serve.ts"],
  [["open"], "./clients.ts"],
  [["init"], "./export.ts"],
  [["follow", "promote"], "./follow.ts"],
  [["import"], "./import.ts"],
  [["set"], "./update.ts"],
  [["export"], "./export.ts"],
  [["keys"], "./keys.ts"],
  [["whoami"], "./whoami.ts"],
  [["engagements", "grants"], "./engagements.ts"],
  [["versions"], "./reviews.ts"],
  [["storage"], "./storage.ts"],
  [["webhooks"], "./webhooks.ts"],
  [["agent"], "./agent.ts"],
  [["productions"], "./productions.ts"],
  [["people"], "./productions.ts"],
  [["list"], "./update.ts"],
  [["submissions"], "./reviews.ts"],
  [["approvals"], "./reviews.ts"],
  [["script-changes"], "./script-changes.ts"],
  [["backup", "restore"], "./backup.ts"],
  [["doctor"], "./doctor.ts"],
  [["upgrade"], "./upgrade.ts"],
  [["service"], "./service.ts"],
  [["history", "undo"], "./history.ts"],
  [["audit"], "./audit.ts"],
  [["openapi"], "./clients.ts"],
  [["mcp-config"], "./clients.ts"],
];

async function load([firstWords, file]: (typeof modules)[number]): Promise<readonly Command[]> {
  const { commands }: { commands: readonly Command[] } = await import(file);
  return commands.filter(({ words }) => firstWords.includes(words.split(" ", 1)[0] ?? ""));
}

/** Loads every command. */
export const allCommands = async (): Promise<readonly Command[]> => (await Promise.all(modules.map(load))).flat();

/** Loads the commands of the module whose commands begin with `word`. Returns none if there is no such module. */
export async function commandsOf(word = ""): Promise<readonly Command[]> {
  const found = modules.find(([firstWords]) => firstWords.includes(word));
  return found === undefined ? [] : load(found);
}

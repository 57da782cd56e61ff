// Lists every command in the order of the help. A command's module is loaded only when it is needed, because most modules load the
// database engine.
import type { Command } from "./arguments.ts";

interface CommandModule {
  commands: readonly Command[];
}

/**
 * The modules by the first words of their commands. They are names in a list, because Deno reads every module that is named inside an
 * import() with the first module, and keeps its text.
 */
const modules: readonly (readonly [firstWords: readonly string[], file: string])[] = [
  [["demo"], "./demo.ts"],
  [["serve"], "./serve.ts"],
  [["open"], "./open.ts"],
  [["init"], "./init.ts"],
  [["follow", "promote"], "./follow.ts"],
  [["import"], "./import.ts"],
  [["set"], "./update.ts"],
  [["export"], "./export.ts"],
  [["keys"], "./keys.ts"],
  [["whoami"], "./whoami.ts"],
  [["engagements", "grants"], "./engagements.ts"],
  [["versions"], "./versions.ts"],
  [["storage"], "./storage.ts"],
  [["webhooks"], "./webhooks.ts"],
  [["agent"], "./agent.ts"],
  [["productions"], "./productions.ts"],
  [["people"], "./people.ts"],
  [["list"], "./listings.ts"],
  [["submissions"], "./submissions.ts"],
  [["approvals"], "./approvals.ts"],
  [["script-changes"], "./script-changes.ts"],
  [["backup", "restore"], "./backup.ts"],
  [["doctor"], "./doctor.ts"],
  [["upgrade"], "./upgrade.ts"],
  [["service"], "./service.ts"],
  [["history", "undo"], "./history.ts"],
  [["audit"], "./audit.ts"],
  [["openapi"], "./openapi.ts"],
  [["mcp-config"], "./mcp-config.ts"],
];

const load = ([, file]: (typeof modules)[number]): Promise<CommandModule> => import(file);

/** Loads every command. */
export async function allCommands(): Promise<readonly Command[]> {
  const loaded = await Promise.all(modules.map(load));
  return loaded.flatMap(({ commands }) => commands);
}

/** Loads the commands of the module whose commands begin with `word`. Returns none if there is no such module. */
export async function commandsOf(word = ""): Promise<readonly Command[]> {
  const found = modules.find(([firstWords]) => firstWords.includes(word));
  return found === undefined ? [] : (await load(found)).commands;
}

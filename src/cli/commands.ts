// Lists every command in the order of the help, in its groups. A command's module is loaded only when it is needed, because most modules
// load the database engine.
import type { Command, Group } from "../core/command.ts";

type Module = readonly [firstWords: readonly string[], file: string];

/**
 * The modules by the first words of their commands. They are names in a list, because Deno reads every module that is named inside an
 * import() with the first module, and keeps its text.
 */
const modules: readonly { title: string; modules: readonly Module[] }[] = [
  {
    title: "Start",
    modules: [
      [["demo"], "../features/demo/commands.ts"],
      [["init"], "../features/documents/export_commands.ts"],
      [["import"], "../features/documents/import_command.ts"],
      [["serve"], "./serve.ts"],
      [["open", "mcp-config", "openapi"], "../features/admin/client_commands.ts"],
    ],
  },
  {
    title: "Production",
    modules: [
      [["productions", "people"], "../features/productions/commands.ts"],
      [["list", "set"], "../features/documents/update_commands.ts"],
      [["export"], "../features/documents/export_commands.ts"],
      [["script-changes"], "../features/scripts/commands.ts"],
      [["approvals", "submissions", "versions"], "./reviews.ts"],
      [["history", "undo"], "../features/history/commands.ts"],
    ],
  },
  {
    title: "Access",
    modules: [
      [["keys"], "./keys.ts"],
      [["whoami"], "./whoami.ts"],
      [["engagements", "grants"], "./engagements.ts"],
      [["webhooks"], "../features/webhooks/commands.ts"],
      [["audit"], "./audit.ts"],
    ],
  },
  {
    title: "Storage",
    modules: [
      [["storage"], "./storage.ts"],
      [["agent"], "./agent.ts"],
      [["backup", "restore"], "../features/backup/commands.ts"],
    ],
  },
  {
    title: "Running",
    modules: [
      [["doctor"], "../features/doctor/commands.ts"],
      [["service"], "../features/service/service.ts"],
      [["upgrade"], "../features/service/upgrade.ts"],
      [["follow", "promote"], "../features/replica/commands.ts"],
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

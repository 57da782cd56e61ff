// Lists every command in the order of the help. A command's module is loaded only when it is needed, because most modules load the
// database engine.
import type { Command } from "./arguments.ts";

interface CommandModule {
  commands: readonly Command[];
}

/** The modules by the first words of their commands. */
const modules: readonly (readonly [firstWords: readonly string[], load: () => Promise<CommandModule>])[] = [
  [["demo"], () => import("./demo.ts")],
  [["serve"], () => import("./serve.ts")],
  [["open"], () => import("./open.ts")],
  [["init"], () => import("./init.ts")],
  [["follow", "promote"], () => import("./follow.ts")],
  [["import"], () => import("./import.ts")],
  [["set"], () => import("./update.ts")],
  [["export"], () => import("./export.ts")],
  [["keys"], () => import("./keys.ts")],
  [["whoami"], () => import("./whoami.ts")],
  [["engagements", "grants"], () => import("./engagements.ts")],
  [["versions"], () => import("./versions.ts")],
  [["storage"], () => import("./storage.ts")],
  [["webhooks"], () => import("./webhooks.ts")],
  [["agent"], () => import("./agent.ts")],
  [["productions", "list"], () => import("./listings.ts")],
  [["submissions"], () => import("./submissions.ts")],
  [["approvals"], () => import("./approvals.ts")],
  [["script-changes"], () => import("./script-changes.ts")],
  [["backup", "restore"], () => import("./backup.ts")],
  [["doctor"], () => import("./doctor.ts")],
  [["upgrade"], () => import("./upgrade.ts")],
  [["service"], () => import("./service.ts")],
  [["history", "undo"], () => import("./history.ts")],
  [["audit"], () => import("./audit.ts")],
  [["openapi"], () => import("./openapi.ts")],
  [["mcp-config"], () => import("./mcp-config.ts")],
];

/** Loads every command. */
export async function allCommands(): Promise<readonly Command[]> {
  const loaded = await Promise.all(modules.map(([, load]) => load()));
  return loaded.flatMap(({ commands }) => commands);
}

/** Loads the commands of the module whose commands begin with `word`. Returns none if there is no such module. */
export async function commandsOf(word = ""): Promise<readonly Command[]> {
  const found = modules.find(([firstWords]) => firstWords.includes(word));
  return found === undefined ? [] : (await found[1]()).commands;
}

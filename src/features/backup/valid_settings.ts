// The settings of a data directory for a command that does without them.
import { type Config, readConfig } from "../../core/config.ts";
import { CliError } from "../../core/errors.ts";

/** The settings; undefined if they are invalid, which the server and doctor report. */
export function settingsOf(folder: string): Config | undefined {
  try {
    return readConfig(folder, process.env);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

// Reads a secret from a file that a setting names.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { configName } from "./config.ts";
import { CliError } from "./errors.ts";
import { cannotRead } from "./system_errors.ts";

/**
 * The secret in a file that a setting of the data directory names, relative to the real place of config.json. Throws
 * CliError if it cannot be read, is short, or can be read by others.
 */
export function secretIn(data: string, name: string): string {
  const config = join(data, configName);
  const file = resolve(existsSync(config) ? dirname(realpathSync(config)) : data, name);
  try {
    const secret = readFileSync(file, "utf8").trim();
    if (process.platform !== "win32" && (statSync(file).mode & 0o007) !== 0)
      throw new CliError(`${file} can be used by every user of this machine; run chmod o= ${file}`);
    if (secret.length >= 32) return secret;
    throw new CliError(`${file} must have a secret of at least 32 characters, such as of openssl rand -hex 32`);
  } catch (error) {
    throw error instanceof CliError ? error : cannotRead(file, error);
  }
}

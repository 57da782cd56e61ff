// The server's own secrets: DIR/secrets.json, created at the first start and readable only by its owner.
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { CliError } from "../errors.ts";
import { readRecord, writeRecord } from "../store/files.ts";
import { newTicketKey, type TicketKey } from "./tickets.ts";

const secretsSchema = v.object({
  /** The first key signs; all keys verify, so that an old key can be replaced without invalidating its tickets. */
  ticket_keys: v.pipe(
    v.array(
      v.object({
        id: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
        secret: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/)),
      }),
    ),
    v.minLength(1),
  ),
});

export interface Secrets {
  ticket_keys: TicketKey[];
}

/** Whether this user may not read a file. Opens it, because accessSync needs a further permission on Deno. */
function isClosed(file: string): boolean {
  try {
    closeSync(openSync(file, "r"));
    return false;
  } catch {
    return true;
  }
}

/**
 * Reads the secrets of a data directory; creates them if the file does not exist. If `writes` is false, it stores none, and makes some
 * of its own where this user may not read the file. Throws CliError if the file is damaged.
 */
export function openSecrets(folder: string, writes = true): Secrets {
  const file = join(folder, "secrets.json");
  if (!existsSync(file) || (!writes && isClosed(file))) {
    const secrets = { ticket_keys: [newTicketKey()] };
    if (!writes) return secrets;
    writeRecord(file, secrets, true);
  }
  const secrets = readRecord(file, secretsSchema);
  if (secrets !== undefined) return secrets;
  throw new CliError(`${file} is damaged; remove it and start again (existing media tickets become invalid)`);
}

// A replica is a data directory that another program keeps copying into: the presence of DIR/replica.json makes it one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import { replicaName } from "./database.ts";

/** Whether the directory is a replica. */
export const isReplica = (folder: string): boolean => existsSync(join(folder, replicaName));

/** Throws CliError if the directory is a replica. `command` is what a replica does not allow, such as "tallylight serve". */
export function refuseReplica(folder: string, command: string): void {
  if (isReplica(folder))
    throw new CliError(
      `${folder} is a replica, which every copy overwrites, so ${command} is refused; use the primary, or make a primary of it with tallylight promote`,
    );
}

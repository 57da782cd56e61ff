// What the server of a data directory last found to be wrong with itself, for tallylight doctor.
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { Finding } from "../../core/feature.ts";
import { databaseName } from "../../core/store/database.ts";
import { closing } from "../../core/store/files.ts";
import { isServed } from "../../core/store/lock.ts";
import { openReadOnly } from "../../core/store/read_only.ts";

/**
 * The conditions that are bad, and since when. A database that is damaged or of an older version says nothing of them.
 */
function badConditions(data: string): { name: string; since: string }[] {
  try {
    return closing(openReadOnly(join(data, databaseName)), (database) =>
      database
        .prepare<[], { name: string; since: string }>("SELECT name, since FROM bad_conditions ORDER BY name")
        .all(),
    );
  } catch (error) {
    if (codeOf(error).startsWith("SQLITE") || codeOf(error) === "EACCES") return []; // other checks say it
    throw error;
  }
}

/** What a server that is stopped found is no problem of now: the other checks say what is. */
export function checkData(data: string): Finding[] {
  const items = badConditions(data).map(({ name, since }) => `${name}, since ${since}`);
  if (items.length === 0)
    return [{ check: "health", ok: true, detail: "the server found nothing wrong with itself", items }];
  if (!isServed(data))
    return [{ check: "health", ok: true, detail: "when the server was stopped, it had found wrong:", items }];
  return [
    { check: "health", ok: false, detail: "what the server finds wrong; its log and the page Health say more", items },
  ];
}

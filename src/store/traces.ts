// Removes rows so that nothing of them stays in the file: backups copy its free pages, too.
import type { Store } from "./database.ts";

/** Runs work that writes. What it removes is overwritten, in free pages and in the search index. */
export function withoutTraces<T>(store: Store, work: () => T): T {
  const { database } = store;
  const former = database.pragma("secure_delete", { simple: true });
  database.pragma("secure_delete = ON");
  try {
    const result = work();
    // The index keeps the words of what was removed until its parts are merged.
    store.writeSync(() => void database.exec("INSERT INTO search (search) VALUES ('optimize')"));
    return result;
  } finally {
    database.pragma(`secure_delete = ${former}`);
  }
}

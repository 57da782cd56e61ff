// Opens the demo's server and a browser on it, for the tests of what people do on the pages.
import type { Test } from "uvu";
import * as assert from "uvu/assert";
import { one, openTestServer } from "./app.ts";
import { browseWith } from "./chromium.ts";
import { seedDataOf } from "./seed_data.ts";

/**
 * A server, a browser on it, and the ids and the vendor's key that the tests of the pages use. The server's clock
 * begins at `start`, if given.
 */
export async function openProductionPages(start?: string) {
  const ahead = start === undefined ? 0 : Date.parse(start) - Date.now();
  const server = await openTestServer({ clock: () => Date.now() + ahead });
  const { store } = server;
  const { violations, close, ...browsing } = await browseWith(server);
  return {
    ...seedDataOf(store),
    ...browsing,
    server,
    store,
    find: (sql: string, id: number) => one(store, sql, id),

    /**
     * Adds the last case of the last suite, that the pages stayed on their server and within their policy, and closes
     * everything.
     */
    finish(pages: Test): void {
      pages("no page requested another host, violated its policy, opened a dialog or threw an exception", () =>
        assert.equal(violations, []),
      );
      pages.after(async () => {
        await close();
        await server.stop();
      });
    },
  };
}

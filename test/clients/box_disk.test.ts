// The clients that the server offers, on a full disk: an answer that cannot be kept is answered, and a medium that has
// no room leaves nothing. docs/api.md, "Clients"; test/clients/box_mirror.test.ts has the mirror.
// Thorough: only --all runs it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { mountSmallDisk } from "../support/small_disk.ts";
import { runtimesOf } from "./box/runtimes.ts";

const server = await openTestServer();
const { store } = server;
const { production: production_id } = seedDataOf(store);
const key = mint(store, { production_id });
const runtimes = (await runtimesOf(server.url)).filter(({ hasFiles }) => hasFiles);
const id = one(store, "SELECT min(id) FROM media WHERE production_id = ?", production_id);
const disk = mountSmallDisk(2);
const full = suite("a client on a full disk");

if (disk === undefined) console.log("skipped: this user may not mount a disk to fill");
else
  for (const runtime of runtimes) {
    const files = () =>
      readdirSync(disk.folder, { recursive: true, encoding: "utf8" }).filter((name) => name !== "filler");

    full(`answers what it cannot keep, and says so, on ${runtime.name}`, async () => {
      const cache = join(disk.folder, `cache-${runtime.name.replaceAll(" ", "")}`);
      const ask = () => runtime.run({ url: server.url, key, options: { cache }, steps: [{ name: "list_scenes" }] });
      disk.fill(0);
      const { results, warnings } = await ask();
      assert.equal(results[0]?.value, await server.get(key, "/scenes"));
      assert.match(String(warnings), /an answer was not kept in .*(?:No space left|ENOSPC)/);
      assert.equal(existsSync(cache) ? readdirSync(cache) : [], [], "nothing is half-kept");
      disk.empty();
      assert.equal((await ask()).warnings, []);
      assert.equal(readdirSync(cache).length, 1);
    });

    full(`writes a medium as a whole or not at all on ${runtime.name}`, async () => {
      const into = join(disk.folder, `medium-${runtime.name.replaceAll(" ", "")}`);
      const ask = () =>
        runtime.run({ url: server.url, key, steps: [{ name: "get_media_content", named: { id, into } }] });
      const before = files();
      disk.fill(0);
      const { results } = await ask();
      assert.match(String(results[0]?.thrown), /No space left|ENOSPC/i);
      assert.equal(files(), before);
      disk.empty();
      assert.equal((await ask()).results, [{ value: into }]);
      const response = await server.ask(key, `/api/v1/media/${id}/content`);
      assert.ok(readFileSync(into).equals(Buffer.from(await response.arrayBuffer())));
    });
  }

full.after(async () => {
  disk?.close();
  await server.stop();
});
full.run();

// The media folder is missing or empty, as that of a disk that is not mounted: a server does not start, and one that
// runs says so and stores nothing.
// Thorough: only --all runs it.
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makeData } from "../../src/core/data_directory.ts";
import { mediaFiles } from "../../src/core/store/files.ts";
import { conditionsOf } from "../../src/features/health/conditions.ts";
import { runTimer as sweepUploads } from "../../src/features/uploads/sweep.ts";
import { demoFolder, mint, one, openTestServer } from "../support/app.ts";
import { addressOf, launch, tallylight } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { smallDocument, writeDocument } from "../support/small_document.ts";

const test = suite("absent media");

const absences = {
  missing: (media: string) => rmSync(media, { recursive: true }),
  "empty but for what a mount point gets": (media: string) => {
    rmSync(media, { recursive: true });
    mkdirSync(join(media, "staging"), { recursive: true });
    mkdirSync(join(media, "ab"));
  },
};

for (const [name, makeAbsent] of Object.entries(absences))
  test(`a server does not start if the folder is ${name}, and changes nothing; with --without-media it does`, async () => {
    const folder = await demoFolder();
    makeAbsent(join(folder, "media"));
    const before = readdirSync(folder, { recursive: true }).length;
    const refused = launch(["serve", "--data", folder, "--port", "0"]);
    assert.is(await refused.ended, 1);
    assert.match(
      refused.err(),
      /^the database has media, but .*media is (?:missing|empty); mount its disk, .* --without-media$/m,
    );
    assert.is(readdirSync(folder, { recursive: true }).filter((file) => file !== "server.lock").length, before);
    const doctor = await tallylight("doctor", "--data", folder);
    assert.match(doctor.out, /^ERROR mark: .*\n +the database has media, but .* is (?:missing|empty)/m);

    const running = launch(["serve", "--data", folder, "--port", "0", "--without-media"]);
    await addressOf(running);
    assert.match(running.err(), /^warning: the database has media, but /m);
    running.signal("SIGTERM");
    assert.is(await running.ended, 0);
  });

test("a server whose media go answers 503 with a sentence, stores nothing, and says so until they are back", async () => {
  const data = await demoFolder();
  const server = await openTestServer({ data });
  const { store, app } = server;
  const key = mint(store, { scopes: ["read", "write"] });
  const media_id = one<number>(
    store,
    "SELECT min(m.id) FROM media m JOIN blobs b USING (sha256) WHERE m.production_id = 1 AND b.content_type LIKE 'image/%'",
  );
  const node_id = one<number>(store, "SELECT min(id) FROM nodes WHERE production_id = 1 AND kind <> 'scene'");
  const media = join(data, "media");
  const problem = async () => (await conditionsOf(app))().filter(({ name }) => name === "media");
  assert.equal(
    (await problem()).map((condition) => condition.problem),
    [undefined],
  );

  const upload = async (): Promise<Response> => {
    const form = new FormData();
    form.append("file", new Blob(["some bytes"]), "plate.bin");
    return server.ask(key, `/api/v1/assets/${node_id}/versions`, { method: "POST", body: form });
  };
  const tus = { "tus-resumable": "1.0.0", "upload-length": "10" };
  const create = () => server.ask(key, "/api/v1/uploads", { method: "POST", headers: tus });
  const begun = await create();
  assert.is(begun.status, 201);
  const asked = {
    content: () => server.ask(key, `/api/v1/media/${media_id}/content`),
    "a smaller picture": () => server.ask(key, `/api/v1/media/${media_id}/content?width=160`),
    upload,
    "a resumable upload": create,
    "more of one": () =>
      server.ask(key, new URL(begun.headers.get("location") as string, server.url).pathname, {
        method: "PATCH",
        body: "0123456789",
        headers: { "tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream" },
      }),
    "a still by MCP": () =>
      server.ask(key, "/mcp?tools=all", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
          params: { name: "get_still", arguments: { media_id } },
        }),
      }),
  };
  const away = join(temporaryFolder(), "away");
  renameSync(media, away);
  for (const isMountPoint of [false, true]) {
    if (isMountPoint) mkdirSync(join(media, "staging"), { recursive: true });
    for (const [what, ask] of Object.entries(asked)) {
      const response = await ask();
      const text = await response.text();
      assert.match(text, /the server's media are not where they should be; contact the administrator/, what);
      if (!what.includes("MCP")) assert.is(response.status, 503, `${what}: ${text}`);
    }
    assert.match(
      (await problem())[0]?.problem ?? "",
      /^the database has media, but .*media is (?:missing|empty); mount its disk/,
    );
    assert.equal((await problem()).length, 1);
    await sweepUploads(app);
    assert.equal(mediaFiles(media), []);
  }
  rmSync(media, { recursive: true });
  renameSync(away, media);
  assert.equal(
    (await problem()).map((condition) => condition.problem),
    [undefined],
  );
  assert.is((await asked["more of one"]()).status, 204);
  assert.is((await asked.content()).status, 200);
  assert.is((await upload()).status, 200);
  await server.close();
});

test("a command that stores media is refused, too, and a directory that never had any is served", async () => {
  const folder = await demoFolder();
  rmSync(join(folder, "media"), { recursive: true });
  const { status, err } = await tallylight("import", writeDocument(smallDocument()), "--data", folder);
  assert.is(status, 1);
  assert.is(err, "the media are not where they should be\n");
  const empty = join(temporaryFolder(), "new");
  (await makeData(empty)).close();
  rmSync(join(empty, "media"), { recursive: true, force: true });
  await (await openTestServer({ data: empty })).close();
});

test.run();

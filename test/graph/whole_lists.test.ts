// A whole list is read in steps, so that others are answered between them, and is of one state all the same.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, openTestServer, revoke } from "../support/app.ts";
import { folderOfLarger } from "../support/larger_production.ts";
import { callTool, resultOf, send } from "../support/rpc.ts";
import { watchSteps } from "../support/steps.ts";

const server = await openTestServer({ data: await folderOfLarger(), cacheAnswers: false });
const { store, app } = server;
const key = mint(store);

/**
 * What happened while `work` ran: `steps` of reads, after each of which `between` ran, and connections that were opened
 * and closed.
 */
async function watched<T>(work: () => Promise<T>, between: (step: number) => void = () => {}) {
  const { snapshot } = app.store;
  const seen = { steps: 0, opened: 0, closed: 0 };
  const unwatch = watchSteps(() => {
    between(++seen.steps);
    for (const end = performance.now() + 26; performance.now() < end; ); // the turn of the event loop is over
  });
  app.store.snapshot = () => {
    seen.opened++;
    const { statement, close } = snapshot();
    return {
      statement,
      close: () => {
        seen.closed++;
        close();
      },
    };
  };
  try {
    return { ...seen, result: await work(), ...seen };
  } finally {
    unwatch();
    Object.assign(app.store, { snapshot });
    assert.is(seen.closed, seen.opened, "every connection is closed");
  }
}

const textOf = async (path: string, token = key): Promise<string> => (await server.ask(token, `/api/v1${path}`)).text();
const rename = (text: string): void =>
  void store.writeSync(() => store.database.prepare("UPDATE scenes SET slugline = ?").run(text));

const rests = suite("a whole list");

const tool = (name: string, given: object) => async () =>
  (await resultOf(await callTool(server, key, name, given))).content[0].text as string;
const reads: Record<string, () => Promise<string>> = {
  "GET /scenes": () => textOf("/scenes"),
  "GET /scenes?include=assets": () => textOf("/scenes?include=assets"),
  "GET /scenes?fields=number,asset_ids&include=assets": () => textOf("/scenes?fields=number,asset_ids&include=assets"),
  "GET /assets": () => textOf("/assets"),
  "GET /schedule": () => textOf("/schedule"),
  "the tool list_scenes": tool("list_scenes", {}),
  "the tool list_scenes with include": tool("list_scenes", { include: "assets" }),
  "the tool list_assets": tool("list_assets", {}),
  "the resource service://script": async () =>
    (await resultOf(await send(server, key, "resources/read", { uri: "service://script" }))).contents[0].text,
};
for (const [name, read] of Object.entries(reads))
  rests(`${name} is read in steps, and is of the state before what is written between them`, async () => {
    const before = await read();
    const { steps, opened, result } = await watched(read, (step) => {
      if (step > 1) rename(`INT. STEP ${step} - DAY`);
    });
    assert.ok(steps > 1 || opened === 0, "one step needs no connection");
    if (before.length > 3 * 64 * 1024) assert.ok(steps > 2, `${steps} steps for ${before.length} characters`);
    assert.ok(result === before, "the same bytes");
    if (/scenes|script/.test(name) && !name.includes("fields"))
      assert.ok((await read()) !== before, "then the new state");
    rename("INT. BEFORE - DAY");
  });

// On Deno a request of this process's own client takes more turns of the event loop than this list has steps.
const restsOnNode = process.versions.deno === undefined ? rests : rests.skip;
restsOnNode("lets a request that came later be answered first", async () => {
  const ended: string[] = [];
  const ask = async (path: string) => {
    await textOf(path);
    ended.push(path);
  };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  await watched(
    async () => {
      const list = ask("/scenes?include=assets");
      await begun;
      await ask("/production");
      const body = JSON.stringify({ label: "Made meanwhile" });
      const headers = { "content-type": "application/json" };
      assert.is((await server.ask(key, "/api/v1/assets", { method: "POST", headers, body })).status, 200);
      ended.push("a write");
      await list;
    },
    () => begin(),
  );
  assert.equal(ended, ["/production", "a write", "/scenes?include=assets"]);
});

rests("ends with a key that is revoked between two steps", async () => {
  const label = "revoked between two steps";
  const token = mint(store, { label });
  const { steps, result } = await watched(
    () => server.ask(token, "/api/v1/scenes"),
    (step) => {
      if (step === 2) revoke(store, label);
    },
  );
  await assertRefused(result, 401);
  assert.is(steps, 2);
});

rests("is not read from another connection where it is short, or where a page is asked for", async () => {
  for (const path of ["/departments", "/people", "/scenes?limit=500", "/scenes?limit=2&include=assets"])
    assert.is((await watched(() => textOf(path))).opened, 0, path);
});

rests("asked for many times at once is whole each time", async () => {
  const expected = await textOf("/scenes?include=assets");
  const { result, opened } = await watched(() =>
    Promise.all(Array.from({ length: 8 }, () => textOf("/scenes?include=assets"))),
  );
  assert.is(opened, 8);
  for (const text of result) assert.ok(text === expected);
});

rests.after(() => server.stop());
rests.run();

// Cached responses: never stale, never another key's, and byte for byte what an uncached server returns.
import { once } from "node:events";
import { get } from "node:http";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes, tokenHash } from "../../src/core/access/callers.ts";
import { demoFolder, mint, openTestServer, type TestServer } from "../support/app.ts";
import { caseOf, casesOf } from "../support/cases.ts";
import { table } from "../support/operations.ts";
import { getPlain, type PlainAnswer } from "../support/plain_http.ts";
import { answersIn, raw } from "../support/raw_http.ts";
import { assertProtocolError, callTool, post, resultOf, send } from "../support/rpc.ts";
import { sampleOf, some } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { watchSteps } from "../support/steps.ts";
import { openUncached } from "../support/uncached.ts";
import { until } from "../support/until.ts";

const cachedResponses = suite("cached responses");

/** A pseudo-random generator with the same numbers in every run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const see = (server: { url: string }, token: string, path: string, headers = {}): Promise<PlainAnswer> =>
  getPlain(server.url + path, token, headers);

/** As a client that understands compressed answers. */
async function seeCompressed(server: TestServer, token: string, path: string): Promise<PlainAnswer> {
  const response = await server.ask(token, path, { headers: { "accept-encoding": "br" } });
  return { status: response.status, etag: response.headers.get("etag"), text: await response.text() };
}

/** A server with a cache and a settable clock, and another process's connection to its database. */
async function openPair() {
  const clock = { now: Date.parse("2026-11-20T12:00:00.000Z") };
  const options = { clock: () => clock.now };
  const caching = await openTestServer(options);
  const seedData = seedDataOf(caching.store);
  const outside = new Database(join(caching.folder, "tallylight.db"), { timeout: 120_000 });
  return { clock, caching, seedData, outside };
}

/** The paths of every read of a production, with ids from the database. */
function pathsOf(server: TestServer, production_id: number): string[] {
  const ids = (sql: string) => server.store.database.prepare(sql).pluck().all(production_id) as (number | string)[];
  const some: Record<string, (number | string)[]> = {
    slug: ids("SELECT slug FROM departments WHERE production_id = ? LIMIT 2"),
    id: ids("SELECT id FROM media WHERE production_id = ? LIMIT 6"),
    "assets/:node_id": ids("SELECT id FROM nodes WHERE production_id = ? AND kind <> 'scene' LIMIT 3"),
    "scene/:node_id": ids("SELECT node_id FROM scenes WHERE production_id = ? LIMIT 12"),
    "character/:node_id": ids("SELECT id FROM nodes WHERE production_id = ? AND kind = 'character' LIMIT 3"),
  };
  const reads = table.filter(({ method, noStore, output }) => method === "GET" && !noStore && output !== "bytes");
  return reads.flatMap(({ path }) => {
    const end = /((?:assets|scene|character)\/:node_id|:\w+)$/.exec(path)?.[0];
    if (end === undefined) return [path];
    const values = some[end.replace(/^:/, "")] ?? [];
    return values.map((value) => path.replace(/:\w+$/, String(value)));
  });
}

cachedResponses("are byte for byte those of a server without a cache, for every key and every read", async () => {
  const folder = await demoFolder();
  const caching = await openTestServer({ data: folder });
  const { production, otherProduction, submitter, reader } = seedDataOf(caching.store);
  const scopes = ["read", "read:money"] as const;
  const keys = [
    mint(caching.store, { production_id: production, scopes }),
    mint(caching.store, { production_id: otherProduction, scopes }),
    mint(caching.store, { production_id: production, engagement_id: submitter, scopes }),
    mint(caching.store, { production_id: production, engagement_id: reader, scopes }),
  ];
  const paths = [...pathsOf(caching, production), ...pathsOf(caching, otherProduction)];
  const queries = ["/assets?released=1", "/assets?kind=costume", "/activity?limit=3", "/script-changes?status=all"];
  const walk = sampleOf([...new Set([...paths, ...queries])], 5).map((path) => `/api/v1${path}`);
  const first = new Map<string, PlainAnswer>();
  for (const key of keys) for (const path of walk) first.set(`${key} ${path}`, await see(caching, key, path));
  let compared = 0;
  for (const key of keys)
    for (const path of walk) {
      const again = await see(caching, key, path);
      assert.equal(again, first.get(`${key} ${path}`), path);
      if (again.status === 200) compared++;
      if (again.etag !== null)
        assert.is((await see(caching, key, path, { "if-none-match": again.etag })).status, 304, path);
    }
  assert.ok(compared > some(80, 5), `only ${compared} responses were compared`);
  await caching.close();

  const uncachedServer = await openTestServer({ data: folder, cacheAnswers: false });
  for (const key of keys)
    for (const path of walk) assert.equal(await see(uncachedServer, key, path), first.get(`${key} ${path}`), path);
  await uncachedServer.stop();
});

interface Step {
  name: string;
  /** Changes something that the next reads must show. */
  run: () => Promise<void> | void;
}

cachedResponses("are never stale or another key's after writes over REST, by other processes and by time", async () => {
  const { clock, caching, seedData, outside } = await openPair();
  const { production, otherProduction, scene, sceneGrantee, character, characterGrantee } = seedData;
  const random = numbersFrom(20_261_120);
  const write = mint(caching.store, { production_id: production });
  const keyOf = (engagement_id: number | null, production_id = production): string =>
    mint(caching.store, { production_id, engagement_id, scopes: ["read", "read:money"] });
  const readers = [
    write,
    keyOf(null, otherProduction),
    keyOf(sceneGrantee),
    keyOf(characterGrantee),
    keyOf(seedData.reader),
  ];
  const paths = [
    ...[
      "/production",
      "/assets",
      "/activity",
      "/deliveries",
      "/approvals",
      "/scenes",
      "/turnovers",
      "/purchase-orders",
    ],
    ...[`/bundles/scene/${scene}`, `/bundles/character/${character}`, `/media/${seedData.releasedStill}`],
  ].map((path) => `/api/v1${path}`);

  const uncached = await openUncached(caching);
  const grant = outside.prepare(
    `INSERT INTO grants (production_id, engagement_id, verb, node_id, created_at, expires_at) VALUES (?, ?, 'read', ?, '2026-11-20T00:00:00.000Z', ?)`,
  );
  const engagements = [sceneGrantee, characterGrantee, seedData.reader];
  const timestamp = (ahead: number) => new Date(clock.now + ahead).toISOString();
  let made = 0;
  const steps: Step[] = [
    {
      name: "an asset is created over REST",
      run: async () => {
        const body = JSON.stringify({ label: `thing ${made++}` });
        const headers = { "content-type": "application/json" };
        assert.is((await caching.ask(write, "/api/v1/assets", { method: "POST", headers, body })).status, 200);
      },
    },
    {
      name: "another process renames a scene",
      run: () => void outside.prepare("UPDATE scenes SET slugline = ? WHERE node_id = ?").run(`INT. ${made++}`, scene),
    },
    {
      name: "another process grants a scene until soon",
      run: () =>
        void grant.run(
          production,
          engagements[random(3)],
          scene,
          random(2) === 0 ? null : timestamp(1000 + random(20_000)),
        ),
    },
    {
      name: "another process revokes a grant",
      run: () =>
        void outside
          .prepare(
            "UPDATE grants SET revoked_at = ? WHERE id = (SELECT id FROM grants WHERE revoked_at IS NULL AND node_id = ? ORDER BY id DESC LIMIT 1)",
          )
          .run(timestamp(0), scene),
    },
    {
      name: "another process releases or withdraws a version",
      run: () =>
        void outside
          .prepare("UPDATE versions SET released = 1 - released WHERE id = (SELECT version_id FROM media WHERE id = ?)")
          .run(seedData.releasedStill),
    },
    {
      name: "another process ends an engagement, now or soon, or resumes it",
      run: () =>
        void outside
          .prepare("UPDATE engagements SET ended_at = iif(ended_at IS NULL, ?, NULL) WHERE id = ?")
          .run(timestamp(random(2) * random(20_000)), engagements[random(3)]),
    },
    {
      name: "a key is revoked, and another takes its place",
      run: async () => {
        const at = 2 + random(3);
        const former = readers[at] as string;
        outside.prepare("UPDATE api_keys SET revoked_at = ? WHERE prefix = ?").run(timestamp(0), former.slice(0, 11));
        assert.is((await see(caching, former, paths[random(paths.length)] as string)).status, 401);
        readers[at] = keyOf(engagements[at - 2] as number);
      },
    },
    {
      name: "time passes",
      run: () => {
        clock.now += random(4000);
      },
    },
    { name: "nothing happens", run: () => {} },
  ];

  let compared = 0;
  const turns = some(168, 10);
  for (let turn = 0; turn < turns; turn++) {
    const step = steps[random(steps.length)] as Step;
    await step.run();
    for (let read = 0; read < 4; read++) {
      const key = readers[random(readers.length)] as string;
      const path = paths[random(paths.length)] as string;
      const [one, two, truth] = [
        await see(caching, key, path),
        await (read === 0 ? seeCompressed : see)(caching, key, path),
        await see(uncached, key, path),
      ];
      assert.equal(one, truth, `${path} after ${step.name}, turn ${turn}`);
      assert.equal(two, truth, `${path} again after ${step.name}, turn ${turn}`);
      if (truth.status === 200) compared++;
    }
  }
  assert.ok(compared > 1.2 * turns, `only ${compared} reads returned 200`);
  outside.close();
  await uncached.stop();
  await caching.stop();
});

cachedResponses(
  "contain what another process committed before the request was sent, for many requests at once",
  async () => {
    const { caching, seedData, outside } = await openPair();
    const key = mint(caching.store, { production_id: seedData.production });
    const rename = outside.prepare("UPDATE productions SET logline = ? WHERE id = ?");
    const rounds = some(40, 5);
    let committed = 0;
    const work = async () => {
      for (let n = 0; n < rounds; n++) {
        if (n % 4 === 0) rename.run(String(++committed), seedData.production);
        const least = committed;
        const { logline } = await caching.get<{ logline: string }>(key, "/production");
        assert.ok(Number(logline) >= least, `saw ${logline} after ${least} was committed`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    assert.is(committed, 4 * rounds);
    outside.close();
    await caching.stop();
  },
);

cachedResponses("contain what another process committed, also on a new connection", async () => {
  const { caching, seedData, outside } = await openPair();
  const headers = { authorization: `Bearer ${mint(caching.store, { production_id: seedData.production })}` };
  const rename = outside.prepare("UPDATE productions SET logline = ? WHERE id = ?");
  for (let n = 0; n < 20; n++) {
    rename.run(String(n), seedData.production);
    const asked = get(`${caching.url}/api/v1/production`, { agent: false, headers });
    const [response] = await once(asked, "response");
    let text = "";
    for await (const chunk of response) text += chunk;
    assert.is(JSON.parse(text).logline, String(n));
  }
  outside.close();
  await caching.stop();
});

cachedResponses("have every letter of a short and of a long document, the first time and from the cache", async () => {
  const { caching, seedData, outside } = await openPair();
  const key = mint(caching.store, { production_id: seedData.production });
  const rename = outside.prepare("UPDATE productions SET logline = ? WHERE id = ?");
  for (const logline of ["Zoë – 日本 🎬", "Zoë – 日本 🎬".repeat(2_000)]) {
    rename.run(logline, seedData.production);
    const [first, again] = [
      await see(caching, key, "/api/v1/production"),
      await see(caching, key, "/api/v1/production"),
    ];
    assert.is(JSON.parse(first.text).logline, logline);
    assert.equal(again, first);
  }
  outside.close();
  await caching.stop();
});

cachedResponses("end when the key expires", async () => {
  const { clock, caching, seedData, outside } = await openPair();
  const expires_at = new Date(clock.now + 5000).toISOString();
  const key = mint(caching.store, { production_id: seedData.production, expires_at });
  const path = `/api/v1/bundles/scene/${seedData.scene}`;
  assert.is((await see(caching, key, path)).status, 200);
  clock.now += 4999;
  assert.is((await see(caching, key, path)).status, 200);
  clock.now += 1;
  assert.is((await see(caching, key, path)).status, 401);
  outside.close();
  await caching.stop();
});

cachedResponses("are not sent for a malformed request head", async () => {
  const server = await openTestServer();
  const token = mint(server.store);
  const heads = [
    "Host: x\r\nHost: x",
    "Host: a/b@c",
    `Host: x\r\nX-Long: ${"x".repeat(15_000)}\r\nX-More: ${"x".repeat(2_000)}`,
  ];
  for (const path of ["/api/v1/production", "/api/v1/production"]) {
    for (const head of heads) {
      const request = `GET ${path} HTTP/1.1\r\n${head}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
      const [answer] = answersIn(await raw(server.port, [request]));
      assert.ok(answer?.status === 400 || answer?.status === 431, `${answer?.status} ${answer?.body}`);
    }
    await server.get(token, "/production"); // cached from here on
  }
  await server.stop();
});

cachedResponses("do not change how an invalid MCP call is refused", async () => {
  const server = await openTestServer();
  const token = mint(server.store);
  const calls = [
    { name: [["list_departments"]] },
    { name: ["list_departments"] },
    { uri: "list_departments" },
    { name: null, uri: "list_departments" },
    { name: "list_departments", arguments: [] },
    { name: { toString: "list_departments" } },
  ];
  for (const warm of [false, true]) {
    if (warm) await resultOf(await callTool(server, token, "list_departments"));
    if (warm) await resultOf(await send(server, token, "tools/call", { name: "list_departments" }));
    for (const params of calls)
      await assertProtocolError(await send(server, token, "tools/call", params), -32602, /must be/);
  }
  const digits =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_activity","arguments":{"limit":12345678901234567890}}}';
  for (let n = 0; n < 2; n++) await assertProtocolError(await post(server, token, digits), -32602, /limit/, 1);
  await server.stop();
});

cachedResponses("of a vendor's keys end when the engagement ends", async () => {
  const { clock, caching, seedData, outside } = await openPair();
  const { production: production_id, submitter: engagement_id } = seedData;
  const key = mint(caching.store, { production_id, engagement_id, scopes: ["read"] });
  const end = outside.prepare("UPDATE engagements SET ended_at = ? WHERE id = ?");
  end.run(new Date(clock.now + 5000).toISOString(), engagement_id);
  const turnovers = async () => (await caching.get<unknown[]>(key, "/turnovers")).length;
  assert.ok((await turnovers()) > 0);
  clock.now += 4999;
  assert.ok((await turnovers()) > 0);
  clock.now += 1;
  assert.is(await turnovers(), 0);
  outside.close();
  await caching.stop();
});

cachedResponses("of a vendor's manifest end with a grant that ended while its steps were made", async () => {
  const { clock, caching, seedData, outside } = await openPair();
  const { production: production_id, submitter: engagement_id, scene } = seedData;
  const key = mint(caching.store, { production_id, engagement_id, scopes: ["read"] });
  outside.prepare("UPDATE grants SET revoked_at = '2026-01-01' WHERE engagement_id = ?").run(engagement_id);
  const grant = outside.prepare(
    `INSERT INTO grants (production_id, engagement_id, verb, node_id, created_at, expires_at)
     VALUES (?, ?, 'read', ?, '2026-01-01', ?)`,
  );
  const linked = outside.prepare("SELECT to_node_id FROM node_links WHERE from_node_id = ?").pluck().get(scene);
  grant.run(production_id, engagement_id, scene, null);
  grant.run(production_id, engagement_id, linked, new Date(clock.now + 5000).toISOString());
  const path = "/me/manifest";
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_manifest" } });
  const tool = async () => (await resultOf(await post(caching, key, call, {}, "/mcp?tools=all"))).structuredContent;
  await caching.get(key, "/me");
  const used = outside.prepare("SELECT last_used_at FROM api_keys WHERE prefix = ?").pluck();
  await until(() => used.get(key.slice(0, 11)) !== null); // a commit would end the answer
  for (const manifest of [() => caching.get(key, path), tool]) {
    const started = clock.now;
    let [steps, looks] = [0, 0];
    const unwatch = watchSteps(() => {
      if (++steps === 1) clock.now += 5000;
      for (const end = performance.now() + 30; performance.now() < end; ) looks++; // the turn of the event loop is over
    });
    const begun = await manifest();
    unwatch();
    assert.ok(steps > 1 && looks > 0);
    const paths = begun.documents.map(({ path }: { path: string }) => path.replace(/\d+/, ":id"));
    assert.equal(paths, ["/bundles/scene/:id", "/turnovers/:id/submissions", "/turnovers"]);
    const { etag } = await caching.get(key, `/bundles/scene/${scene}`);
    assert.is((await manifest()).documents[0].etag, etag);
    clock.now = started;
  }
  outside.close();
  await caching.stop();
});

cachedResponses(
  "of a former token end with a use of a key after its end, also once the clock is set back",
  async () => {
    const { clock, caching, seedData, outside } = await openPair();
    const { production: production_id } = seedData;
    const [started, token] = [clock.now, "tl_former"];
    const after = (seconds: number) => new Date(started + seconds * 1000).toISOString();
    const rotated = mint(caching.store, { production_id });
    const another = mint(caching.store, { production_id });
    outside
      .prepare("INSERT INTO former_tokens SELECT ?, id, ?, ?, ? FROM api_keys WHERE prefix = ?")
      .run(tokenHash(token), token, after(0), after(8), rotated.slice(0, 11));
    const used = outside.prepare("SELECT last_used_at FROM api_keys WHERE prefix = ?").pluck();
    const status = async () => (await see(caching, token, "/api/v1/production")).status;
    assert.equal([await status(), await status()], [200, 200]);
    await until(() => used.get(rotated.slice(0, 11)) !== null); // a commit would end the answer
    assert.is(await status(), 200);
    clock.now = started + 10_000;
    await caching.get(another, "/me");
    await until(() => used.get(another.slice(0, 11)) !== null);
    clock.now = started + 1_000;
    assert.is(await status(), 401);
    outside.close();
    await caching.stop();
  },
);

cachedResponses("of every read and key end with whatever expires, over REST and MCP", async () => {
  const { clock, caching, seedData, outside } = await openPair();
  const { production: production_id, submitter, reader, asset, delivery } = seedData;
  const started = clock.now;
  const after = (seconds: number) => new Date(started + seconds * 1000).toISOString();
  const [now, admin] = [after(0), mint(caching.store, { production_id, scopes: [...scopes, "admin"] as never })];
  const keys = [admin, mint(caching.store, { production_id, engagement_id: submitter, scopes })];
  const ending = mint(caching.store, { production_id, scopes: ["read"], expires_at: after(6) });
  const rotated = mint(caching.store, { production_id, scopes: ["read"], label: "rotated" });
  outside
    .prepare("INSERT INTO former_tokens SELECT 'f0', id, 'tl_former', ?, ? FROM api_keys WHERE prefix = ?")
    .run(now, after(8), rotated.slice(0, 11));
  const grant = outside.prepare(
    "INSERT INTO grants (production_id, engagement_id, verb, node_id, department_id, delivery_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const department = outside.prepare("SELECT department_id FROM nodes WHERE id = ?").pluck().get(asset);
  grant.run(production_id, reader, "read", asset, null, null, now, after(2));
  grant.run(production_id, submitter, "read", asset, null, null, now, after(3));
  grant.run(production_id, reader, "read", null, department, null, now, after(4));
  grant.run(production_id, reader, "submit", null, null, delivery, now, after(5));
  outside.prepare("UPDATE engagements SET ended_at = ? WHERE id = ?").run(after(7), reader);
  const cases = casesOf(caching.store, seedData);
  const reads = table.filter(({ method, noStore, output }) => method === "GET" && !noStore && output !== "bytes");
  /** Those that must change. */
  const mustEnd = new Set(["get_asset_usage", "get_me", "get_manifest"]);
  const sampled = new Set([...sampleOf(reads, 8), ...reads.filter(({ name }) => mustEnd.has(name))]);
  const paths = [...sampled].map(({ name }) => `/api/v1${caseOf(cases, name).path}`);
  const usage = { name: "get_asset_usage", arguments: { node_id: asset } };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: usage });
  const tool = async () => (await resultOf(await post(caching, admin, call, {}, "/mcp?tools=all"))).structuredContent;
  const uncached = await openUncached(caching);
  const all = async (server: { url: string }) => {
    const seen = new Map<string, string>();
    for (const key of keys)
      for (const path of paths) seen.set(`${keys.indexOf(key)} ${path}`, (await see(server, key, path)).text);
    return seen;
  };
  await caching.get(ending, "/production");
  const changed = new Set<string>();
  let before = await all(caching);
  const granted = [(await tool()).grants.length];
  for (const seconds of [1.999, 2, 3, 4, 5, 6, 7, 8, 9]) {
    clock.now = started + seconds * 1000;
    const truth = await all(uncached);
    for (const [name, text] of await all(caching)) {
      assert.is(text, truth.get(name), `${name} after ${seconds} s`);
      if (text !== before.get(name)) changed.add(name);
    }
    granted.push((await tool()).grants.length);
    before = truth;
  }
  for (const name of [`0 /api/v1/assets/${asset}/usage`, "1 /api/v1/me", `1 /api/v1/me/manifest`])
    assert.ok(changed.has(name), `${name} is not in ${[...changed]}`);
  const most = granted[0] as number;
  assert.equal(granted, [most, most, most - 1, most - 2, ...Array(6).fill(most - 3)]);
  outside.close();
  await uncached.stop();
  await caching.stop();
});

cachedResponses("a look-up that fails is 500 for its request, and the server keeps answering", async () => {
  const { caching, seedData, outside } = await openPair();
  const { store } = caching.app;
  const { revision } = store;
  const key = mint(caching.store, { production_id: seedData.production });
  const both = () => Promise.all([1, 2].map(() => see(caching, key, "/api/v1/scenes")));
  const before = await both();
  assert.is(before[0]?.status, 200);
  store.revision = () => {
    throw new Error("disk I/O error");
  };
  assert.equal(
    (await both()).map(({ status }) => status),
    [500, 500],
  );
  store.revision = revision;
  assert.equal(await both(), before);
  outside.close();
  await caching.close();
});

cachedResponses.run();

// The clients that the server offers, in Python and JavaScript, on each runtime of this machine: methods, pages, ETags,
// further tries, refusals, uploads, media and events. docs/api.md, "Clients".
// Thorough: only --all runs it.
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { openBreakingProxy } from "../support/breaking_proxy.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { openToldProxy, type Told } from "../support/told_proxy.ts";
import { type Done, type Given, type Runtime, runtimesOf, type Step } from "./box/runtimes.ts";

const server = await openTestServer();
const { store } = server;
const seed = seedDataOf(store);
const key = mint(store, { scopes: ["read", "write", "admin"] });
const vendor = mint(store, {
  production_id: seed.production,
  engagement_id: seed.submitter,
  scopes: ["read", "submit:turnover"],
});
const runtimes = await runtimesOf(server.url);
const proxy = await openToldProxy(server.port);
const folder = temporaryFolder();

/** Does the steps, and fails if one of them fails. */
async function values(runtime: Runtime, steps: readonly Step[], given: Partial<Given> = {}): Promise<any[]> {
  const { results } = await runtime.goOn({ url: server.url, key, steps, ...given });
  for (const [at, result] of results.entries()) assert.ok("value" in result, `step ${at}: ${JSON.stringify(result)}`);
  return results.map(({ value }) => value);
}

/** Does the steps behind a proxy that was told what to do with the requests, one after the other. */
async function behind(
  runtime: Runtime,
  told: readonly Told[],
  steps: readonly Step[],
  given: Partial<Given> = {},
): Promise<Done & { asked: typeof proxy.asked }> {
  const left = [...told];
  proxy.asked.length = 0;
  proxy.decide = ({ path }) => (path.startsWith("/api/v1/") ? (left.shift() ?? "pass") : "pass");
  // In a process of their own: those with a cache, because another process reads what the folder has, and those with a
  // line that is cut, because a runtime may send a request again by itself if its connection was kept.
  const isOwn = given.options?.cache !== undefined || /"cut/.test(JSON.stringify(told));
  const done = await runtime[isOwn ? "run" : "goOn"]({ url: proxy.url, key, steps, ...given });
  return { ...done, asked: proxy.asked.filter(({ path }) => path.startsWith("/api/v1/")) };
}

/** A file of the test: a path where the runtime has files, otherwise its bytes in a Blob. */
function fileOf({ hasFiles, name: of }: Runtime, name: string, text: string): unknown {
  if (!hasFiles) return { blob: text, file_name: name };
  const own = join(folder, of.replaceAll(" ", ""));
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, name), text);
  return join(own, name);
}

const again = { status: 503, headers: { "retry-after": "0" } };

for (const runtime of runtimes) {
  const calls = suite(`the client on ${runtime.name}`);
  const deep = runtime.isFurther ? calls.skip : calls;

  calls("answers what the API answers, with arguments of a path, a query and a body", async () => {
    const [production, scene, named, days, note] = await values(runtime, [
      { name: "get_production" },
      { name: "get_scene", named: { node_id: seed.scene } },
      { name: "list_scenes", named: { status: ["planned", "active"], fields: ["number"] } },
      { name: "get_schedule", named: { from: "2026-11-23", to: "2026-11-24" } },
      { name: "create_note", named: { node_id: seed.asset, text: `from ${runtime.name}: “é”` } },
    ]);
    assert.equal(production, await server.get(key, "/production"));
    assert.equal(scene, await server.get(key, `/scenes/${seed.scene}`));
    assert.equal(named, await server.get(key, "/scenes?status=planned,active&fields=number"));
    assert.equal(days, await server.get(key, "/schedule?from=2026-11-23&to=2026-11-24"));
    const [newest] = await server.get(key, `/assets/${seed.asset}/notes`);
    assert.is(newest.text, `from ${runtime.name}: “é”`);
    assert.is(note.id, newest.id);
  });

  calls("goes through all pages of a list", async () => {
    const [scenes, rows, page] = await values(runtime, [
      { name: "list_scenes", named: { limit: 2 } },
      { name: "rows", operation: "list_scenes", named: { limit: 3 } },
      { name: "get", args: ["/scenes", ...(runtime.name === "Python" ? [] : [{ limit: 2 }])] },
    ]);
    const all = await server.get(key, "/scenes");
    assert.equal([scenes, rows], [all, all]);
    assert.equal(page, runtime.name === "Python" ? all : all.slice(0, 2));
  });

  calls("refuses an argument that the operation does not have", async () => {
    const { results } = await runtime.goOn({
      url: server.url,
      key,
      steps: [{ name: "list_scenes", named: { statuss: "planned" } }],
    });
    assert.match(String(results[0]?.thrown), /^TypeError: .*statuss/);
  });

  calls("asks with the ETag, and answers what it kept where the server answers 304", async () => {
    const steps = [{ name: "list_scenes" }, { name: "list_scenes" }];
    const { results, asked } = await behind(runtime, [], steps);
    assert.equal(
      asked.map(({ status }) => status),
      [200, 304],
    );
    assert.equal(results[0], results[1]);
  });

  if (runtime.hasFiles)
    calls("keeps answers in a folder, and asks again for one that is damaged there", async () => {
      const cache = temporaryFolder();
      const ask = async () => behind(runtime, [], [{ name: "list_scenes" }], { options: { cache } });
      const first = await ask();
      const second = await ask();
      assert.equal(
        [first, second].map(({ asked }) => asked[0]?.status),
        [200, 304],
      );
      assert.equal(second.results, first.results);
      const kept = readdirSync(cache).map((name) => join(cache, name));
      assert.is(kept.length, 1);
      writeFileSync(kept[0] as string, readFileSync(kept[0] as string).subarray(0, -5));
      assert.equal(
        (await ask()).asked.map(({ status }) => status),
        [200],
      );
      const other = await behind(runtime, [], [{ name: "list_scenes" }], { options: { cache }, key: vendor });
      assert.is(other.results[0]?.error?.status, 403, "an answer of another key is never given");
    });

  deep("tries again after 429, 503 and a line that is cut before, after and within an answer", async () => {
    const { results, asked } = await behind(
      runtime,
      [again, { status: 429, headers: { "retry-after": "0" } }, "cut before", "cut after", { cutAt: 20 }],
      [{ name: "get_production" }],
    );
    assert.equal(results[0]?.value, await server.get(key, "/production"));
    assert.is(asked.length, 6);
  });

  deep("raises the refusal after five further tries", async () => {
    const { results, asked } = await behind(runtime, Array(9).fill(again), [{ name: "get_production" }]);
    assert.equal(results[0]?.error, { status: 503, detail: "as it was told", request: null });
    assert.is(asked.length, 6);
  });

  deep("waits as long as Retry-After says, and not if that is more than an hour", async () => {
    const after = (seconds: string): Told => ({ status: 429, headers: { "retry-after": seconds } });
    const left = [after("9"), "pass", after("3601")] as Told[];
    const times: number[] = [];
    proxy.decide = ({ path }) => {
      if (!path.startsWith("/api/v1/")) return "pass";
      times.push(performance.now());
      return left.shift() ?? "pass";
    };
    const step = { name: "get_production" };
    const { results } = await runtime.goOn({ url: proxy.url, key, steps: [step, step] });
    assert.ok(results[0]?.value, JSON.stringify(results));
    assert.is(results[1]?.error?.status, 429);
    assert.is(times.length, 3);
    const [first = 0, second = 0] = times;
    // The pauses are a fiftieth here; by itself it waits 12 ms.
    assert.ok(second - first > 170, `${second - first} ms`);
  });

  deep("does what it posts once, if the answer is lost", async () => {
    const before = one(store, "SELECT count(*) FROM notes");
    const { results, asked } = await behind(
      runtime,
      ["cut after", again],
      [{ name: "create_note", named: { node_id: seed.asset, text: "once" } }],
    );
    assert.ok(results[0]?.value, JSON.stringify(results));
    assert.is(one(store, "SELECT count(*) FROM notes"), before + 1);
    assert.is(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size, 1);
    assert.is(asked.length, 3);
  });

  deep("sends two equal posts as two", async () => {
    const before = one(store, "SELECT count(*) FROM notes");
    const step = { name: "create_note", named: { node_id: seed.asset, text: "twice" } };
    await values(runtime, [step, step]);
    assert.is(one(store, "SELECT count(*) FROM notes"), before + 2);
  });

  deep("raises a refusal at once, with its status, its sentence and the name of the request", async () => {
    const { results, asked } = await behind(runtime, [], [{ name: "get_scene", named: { node_id: 999_999 } }]);
    const { status, detail, request } = results[0]?.error ?? {};
    assert.is(status, 404);
    assert.ok(detail);
    assert.is(asked.length, 1);
    assert.match(String(request), /^[0-9a-f]{16}$/);
    assert.is(request, asked[0]?.request);
  });

  deep(
    "raises status 0 and a sentence where no answer came, and where a redirect would take the key elsewhere",
    async () => {
      const cut = await behind(runtime, Array(9).fill("cut before"), [{ name: "get_production" }]);
      assert.equal([cut.results[0]?.error?.status, cut.results[0]?.error?.request], [0, null]);
      assert.match(String(cut.results[0]?.error?.detail), / /);
      assert.is(cut.asked.length, 6);
      const moved = await behind(
        runtime,
        [{ status: 302, headers: { location: `${server.url}/api/v1/production` } }],
        [{ name: "get_production" }],
      );
      assert.match(String(moved.results[0]?.error?.detail), /at another address/);
      assert.is(moved.asked.length, 1);
    },
  );

  deep("warns of parameters that the server ignored", async () => {
    const named = runtime.name === "Python" ? { named: { größe: 1 } } : { args: ["/scenes", { größe: 1 }] };
    const { warnings } = await runtime.goOn({
      url: server.url,
      key,
      steps: [{ name: "get", args: ["/scenes"], ...named }],
    });
    assert.is(warnings.length, 1);
    assert.match(String(warnings[0]), /ignored.*größe/);
  });

  deep("submits files, small ones in a form", async () => {
    const files = [fileOf(runtime, 'a "b" ü.txt', "small"), fileOf(runtime, "c.txt", "too")];
    const named = { delivery_id: seed.delivery, title: `from ${runtime.name}`, files };
    // A browser's File is made in the page, one for each argument.
    const given = runtime.hasFiles ? named : { ...named, files: files[0] };
    const [submission] = await values(runtime, [{ name: "submit_turnover", named: given }], { key: vendor });
    const labels = runtime.hasFiles ? ['a "b" ü.txt', "c.txt"] : ['a "b" ü.txt'];
    assert.equal(
      submission.media.map(({ label }: any) => label),
      labels,
    );
    assert.is(submission.title, `from ${runtime.name}`);
  });

  deep("makes versions of many files in one request, and again, under their ids, none", async () => {
    const version = { node_id: seed.asset, file: 0, external_id: `batch-${runtime.name}`, note: "“é”" };
    const named = { versions: [version], files: fileOf(runtime, "still.txt", `a still of ${runtime.name}`) };
    const step = { name: "create_versions", named };
    const [[first], [second]] = await values(runtime, [step, step]);
    assert.equal([first.repeated, second.repeated, second.id], [false, true, first.id]);
    assert.is(one(store, "SELECT note FROM versions WHERE id = ?", first.id), "“é”");
  });

  if (runtime.hasFiles)
    deep("sends a file above 8 MB by a resumable upload, which goes on after a cut", async () => {
      const content = randomBytes(9_000_000);
      const file = fileOf(runtime, "take.mov", "") as string;
      writeFileSync(file, content);
      const cutting = await openBreakingProxy(
        () => server.port,
        (broken) => (broken < 3 ? 3_000_000 : Number.POSITIVE_INFINITY),
      );
      const before = one(store, "SELECT count(*) FROM submissions");
      const named = { delivery_id: seed.delivery, note: "large", files: [file, fileOf(runtime, "notes.txt", "small")] };
      const url = `http://127.0.0.1:${cutting.port}`;
      const [submission] = await values(runtime, [{ name: "submit_turnover", named }], { url, key: vendor });
      cutting.close();
      assert.is(cutting.broken, 3);
      assert.is(one(store, "SELECT count(*) FROM submissions"), before + 1);
      assert.equal(
        submission.media.map(({ label }: any) => label),
        ["take.mov", "notes.txt"],
      );
      assert.is(submission.media[0].sha256, createHash("sha256").update(content).digest("hex"));
      assert.is(submission.note, "large");
    });

  if (runtime.hasFiles)
    deep("submits a file above 8 MB once, if a run that was killed sends it again under the same key", async () => {
      const [file, idempotency_key] = [fileOf(runtime, "again.mov", "") as string, `again on ${runtime.name}`];
      writeFileSync(file, randomBytes(9_000_000));
      const step = { name: "submit_turnover", named: { delivery_id: seed.delivery, files: [file], idempotency_key } };
      const before = one(store, "SELECT count(*) FROM submissions");
      const [[first], [second]] = [
        await values(runtime, [step], { key: vendor }),
        await values(runtime, [step], { key: vendor }),
      ] as const;
      assert.equal(second, first);
      assert.is(one(store, "SELECT count(*) FROM submissions"), before + 1);
    });

  deep("answers media content as bytes", async () => {
    const id = one(store, "SELECT min(id) FROM media WHERE production_id = 1");
    const [content] = await values(runtime, [{ name: "get_media_content", named: { id } }]);
    const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE id = ?", id);
    assert.is(createHash("sha256").update(Buffer.from(content.base64, "base64")).digest("hex"), sha256);
  });

  if (runtime.hasFiles)
    deep("writes media content to a file, on from where a cut was", async () => {
      const id = one(store, "SELECT max(id) FROM media WHERE label = 'take.mov'"); // it was submitted above
      const into = join(temporaryFolder(), "medium");
      const { results, asked } = await behind(
        runtime,
        [{ cutAt: 5_000_000 }],
        [{ name: "get_media_content", named: { id, into } }],
        { key: vendor },
      );
      assert.equal(results, [{ value: into }]);
      const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE id = ?", id);
      assert.is(createHash("sha256").update(readFileSync(into)).digest("hex"), sha256);
      assert.equal(
        asked.map(({ status }) => status),
        [200, 206],
      );
      assert.equal(readdirSync(join(into, "..")), ["medium"]);
    });

  deep("follows the events by its cursor", async () => {
    const [first, rest] = await values(runtime, [
      { name: "events", args: ["start"], take: 1 },
      { name: "events", args: ["start"], take: 3 },
    ]);
    assert.equal(first[0], rest[0]);
    const [after] = await values(runtime, [{ name: "events", args: [first[0].cursor], take: 2 }]);
    assert.equal(after, rest.slice(1));
    const wrong = await runtime.goOn({ url: server.url, key, steps: [{ name: "events", args: ["later"], take: 1 }] });
    assert.is(wrong.results[0]?.error?.status, 422);
  });

  deep("follows on over a server that does not answer for a while", async () => {
    let at = 0;
    proxy.asked.length = 0;
    proxy.decide = () => "pass";
    const told: Told[] = ["pass", ...Array(7).fill(again), "cut before"];
    proxy.decide = ({ path }) => (path.includes("/events?") ? (told[at++] ?? "pass") : "pass");
    const following = runtime.goOn({ url: proxy.url, key, steps: [{ name: "events", take: 1 }] });
    const poll = setInterval(() => {
      if (at < 2) return;
      clearInterval(poll);
      void server.ask(key, `/api/v1/assets/${seed.asset}/notes`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: `followed on ${runtime.name}` }),
      });
    }, 20);
    const { results } = await following;
    clearInterval(poll);
    assert.is(results[0]?.value?.[0]?.type, "note.created", JSON.stringify(results));
    assert.ok(at > 9);
  });

  calls.after(() => runtime.close());
  if (runtime === runtimes.at(-1))
    calls.after(async () => {
      proxy.close();
      await server.stop();
    });
  calls.run();
}

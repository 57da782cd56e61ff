// node test/bench/finding.ts: prints the p99 of search at 20,000 scenes as a ratio to the demo's, and the p99 of a manifest of 2,000 reached
// documents as a ratio to that of a bundle, all warm and of one connection; that of a manifest is of another process. SCENES=n and REACHED=n make it smaller.
import { join } from "node:path";
import { demoFolder, importedAt, mint, one, openTestServer, type TestServer } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { folderWith } from "../support/template.ts";
import { writeLarger } from "./larger.ts";
import { load } from "./load.ts";

const scenes = Number(process.env.SCENES ?? 20_000);
const reached = Number(process.env.REACHED ?? 2_000);
const rounds = Number(process.env.ROUNDS ?? 1_000);

const folderOf = async (size: object): Promise<string> => {
  const file = join(temporaryFolder(), "finding.json");
  await writeLarger(file, { title: "Finding", scenes: 10, assets: 10, versions: 1, engagements: 1, ...size });
  return folderWith([file], importedAt);
};

/** The p99 of the answers to paths in turn, in milliseconds. */
async function p99(server: TestServer, token: string, paths: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let at = -Math.ceil(rounds / 10); at < rounds; at++) {
    const started = performance.now();
    const path = paths[(at + rounds) % paths.length] as string;
    const response = await server.ask(token, `/api/v1${path}`);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    if (at >= 0) times.push(performance.now() - started);
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] as number;
}

/** Queries of one, two and three words, beginnings, numbers and what is not there; each address once, so that none is kept. */
const words = ["scene 7", "ext", "int day", "th", "omitted", "day 2", "12", "a b", "nothing of this name", "thing 1"];
const searches = Array.from({ length: rounds }, (_, at) => {
  return `/search?q=${encodeURIComponent(words[at % words.length] as string)}&limit=${1 + (Math.floor(at / words.length) % 100)}`;
});

async function searchOf(folder: string): Promise<number> {
  const server = await openTestServer({ data: folder });
  const figure = await p99(server, mint(server.store, { scopes: ["read"] }), searches);
  await server.stop();
  return figure;
}

const [small, large] = [await searchOf(await demoFolder()), await searchOf(await folderOf({ scenes }))];
console.log(
  `search at ${scenes} scenes, of the demo: ${(large / small).toFixed(2)} times (p99 ${large.toFixed(2)} ms)`,
);

const server = await openTestServer({ data: await folderOf({ scenes: reached }) });
const { store } = server;
const engagement_id = one(store, "SELECT min(id) FROM engagements");
store.writeSync(() =>
  store.database
    .prepare(
      `INSERT INTO grants (production_id, engagement_id, verb, node_id, created_at)
       SELECT production_id, ?, 'read', id, ? FROM nodes WHERE kind = 'scene' LIMIT ?`,
    )
    .run(engagement_id, importedAt, reached),
);
const token = mint(store, { engagement_id, scopes: ["read"] });
const { documents, etag } = await server.get(token, "/me/manifest");
// From another process: the time in which a client reads 150 KB is not the server's.
const loaded = async (path: string, more: object = {}) =>
  load({
    ...{ url: server.url, paths: [`/api/v1${path}`], headers: { authorization: `Bearer ${token}`, ...more } },
    ...{ seconds: 3, connections: 1 },
  });
const tagged = { "if-none-match": etag };
for (let round = 1; round <= 3; round++) {
  const bundle = await loaded(documents[0].path);
  const figures = [await loaded("/me/manifest"), await loaded("/me/manifest", tagged)].map(
    ({ p99, rate }) => `p99 ${(p99 / bundle.p99).toFixed(2)}, processor ${(bundle.rate / rate).toFixed(2)} times`,
  );
  console.log(`manifest of ${documents.length} documents, of a bundle: ${figures.join("; with its ETag ")}`);
}
await server.stop();

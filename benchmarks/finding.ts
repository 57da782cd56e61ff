// node benchmarks/finding.ts: prints the p99 of search at 20,000 scenes as a ratio to the demo's, and the p99 of a
// manifest of 2,000 reached documents as a ratio to that of a bundle, all warm and of one connection; that of a
// manifest is of another process. SCENES=n and REACHED=n make it smaller.
import { join } from "node:path";
import { load } from "../.ci/bench/load.ts";
import { demoFolder, importedAt, mint, one, openTestServer, type TestServer } from "../test/support/app.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { writeLarger } from "../test/support/larger.ts";
import { folderWith } from "../test/support/template.ts";

const scenes = Number(process.env.SCENES ?? 20_000);
const reached = Number(process.env.REACHED ?? 2_000);
const rounds = Number(process.env.ROUNDS ?? 1_000);

const folderOf = async (size: object): Promise<string> => {
  const file = join(temporaryFolder(), "finding.json");
  await writeLarger(file, { title: "Finding", scenes: 10, assets: 10, versions: 1, engagements: 1, ...size });
  return folderWith([file], importedAt);
};

/**
 * Queries of one, two and three words, beginnings, numbers and what is not there; each address once, so that none is
 * kept.
 */
const words = [
  "scene 7",
  "thinq 1",
  "scenes intt",
  "nothings of thiss name",
  "ext",
  "int day",
  "th",
  "omitted",
  "day 2",
  "12",
  "a b",
  "nothing of this name",
  "thing 1",
];
const searches = Array.from({ length: rounds }, (_, at) => {
  return `/search?q=${encodeURIComponent(words[at % words.length] as string)}&limit=${1 + (Math.floor(at / words.length) % 100)}`;
});

/**
 * The p99 of the time and of the processor time of the answers of each production, in milliseconds. Each query is asked
 * of both in turn.
 */
async function searchTimes(folders: readonly string[]): Promise<{ time: number; processor: number }[]> {
  const servers: { server: TestServer; token: string; times: number[]; processor: number[] }[] = [];
  for (const data of folders) {
    const server = await openTestServer({ data });
    servers.push({ server, token: mint(server.store, { scopes: ["read"] }), times: [], processor: [] });
  }
  for (let at = -Math.ceil(rounds / 10); at < rounds; at++)
    for (const { server, token, times, processor } of servers) {
      const [started, used] = [performance.now(), process.cpuUsage()];
      const path = searches[(at + rounds) % rounds] as string;
      const response = await server.ask(token, `/api/v1${path}`);
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
      if (at < 0) continue;
      times.push(performance.now() - started);
      const { user, system } = process.cpuUsage(used);
      processor.push((user + system) / 1000);
    }
  for (const { server } of servers) await server.stop();
  const p99 = (values: number[]) => values.sort((one, other) => one - other)[Math.floor(rounds * 0.99)] as number;
  return servers.map(({ times, processor }) => ({ time: p99(times), processor: p99(processor) }));
}

type Time = Awaited<ReturnType<typeof searchTimes>>[number];
const [small, large] = (await searchTimes([await demoFolder(), await folderOf({ scenes })])) as [Time, Time];
const ratio = (of: keyof Time): string => (large[of] / small[of]).toFixed(2);
console.log(
  `search at ${scenes} scenes, of the demo: p99 ${ratio("time")}, processor ${ratio("processor")} times (p99 ${large.time.toFixed(2)} ms)`,
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
    url: server.url,
    paths: [`/api/v1${path}`],
    headers: { authorization: `Bearer ${token}`, ...more },
    seconds: 3,
    connections: 1,
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

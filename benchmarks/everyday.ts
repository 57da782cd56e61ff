// What people and their programs do every day, beside former versions in turns in one run: one field that is saved on a
// page, 200 versions, and a mirror. Prints the processor time of the server as ratios to the oldest version.
// `node benchmarks/everyday.ts CHECKOUT…`: the checkouts of former versions, the oldest first, each with its packages.
// SIZES=2000,20000 are the scenes of the productions; ROUNDS=9; RUNTIME=deno takes Deno. Only this version takes
// versions by batch and has a client that mirrors, so those are compared with one request for each version, and with
// the smallest read for each request of the mirror. Needs Linux.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { authorization, log } from "../.ci/bench/cases.ts";
import { median } from "../.ci/bench/median.ts";
import { cleanUp, copyOf, scratch } from "../.ci/bench/seed_data.ts";
import { commandOf, type Subject, startSubject } from "../.ci/bench/subject.ts";
import { writeLarger } from "../test/support/larger.ts";
import { formsIn } from "../test/support/page_forms.ts";
import { visitor } from "../test/support/pages.ts";

const checkouts = [...process.argv.slice(2), fileURLToPath(new URL("..", import.meta.url))];
const present = checkouts.length - 1;
const runtime = process.env.RUNTIME === "deno" ? "deno" : "node";
const rounds = Number(process.env.ROUNDS ?? 9);
const sizes = (process.env.SIZES ?? "2000,20000").split(",").map(Number);
const versions = 200;

const oldest = checkouts[0] as string; // this one at least
function run(...argv: string[]): string {
  const [command, words] = commandOf("node", "launcher", argv, oldest);
  return execFileSync(command, words, { cwd: oldest, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

async function answered(url: string, init: RequestInit): Promise<any> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text.slice(0, 200)}`);
  return JSON.parse(text);
}

/** Prints the median of the ratios to the first column, of figures that were taken in turns. */
function print(row: string, columns: readonly (readonly number[])[]): void {
  const ratios = columns
    .slice(1)
    .map((each) => median(each.map((figure, round) => figure / (columns[0]?.[round] as number))));
  console.log(`  ${row}: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`);
}

/** Measures every piece of work once in each round, in both orders by turns. The first round is not counted. */
async function inTurns(works: readonly ((round: number) => Promise<number>)[]): Promise<number[][]> {
  const figures: number[][] = works.map(() => []);
  for (let round = -1; round < rounds; round++)
    for (const [at, work] of round % 2 === 0 ? works.entries() : [...works.entries()].toReversed()) {
      const figure = await work(round);
      if (round >= 0) figures[at]?.push(figure);
    }
  return figures;
}

/** The seconds of the server's processor that the work takes. */
async function used({ processorTime }: Subject, work: () => Promise<unknown>): Promise<number> {
  const before = processorTime();
  await work();
  return processorTime() - before;
}

async function compare(scenes: number): Promise<void> {
  const file = join(scratch, `larger-${scenes}.json`);
  await writeLarger(file, { scenes, assets: Math.min(scenes, 2_000), versions: 1, engagements: 10 });
  const made = join(scratch, `made-${scenes}`);
  run("import", file, "--data", made);
  const scopes = ["read", "write", "admin"].flatMap((scope) => ["--scope", scope]);
  const minted = run("keys", "mint", "--production", "1", "--label", "Figures", ...scopes, "--data", made, "--json");
  const { token } = JSON.parse(minted) as { token: string };
  const headers = authorization(token);
  const servers: Subject[] = [];
  for (const checkout of checkouts)
    servers.push(
      await startSubject(runtime, "launcher", ["serve", "--data", copyOf(made), "--port", "0"], log, checkout),
    );
  const { url } = servers[present] as Subject; // the last one is this version
  const [, scene] = await answered(`${url}/api/v1/scenes`, { headers });
  const [asset] = await answered(`${url}/api/v1/assets`, { headers });

  const path = `/edit/scenes/${scene.node_id}`;
  const saves = servers.map((server) => {
    const browser = visitor(server);
    let isSignedIn = false;
    return async (round: number) => {
      if (!isSignedIn) await browser.send("/signin", { key: token });
      isSignedIn = true;
      const form = formsIn(await browser.text(path), path).find(({ fields }) =>
        fields.some(({ name }) => name === "synopsis"),
      );
      if (form === undefined) throw new Error(`${server.url}${path} has no field synopsis`);
      const fields = Object.fromEntries(
        form.fields.flatMap(({ name, kind, value, checked }) =>
          kind !== "checkbox" || checked ? [[name, value] as const] : [],
        ),
      );
      return used(server, async () => {
        const { status } = await browser.post(path, { ...fields, synopsis: `Saved for the time ${round + 2}` });
        if (status !== 303) throw new Error(`${server.url}${path}: ${status}`);
      });
    };
  });
  print("one field saved on a page", await inTurns(saves));

  const oneByOne = (server: Subject) => (round: number) =>
    used(server, async () => {
      for (let at = 0; at < versions; at++) {
        const body = new FormData();
        body.append("file", new Blob([`${round} ${at}`]), `single_${round}_${at}.txt`);
        await answered(`${server.url}/api/v1/assets/${asset.node_id}/versions`, { method: "POST", headers, body });
      }
    });
  const server = servers[present] as Subject; // as above
  const byBatch = (round: number) =>
    used(server, () => {
      const body = new FormData();
      const all = Array.from({ length: versions }, (_, file) => ({ node_id: asset.node_id, file }));
      body.append("versions", JSON.stringify(all));
      for (let at = 0; at < versions; at++)
        body.append("files", new Blob([`batch ${round} ${at}`]), `batch_${round}_${at}.txt`);
      return answered(`${server.url}/api/v1/batch/versions`, { method: "POST", headers, body });
    });
  print(`${versions} versions: one by one, and by batch`, await inTurns([...servers.map(oneByOne), byBatch]));

  const client = join(scratch, "tallylight.mjs");
  writeFileSync(client, await (await fetch(`${url}/docs/tallylight.mjs`)).text());
  const { Tallylight } = await import(client);
  const folder = join(scratch, "mirror");
  const mirror = () => new Tallylight(url, token).mirror(folder); // a client that was used keeps answers
  const again = () => used(server, mirror);
  const first = () => {
    rmSync(folder, { recursive: true, force: true });
    return again();
  };
  const { requests } = (await mirror()) as { requests: number };
  const reads = () =>
    used(server, async () => {
      for (let at = 0; at < requests; at++) await answered(`${url}/api/v1/production`, { headers });
    });
  const title = `a mirror of ${requests} requests, and the same again, of as many reads of /production`;
  print(title, await inTurns([reads, first, again]));
  for (const each of servers) await each.stop();
}

for (const size of sizes) {
  console.log(`${size} scenes`);
  await compare(size);
}
cleanUp();

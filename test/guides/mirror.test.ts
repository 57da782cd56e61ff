// The guides that mirror what a key reads, in TypeScript and in Python: few requests for 2,000 scenes, nothing written
// while nothing changes, and after random changes, kills, grants and renames the same as the server and as the export,
// for an admin and for vendors.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { folderOfClients } from "../clients/box/runtimes.ts";
import { mint, openTestServer, type TestServer, temporaryFolder } from "../support/app.ts";
import { hasPython } from "../support/checkout.ts";
import { folderOfLarger } from "../support/larger_production.ts";
import { mirroredLists, randomChange } from "../support/mirror_changes.ts";
import { randomOf } from "../support/random.ts";
import { runtime } from "../support/runtime.ts";
import { seedsOf, some } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

type Row = Record<string, any>;

const larger = await openTestServer({ data: await folderOfLarger() });
const clients = await folderOfClients(larger.url);
const pathOf = (name: string): string => {
  cpSync(fileURLToPath(new URL(name, import.meta.url)), join(clients, name));
  return join(clients, name);
};
const commands = {
  ts: [process.execPath, ...runtime, pathOf("mirror.ts")],
  py: ["python3", "-B", pathOf("mirror.py")],
};
if (!hasPython) console.log("skipped: there is no python3 here to run test/guides/mirror.py with");
const languages = (["ts", "py"] as const).filter((language) => language === "ts" || hasPython);
const running = new Set<ChildProcess>();
const folder = temporaryFolder();

/** A mirror of a key, in its folder. */
function mirrorOf(server: TestServer, token: string, language: keyof typeof commands, name: string) {
  const own = join(folder, name);
  const [program = "", ...words] = commands[language];
  const start = (...flags: string[]) => {
    const env = { ...process.env, TALLYLIGHT_URL: server.url, TALLYLIGHT_KEY: token };
    const child = spawn(program, [...words, own, ...flags], { env, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    let out = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        out += chunk;
      });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.once("close", () => running.delete(child));
    return { child, ended, out: () => out };
  };
  return {
    token,
    start,
    /** Makes it current and returns what it printed. */
    async once(): Promise<Record<"written" | "removed" | "requests", number>> {
      const { ended, out } = start("--once");
      assert.is(await ended, 0, out());
      return Object.fromEntries(
        [...out().matchAll(/(\d+) (\w+)/g)].map(([, count, what]) => [what, Number(count)]),
      ) as Awaited<ReturnType<typeof this.once>>;
    },
    read: (file: string): any => JSON.parse(readFileSync(join(own, `${file}.json`), "utf8")),
  };
}
type Mirror = ReturnType<typeof mirrorOf>;

/** The rows of the mirror of a production, compared with those of the server and with the document that it exports. */
async function assertSameLists(server: TestServer, mirror: Mirror, name: string): Promise<void> {
  const rowsOf = (list: string): Row[] => mirror.read(list);
  for (const [list, query] of Object.entries(mirroredLists))
    assert.equal(rowsOf(list), await server.get(mirror.token, `/${list}${query}`), `${name}: ${list}`);
  const document: Row = await server.get(mirror.token, "/admin/export");
  const texts = (rows: Row[], field: string) => rows.map((row) => row[field]).toSorted();
  for (const [list, section, field] of [
    ["scenes", "scenes", "number"],
    ["scenes", "scenes", "slugline"],
    ["assets", "assets", "label"],
    ["people", "people", "name"],
    ["departments", "departments", "slug"],
    ["schedule", "schedule", "date"],
    ["deliveries", "deliveries", "title"],
    ["approvals", "approvals", "title"],
  ] as const)
    assert.equal(texts(rowsOf(list), field), texts(document[section] ?? [], field), `${name}: ${list} as exported`);
  const versionsOf = (rows: Row[]) =>
    rows.map(({ label, versions = [] }) =>
      [label, ...versions.map((one: Row) => `${one.version} ${one.status}`)].join(),
    );
  assert.equal(
    versionsOf(rowsOf("assets")).toSorted(),
    versionsOf(document.assets).toSorted(),
    `${name}: versions as exported`,
  );
  const notes = rowsOf("assets").flatMap((asset) => asset.notes.map(({ text }: Row) => text));
  assert.equal(notes.toSorted(), texts(document.notes ?? [], "text"), `${name}: notes as exported`);
}

/** The documents of the mirror of a vendor, compared with those that its manifest lists. */
async function assertSameDocuments(server: TestServer, mirror: Mirror, name: string): Promise<void> {
  const manifest: Row = await server.get(mirror.token, "/me/manifest");
  assert.equal(mirror.read("manifest"), manifest, name);
  for (const { path } of manifest.documents)
    assert.equal(mirror.read(path), await server.get(mirror.token, path), `${name}: ${path}`);
}

const large = suite("a mirror of 2,000 scenes");
const admin = mint(larger.store, { scopes });

for (const language of languages)
  large(`takes few requests in ${language}, and a night later writes nothing`, async () => {
    const mirror = mirrorOf(larger, admin, language, `large-${language}`);
    const media = new Set((await larger.get(admin, "/media")).map(({ sha256 }: Row) => sha256)).size;
    const { requests } = await mirror.once();
    assert.ok(requests > 10 && requests - media <= 32, `${requests} requests, ${media} media`);
    await assertSameLists(larger, mirror, language);
    const { written, removed, requests: again } = await mirror.once();
    assert.equal([written, removed], [0, 0]);
    assert.ok(again <= 32, `${again} requests`);
    await assertSameLists(larger, mirror, language);
  });

large("of a vendor asks for the key and one document while nothing changes", async () => {
  const engagement_id = larger.store.database.prepare("SELECT min(engagement_id) FROM grants").pluck().get() as number;
  const mirror = mirrorOf(larger, mint(larger.store, { engagement_id, scopes: ["read"] }), "ts", "large-vendor");
  await mirror.once();
  await assertSameDocuments(larger, mirror, "a vendor");
  const { written, requests } = await mirror.once();
  assert.equal([written, requests], [0, 2]);
});
large.after(() => larger.stop());

const chains = suite("mirrors beside random changes");
const server = await openTestServer();
const { store } = server;
const { feature: production_id } = seedDataOf(store);
const studio = mint(store, { production_id, scopes });
const vendors = store.database
  .prepare("SELECT DISTINCT engagement_id FROM grants WHERE production_id = ? ORDER BY 1 LIMIT 3")
  .pluck()
  .all(production_id) as number[];

for (const seed of seedsOf(1))
  chains(`are those of the server and of the export, seed ${seed}`, async () => {
    const random = randomOf(seed);
    const admins = languages.map((language) => mirrorOf(server, studio, language, `${seed}-admin-${language}`));
    const others = vendors.map((engagement_id, at) => {
      const token = mint(store, { production_id, engagement_id, scopes: ["read", "read:money", "submit:turnover"] });
      return mirrorOf(server, token, languages[at % languages.length] as "ts", `${seed}-vendor-${at}`);
    });
    const change = randomChange(
      server,
      { studio, production_id, vendors, vendorKeys: others.map(({ token }) => token) },
      random,
    );
    let changed = 0;
    for (let round = 0; round < some(2, 1); round++) {
      const followers = [...admins, ...others].filter(() => random() < 0.5).map((mirror) => mirror.start());
      for (let step = 0; step < 12; step++) if (await change()) changed++;
      for (const { child, ended } of followers) {
        child.kill("SIGKILL");
        await ended;
      }
      for (const mirror of [...admins, ...others]) await mirror.once();
      for (const [at, mirror] of admins.entries()) await assertSameLists(server, mirror, `round ${round}, admin ${at}`);
      for (const [at, mirror] of others.entries())
        await assertSameDocuments(server, mirror, `round ${round}, vendor ${at}`);
    }
    assert.ok(changed > 8, `only ${changed} changes were made`);
    const followers = [...admins, ...others].map((mirror) => mirror.start());
    await until(() => followers.every(({ out }) => out().includes("requests")));
    for (let step = 0; step < 6; step++) await change();
    const follows = async (check: () => Promise<void>) => {
      for (let tries = 0; tries < 100; tries++) {
        const failure = await check().then(
          () => undefined,
          (error) => error,
        );
        if (failure === undefined) return;
        await sleep(200);
      }
      await check();
    };
    for (const mirror of admins) await follows(() => assertSameLists(server, mirror, "a follower"));
    for (const mirror of others) await follows(() => assertSameDocuments(server, mirror, "a follower of a vendor"));
    for (const { child, ended } of followers) {
      child.kill("SIGKILL");
      await ended;
    }
  });
chains.after(async () => {
  for (const child of running) child.kill("SIGKILL");
  await server.stop();
});

large.run();
chains.run();

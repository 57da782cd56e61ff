// mirror() of the clients that the server offers, in Python, on Node and on Deno: everything that a key reads, only
// what changed the next time, after cuts, kills and a full disk, and never a file of somebody else. docs/api.md, "A
// mirror".
// Thorough: only --all runs it.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { folderOfLarger } from "../support/larger_production.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { mountSmallDisk } from "../support/small_disk.ts";
import { openToldProxy } from "../support/told_proxy.ts";
import { type Given, type Runtime, runtimesOf } from "./box/runtimes.ts";

const server = await openTestServer();
const { store } = server;
const seed = seedDataOf(store);
const key = mint(store, { production_id: seed.production, scopes: ["read", "read:money", "write", "admin"] });
const reader = mint(store, { production_id: seed.production, scopes: ["read"] });
const vendor = mint(store, {
  production_id: seed.production,
  engagement_id: seed.submitter,
  scopes: ["read", "read:money", "submit:turnover"],
});
const proxy = await openToldProxy(server.port);
const runtimes = (await runtimesOf(server.url)).filter(({ hasFiles }) => hasFiles);

const given = (folder: string, more: Partial<Given> = {}): Given => ({
  url: proxy.url,
  key,
  steps: [{ name: "mirror", args: [folder] }],
  ...more,
});

async function mirror(runtime: Runtime, folder: string, more: Partial<Given> = {}): Promise<any> {
  const { results } = await runtime.run(given(folder, more));
  assert.ok(results[0]?.value, JSON.stringify(results));
  return results[0].value;
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
const textsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(filesOf(folder).map((name) => [name, readFileSync(join(folder, name), "base64")]));
const jsonOf = (folder: string, name: string): any => JSON.parse(readFileSync(join(folder, name), "utf8"));

/** The lists of a production's mirror, with the paths whose answers they are. */
const lists: Readonly<Record<string, string>> = {
  production: "/production",
  departments: "/departments",
  people: "/people",
  episodes: "/episodes",
  scenes: "/scenes?include=assets,department_notes,shoot_days,script",
  assets: "/assets?include=versions,notes,still",
  schedule: "/schedule",
  "cast-days": "/cast/days",
  deliveries: "/deliveries?include=nodes,awaiting",
  approvals: "/approvals",
  "script-changes": "/script-changes?status=all&all_episodes=1&include=concerns",
  vendors: "/vendors?include=access",
  submissions: "/submissions",
  jobs: "/jobs?limit=200",
  orders: "/orders",
  "purchase-orders": "/purchase-orders",
  media: "/media",
};

/** Whether a folder has the lists that a key may read, all media that it names, and nothing else. */
async function assertMirrored(folder: string, by = key, names = Object.keys(lists)): Promise<void> {
  for (const name of names) assert.equal(jsonOf(folder, `${name}.json`), await server.get(by, lists[name] ?? ""), name);
  const media: { sha256: string }[] = await server.get(by, "/media");
  const hashes = [...new Set(media.map(({ sha256 }) => sha256))].sort();
  assert.equal(existsSync(join(folder, "media")) ? readdirSync(join(folder, "media")).sort() : [], hashes);
  for (const sha256 of hashes)
    assert.is(
      createHash("sha256")
        .update(readFileSync(join(folder, "media", sha256)))
        .digest("hex"),
      sha256,
    );
  const known = [...names.map((name) => `${name}.json`), ...hashes.map((hash) => `media/${hash}`)];
  assert.equal(filesOf(folder), [...known, ".tallylight.json"].sort());
}

const note = (text: string) =>
  server.ask(key, `/api/v1/assets/${seed.asset}/notes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });

for (const runtime of runtimes) {
  const mirrors = suite(`a mirror on ${runtime.name}`);
  const deep = runtime.isFurther ? mirrors.skip : mirrors;
  mirrors.before.each(() => {
    proxy.decide = () => "pass";
    proxy.asked.length = 0;
  });

  mirrors("has everything that a production's key reads, and media by their hash", async () => {
    const folder = join(temporaryFolder(), "new");
    const { written, removed } = await mirror(runtime, folder);
    await assertMirrored(folder);
    assert.equal([written, removed], [filesOf(folder).length - 1, 0]);
  });

  mirrors("has everything that a key of the scope read alone reads, and no list that is refused to it", async () => {
    const folder = temporaryFolder();
    await mirror(runtime, folder, { key: reader });
    const answers = await Promise.all(
      Object.entries(lists).map(
        async ([name, path]) => [name, (await server.ask(reader, `/api/v1${path}`)).status] as const,
      ),
    );
    const refused = answers.filter(([, status]) => status !== 200);
    assert.equal(refused, [
      ["orders", 403],
      ["purchase-orders", 403],
    ]);
    await assertMirrored(
      folder,
      reader,
      answers.flatMap(([name, status]) => (status === 200 ? name : [])),
    );
  });

  mirrors("again, asks for 304 and writes what has changed and nothing else", async () => {
    const folder = temporaryFolder();
    await mirror(runtime, folder);
    proxy.asked.length = 0;
    const times = () => Object.fromEntries(filesOf(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]));
    const { ".tallylight.json": _, ...before } = times();
    const second = await mirror(runtime, folder);
    assert.equal([second.written, second.removed], [0, 0]);
    assert.equal([...new Set(proxy.asked.slice(1).map(({ status }) => status))], [304], "all but the one for the key");
    await note(`mirrored on ${runtime.name}`);
    await mirror(runtime, folder);
    const { ".tallylight.json": __, ...after } = times();
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    assert.equal(changed, ["assets.json"]);
    await assertMirrored(folder);
  });

  deep("leaves out a list that is too long, says so, and has everything else", async () => {
    const folder = temporaryFolder();
    proxy.decide = ({ path }) => (path.includes("/cast/days") ? { status: 422 } : "pass");
    const { results, warnings } = await runtime.run(given(folder));
    assert.ok(results[0]?.value, JSON.stringify(results));
    assert.equal(warnings, ["cast-days.json is left out: as it was told"]);
    await assertMirrored(
      folder,
      key,
      Object.keys(lists).filter((name) => name !== "cast-days"),
    );
  });

  deep("removes what is gone, and no file of somebody else", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "mine.txt"), "mine");
    mkdirSync(join(folder, "media"));
    writeFileSync(join(folder, "media", "mine.txt"), "mine");
    const label = `narrower on ${runtime.name}`;
    const narrower = mint(store, { production_id: seed.production, scopes: ["read", "read:money"], label });
    await mirror(runtime, folder, { key: narrower });
    assert.ok(existsSync(join(folder, "orders.json")));
    store.writeSync(() =>
      store.database.prepare("UPDATE api_keys SET scopes = ? WHERE label = ?").run(JSON.stringify(["read"]), label),
    );
    const { removed } = await mirror(runtime, folder, { key: narrower });
    assert.is(removed, 2);
    assert.is(existsSync(join(folder, "orders.json")), false);
    assert.is(readFileSync(join(folder, "mine.txt"), "utf8"), "mine");
    assert.is(readFileSync(join(folder, "media", "mine.txt"), "utf8"), "mine");
  });

  deep("is of one production or engagement: a key of another is refused, and changes nothing", async () => {
    const folder = temporaryFolder();
    await mirror(runtime, folder);
    const before = textsOf(folder);
    const { results } = await runtime.run(given(folder, { key: vendor }));
    assert.match(
      JSON.stringify(results),
      /is a mirror of .*, and this key reads .*: nothing in it was changed; choose another folder/,
    );
    assert.equal(textsOf(folder), before);
    const scopes = ["read", "read:money", "write", "admin"] as const;
    const other = mint(store, { production_id: seed.production, scopes: [...scopes], label: `on ${runtime.name}` });
    const { written, removed } = await mirror(runtime, folder, { key: other });
    assert.equal([written, removed], [0, 0], "another key of the production goes on");
  });

  deep("with names links each file of a submission and a version, and takes the links away again", async () => {
    const labels = ["SH010/left/0001.exr", "SH010/left/0002.exr", "SH010/right/0001.exr", "sh010/LEFT/0001.EXR"];
    labels.push(
      "CON",
      "end.",
      "what?.txt",
      "gr\u00fc\u00df dich.txt",
      "a",
      "a/b",
      `${"\u{1f600}".repeat(60)} ${"x".repeat(30)}`,
    );
    const body = new FormData();
    for (const label of labels) body.append("files", new Blob([`bytes of ${label}`]), label);
    const path = `/api/v1/turnovers/${seed.delivery}/submissions`;
    const sent: any = await (await server.ask(vendor, path, { method: "POST", body })).json();
    const [first = { label: "" }] = sent.media;
    assert.is(first.label, labels[0]);
    let folder = temporaryFolder();
    const named = async (more: Partial<Given> = {}) => {
      const steps = [{ name: "mirror", args: [folder], named: { names: true } }];
      return mirror(runtime, folder, { steps, ...more });
    };
    const linked = (id: number) =>
      filesOf(folder).flatMap((name) => (name.startsWith(`files/${id}/`) ? [name.slice(`files/${id}/`.length)] : []));
    const expected = [
      ...["SH010/left/0001.exr", "SH010/left/0002.exr", "SH010/right/0001.exr", "sh010/LEFT/0001 (2).EXR"],
      ...["_CON", "end_", "what_.txt", "gr\u00fc\u00df dich.txt", "a", "a_b", "\u{1f600}".repeat(50)],
    ].sort();
    for (const token of [vendor, key]) {
      folder = temporaryFolder();
      await named({ key: token });
      assert.equal(linked(sent.id), expected);
      assert.is(readFileSync(join(folder, `files/${sent.id}/SH010/left/0002.exr`), "utf8"), `bytes of ${labels[1]}`);
      const again = await named({ key: token });
      assert.equal([again.written, again.removed], [0, 0]);
    }
    const media: any[] = await server.get(key, "/media");
    const { version_id, label, sha256 } = media.find((one) => one.version_id !== null);
    const bytes = readFileSync(join(folder, `files/${version_id}/${label}`));
    assert.is(createHash("sha256").update(bytes).digest("hex"), sha256);
    writeFileSync(join(folder, "files", "mine.txt"), "mine");
    await mirror(runtime, folder);
    assert.equal(readdirSync(join(folder, "files")), ["mine.txt"]);
    rmSync(join(folder, "files"), { recursive: true });
    await assertMirrored(folder);
  });

  deep("refuses to write over a file that it did not write, and out of its folder", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "scenes.json"), "mine");
    const { results } = await runtime.run(given(folder));
    assert.match(JSON.stringify(results), /scenes\.json is not a file of this mirror/);
    assert.is(readFileSync(join(folder, "scenes.json"), "utf8"), "mine");
    const [linked, outside] = [temporaryFolder(), temporaryFolder()];
    symlinkSync(outside, join(linked, "media"));
    assert.match(JSON.stringify((await runtime.run(given(linked))).results), /because a folder there is a link/);
    assert.equal(readdirSync(outside), []);
  });

  deep("refuses the data directory of a server, and a folder in it, and writes nothing", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "tallylight.db"), "a database");
    mkdirSync(join(folder, "media"));
    for (const place of ["", "media", "new/mirror"]) {
      const { results } = await runtime.run(given(join(folder, place)));
      assert.match(JSON.stringify(results), /is in the data directory of a Tallylight server, .+: nothing was written/);
    }
    assert.equal(readdirSync(folder, { recursive: true }).sort(), ["media", "tallylight.db"]);
  });

  deep("has the documents of a vendor's manifest, and the media that it lists", async () => {
    const folder = temporaryFolder();
    await mirror(runtime, folder, { key: vendor });
    const manifest = await server.get(vendor, "/me/manifest");
    assert.equal(jsonOf(folder, "manifest.json"), manifest);
    for (const { path } of manifest.documents)
      assert.equal(jsonOf(folder, `${path.slice(1)}.json`), await server.get(vendor, path), path);
    for (const { sha256 } of manifest.media) assert.ok(existsSync(join(folder, "media", sha256)));
    const again = await mirror(runtime, folder, { key: vendor });
    assert.equal([again.written, again.removed, again.requests], [0, 0, 2]);
  });

  deep("writes again what somebody removed or cut off", async () => {
    const folder = temporaryFolder();
    await mirror(runtime, folder);
    const [medium = ""] = readdirSync(join(folder, "media"));
    unlinkSync(join(folder, "people.json"));
    writeFileSync(join(folder, "scenes.json"), "[");
    writeFileSync(join(folder, "media", medium), "");
    assert.is((await mirror(runtime, folder)).written, 3);
    await assertMirrored(folder);
  });

  deep("goes on over a proxy that cuts lines", async () => {
    const folder = temporaryFolder();
    let asked = 0;
    proxy.decide = () => (++asked % 3 === 0 ? { cutAt: 200 } : asked % 5 === 0 ? "cut before" : "pass");
    await mirror(runtime, folder);
    proxy.decide = () => "pass";
    await assertMirrored(folder);
  });

  deep("that was killed in the middle goes on, with nothing half-written", async () => {
    const folder = temporaryFolder();
    for (const at of [2, 9, 20, 22]) {
      let asked = 0;
      const { child, done } = runtime.start(given(folder));
      const ended = done.catch(() => undefined);
      proxy.decide = () => {
        if (++asked === at) child.kill("SIGKILL");
        return "pass";
      };
      await ended;
      for (const name of filesOf(folder).filter((one) => /^\w.*\.json$/.test(one))) jsonOf(folder, name);
    }
    const had = new Set(proxy.asked.filter(({ path }) => path.endsWith("/content")).map(({ path }) => path)).size;
    proxy.decide = () => "pass";
    proxy.asked.length = 0;
    await mirror(runtime, folder);
    await assertMirrored(folder);
    const fetched = proxy.asked.filter(({ path }) => path.endsWith("/content")).length;
    const all = new Set((await server.get(key, "/media")).map(({ sha256 }: any) => sha256)).size;
    assert.ok(had === 0 || fetched < all, `${fetched} of ${all} media were fetched again`);
  });

  deep("says that the disk is full, leaves what was there whole, and goes on once there is room", async () => {
    const disk = mountSmallDisk(4);
    if (disk === undefined) return console.log("skipped: this user may not mount a disk");
    try {
      const folder = join(disk.folder, "mirror");
      await mirror(runtime, folder);
      const before = textsOf(folder);
      await note(`on a full disk ${runtime.name} ${"x".repeat(3_000)}`);
      disk.fill(0);
      const { results } = await runtime.run(given(folder));
      assert.match(String(results[0]?.thrown), /No space left|ENOSPC/i);
      const { ".tallylight-journal": _, ...after } = textsOf(folder);
      delete (after as Record<string, string>).filler;
      assert.equal(after, before);
      disk.empty();
      await mirror(runtime, folder);
      await assertMirrored(folder);
    } finally {
      disk.close();
    }
  });

  mirrors.run();
}

const shared = suite("a mirror of one client");
shared("is continued by the other client", async () => {
  if (runtimes.length < 2) return;
  const folder = temporaryFolder();
  for (const [at, runtime] of runtimes.entries()) {
    const { written } = await mirror(runtime, folder);
    assert.is(written > 0, at === 0, runtime.name);
  }
});
shared.after(async () => {
  proxy.close();
  await server.stop();
});
shared.run();

const large = suite("a mirror of 2,000 scenes");
const larger = await openTestServer({ data: await folderOfLarger() });
const studio = mint(larger.store, { scopes: ["read", "write"] });
for (const runtime of runtimes.filter(({ isFurther }) => !isFurther))
  large(`takes at most 30 requests beside media on ${runtime.name}, and a night later only 304`, async () => {
    const line = await openToldProxy(larger.port);
    const folder = temporaryFolder();
    try {
      await mirror(runtime, folder, { url: line.url, key: studio });
      const asked = line.asked.filter(({ path }) => !path.endsWith("/content"));
      assert.ok(asked.length <= 30, `${asked.length} requests`);
      assert.is(
        jsonOf(folder, "scenes.json").length,
        one(larger.store, "SELECT count(*) FROM nodes WHERE kind = 'scene'"),
      );
      const first = [asked.length, line.asked.length, line.bytes];
      line.asked.length = 0;
      line.bytes = 0;
      await mirror(runtime, folder, { url: line.url, key: studio });
      assert.equal([...new Set(line.asked.slice(1).map(({ status }) => status))], [304]);
      if (process.env.SHOW_FIGURES) console.log(runtime.name, first, [line.asked.length, line.bytes]);
    } finally {
      line.close();
      rmSync(folder, { recursive: true });
    }
  });
large.after(() => larger.stop());
large.run();

// Productions: a frozen one refuses every change through every transport, an archive opens elsewhere, and a deleted one
// is gone.
// Thorough: only --all runs it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { writeReplicaRecord } from "../../src/features/replica/record.ts";
import { assertRefused, demoFolder, fixtureFiles, mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { answerOf, launch, tallylight } from "../support/command.ts";
import { folderOfLarger } from "../support/larger_production.ts";
import { openAsAdmin } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { mountSmallDisk } from "../support/small_disk.ts";
import { writeDocument } from "../support/small_document.ts";
import { until } from "../support/until.ts";

const frozen = "the production is frozen: it can be read and not changed";
const run = suite("productions freeze");

run("refuses every change through every transport, and reads go on", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const { production: production_id, submitter: engagement_id, delivery } = seedDataOf(store);
  const admin = mint(store, { production_id, scopes: ["read", "write", "admin"] });
  const vendor = mint(store, { production_id, engagement_id, scopes: ["read", "submit:turnover"] });
  await answerOf("storage", "install", "--filespace", "main", "--production", String(production_id), "--data", folder);
  const before = await server.get(admin, "/scenes");
  const [asset] = await server.get(admin, "/assets");
  const json = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const noteOf = (token: string, headers: object = {}) => {
    const init = json({ text: "a note" });
    return server.ask(token, `/api/v1/assets/${asset.node_id}/notes`, {
      ...init,
      headers: { ...init.headers, ...headers },
    });
  };
  const first = await noteOf(admin, { "idempotency-key": "before" });
  const stored = await first.text();
  assert.is(first.status, 200, stored);
  const freeze = () => tallylight("productions", "freeze", String(production_id), "--data", folder);
  assert.match((await freeze()).out, /is frozen: it can be read and not changed\n$/);
  assert.match((await freeze()).out, /was frozen already at 20/);

  assert.equal(await server.get(admin, "/scenes"), before);
  assert.is(await (await noteOf(admin, { "idempotency-key": "before" })).text(), stored, "a stored answer is repeated");
  const storage = { filespace: "main", events: [] };
  const form = new FormData();
  form.append("title", "late work");
  form.append("files", new Blob(["late"]), "late.txt");
  const writes: [string, Promise<Response>][] = [
    ["a note", noteOf(admin)],
    ["an asset", server.ask(admin, "/api/v1/assets", json({ label: "X", kind: "prop" }))],
    ["storage events", server.ask(admin, "/api/v1/storage/events", json(storage))],
    ["a submission", server.ask(vendor, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body: form })],
    ["an engagement", server.ask(admin, "/api/v1/admin/engagements", json({ vendor: "V", title: "T" }))],
    [
      "an upload",
      fetch(`${server.url}/api/v1/uploads`, {
        method: "POST",
        headers: { authorization: `Bearer ${vendor}`, "tus-resumable": "1.0.0", "upload-length": "5" },
      }),
    ],
    ["an import", server.ask(admin, "/api/v1/admin/import", json({ people: [{ name: "N", role: "R" }] }))],
  ];
  for (const [what, answer] of writes) {
    const response = await answer;
    assert.is(response.headers.get("retry-after"), "60", `${what}: ${response.status}`);
    await assertRefused(response, 409, frozen);
  }
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "create_note", arguments: { node_id: asset.node_id, text: "x" } },
  };
  const tool = await (await server.ask(admin, "/mcp?tools=all", json(call))).json();
  assert.match(JSON.stringify(tool), /the production is frozen/);

  const browser = await openAsAdmin(server, production_id);
  assert.match(await browser.text("/"), /This production is frozen/);
  const body = new FormData();
  body.append("proof", /name="proof" value="([^"]+)"/.exec(await browser.text("/settings/import"))?.[1] ?? "");
  body.append("action", "preview");
  body.append("files", new Blob(['{"people": [{"name": "Page", "role": "Runner"}]}']), "page.json");
  const headers = { cookie: browser.cookies(), accept: "text/html", origin: server.url };
  const sent = await fetch(`${server.url}/settings/import`, { method: "POST", body, headers });
  assert.match(await sent.text(), /the production is frozen/i);

  // On the machine, and by whoever writes into the database.
  const document = writeDocument({ people: [{ name: "Late", role: "Runner" }] });
  const refused: string[][] = [
    ["import", document, "--production", String(production_id)],
    ["engagements", "end", String(engagement_id)],
  ];
  for (const words of refused) {
    const { status, err } = await tallylight(...words, "--data", folder);
    assert.is(status, 1, words.join(" "));
    assert.match(err, /the production is frozen/, `${words.join(" ")}: ${err}`);
  }
  for (const table of ["nodes", "people", "notes", "media", "grants"])
    assert.throws(
      () =>
        store.writeSync(() =>
          store.database.prepare(`DELETE FROM ${table} WHERE production_id = ?`).run(production_id),
        ),
      /the production is frozen/,
    );

  const minted = await server.ask(admin, "/api/v1/admin/keys", json({ label: "reader", scopes: ["read"] }));
  const { id, token } = (await minted.json()) as { id: number; token: string };
  assert.is(minted.status, 200, "who may read can be changed");
  assert.equal(await server.get(token, "/scenes"), before);
  assert.is((await server.ask(admin, `/api/v1/admin/keys/${id}/revoke`, { method: "POST" })).status, 200);

  await answerOf("productions", "thaw", String(production_id), "--data", folder);
  assert.is((await noteOf(admin)).status, 200);
  const actions = (await server.get(admin, "/admin/audit")).map(({ action }: { action: string }) => action);
  assert.ok(actions.includes("production.frozen") && actions.includes("production.thawed"));
  await server.stop();
});

run.run();

const deleting = suite("productions delete and archive");
const rowsIn = (folder: string): Record<string, number> => {
  const store = openStore(join(folder, "tallylight.db"));
  const tables = store.database
    .prepare(
      "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'production_id' WHERE m.type = 'table' ORDER BY 1",
    )
    .pluck()
    .all() as string[];
  const counts = tables.flatMap((table): [string, number][] => {
    const ids = store.database.prepare(`SELECT count(*) FROM ${table} WHERE production_id = 1`).pluck().get() as number;
    return ids > 0 ? [[table, ids]] : [];
  });
  store.close();
  return Object.fromEntries(counts);
};
const titleOf = (folder: string): string => {
  const store = openStore(join(folder, "tallylight.db"));
  const title = store.database.prepare("SELECT title FROM productions WHERE id = 1").pluck().get() as string;
  store.close();
  return title;
};
const isClean = async (folder: string): Promise<void> => {
  const findings = await inspectData(folder, { deep: true, now: Date.now() });
  assert.equal(
    findings.filter(({ ok }) => !ok),
    [],
  );
};

deleting(
  "refuses without a backup of the last state, then removes every row and the media that nothing else needs",
  async () => {
    const folder = await demoFolder();
    const title = titleOf(folder);
    const words = ["productions", "delete", "1", "--data", folder, "--confirm"];
    assert.match(
      (await tallylight(...words, "another")).err,
      new RegExp(`--confirm must be the title of production 1, which is ${title}`),
    );
    assert.match(
      (await tallylight(...words, title)).err,
      /the last backup is missing; make one with `tallylight backup`/,
    );
    const store = openStore(join(folder, "tallylight.db"));
    const shared = store.writeSync(() => {
      const [sha256, only] = store.database
        .prepare("SELECT DISTINCT sha256 FROM media WHERE production_id = 1")
        .pluck()
        .all();
      const share = store.database.prepare(
        "INSERT INTO media (production_id, path, kind, label, sha256) VALUES (2, 'shared', 'still', 'Shared', ?)",
      );
      share.run(sha256);
      return { sha256: String(sha256), only: String(only) };
    });
    store.close();
    const stored = (sha256: string) => existsSync(join(folder, "media", sha256.slice(0, 2), sha256));
    const lastKey = await answerOf("keys", "mint", "--production", "1", "--label", "last", "--data", folder);
    const file = join(temporaryFolder(), "b.tar");
    await answerOf("backup", file, "--data", folder);
    const [weighed, other] = await answerOf("productions", "list", "--data", folder);
    assert.ok(weighed.media_bytes > 0 && weighed.database_bytes > 0 && weighed.last_use >= weighed.created_at);
    await answerOf(...words, title);
    assert.equal(
      Object.keys(rowsIn(folder)).filter((table) => table !== "audit"),
      [],
    );
    await isClean(folder);
    assert.equal([stored(shared.sha256), stored(shared.only)], [true, false], "media that others use stay");
    const left = await answerOf("productions", "list", "--data", folder);
    assert.equal(
      left.map(({ id, media_bytes }: typeof other) => [id, media_bytes]),
      [[other.id, other.media_bytes]],
    );
    assert.match((await tallylight(...words, title)).err, /there is no production 1/);
    const again = await answerOf("import", fixtureFiles[0] as string, "--data", folder);
    assert.ok(again.production_id > 2, "no id is given twice");
    const next = await answerOf("keys", "mint", "--production", String(other.id), "--label", "next", "--data", folder);
    assert.ok(next.id > lastKey.id, "tickets name keys by their ids");
    const back = join(temporaryFolder(), "back");
    await answerOf("restore", file, "--data", back);
    assert.is(titleOf(back), title);
    await isClean(back);
  },
);

deleting(
  "an archive has one production whole, nothing of another one, and no key; it opens on another machine",
  async () => {
    const folder = await demoFolder();
    const store = openStore(join(folder, "tallylight.db"));
    mint(store, { production_id: 1 });
    const secret = "Zanzibarquartz";
    store.writeSync(() => {
      store.database.prepare("UPDATE nodes SET label = label || ' ' || ? WHERE production_id = 2").run(secret);
      store.database.exec("INSERT INTO frozen_productions VALUES (2, '2026-11-20T08:00:00.000Z')");
    });
    store.close();
    const file = join(temporaryFolder(), "show.tar");
    const before = rowsIn(folder);
    await answerOf("productions", "archive", "1", file, "--data", folder);
    assert.not.ok(
      readFileSync(file).includes(secret.toLowerCase()) || readFileSync(file).includes(secret),
      "nothing of the other one is in the file",
    );
    const elsewhere = join(temporaryFolder(), "elsewhere");
    await answerOf("restore", file, "--data", elsewhere);
    await isClean(elsewhere);
    const { api_keys, audit, ...rows } = before;
    const { audit: _, ...found } = rowsIn(elsewhere);
    assert.equal(found, rows);
    assert.ok((api_keys ?? 0) > 0 && (audit ?? 0) >= 0);
    const exported = async (data: string) => (await tallylight("export", "--production", "1", "--data", data)).out;
    assert.is(await exported(elsewhere), await exported(folder));
    const one = await answerOf("productions", "list", "--data", elsewhere);
    assert.is(one.length, 1);
    assert.ok(existsSync(join(elsewhere, "media")) && readdirSync(join(elsewhere, "media")).length > 1);
  },
);

deleting("the sessions and copies of a deleted production end, the others and Health go on", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const { production: gone, otherProduction: kept } = seedDataOf(store);
  const title = store.database.prepare("SELECT title FROM productions WHERE id = ?").pluck().get(gone) as string;
  const token = mint(store, { production_id: gone, scopes: ["read", "admin"] });
  const [before, other] = [await openAsAdmin(server, gone), await openAsAdmin(server, kept)];
  await answerOf("productions", "freeze", String(gone), "--data", folder);
  for (const browser of [before, other]) assert.match(await browser.text("/settings/health"), /<h1>Health/);
  const tag = async (browser: typeof before) => (await browser.get("/scenes")).headers.get("tallylight-session");
  assert.match((await tag(before)) ?? "", /^(?!none$)./);
  await answerOf("productions", "delete", String(gone), "--confirm", title, "--no-backup", "--data", folder);
  const answer = await before.get("/scenes");
  assert.equal([answer.status, new URL(answer.headers.get("location") ?? "", server.url).pathname], [303, "/signin"]);
  const there = (await before.get("/signin")).headers.get("tallylight-session");
  assert.is(there, "none", "no page is of the former session any more");
  assert.is((await server.ask(token, "/api/v1/scenes")).status, 401);
  assert.match(await other.text("/settings/health"), /<h1>Health/);
  assert.is((await fetch(`${server.url}/healthz`)).status, 200);
  await server.stop();
});

deleting("a backup that a wrong clock dated later does not count as newer than the last change", async () => {
  const folder = await demoFolder();
  const words = ["productions", "delete", "1", "--confirm", titleOf(folder), "--data", folder];
  await answerOf("backup", join(temporaryFolder(), "b.tar"), "--data", folder);
  const store = openStore(join(folder, "tallylight.db"));
  store.writeSync(() =>
    store.database.exec("UPDATE audit SET created_at = '2099-01-01T00:00:00.000Z' WHERE action = 'data.backed_up'"),
  );
  assert.match((await tallylight(...words)).err, /the last backup is of 2099-01-01/);
  await answerOf("backup", join(temporaryFolder(), "c.tar"), "--data", folder);
  await answerOf(...words);
  store.close();
});

deleting(
  "an archive of 2,000 scenes is made twice, opens beside a production of the same title, and leaves nothing when it fails",
  async () => {
    const folder = await folderOfLarger();
    const place = temporaryFolder();
    const archive = (file: string, data = folder) =>
      tallylight("productions", "archive", "Larger", file, "--data", data);
    const [first, second] = [join(place, "first.tar"), join(place, "second.tar")];
    for (const file of [first, second]) {
      const { status, err } = await archive(file);
      assert.is(status, 0, err);
    }
    assert.match((await archive(first)).err, /first\.tar already exists; name another file/);

    // Another machine has a production of the same title: its directory is not touched, and the archive opens beside
    // it.
    const there = await folderOfLarger();
    const refused = await tallylight("restore", first, "--data", there);
    assert.match(refused.err, /is not empty .*; restore into an empty directory; nothing was changed/);
    const beside = join(temporaryFolder(), "beside");
    await answerOf("restore", second, "--data", beside);
    const scenes = async (data: string) =>
      (await answerOf("list", "scenes", "--production", "1", "--data", data)).length;
    assert.equal([await scenes(beside), await scenes(there)], [2_000, 2_000]);
    await isClean(beside);

    // A killed one leaves a draft, which the next one beside it removes.
    const killed = launch(["productions", "archive", "1", join(place, "killed.tar"), "--data", folder]);
    await until(() => readdirSync(place).some((name) => name.startsWith("killed.tar.part-")));
    killed.child.kill("SIGKILL");
    await killed.ended;
    assert.not.ok(existsSync(join(place, "killed.tar")));
    assert.is((await archive(join(place, "killed.tar"))).status, 0);
    assert.equal(readdirSync(place).sort(), ["first.tar", "killed.tar", "second.tar"]);

    const disk = mountSmallDisk(4);
    if (disk === undefined) return console.log("skipped: only root can mount a small disk");
    const { err, status } = await archive(join(disk.folder, "a.tar"));
    assert.is(status, 1);
    assert.match(err, /bytes free and the backup needs|the disk of the backup file is full; nothing was written/);
    assert.equal(readdirSync(disk.folder), []);
    disk.close();
  },
);

deleting("an archive can be made of a replica, which gets no entry of it", async () => {
  const folder = await demoFolder();
  writeReplicaRecord(folder, { synced_at: new Date().toISOString(), source: "/elsewhere" });
  const { status, err } = await tallylight(
    "productions",
    "archive",
    "1",
    join(temporaryFolder(), "r.tar"),
    "--data",
    folder,
  );
  assert.is(status, 0, err);
  assert.match(err, /the audit log has no entry of this/);
});

deleting.run();

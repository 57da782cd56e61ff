// The setting `peer`: a primary gives way to a copy of its database that was promoted, and to nobody else.
import { createHmac } from "node:crypto";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Scope } from "../../src/core/access/callers.ts";
import { startServer } from "../../src/core/server.ts";
import { openStore, replicaName } from "../../src/core/store/database.ts";
import { startEpoch } from "../../src/core/store/database_mark.ts";
import { readReplicaRecord, writeReplicaRecord } from "../../src/core/store/replica.ts";
import { promote } from "../../src/features/replica/promotion.ts";
import { demoFolder, mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { addressOf, answerOf, launch, tallylight } from "../support/command.ts";
import { freePort } from "../support/free_port.ts";
import { programs } from "../support/replication.ts";
import { until } from "../support/until.ts";

const test = suite("two boxes with the setting peer");

/** A copy of a stopped directory, as `follow` leaves it. */
function replicaOf(folder: string): string {
  const data = join(temporaryFolder(), "other");
  cpSync(folder, data, { recursive: true });
  rmSync(join(data, "config.json"), { force: true });
  writeReplicaRecord(data, { synced_at: new Date().toISOString(), source: folder });
  return data;
}

/** The secrets of the epochs of a directory's database, oldest first. */
function secretsIn(folder: string): (string | null)[] {
  const store = openStore(join(folder, "tallylight.db"));
  const secrets = store.database.prepare("SELECT secret FROM epochs ORDER BY id").pluck().all() as (string | null)[];
  store.close();
  return secrets;
}

/** What a server answers to the peer that has the epoch `epoch` and its secret. */
async function answerTo(url: string, epoch: string, secret: string) {
  const proof = createHmac("sha256", secret).update(`who continues ${epoch}`).digest("hex");
  return (await fetch(`${url}/peer?epoch=${epoch}&proof=${proof}`)).json() as Promise<any>;
}

const promoted = (data: string, peer?: string) => promote({ data, programs, damaged: false, peer });

/** Starts a server whose peer is at an address; the sentences that it says are in `said`. */
async function serve(data: string, peer: string | undefined, more: object = {}) {
  const said: string[] = [];
  let gaveWay = false;
  const server = await startServer({
    data,
    host: "127.0.0.1",
    port: 0,
    log: () => {},
    notice: (sentence: string) => void said.push(sentence),
    environment: peer === undefined ? {} : { TALLYLIGHT_PEER: peer },
    superseded: () => {
      gaveWay = true;
    },
    ...more,
  });
  return { ...server, said, gaveWay: () => gaveWay };
}

const refusalOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: Error) => error.message,
  );

/** The address of a peer that does not answer: a server tells only with a peer that it continues another one. */
const elsewhere = "http://127.0.0.1:9";

const healthOf = async (url: string) => (await fetch(`${url}/healthz`)).json() as Promise<Record<string, unknown>>;

test("a former primary that starts asks its peer, says that it took over, and is served as a replica only", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  await promoted(data);
  const present = await serve(data, elsewhere);
  const token = mintIn(former);
  const running = launch(["serve", "--data", former, "--port", "0"], undefined, undefined, {
    TALLYLIGHT_PEER: present.url,
  });
  const url = await addressOf(running);
  const said = /is a former primary's \(epoch [0-9a-f]{8} took over;.*served as a replica only/;
  await until(() => said.test(running.err()));
  const { ok, replica, epoch } = await healthOf(url);
  assert.is(ok, true);
  assert.is(typeof (replica as { age: number }).age, "number");
  assert.is.not(epoch, (await healthOf(present.url)).epoch);
  const written = await fetch(`${url}/api/v1/assets`, {
    method: "POST",
    body: '{"kind":"prop","label":"Late"}',
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  assert.is(written.status, 503);
  assert.match(((await written.json()) as { detail: string }).detail, new RegExp(present.url));
  running.signal("SIGTERM");
  assert.is(await running.ended, 0, running.err());
  await present.close();

  // The other box is gone: the former primary stays a replica, and no command writes to it.
  const again = launch(["serve", "--data", former, "--port", "0"], undefined, undefined, {
    TALLYLIGHT_PEER: present.url,
  });
  assert.ok((await healthOf(await addressOf(again))).replica);
  again.signal("SIGTERM");
  await again.ended;
  assert.match(
    (await tallylight("keys", "mint", "--production", "1", "--label", "x", "--data", former)).err,
    /is a replica/,
  );
});

/** A key for writing, made before the directory is a replica's. */
function mintIn(folder: string, scopes: readonly Scope[] = ["read", "write"]): string {
  const store = openStore(join(folder, "tallylight.db"));
  const token = mint(store, { scopes });
  store.close();
  return token;
}

test("promote tells the former primary, which stops writing at once and goes on as a replica", async () => {
  const former = await demoFolder();
  const token = mintIn(former);
  const data = replicaOf(former);
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const running = launch(["serve", "--data", former, "--port", "0"], undefined, undefined, {
    TALLYLIGHT_PEER: nowhere,
  });
  const url = await addressOf(running);
  await until(() => running.err().includes("does not answer"));
  assert.equal((await promoted(data, url)).peer, { url, told: true });
  await until(() => running.err().includes("served as a replica only"));
  await until(async () => (await healthOf(url).catch(() => undefined))?.replica !== undefined);
  const { status } = await fetch(`${url}/api/v1/assets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  assert.is(status, 503);
  running.signal("SIGTERM");
  assert.is(await running.ended, 0, running.err());
});

test("a primary that the message does not reach learns it from the next question", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  const port = await freePort();
  const server = await serve(former, `http://127.0.0.1:${port}`, { peerInterval: 50 });
  assert.match(server.said[0] ?? "", /does not answer .*, so nobody knows whether it took over/);
  assert.is(server.said.length, 1);
  await promoted(data);
  const present = await serve(data, elsewhere, { port });
  await until(server.gaveWay);
  assert.is(readReplicaRecord(former)?.superseded_by, (await healthOf(present.url)).epoch);
  await server.close();
  await present.close();
});

test("nobody without the database makes a primary give way: a forged answer, a forged or repeated message, a foreign database", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  await promoted(data);
  const present = await serve(data, elsewhere);
  const own = String((await healthOfFolder(former)).epoch);
  const real = await answerTo(present.url, own, secretsIn(former).at(-1) as string);
  assert.is(real.succession.former, own);
  await present.close();
  const forged = { ...real.succession, proof: "0".repeat(64) };
  const lies = [
    JSON.stringify({ ...real, succession: forged }),
    JSON.stringify({ ...real, succession: { ...real.succession, epoch: "ffffffff" } }),
    JSON.stringify({ ...real, succession: { ...real.succession, former: real.epoch } }),
    "not JSON",
    "x".repeat(100_000),
    "{}",
  ];
  for (const lie of lies) {
    const impostor = await answering(lie);
    const server = await serve(former, impostor.url);
    assert.is(server.said.length, 1, lie.slice(0, 80));
    assert.not.ok(existsSync(join(former, replicaName)));
    const post = async (body: unknown) =>
      (await fetch(`${server.url}/peer`, { method: "POST", body: JSON.stringify(body) })).status;
    assert.equal([await post(forged), await post({}), await post({ ...forged, proof: 7 })], [409, 409, 409]);
    assert.is((await healthOf(server.url)).replica, undefined);
    await server.close();
    impostor.server.close();
  }
  // A message that is true ends an epoch once. It says nothing about a later one.
  await promotedAgain(former, data);
  const later = await serve(data, "http://127.0.0.1:9");
  const { status } = await fetch(`${later.url}/peer`, { method: "POST", body: JSON.stringify(real.succession) });
  assert.is(status, 409);
  await later.close();
  // Another database proves nothing.
  const foreign = await serve(emptyFolder(), elsewhere);
  const server = await serve(await demoFolder(), foreign.url);
  assert.match(server.said[0] ?? "", /does not prove that it continues this database/);
  await server.close();
  await foreign.close();
});

/** The directory of another show: every copy of the demo has the epochs of the demo. */
function emptyFolder(): string {
  const folder = temporaryFolder();
  openStore(join(folder, "tallylight.db")).close();
  return folder;
}

async function healthOfFolder(folder: string) {
  const server = await serve(folder, undefined);
  try {
    return await healthOf(server.url);
  } finally {
    await server.close();
  }
}

async function promotedAgain(former: string, data: string): Promise<void> {
  writeReplicaRecord(data, { synced_at: new Date().toISOString(), source: former });
  await promoted(data);
}

/** A server that answers every request with the same text. */
function answering(text: string): Promise<{ server: Server; url: string }> {
  const server = createServer((_, res) => void res.end(text));
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve({ server, url: `http://127.0.0.1:${(server.address() as any).port}` })),
  );
}

test("a message is refused where there is no setting peer, and by a replica", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  await promoted(data);
  const present = await serve(data, elsewhere);
  const own = String((await healthOfFolder(former)).epoch);
  const { succession } = await answerTo(present.url, own, secretsIn(former).at(-1) as string);
  const server = await openTestServer({ data: former });
  const { status } = await fetch(`${server.url}/peer`, { method: "POST", body: JSON.stringify(succession) });
  assert.is(status, 409);
  assert.is((await fetch(`${server.url}/peer`, { method: "DELETE" })).status, 405);
  await server.close();
  await present.close();
});

test("with an equal epoch on both boxes both serve, and each says that one of them is a copy", async () => {
  const [first, port] = [await demoFolder(), await freePort()];
  const second = join(temporaryFolder(), "copy");
  cpSync(first, second, { recursive: true });
  const one = await serve(first, `http://127.0.0.1:${port}`, { peerInterval: 50 });
  const two = await serve(second, one.url, { port });
  assert.match(two.said[0] ?? "", /takes writes too, in the same epoch/);
  await until(() => one.said.some((sentence) => /in the same epoch/.test(sentence)));
  assert.not.ok(one.gaveWay() || two.gaveWay());
  await one.close();
  await two.close();
});

test("when both start at once, the former primary gives way as soon as the other one answers", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  await promoted(data);
  const [a, b] = [await freePort(), await freePort()];
  const [one, two] = await Promise.all([
    serve(former, `http://127.0.0.1:${b}`, { port: a, peerInterval: 50 }).catch(() => undefined),
    serve(data, `http://127.0.0.1:${a}`, { port: b, peerInterval: 50 }),
  ]);
  await until(() => existsSync(join(former, replicaName)));
  assert.not.ok(two.gaveWay());
  assert.not.ok(existsSync(join(data, replicaName)));
  await one?.close();
  await two.close();
});

test("promote refuses a copy that the other box has left behind, and promotes it when that box is gone", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  await promoted(data);
  const present = await serve(data, elsewhere);
  writeReplicaRecord(former, { synced_at: new Date().toISOString(), source: "/nowhere" });
  assert.match(await refusalOf(promoted(former, present.url)), /took over at .*; nothing was changed$/);
  assert.ok(existsSync(join(former, replicaName)));
  await present.close();
  const { peer } = await promoted(former, present.url);
  assert.is(peer?.told, false);
  assert.match(await refusalOf(promoted(former)), /is not a replica/);
});

test("promote refuses it also while the other box still runs the server of the replica that it was", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  const following = await serve(data, elsewhere, { replica: true });
  await promoted(data);
  writeReplicaRecord(former, { synced_at: new Date().toISOString(), source: "/nowhere" });
  assert.match(await refusalOf(promoted(former, following.url)), /took over at .*; nothing was changed$/);
  await following.close();
});

/** What `follow` does: the directory of a stopped primary becomes the content of the other one, which keeps its settings. */
function copyInto(data: string, from: string): void {
  rmSync(data, { recursive: true, force: true });
  cpSync(from, data, { recursive: true });
  rmSync(join(data, replicaName), { force: true });
  writeReplicaRecord(data, { synced_at: new Date().toISOString(), source: from });
}

test("three times in a row, there and back: each promotion makes the other box give way, and no epoch comes twice", async () => {
  let primary = await demoFolder();
  let other = join(temporaryFolder(), "other");
  const epochs: unknown[] = [];
  for (let round = 0; round < 3; round++) {
    copyInto(other, primary);
    const server = await serve(primary, "http://127.0.0.1:9");
    epochs.push((await healthOf(server.url)).epoch);
    assert.equal((await promoted(other, server.url)).peer, { url: server.url, told: true });
    await until(server.gaveWay);
    await server.close();
    assert.match(await refusalOf(serve(primary, undefined)), /is a replica/);
    [primary, other] = [other, primary];
  }
  assert.is(new Set(epochs).size, 3);
});

test("promoted on both sides while apart, both say so and neither gives way; the one that follows the other ends it", async () => {
  const a = await demoFolder();
  const b = replicaOf(a);
  await promoted(b);
  writeReplicaRecord(a, { synced_at: new Date().toISOString(), source: "/nowhere" });
  await promoted(a);
  const port = await freePort();
  const one = await serve(a, `http://127.0.0.1:${port}`, { peerInterval: 50 });
  const two = await serve(b, one.url, { port, peerInterval: 50 });
  const doubt = /takes writes too, in the epoch [0-9a-f]{8}, and does not prove that it continues this database/;
  await until(() => [one, two].every(({ said }) => said.some((sentence) => doubt.test(sentence))));
  assert.not.ok(one.gaveWay() || two.gaveWay());
  await one.close();
  await two.close();
  copyInto(a, b); // a person decides: the second box stays, and the first one follows it
  const stays = await serve(b, one.url);
  writeFileSync(join(a, "config.json"), JSON.stringify({ peer: stays.url }));
  const { out, err } = await tallylight("promote", "--data", a);
  assert.ok(out.includes(`${stays.url} was told: it is a replica now`), out);
  assert.is(err, "", "what was told needs no warning that it must not run again");
  await until(stays.gaveWay);
  await stays.close();
});

test("a clock that is a year ahead on one box changes nothing: epochs decide, not times", async () => {
  const ahead = { clock: () => Date.now() + 365 * 86_400_000, running: () => performance.now() };
  const a = await demoFolder();
  const b = replicaOf(a);
  await promoted(b);
  const present = await serve(b, elsewhere, ahead);
  assert.match(await refusalOf(serve(a, present.url)), /served as a replica only/);
  await present.close();
  copyInto(a, b);
  const wrong = await serve(b, undefined, { ...ahead, environment: { TALLYLIGHT_PEER: "http://127.0.0.1:9" } });
  assert.is((await promoted(a, wrong.url)).peer?.told, true);
  await until(wrong.gaveWay);
  await wrong.close();
  const replica = await serve(b, undefined, { ...ahead, replica: true });
  assert.is((await healthOf(replica.url)).ok, true);
  await replica.close();
});

test("a peer that never answers, and one that never ends its answer, stop no start", async () => {
  const silent = createServer(() => {});
  const endless = createServer((_, res) => {
    const timer = setInterval(() => res.write(" "), 20);
    res.on("close", () => clearInterval(timer));
  });
  const starts = [silent, endless].map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const data = await demoFolder();
    const { said, close } = await serve(data, `http://127.0.0.1:${(server.address() as any).port}`);
    assert.match(said[0] ?? "", /does not answer \(no answer in 3 s\), so nobody knows whether it took over/);
    assert.not.ok(existsSync(join(data, replicaName)));
    await close();
    server.closeAllConnections();
    server.close();
  });
  await Promise.all(starts);
});

test("once it gave way, nobody writes: neither an import of its thread nor a command that was open before", async () => {
  const former = await demoFolder();
  const admin = mintIn(former, ["read", "admin"]);
  const other = replicaOf(former);
  const server = await serve(former, "http://127.0.0.1:9");
  const command = openStore(join(former, "tallylight.db"));
  const add = (name: string) =>
    fetch(`${server.url}/api/v1/admin/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
      body: JSON.stringify({ people: [{ name, role: "Runner" }] }),
    });
  assert.is((await add("Before")).status, 200);
  assert.is((await promoted(other, server.url)).peer?.told, true);
  const late = await add("After");
  assert.is(late.status, 503);
  assert.match(((await late.json()) as { detail: string }).detail, /is a replica's now, because another box took over/);
  const insert = () => command.database.prepare("UPDATE people SET role = 'Late' WHERE name = 'Before'").run();
  assert.throws(() => command.writeSync(insert), /another box took over; nothing was written/);
  const rows = command.database.prepare("SELECT name, role FROM people WHERE name IN ('Before', 'After')").all();
  assert.equal(rows, [{ name: "Before", role: "Runner" }]);
  command.close();
  await server.close();
});

test("peer must be an address, and an export and the answers never have the secret of an epoch", async () => {
  const data = await demoFolder();
  assert.match(await refusalOf(serve(data, "box two")), /TALLYLIGHT_PEER must be an http or https address/);
  const store = openStore(join(data, "tallylight.db"));
  const secret = store.database.prepare("SELECT secret FROM epochs ORDER BY id DESC").pluck().get() as string;
  store.close();
  assert.match(secret, /^[0-9a-f]{64}$/);
  const server = await serve(data, elsewhere);
  const { epoch } = await healthOf(server.url);
  assert.is((await answerTo(server.url, String(epoch), secret)).succession, null);
  await server.close();
  assert.not.match(JSON.stringify(await answerOf("export", "--production", "1", "--data", data)), new RegExp(secret));
  assert.not.match(readFileSync(join(data, "secrets.json"), "utf8"), new RegExp(secret));
});

/** What somebody on the network may send to get a proof. */
const questions = (epoch: string, other: string): string[] => [
  `epoch=${epoch}`,
  `epoch=${epoch}&proof=`,
  `epoch=${epoch}&proof=${"0".repeat(64)}`,
  `epoch=${epoch}&proof=${"z".repeat(64)}`,
  `epoch=${epoch}&proof=${"0".repeat(63)}`,
  `epoch=${epoch}&proof=${createHmac("sha256", "").update(`who continues ${epoch}`).digest("hex")}`,
  `epoch=${epoch}&proof=${createHmac("sha256", "null").update(`who continues ${epoch}`).digest("hex")}`,
  `epoch=${other}&proof=${"0".repeat(64)}`,
  `epoch=&proof=`,
  `epoch=${epoch}&epoch=${other}`,
  "",
];

test("a restored copy proves nothing to anybody: not restored, not copied, and not promoted in a later life", async () => {
  const living = await demoFolder();
  const secret = secretsIn(living).at(-1) as string;
  const own = String((await healthOfFolder(living)).epoch);
  const backup = join(temporaryFolder(), "backup.tar");
  assert.is((await tallylight("backup", backup, "--data", living)).status, 0);
  assert.not.ok(readFileSync(backup).includes(secret), "the secret is in no backup");
  const copy = join(temporaryFolder(), "drill");
  assert.is((await tallylight("restore", backup, "--data", copy)).status, 0);
  const secrets = secretsIn(copy);
  assert.equal(
    secrets.slice(0, -1),
    secrets.slice(0, -1).map(() => null),
  );
  assert.is.not(secrets.at(-1), secret);
  const later = replicaOf(copy);
  await promoted(later);
  for (const data of [copy, later]) {
    const drill = await serve(data, elsewhere);
    for (const question of questions(own, String((await healthOf(drill.url)).epoch)))
      assert.is(((await (await fetch(`${drill.url}/peer?${question}`)).json()) as any).succession, null, question);
    const answer = await answerTo(drill.url, own, secret);
    assert.is(answer.succession, null);
    const server = await serve(living, drill.url);
    assert.match(server.said[0] ?? "", /does not prove that it continues this database/);
    assert.not.ok(existsSync(join(living, replicaName)));
    await server.close();
    await drill.close();
  }
});

test("a copy that has the secret, but was not promoted, succeeds nothing", async () => {
  const living = await demoFolder();
  const secret = secretsIn(living).at(-1) as string;
  const own = String((await healthOfFolder(living)).epoch);
  const copy = replicaOf(living);
  rmSync(join(copy, replicaName));
  const store = openStore(join(copy, "tallylight.db")); // as a restore of 1.2's drafts did
  store.writeSync(() => startEpoch(store, { now: new Date().toISOString() }));
  store.close();
  const drill = await serve(copy, elsewhere);
  assert.is((await answerTo(drill.url, own, secret)).succession, null);
  await drill.close();
});

test("a promotion is told only to the peer: not without its signature, and by no server without a peer", async () => {
  const former = await demoFolder();
  const secret = secretsIn(former).at(-1) as string;
  const own = String((await healthOfFolder(former)).epoch);
  const data = replicaOf(former);
  await promoted(data);
  const present = await serve(data, elsewhere);
  for (const question of questions(own, String((await healthOf(present.url)).epoch)))
    assert.is(((await (await fetch(`${present.url}/peer?${question}`)).json()) as any).succession, null, question);
  assert.is((await answerTo(present.url, own, secret)).succession.former, own);
  await present.close();
  const alone = await serve(data, undefined);
  assert.is((await answerTo(alone.url, own, secret)).succession, null);
  await alone.close();
});

test.run();

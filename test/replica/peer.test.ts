// The setting `peer`: a primary gives way to a copy of its database that was promoted, and to nobody else.
// Thorough: only --all runs it.
import { createHmac } from "node:crypto";
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Scope } from "../../src/core/access/callers.ts";
import { startServer } from "../../src/core/server.ts";
import { openStore, replicaName } from "../../src/core/store/database.ts";
import { startEpoch } from "../../src/core/store/database_mark.ts";
import type { Peer } from "../../src/features/replica/peer.ts";
import { promote } from "../../src/features/replica/promotion.ts";
import { readReplicaRecord, writeReplicaRecord } from "../../src/features/replica/record.ts";
import { demoFolder, mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { addressOf, answerOf, launch, tallylight } from "../support/command.ts";
import { freePort } from "../support/free_port.ts";
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

const secret = "5".repeat(64);
const peerAt = (url: string): Peer => ({ url, secret });

/** The file with the secret, which is in no data directory. */
const secretFile = join(temporaryFolder(), "peer.secret");
writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });

/** The setting, as a variable of the environment. */
const peerSetting = (url: string, secret_file = secretFile): string => JSON.stringify({ url, secret_file });

/** What a server with the secret answers to a box that says this about its database. */
async function answerTo(url: string, said: object, signing = secret) {
  const { challenge } = (await (await fetch(`${url}/peer`)).json()) as { challenge: string };
  return sendQuestion(url, questionFor(challenge, said, signing));
}

const started_at = "2026-01-01T00:00:00.000Z";

/** A signed question, with the challenge of a server. */
function questionFor(challenge: string, said: object, signing = secret) {
  const statement = { epoch: "00000000", started_at, primary: true, continues: [] as string[], ...said };
  const nonce = "0".repeat(32);
  const { epoch, primary, continues } = statement;
  const text = JSON.stringify(["asks", nonce, challenge, epoch, statement.started_at, primary, continues]);
  return { statement, nonce, challenge, proof: createHmac("sha256", signing).update(text).digest("hex") };
}

async function sendQuestion(url: string, question: unknown) {
  const response = await fetch(`${url}/peer`, { method: "POST", body: JSON.stringify(question) });
  return { status: response.status, said: (await response.json()) as any };
}

const promoted = (data: string, peer?: string) =>
  promote({ data, damaged: false, peer: peer === undefined ? undefined : peerAt(peer) });

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
    environment: peer === undefined ? {} : { TALLYLIGHT_PEER: peerSetting(peer) },
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

/** The address of a peer that does not answer. */
const elsewhere = "http://127.0.0.1:9";

const healthOf = async (url: string) => (await fetch(`${url}/healthz`)).json() as Promise<Record<string, unknown>>;

test("a former primary that starts asks its peer, says that it took over, and is served as a replica only", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  await promoted(data);
  const present = await serve(data, elsewhere);
  const token = mintIn(former);
  const running = launch(["serve", "--data", former, "--port", "0"], undefined, undefined, {
    TALLYLIGHT_PEER: peerSetting(present.url),
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
    TALLYLIGHT_PEER: peerSetting(present.url),
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
    TALLYLIGHT_PEER: peerSetting(nowhere),
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

test("nobody without the secret makes a primary give way: a forged answer, a forged or repeated message, a foreign database", async () => {
  const former = await demoFolder();
  const own = String((await healthOfFolder(former)).epoch);
  const continuing = { epoch: "ffffffff", started_at, primary: true, continues: [own] };
  const lies = [
    JSON.stringify({ challenge: "1.a.b", statement: continuing, proof: "0".repeat(64) }),
    JSON.stringify({ challenge: "1.a.b", statement: continuing, proof: "" }),
    JSON.stringify({ challenge: "1.a.b", statement: continuing }),
    "not JSON",
    "x".repeat(100_000),
    "{}",
  ];
  for (const lie of lies) {
    const impostor = await answering(lie);
    const server = await serve(former, impostor.url);
    assert.is(server.said.length, 1, lie.slice(0, 80));
    const { challenge } = (await (await fetch(`${server.url}/peer`)).json()) as { challenge: string };
    const forged = questionFor(challenge, continuing, "6".repeat(64));
    const old = questionFor(`${Date.now() - 60_000}.00.${"0".repeat(64)}`, continuing);
    // what another question was signed for
    const elsewhere = { ...questionFor(challenge, { continues: [] }), statement: continuing };
    for (const question of [forged, old, elsewhere, {}, { ...forged, proof: 7 }, { ...forged, statement: null }])
      assert.is((await sendQuestion(server.url, question)).status, 403);
    assert.not.ok(existsSync(join(former, replicaName)));
    assert.is((await healthOf(server.url)).replica, undefined);
    await server.close();
    impostor.server.close();
  }
  // A message that is true ends an epoch once, for the server that it was signed for.
  const one = await serve(former, elsewhere);
  const { challenge } = (await (await fetch(`${one.url}/peer`)).json()) as { challenge: string };
  await one.close();
  const two = await serve(former, elsewhere);
  const unrelated = questionFor(challenge, { ...continuing, continues: ["eeeeeeee"] });
  assert.is((await sendQuestion(two.url, unrelated)).status, 200, "the same process");
  assert.not.ok(two.gaveWay());
  assert.is((await answerTo(two.url, continuing)).said.statement.primary, false);
  assert.ok(two.gaveWay());
  await two.close();
  // Another database proves nothing, also with the secret.
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

/** A server that answers every request with the same text. */
function answering(text: string): Promise<{ server: Server; url: string }> {
  const server = createServer((_, res) => void res.end(text));
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve({ server, url: `http://127.0.0.1:${(server.address() as any).port}` })),
  );
}

test("without the setting there is no such path, and a replica with it only answers", async () => {
  const data = await demoFolder();
  const alone = await openTestServer({ data });
  assert.is((await fetch(`${alone.url}/peer`)).status, 404);
  assert.is((await sendQuestion(alone.url, {})).status, 404);
  await alone.close();
  const own = String((await healthOfFolder(data)).epoch);
  const copy = replicaOf(data);
  const replica = await serve(copy, elsewhere, { replica: true });
  assert.is((await fetch(`${replica.url}/peer`, { method: "DELETE" })).status, 405);
  const { said } = await answerTo(replica.url, { epoch: "ffffffff", continues: [own] });
  assert.equal([said.statement.epoch, said.statement.primary, replica.gaveWay()], [own, false, false]);
  await replica.close();
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

/**
 * What `follow` does: the directory of a stopped primary becomes the content of the other one, which keeps its
 * settings.
 */
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
  writeFileSync(join(a, "config.json"), JSON.stringify({ peer: { url: stays.url, secret_file: secretFile } }));
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
  const wrong = await serve(b, undefined, {
    ...ahead,
    environment: { TALLYLIGHT_PEER: peerSetting("http://127.0.0.1:9") },
  });
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

test("the setting needs an address and a file that others cannot read, and the secret is nowhere else", async () => {
  const data = await demoFolder();
  const refusal = (peer: string) => refusalOf(serve(data, undefined, { environment: { TALLYLIGHT_PEER: peer } }));
  assert.match(await refusal("http://box-b:8787"), /TALLYLIGHT_PEER must be an object such as \{"url"/);
  assert.match(await refusal(peerSetting("box two")), /TALLYLIGHT_PEER\.url must be an http or https address/);
  assert.match(await refusal(peerSetting(elsewhere, "absent.secret")), /absent\.secret/);
  const weak = join(data, "weak.secret");
  writeFileSync(weak, "short", { mode: 0o600 });
  assert.match(await refusal(peerSetting(elsewhere, "weak.secret")), /at least 32 characters/);
  writeFileSync(weak, secret);
  chmodSync(weak, 0o644);
  assert.match(await refusal(peerSetting(elsewhere, "weak.secret")), /can be used by every user of this machine/);
  rmSync(weak);
  const server = await serve(data, elsewhere);
  await server.close();
  const archive = join(temporaryFolder(), "backup.tar");
  await answerOf("backup", archive, "--data", data);
  for (const file of [archive, join(data, "tallylight.db"), join(data, "secrets.json")])
    assert.not.ok(readFileSync(file).includes(secret), file);
});

test("a restored copy proves nothing, not even with the setting and the secret: not restored, and not promoted in a later life", async () => {
  const living = await demoFolder();
  const archive = join(temporaryFolder(), "backup.tar");
  await answerOf("backup", archive, "--data", living);
  const copy = join(temporaryFolder(), "drill");
  await answerOf("restore", archive, "--data", copy);
  const later = replicaOf(copy);
  await promoted(later);
  for (const data of [copy, later]) {
    const drill = await serve(data, elsewhere);
    const server = await serve(living, drill.url);
    assert.match(server.said[0] ?? "", /does not prove that it continues this database/);
    const { said } = await answerTo(drill.url, {});
    assert.not.ok(said.statement.continues.includes(String((await healthOf(server.url)).epoch)));
    assert.not.ok(server.gaveWay() || existsSync(join(living, replicaName)));
    await server.close();
    await drill.close();
  }
});

test("a restored copy of a box that was promoted does not continue what that box continued", async () => {
  const former = await demoFolder();
  const own = String((await healthOfFolder(former)).epoch);
  const data = replicaOf(former);
  await promoted(data);
  const present = await serve(data, elsewhere);
  assert.equal((await answerTo(present.url, {})).said.statement.continues, [own]);
  await present.close();
  const [archive, copy] = [join(temporaryFolder(), "backup.tar"), join(temporaryFolder(), "drill")];
  await answerOf("backup", archive, "--data", data);
  await answerOf("restore", archive, "--data", copy);
  const drill = await serve(copy, elsewhere);
  assert.equal((await answerTo(drill.url, {})).said.statement.continues, []);
  await drill.close();
});

test("a copy that was begun again without a promotion succeeds nothing", async () => {
  const living = await demoFolder();
  const copy = replicaOf(living);
  rmSync(join(copy, replicaName));
  const store = openStore(join(copy, "tallylight.db"));
  store.writeSync(() => startEpoch(store, { now: new Date().toISOString() }));
  store.close();
  const drill = await serve(copy, elsewhere);
  assert.equal((await answerTo(drill.url, {})).said.statement.continues, []);
  await drill.close();
});

test("nobody without the secret learns what a box is", async () => {
  const former = await demoFolder();
  const data = replicaOf(former);
  await promoted(data);
  const present = await serve(data, elsewhere);
  assert.equal(Object.keys((await (await fetch(`${present.url}/peer?epoch=1`)).json()) as object), ["challenge"]);
  const { status, said } = await answerTo(present.url, {}, "6".repeat(64));
  assert.equal([status, Object.keys(said)], [403, ["detail"]]);
  const other = join(temporaryFolder(), "other.secret");
  writeFileSync(other, "7".repeat(64), { mode: 0o600 });
  const server = await serve(former, undefined, { environment: { TALLYLIGHT_PEER: peerSetting(present.url, other) } });
  assert.match(server.said[0] ?? "", /does not answer \(it has another secret\)/);
  await server.close();
  await present.close();
});

test("doctor --online says that the peer answers, took over, or is a copy in the same epoch", async () => {
  const former = await demoFolder();
  const copy = join(temporaryFolder(), "copy");
  cpSync(former, copy, { recursive: true });
  const twin = await serve(copy, elsewhere);
  const finding = async (url: string) => {
    writeFileSync(join(former, "config.json"), JSON.stringify({ peer: { url, secret_file: secretFile } }));
    const { out } = await tallylight("doctor", "--online", "--json", "--data", former);
    return JSON.parse(out).findings.find(({ check }: { check: string }) => check === "peer");
  };
  assert.match((await finding(twin.url)).detail, /in the same epoch: one of the two directories is a copy/);
  await twin.close();
  assert.match((await finding(twin.url)).detail, /does not answer/);
  const data = replicaOf(former);
  const replica = await serve(data, elsewhere, { replica: true });
  assert.is((await finding(replica.url)).ok, true);
  await replica.close();
  await promoted(data);
  const present = await serve(data, elsewhere);
  const { ok, detail } = await finding(present.url);
  assert.is(ok, false);
  assert.match(detail, /took over at .* gives way when it starts/);
  await present.close();
});

test.run();

// Connections without a valid key give way to others: of one network, of many, and behind a proxy, which brings
// everybody's requests.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer, type TestServer } from "../support/app.ts";
import { isThorough } from "../support/proportion.ts";
import { until } from "../support/until.ts";

const connections = 40;
const perNetwork = 30;
const allStrangers = 35;

const open = async (proxied: boolean): Promise<{ server: TestServer; key: string }> => {
  const server = await openTestServer({
    environment: { TALLYLIGHT_CONNECTIONS: `${connections}`, TALLYLIGHT_TRUST_PROXY: `${proxied}` },
  });
  return { server, key: mint(server.store) };
};

interface Line {
  socket: Socket;
  /** What has arrived. */
  text: () => string;
}

/** Opens a connection and sends the beginning of it. */
async function line({ port }: TestServer, text: string): Promise<Line> {
  const socket = connect(port, "127.0.0.1");
  let arrived = "";
  socket.on("error", () => {}).on("data", (part) => (arrived += part));
  await once(socket, "connect");
  socket.write(text);
  return { socket, text: () => arrived };
}

const head = (first: string, network: string | undefined, more: string[] = []): string =>
  [first, "Host: x", ...(network === undefined ? [] : [`X-Forwarded-For: ${network}`]), ...more, "", ""].join("\r\n");

/** A request whose body never ends: it holds its connection without a key. */
const slow = (network?: string): string =>
  `${head("POST /token HTTP/1.1", network, ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 5000"])}grant`;

const withKey = (key: string, network?: string): string =>
  head("GET /api/v1/me HTTP/1.1", network, [`Authorization: Bearer ${key}`]);

/** Sends a request with a key on a connection; returns the status of its answer, 0 if there was none. */
async function statusOf({ socket, text }: Line, request: string): Promise<number> {
  const before = text().length;
  socket.write(request);
  await until(() => text().length > before || socket.closed);
  return Number(text().slice(before).slice(9, 12));
}

const closedOf = (lines: readonly Line[]): number => lines.filter(({ socket }) => socket.closed).length;

async function end(server: TestServer, lines: readonly Line[]): Promise<void> {
  for (const { socket } of lines) socket.destroy();
  await server.stop();
}

const flood = async (server: TestServer, count: number, network?: (at: number) => string): Promise<Line[]> => {
  const lines: Line[] = [];
  for (let at = 0; at < count; at++) lines.push(await line(server, slow(network?.(at))));
  return lines;
};

const shares = suite("connections without a key");
/** Each opens some hundred connections. */
const moreShares = isThorough ? shares : shares.skip;

shares("of one network give way to a key of the same network, whatever they do", async () => {
  const { server, key } = await open(false);
  const known = await line(server, "");
  assert.is(await statusOf(known, withKey(key)), 200);
  const slowOnes = await flood(server, 60);
  await until(() => closedOf(slowOnes) === 60 - perNetwork);
  for (let asked = 0; asked < 10; asked++) {
    const one = await line(server, "");
    assert.is(await statusOf(one, withKey(key)), 200);
    one.socket.destroy();
  }
  assert.is(await statusOf(known, withKey(key)), 200, "and those that have shown a key stay");
  const refused = slowOnes.find(({ socket }) => socket.closed);
  assert.match(
    refused?.text() ?? "",
    /^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*too many requests without a valid key/i,
  );
  await end(server, [known, ...slowOnes]);
});

shares("behind a proxy count for the network of their request", async () => {
  const { server, key } = await open(true);
  const idle = await Promise.all(Array.from({ length: 5 }, () => line(server, "")));
  const attack = await flood(server, 60, (at) => `203.0.113.7:${5000 + at}`);
  await until(() => closedOf(attack) >= 60 - perNetwork);
  assert.is(closedOf(attack), 60 - perNetwork);
  for (const network of ["203.0.113.7", "198.51.100.1", "[2001:db8::1]:9", "nobody"]) {
    const one = await line(server, "");
    assert.is(await statusOf(one, withKey(key, network)), 200, network);
    one.socket.destroy();
  }
  const stranger = await line(server, "");
  assert.is(await statusOf(stranger, head("GET /healthz HTTP/1.1", "198.51.100.1")), 200);
  assert.is(closedOf(idle), 0, "idle connections of the proxy count for nobody");
  await end(server, [stranger, ...idle, ...attack]);
});

moreShares("behind a proxy stay bounded together, the largest network first", async () => {
  const { server, key } = await open(true);
  const neighbour = await line(server, slow("198.51.100.1"));
  const attack = await flood(server, 80, (at) => `203.0.113.${at % 2}`);
  await until(() => closedOf(attack) >= 80 - (allStrangers - 1));
  assert.is(closedOf(attack), 80 - (allStrangers - 1));
  assert.not.ok(neighbour.socket.closed);
  const one = await line(server, "");
  assert.is(await statusOf(one, withKey(key, "203.0.113.0")), 200);
  await end(server, [one, neighbour, ...attack]);
});

moreShares(
  "get a place back when their request ends, and a key holds one of the proxy's only during its request",
  async () => {
    const { server, key } = await open(true);
    const lines = await Promise.all(Array.from({ length: perNetwork }, () => line(server, "")));
    for (const one of lines) assert.is(await statusOf(one, withKey(key, "203.0.113.7")), 200);
    // The proxy sends the attacker's requests over the same connections.
    for (const one of lines) one.socket.write(slow("203.0.113.7"));
    const more = await flood(server, 10, () => "203.0.113.7");
    await until(() => closedOf([...lines, ...more]) === 10);
    assert.is(closedOf(more), 0, "the oldest requests went");
    await end(server, [...lines, ...more]);
  },
);

moreShares("give way to readers with a key up to the last connection, which a further key then waits for", async () => {
  const { server, key } = await open(true);
  const attack = await flood(server, 30, () => "203.0.113.7");
  const stream = head("GET /api/v1/events?after=now HTTP/1.1", "198.51.100.1", [
    `Authorization: Bearer ${key}`,
    "Accept: text/event-stream",
  ]);
  const readers: Line[] = [];
  for (let at = 0; at < connections; at++) {
    const one = await line(server, stream);
    await until(() => one.text().includes("200 OK") || one.socket.closed || /^HTTP\/1\.1 503/.test(one.text()));
    readers.push(one);
  }
  await until(() => closedOf(attack) === 30);
  assert.ok(readers.filter(({ text }) => text().includes("200 OK")).length >= 20, "as many as one key may have");
  assert.is(closedOf(readers.filter(({ text }) => text().includes("200 OK"))), 0);
  await end(server, [...attack, ...readers]);
});

shares.run();

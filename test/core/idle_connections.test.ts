// Connections without traffic: when they are closed, and what keeps them open.
// Thorough: only --all runs it.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { isThorough } from "../support/proportion.ts";
import { until } from "../support/until.ts";

const idleTimeout = 800;
/** Far more than the timeout: how late the end is depends on the machine. */
const latest = 120_000;

const server = await openTestServer({ idleTimeout });
const token = mint(server.store);
const request = `GET /api/v1/production HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;

async function open(): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.resume(); // otherwise the client does not notice the end
  return socket;
}

/** Sends a request and waits for its response, which fits into one read. */
async function ask(socket: Socket): Promise<string> {
  socket.write(request);
  const [bytes] = await once(socket, "data");
  return String(bytes);
}

/** The time from `started` until the server closes a connection, in milliseconds. */
async function lifetime(socket: Socket, started = performance.now()): Promise<number> {
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => {}); // a reset, if the server has not read everything
  await Promise.race([closed, pause(latest, undefined, { ref: false })]);
  assert.ok(socket.closed, `still open after ${latest} ms`);
  return performance.now() - started;
}

/**
 * The gate alone checks this: the server's timers come in quick succession after something kept the processors busy.
 */
const assertIdle = (time: number) => assert.ok(!isThorough || time > idleTimeout - 100, `closed after ${time} ms`);

const idle = suite("idle connections");

idle("are closed after the timeout, whether or not they had requests", async () => {
  const started = performance.now();
  const [unused, used, cached] = await Promise.all([open(), open(), open()]);
  await ask(used);
  for (let n = 0; n < 2; n++) await ask(cached);
  for (const time of await Promise.all([unused, used, cached].map((socket) => lifetime(socket, started))))
    assertIdle(time);
});

idle("stay open as long as a request comes before the timeout", async () => {
  // The server counts from its last response, so at the latest from when the request was sent.
  let last = performance.now();
  let socket = await open();
  for (let asked = 0; asked < 3; asked++) {
    await pause(idleTimeout * 0.7); // more than two checks, so that a timer is set and cleared again
    const sent = performance.now();
    const closed = once(socket, "close").then(() => "closed");
    const answer = await Promise.race([ask(socket).catch(() => "closed"), closed]);
    if (answer === "closed" && performance.now() - last > idleTimeout - 100) {
      // the machine was too busy for a request in time, so this connection shows nothing
      last = performance.now();
      [socket, asked] = [await open(), -1];
      continue;
    }
    assert.match(answer, /^HTTP\/1\.1 200 /);
    last = sent;
  }
  assertIdle(await lifetime(socket, last));
});

idle("are closed if the client does not read a response", async () => {
  const socket = await open();
  socket.pause();
  socket.write(request.repeat(50_000)); // the responses fill every buffer, so the server stops reading
  await lifetime(socket);
});

idle("are announced with the time that they stay open, unless the connection ends with the response", async () => {
  const socket = await open();
  for (let n = 0; n < 2; n++) assert.match(await ask(socket), /\r\nkeep-alive: timeout=60\r\n/i);
  socket.destroy();
  const ending = await open();
  ending.write(request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  const [bytes] = await once(ending, "data");
  assert.not.match(String(bytes), /keep-alive/i);
});

// Deno's sockets do not choose their own address.
const onNode = process.versions.deno === undefined ? idle : idle.skip;

onNode("of one network cannot keep others out, or end those that have shown a key", async () => {
  const small = await openTestServer({ environment: { TALLYLIGHT_CONNECTIONS: "40" } });
  const key = mint(small.store);
  const openAll = (count: number, localAddress: string) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect({ port: small.port, host: "127.0.0.1", localAddress });
        socket.on("error", () => {});
        await once(socket, "connect");
        return socket.resume();
      }),
    );
  const health = () =>
    new Promise<number>((resolve) => {
      const socket = connect({ port: small.port, host: "127.0.0.1", localAddress: "127.0.0.2" });
      socket.on("error", () => resolve(0));
      socket.once("data", (bytes) => resolve(Number(String(bytes).slice(9, 12))));
      socket.end("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    });
  const [known] = (await openAll(1, "127.0.0.1")) as [Socket];
  const send = async () => {
    known.write(`GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    return String((await once(known, "data"))[0]).slice(9, 12);
  };
  assert.is(await send(), "200");
  const neighbours = await openAll(3, "127.0.0.3");
  const idlers = await openAll(60, "127.0.0.1");
  for (let asked = 0; asked < 10; asked++) assert.is(await health(), 200);
  assert.is(await send(), "200");
  await until(() => idlers.filter(({ closed }) => closed).length === 30); // the oldest beyond three quarters of 40
  assert.ok(idlers.slice(30).every(({ closed }) => !closed));
  assert.ok(neighbours.every(({ closed }) => !closed));
  for (const socket of [known, ...neighbours, ...idlers]) socket.destroy();
  await small.stop();
});

idle.after(() => server.stop());
idle.run();

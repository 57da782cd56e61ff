// Connections without traffic: when they are closed, and what keeps them open.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { isThorough } from "../support/proportion.ts";

const idleTimeout = 800;
/** Far more than the timeout: how late the end is depends on the machine. */
const latest = 30_000;

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

/** The gate alone checks this: the server's timers come in quick succession after something kept the processors busy. */
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
  let socket = await open();
  for (let asked = 0, last = performance.now(); asked < 3; asked++) {
    await pause(idleTimeout * 0.7); // more than two checks, so that a timer is set and cleared again
    if (performance.now() - last > idleTimeout * 0.9) {
      socket.destroy(); // the machine was too busy for a request in time, so this connection shows nothing
      [socket, asked] = [await open(), 0];
    }
    last = performance.now();
    assert.match(await ask(socket), /^HTTP\/1\.1 200 /);
  }
  const last = performance.now();
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

idle.after(() => server.stop());
idle.run();

// Receivers of webhooks that are hostile: a try ends, and uses little.

import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { post } from "../../src/events/webhooks/posting.ts";
import { loadDns } from "../../src/network.ts";

/** Writes the same again as long as the other end reads. Returns how much was taken. */
function flood(socket: Socket, part: string): () => number {
  let taken = 0;
  const write = () => {
    do taken += part.length;
    while (socket.writable && socket.write(part));
  };
  socket.on("drain", write);
  write();
  return () => taken;
}

/** Posts to a receiver that answers each connection with `answer`. */
async function outcome(answer: (socket: Socket) => void, host = "127.0.0.1", timeout = 600_000) {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {}).resume();
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://${host}:${(server.address() as AddressInfo).port}/`);
  const rules = { hosts: [host], ownPort: undefined };
  const result = await post(
    { url, headers: {}, body: "{}" },
    { rules, closing: new AbortController().signal, clock: Date.now, timeout },
  );
  await new Promise((resolve) => server.close(resolve)); // every connection has ended
  return result;
}

const test = suite("a hostile receiver");

if (!("Deno" in globalThis))
  // Deno skips informational answers itself
  test("that sends informational answers without end is left, before the time of the try ends", async () => {
    const { status, reason } = await outcome(
      (socket) => void flood(socket, "HTTP/1.1 102 Processing\r\n\r\n".repeat(100)),
    );
    assert.equal([status, reason], [null, "the receiver sends informational answers (1xx) without end"]);
  });

test("that sends headers without end is left, before the time of the try ends", async () => {
  const { status } = await outcome(
    (socket) => void flood(socket, `x: ${"y".repeat(60_000)}\r\n`.replace(/^/, "HTTP/1.1 200 OK\r\n")),
  );
  assert.is(status, null);
});

test("that sends a body without end has answered with its head", async () => {
  const { status, reason } = await outcome((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n");
    flood(socket, "x".repeat(65_536));
  });
  assert.equal([status, reason], [200, null]);
});

test("that sends its head byte by byte, or nothing, is left after the time of the try", async () => {
  const slowly = (socket: Socket) => {
    socket.write("HTTP/1.1 200 OK\r\nx: ");
    const timer = setInterval(() => socket.write("a"), 20);
    socket.on("close", () => clearInterval(timer));
  };
  for (const answer of [slowly, () => {}])
    assert.is((await outcome(answer, undefined, 300)).reason, "the receiver did not answer in time");
});

test("whose name leads elsewhere when it is resolved again gets the message at the address that was checked", async () => {
  const dns = loadDns();
  const { lookup } = dns;
  let asked = 0;
  (dns as { lookup: unknown }).lookup = async () => [
    { address: ++asked === 1 ? "127.0.0.1" : "169.254.169.254", family: 4 },
  ];
  try {
    const answer = (socket: Socket) => void socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    assert.is((await outcome(answer, "receiver.test")).status, 204);
    assert.is(asked, 1);
  } finally {
    (dns as { lookup: unknown }).lookup = lookup;
  }
});

test.run();

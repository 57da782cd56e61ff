// Receivers of webhooks that are hostile: a try ends, and uses little.
import { spawnSync } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import * as tls from "node:tls";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadDns } from "../../src/core/late_loading.ts";
import { post } from "../../src/features/webhooks/posting.ts";

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

function postTo(address: string, timeout = 600_000) {
  const url = new URL(address);
  const rules = { hosts: [url.hostname], ownPort: undefined };
  const options = { rules, closing: new AbortController().signal, clock: Date.now, timeout };
  return post({ url, headers: {}, body: "{}" }, options);
}

/** Posts to a receiver that answers each connection with `answer`. */
async function outcome(
  answer: (socket: Socket) => void,
  host = "127.0.0.1",
  timeout = 600_000,
  after = async (): Promise<void> => {},
) {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {}).resume();
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const result = await postTo(`http://${host}:${(server.address() as AddressInfo).port}/`, timeout);
  await after();
  await new Promise((resolve) => server.close(resolve)); // every connection has ended
  return result;
}

const test = suite("a hostile receiver");

test("that sends informational answers without end is left, before the time of the try ends", async () => {
  const { status, reason } = await outcome(
    (socket) => void flood(socket, "HTTP/1.1 102 Processing\r\n\r\n".repeat(100)),
  );
  assert.equal([status, reason], [null, "the receiver sends informational answers (1xx) without end"]);
});

test("that sends more than 20 informational answers is left, whatever they are and however it sends them", async () => {
  const floods = [
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n",
    `HTTP/1.1 102 Processing\r\nx: ${"y".repeat(8_000)}\r\n\r\n`,
  ];
  for (const one of floods) {
    const text = `${one.repeat(21)}HTTP/1.1 204 No Content\r\n\r\n`;
    for (const size of [one.length, 65_536]) {
      const answer = async (socket: Socket) => {
        for (let at = 0; at < text.length && socket.writable; at += size) {
          socket.write(text.slice(at, at + size));
          await new Promise(setImmediate);
        }
      };
      assert.is((await outcome(answer)).reason, "the receiver sends informational answers (1xx) without end");
    }
  }
});

test("that answers 101 has not answered, and gets no other protocol", async () => {
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
  for (const text of [upgrade, "HTTP/1.1 101 Switching Protocols\r\n\r\n"])
    assert.is((await outcome((socket) => void socket.write(text), undefined, 1_000)).status, null);
});

test("whose answer is malformed has no second answer that counts", async () => {
  for (const text of [
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
    "HTTP/1.1 999999 OK\r\n\r\n",
    "\u0000\u0000\u0000",
  ]) {
    const { status } = await outcome((socket) => void socket.end(`${text}HTTP/1.1 503 Busy\r\n\r\n`), undefined, 1_000);
    assert.ok(status === null || status === 200, `${JSON.stringify(text)} ${status}`);
  }
});

test("that answers in any parts, after a few informational answers, has answered", async () => {
  const text = `${"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n".repeat(20)}HTTP/1.1 503 Busy\r\nRetry-After:  7 \r\n\r\nx`;
  for (const size of [1, 7, 1000]) {
    const answer = async (socket: Socket) => {
      for (let at = 0; at < text.length && socket.writable; at += size) {
        socket.write(text.slice(at, at + size));
        await new Promise(setImmediate);
      }
    };
    const { status, retryAfter } = await outcome(answer);
    assert.equal([status, retryAfter], [503, 7000]);
  }
});

test("that does not speak HTTP, or closes the connection, has not answered", async () => {
  for (const [text, expected] of [
    ["SSH-2.0-x\r\n", "the connection failed"],
    ["HTTP/1.1 2x4 No\r\n\r\n", "the connection failed"],
    ["HTTP/1.1 204", "the receiver closed the connection before it answered"],
  ]) {
    const { status, reason } = await outcome((socket) => void socket.end(`${text}`));
    assert.equal([status, reason], [null, expected]);
  }
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

/** Runs `work` while names are resolved by `lookup`. */
async function resolving(lookup: (host: string) => Promise<object[]>, work: () => Promise<void>): Promise<void> {
  const dns = loadDns() as { lookup: unknown };
  const former = dns.lookup;
  dns.lookup = lookup;
  try {
    await work();
  } finally {
    dns.lookup = former;
  }
}
const here = { address: "127.0.0.1", family: 4 };
const accept = (socket: Socket): void => void socket.end("HTTP/1.1 204 No Content\r\n\r\n");

test("whose name leads elsewhere when it is resolved again gets the message at the address that was checked", async () => {
  let asked = 0;
  const elsewhere = { address: "169.254.169.254", family: 4 };
  await resolving(
    async () => [++asked === 1 ? here : elsewhere],
    async () => assert.equal([(await outcome(accept, "receiver.test")).status, asked], [204, 1]),
  );
});

test("whose name is resolved after the time of the try gets nothing", async () => {
  let resolved = (_: object[]): void => {};
  let connections = 0;
  const late = async () => {
    resolved([here]);
    await pause(50); // in which a connection would come
  };
  await resolving(
    () => new Promise((resolve) => (resolved = resolve)),
    async () => assert.is((await outcome(() => connections++, "late.test", 50, late)).status, null),
  );
  assert.is(connections, 0);
});

test("whose name has no answer delays no receiver whose name has one, and its lookups do not add up", async () => {
  const answers: (() => void)[] = [];
  const hang = (host: string) =>
    host === "good.test"
      ? Promise.resolve([here])
      : new Promise<object[]>((_, reject) => answers.push(() => reject(new Error(host))));
  await resolving(hang, async () => {
    assert.is((await outcome(accept, "good.test")).status, 204);
    const names = Array.from({ length: 100 }, (_, at) => `hanging${at % 50}.test`);
    const hanging = names.map((name) => outcome(accept, name, 100));
    assert.is((await outcome(accept, "good.test")).status, 204);
    for (const { reason } of await Promise.all(hanging)) assert.is(reason, "the receiver did not answer in time");
    assert.is((await outcome(accept, "good.test")).status, 204);
    assert.is(answers.length, 1, "the others wait");
    for (let at = 0; at < 50; at++) {
      answers[at]?.();
      await pause(0);
    }
    assert.is(answers.length, 50, "each name was asked for once");
  });
});

const certificate = spawnSync("openssl", [
  ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
  ...["-subj", "/CN=secure.test", "-addext", "subjectAltName=DNS:secure.test", "-keyout", "-", "-out", "-"],
]);
if ("setDefaultCACertificates" in tls && certificate.status === 0)
  test("with a certificate of another name gets nothing", async () => {
    const cert = String(certificate.stdout);
    (tls.setDefaultCACertificates as (list: string[]) => void)([cert.slice(cert.indexOf("-----BEGIN CERT"))]);
    const server = tls.createServer({ key: cert, cert }, (socket) => {
      socket.on("error", () => {});
      socket.once("data", () => accept(socket));
    });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const results: (number | string | null)[] = [];
    await resolving(
      async () => [here],
      async () => {
        for (const host of ["secure.test", "other.test"])
          results.push(...Object.values(await postTo(`https://${host}:${port}/`)).slice(0, 2));
      },
    );
    const permission = "Deno was not given the permissions --allow-net for the receiver and, for HTTPS, --allow-sys";
    assert.equal(
      results,
      process.versions.deno === undefined
        ? [204, null, null, "the receiver's certificate is not valid"]
        : [null, permission, null, permission],
    );
    await new Promise((resolve) => server.close(resolve));
  });

test.run();

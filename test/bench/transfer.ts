// Transfers one large body over a plain socket, in or out, and measures bytes per second with a minimal client.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";

/** Sends a GET and discards the body; returns MiB per second. Throws if the status is not 200. */
export async function download(address: string, headers: string): Promise<number> {
  const { hostname, port, pathname, host } = new URL(address);
  const started = performance.now();
  let head = "";
  let left = Number.POSITIVE_INFINITY;
  let size = 0;
  let done = (): void => {};
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const take = (count: number, bytes: Uint8Array): boolean => {
    let body = count;
    if (left === Number.POSITIVE_INFINITY) {
      head += Buffer.from(bytes.subarray(0, count)).toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      if (end === -1) return true;
      size = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      if (!head.startsWith("HTTP/1.1 200")) throw new Error(`${address}: ${head}`);
      body = head.length - end - 4;
      left = size;
    }
    left -= body;
    if (left <= 0) done();
    return true;
  };
  const socket = connect({
    port: Number(port),
    host: hostname,
    onread: { buffer: Buffer.alloc(1 << 18), callback: take },
  });
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${headers}connection: close\r\n\r\n`);
  await Promise.race([finished, once(socket, "close")]);
  socket.destroy();
  if (left > 0) throw new Error(`${address}: ended ${left} bytes early`);
  return size / 2 ** 20 / ((performance.now() - started) / 1000);
}

const block = randomBytes(1 << 20);
const boundary = "------------------------d74496d66958873e"; // the form that curl uses

/** Posts one file of `size` bytes as a form; returns MiB per second. Throws if the status is not 200. */
export async function upload(address: string, headers: string, size: number): Promise<number> {
  const { hostname, port, pathname, host } = new URL(address);
  const before = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="plate.mov"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  const started = performance.now();
  const socket = connect({ port: Number(port), host: hostname });
  const answered = once(socket, "data");
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${headers}content-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${before.length + size + after.length}\r\n\r\n`,
  );
  socket.write(before);
  socket.write(randomBytes(1024)); // every upload has different bytes
  for (let left = size - 1024; left > 0; left -= block.length)
    if (!socket.write(block.subarray(0, Math.min(left, block.length)))) await once(socket, "drain");
  socket.write(after);
  const [answer] = await answered;
  socket.destroy();
  if (!String(answer).startsWith("HTTP/1.1 200")) throw new Error(`${address}: ${answer}`);
  return size / 2 ** 20 / ((performance.now() - started) / 1000);
}

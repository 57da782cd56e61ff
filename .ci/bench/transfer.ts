// Transfers one large body over a plain socket, in or out, and measures bytes per second with a minimal client.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

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
/** How long a body with a bandwidth takes to send one piece, in seconds. */
const stepTime = 0.005;
const boundary = "------------------------d74496d66958873e"; // the form that curl uses

/**
 * Sends `size` bytes as the body of a request, between `before` and `after`, with at most `bandwidth` bytes per second.
 * Throws if the response does not begin with `status`.
 */
async function sendBody(
  address: string,
  {
    method,
    headers,
    before = "",
    after = "",
    status,
  }: Record<"method" | "headers" | "status", string> & Partial<Record<"before" | "after", string>>,
  size: number,
  bandwidth = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { hostname, port, pathname, host } = new URL(address);
  const socket = connect({ port: Number(port), host: hostname });
  const answered = once(socket, "data");
  socket.write(
    `${method} ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${headers}content-length: ${before.length + size + after.length}\r\n\r\n${before}`,
  );
  socket.write(randomBytes(1024)); // every upload has different bytes
  const started = performance.now();
  const step = Math.min(block.length, bandwidth * stepTime);
  for (let left = size - 1024; left > 0; left -= step) {
    const wait = started + ((size - left) / bandwidth) * 1000 - performance.now();
    if (wait > 0) await pause(wait);
    if (!socket.write(block.subarray(0, Math.min(left, step)))) await once(socket, "drain");
  }
  socket.write(after);
  const [answer] = await answered;
  socket.destroy();
  if (!String(answer).startsWith(`HTTP/1.1 ${status}`)) throw new Error(`${address}: ${answer}`);
}

/** MiB per second of `size` bytes since `started`. */
const rateOf = (size: number, started: number): number => size / 2 ** 20 / ((performance.now() - started) / 1000);

/**
 * Posts one file of `size` bytes as a form, with at most `bandwidth` bytes per second; returns MiB per second. Throws
 * if the status is not 200.
 */
export async function upload(address: string, headers: string, size: number, bandwidth?: number): Promise<number> {
  const before = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="plate.mov"\r\ncontent-type: application/octet-stream\r\n\r\n`;
  const after = `\r\n--${boundary}--\r\n`;
  const started = performance.now();
  const type = `content-type: multipart/form-data; boundary=${boundary}\r\n`;
  await sendBody(address, { method: "POST", headers: headers + type, before, after, status: "200" }, size, bandwidth);
  return rateOf(size, started);
}

/**
 * Uploads one file of `size` bytes by tus, creation included, in parts of `part` bytes; returns MiB per second. Removes
 * it afterwards.
 */
export async function uploadResumable(address: string, key: string, size: number, part = size): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "tus-resumable": "1.0.0" };
  const started = performance.now();
  const created = await fetch(address, { method: "POST", headers: { ...headers, "upload-length": String(size) } });
  const place = new URL(created.headers.get("location") ?? "", address).href;
  for (let offset = 0; offset < size; offset += part) {
    const lines = Object.entries({
      ...headers,
      "upload-offset": offset,
      "content-type": "application/offset+octet-stream",
    });
    const head = lines.map(([name, text]) => `${name}: ${text}\r\n`).join("");
    await sendBody(place, { method: "PATCH", headers: head, status: "204" }, Math.min(part, size - offset));
  }
  const rate = rateOf(size, started);
  await fetch(place, { method: "DELETE", headers });
  return rate;
}

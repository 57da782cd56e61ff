// Sends requests on one connection and reads the responses as bytes, because an HTTP client would hide errors.
import { connect, type Socket } from "node:net";
import type { Fuzzed } from "./generator.ts";

export interface Answer {
  status: number;
  head: string;
  body: Buffer;
  closes: boolean;
}

/**
 * A body in chunks, which begins at `start`, and where it ends; undefined if it is incomplete. Throws if a chunk has no
 * size.
 */
function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    if (Number.isNaN(size))
      throw new Error(`a chunk without a size: ${bytes.toString("latin1", at, line).slice(0, 100)}`);
    const end = line + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), end };
    chunks.push(bytes.subarray(line + 2, end - 2));
    at = end;
  }
}

/**
 * The first complete response in `bytes` and where it ends; undefined if it is incomplete. Throws if it is not a
 * response.
 */
export function readAnswer(bytes: Buffer, method: string): { answer: Answer; end: number } | undefined {
  const mark = bytes.indexOf("\r\n\r\n");
  if (mark === -1) return undefined;
  const head = bytes.toString("latin1", 0, mark);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error(`no response: ${head.slice(0, 100)}`);
  const length = /^content-length: *(\d+)$/im.exec(head)?.[1];
  const empty = method === "HEAD" || status === 304 || status === 204;
  const closes = /^connection: *close$/im.test(head);
  if (!empty && /^transfer-encoding: *chunked$/im.test(head)) {
    const read = readChunks(bytes, mark + 4);
    return read && { answer: { status, head, body: read.body, closes }, end: read.end };
  }
  if (length === undefined && !empty) throw new Error(`a response without a length: ${head}`);
  const end = mark + 4 + (empty ? 0 : Number(length));
  if (bytes.length < end) return undefined;
  return { answer: { status, head, body: bytes.subarray(mark + 4, end), closes }, end };
}

/** Sends `requests` one after the other on one connection; returns the responses until it closed. */
export function exchange(port: number, requests: readonly Fuzzed[], patience: number): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const answers: Answer[] = [];
    let bytes = Buffer.alloc(0);
    const wild = requests.some((request) => request.wild);
    const socket: Socket = connect(port, "127.0.0.1", () => {
      socket.write(Buffer.concat(requests.map((request) => request.bytes)));
      if (wild) socket.end();
    });
    const timer = setTimeout(() => {
      socket.destroy();
      const heads = [...answers.map(({ head }) => head), bytes.toString("latin1").slice(0, 500)];
      const got = `${answers.length} of ${requests.length} responses and ${bytes.length} bytes of the next one`;
      if (!wild) reject(new Error(`${got} within ${patience} ms:\n${heads.join("\n")}`));
    }, patience);
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      try {
        for (
          let read = readAnswer(bytes, requests[answers.length]?.method ?? "");
          read !== undefined;
          read = readAnswer(bytes, requests[answers.length]?.method ?? "")
        ) {
          answers.push(read.answer);
          bytes = bytes.subarray(read.end);
          if (answers.length === requests.length && !wild) socket.destroy();
        }
      } catch (error) {
        socket.destroy();
        if (wild) return; // the changed bytes may be a method whose response has no body
        reject(error as Error);
      }
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answers);
    });
  });
}

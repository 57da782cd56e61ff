// Sends raw bytes to a server, without an HTTP client.
import { connect, type Socket } from "node:net";

/**
 * Sends `parts` to the server one after the other; returns everything received until the connection closes or `time` ms
 * pass.
 */
export function raw(port: number, parts: readonly (string | Uint8Array)[], time = 30_000): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket: Socket = connect(port, "127.0.0.1", () => {
      for (const part of parts) socket.write(part as Uint8Array);
    });
    const end = setTimeout(() => socket.destroy(), time);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(end);
      resolve(answer);
    });
  });
}

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/** The responses in the received text, in order. Each must have a Content-Length. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest.startsWith("HTTP/1.1 ")) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) break;
    const head = rest.slice(0, end);
    const status = Number(head.slice(9, 12));
    const length =
      status < 200 || status === 204 || status === 304 ? 0 : Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), "latin1").toString();
    answers.push({ status, head, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

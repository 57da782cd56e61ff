// Bytes sent as they stand, past any client's good manners.
import { connect, type Socket } from "node:net";

/** A socket to the server that sends `parts` one after the other; answers all that came back once it is closed, or in time. */
export function raw(port: number, parts: readonly (string | Uint8Array)[], time = 3000): Promise<string> {
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

/** The answers in what came back, in their order: each has a length. */
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

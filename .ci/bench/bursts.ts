// Measures what an answer costs a subject: sends the same request on many connections at once, and reads how much of a
// processor the subject used for the answers. On a machine that others use too, the answers of a second say how much of
// the machine the others left.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Subject } from "./subject.ts";

export interface BurstRequest {
  headers: Readonly<Record<string, string>>;
  path: string;
  /** Sent with POST if it is given. */
  body?: string;
}

/** How many requests are sent at once, and how often in a burst: what is not used for some time is slower at first. */
const connections = 32;
const waves = 8;
/** After this time a subject is at rest, in milliseconds: Linux counts the time of a thread when it stops. */
const settled = 3;
/** How many bursts a subject gets in a round, between those of the others. */
export const pieces = 8;
export const unit = "answers for each second of a processor";
/** How many answers there are in a piece of `slowest`. */
const answersOneByOne = 250;

const textOf = (url: URL, { headers, path, body }: BurstRequest): string => {
  const lines = [`${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1`, `host: ${url.host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
};

/** Whether these bytes are a whole answer. Throws an Error if it is neither 200 nor 304. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = bytes.toString("latin1", 0, end);
  if (head.startsWith("HTTP/1.1 304")) return true;
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(`bursts: ${bytes.toString()}`);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return bytes.subarray(-5).toString() === "0\r\n\r\n"; // sent in chunks
  return bytes.length >= end + 4 + Number(length);
}

/** Sends a text; resolves with the end of its answer. */
function exchange(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (done: () => void): void => {
      socket.off("data", take).off("close", closed);
      done();
    };
    const closed = (): void => settle(() => reject(new Error("bursts: the subject closed a connection")));
    const take = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      try {
        if (isWhole(bytes)) settle(resolve);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    socket.on("data", take).on("close", closed);
    socket.write(text);
  });
}

const open = async ({ port, hostname }: URL): Promise<Socket> => {
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  socket.unref().on("error", () => {}); // "close" follows
  await once(socket, "connect");
  return socket;
};

/** Returns what measures one burst: the answers for each second of a processor that the subject used. */
export function bursts(subject: Subject, request: BurstRequest): () => Promise<number> {
  const url = new URL(subject.url);
  const text = textOf(url, request);
  let sockets: Socket[] | undefined;
  return async () => {
    sockets ??= await Promise.all(Array.from({ length: connections }, () => open(url)));
    const before = subject.processorTime();
    for (let wave = 0; wave < waves; wave++) await Promise.all(sockets.map((socket) => exchange(socket, text)));
    await pause(settled);
    return (waves * connections) / (subject.processorTime() - before);
  };
}

/**
 * Returns what measures answers of `paths` in turn, one after the other: how many like the p99 a second of a processor
 * makes.
 */
export function slowest(subject: Subject, { headers, paths }: { headers: BurstRequest["headers"]; paths: string[] }) {
  const url = new URL(subject.url);
  const texts = paths.map((path) => textOf(url, { headers, path }));
  let socket: Socket | undefined;
  let at = 0;
  return async (): Promise<number> => {
    socket ??= await open(url);
    const costs: number[] = [];
    let before = subject.processorTime();
    for (let answers = 0; answers < answersOneByOne; answers++) {
      await exchange(socket, texts[at++ % texts.length] ?? "");
      const now = subject.processorTime();
      costs.push(now - before);
      before = now;
    }
    costs.sort((one, other) => one - other);
    return 1 / (costs[Math.floor(costs.length * 0.99)] ?? 0);
  };
}

// A proxy in front of a server that passes every byte and header, unless a test tells it to fail: it answers by itself,
// or cuts the line before the request, after it, or in the middle of the answer.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Told = "pass" | "cut before" | "cut after" | { cutAt: number } | { status: number; headers?: object };

export interface ToldProxy {
  url: string;
  /** What to do with a request. */
  decide: (request: { method: string; path: string; headers: IncomingMessage["headers"] }) => Told;
  /** Every request that arrived, with the status of the server's answer where it got one. */
  asked: { method: string; path: string; status?: number; request?: unknown; headers: IncomingMessage["headers"] }[];
  /** The bytes of the answers' bodies. */
  bytes: number;
  close(): void;
}

/** Sends an answer on, and cuts the line after so many bytes of its body. */
function sendOn(proxy: ToldProxy, answer: IncomingMessage, res: ServerResponse, cutAt: number): void {
  let left = cutAt;
  res.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
  res.flushHeaders();
  answer.on("data", (block: Buffer) => {
    proxy.bytes += block.length;
    if (block.length < left) {
      left -= block.length;
      return void res.write(block);
    }
    answer.removeAllListeners("data");
    res.write(block.subarray(0, left), () => res.destroy());
  });
  answer.on("end", () => res.end());
  answer.on("error", () => res.destroy());
}

function handle(proxy: ToldProxy, port: number, req: IncomingMessage, res: ServerResponse): void {
  const { method = "", url: path = "", headers } = req;
  const asked: ToldProxy["asked"][number] = { method, path, headers };
  proxy.asked.push(asked);
  const told = proxy.decide({ method, path, headers });
  if (told === "cut before") return void req.socket.destroy();
  if (typeof told === "object" && "status" in told) {
    req.resume();
    res.writeHead(told.status, { "content-type": "application/json", ...told.headers });
    return void res.end('{"detail":"as it was told"}');
  }
  const upstream = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
    if (answer.statusCode !== undefined) asked.status = answer.statusCode;
    asked.request = answer.headers["tallylight-request"];
    if (told === "cut after") answer.resume().on("end", () => req.socket.destroy());
    else sendOn(proxy, answer, res, told === "pass" ? Number.POSITIVE_INFINITY : told.cutAt);
  });
  upstream.on("error", () => res.destroy());
  req.pipe(upstream);
}

export async function openToldProxy(port: number): Promise<ToldProxy> {
  const server = createServer((req, res) => handle(proxy, port, req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: ToldProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decide: () => "pass",
    asked: [],
    bytes: 0,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return proxy;
}

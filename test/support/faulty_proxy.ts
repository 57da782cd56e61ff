// A proxy in front of a server that fails as a test tells it to, for tests of the agent's delivery.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What to do with a request: forward it, answer it here, or close the connection before or after the server got it. */
export type Decision =
  | "pass"
  | "cut before"
  | "cut after"
  | { status: number; headers?: Record<string, string>; body?: string };

export interface Proxy {
  url: string;
  /** The server behind it. */
  target: string;
  /** Decides what to do with each request. */
  decide: (request: { path: string; body: string }) => Decision | Promise<Decision>;
  /** When each request arrived, by performance.now(). */
  times: number[];
  close(): Promise<void>;
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

export async function openProxy(target: string): Promise<Proxy> {
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await bodyOf(req);
    const path = req.url ?? "";
    proxy.times.push(performance.now());
    const decision = await proxy.decide({ path, body });
    if (decision === "cut before") return void req.socket.destroy();
    if (typeof decision === "object") {
      res.writeHead(decision.status, { "content-type": "application/json", ...decision.headers });
      return void res.end(decision.body ?? '{"detail":"as it was told"}');
    }
    const headers = { authorization: req.headers.authorization ?? "", "content-type": "application/json" };
    const sent = req.method === "POST" ? { method: "POST", headers, body } : { headers };
    const answer = await fetch(proxy.target + path, sent);
    const text = await answer.text();
    if (decision === "cut after") return void req.socket.destroy();
    res.writeHead(answer.status, { "content-type": "application/json" });
    res.end(text);
  };
  const server = createServer((req, res) => void handle(req, res).catch(() => res.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    decide: () => "pass",
    times: [],
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return proxy;
}

// Serves the application of a test server a second time, without a response cache: the truth that cached responses must
// equal.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ResponseCache } from "../../src/core/http/response_cache.ts";
import { sendProblem } from "../../src/core/http/send.ts";
import { openRestTransport } from "../../src/core/rest.ts";
import type { TestServer } from "./app.ts";

export interface UncachedServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts the second server. Stop it before the first. */
export async function openUncached({ app }: TestServer): Promise<UncachedServer> {
  const transport = openRestTransport(app, new ResponseCache(app, false));
  const server = createServer((req, res) => {
    const [path = "", query = ""] = (req.url ?? "").split("?");
    const credentials = { authorization: req.headers.authorization };
    const ctx = { app, req, res, request_name: "0", path, query, credentials, sent: 0 };
    Promise.resolve(transport.answer(ctx)).catch((error) => sendProblem(ctx, error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

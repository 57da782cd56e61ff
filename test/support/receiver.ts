// A receiver of webhooks for tests: verifies every delivery with the standardwebhooks package and answers as it is
// told.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { until } from "./until.ts";

export interface Delivered {
  id: string;
  event: { id: number; type: string; production_id: number; data: { key: string } };
  headers: IncomingHttpHeaders;
  path: string;
}

export interface Receiver {
  url: string;
  port: number;
  /** Every delivery that verified, accepted or not. */
  delivered: Delivered[];
  /** The messages of those that did not verify. */
  invalid: string[];
  /** Waits until there are `count` deliveries. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** The secrets to verify with: one of them must fit. Read for each delivery. */
  secrets: () => readonly string[];
  /** Answers a delivery; by default with 204. */
  answer?: (res: ServerResponse, delivered: Delivered) => void;
  port?: number;
  /** Whether the sender's clock is not the real one: then the signature is compared, and the time is not. */
  isShifted?: boolean;
}

/** Throws an Error if the delivery was not signed with the secret. */
function verify(secret: string, body: string, headers: IncomingHttpHeaders, isShifted: boolean): void {
  const webhook = new Webhook(secret);
  const given = headers as Record<string, string>;
  if (!isShifted) return void webhook.verify(body, given);
  const time = new Date(Number(given["webhook-timestamp"]) * 1000);
  const signatures = given["webhook-signature"]?.split(" ") ?? [];
  if (!signatures.includes(webhook.sign(given["webhook-id"] ?? "", time, body)))
    throw new Error("no matching signature");
}

export async function openReceiver({
  secrets,
  answer,
  port = 0,
  isShifted = false,
}: ReceiverOptions): Promise<Receiver> {
  const delivered: Delivered[] = [];
  const invalid: string[] = [];
  const server = createServer((req, res) => {
    let body = "";
    req.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    req.on("end", () => {
      const { headers, url: path = "" } = req;
      const errors = secrets().flatMap((secret) => {
        try {
          verify(secret, body, headers, isShifted);
          return [];
        } catch (error) {
          return [(error as Error).message];
        }
      });
      if (errors.length === secrets().length) invalid.push(...errors, body);
      const one = { id: String(headers["webhook-id"]), event: JSON.parse(body), headers, path };
      delivered.push(one);
      if (answer === undefined) res.writeHead(204).end();
      else answer(res, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    delivered,
    invalid,
    until: (count) => until(() => delivered.length >= count, 5),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

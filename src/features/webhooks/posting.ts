// Posts one message to a receiver: to the address that was checked, without following redirects, and without reading the answer
// beyond its head.
import { connect } from "node:net";
import { loadTls, retryAfterOf } from "../../core/network.ts";
import {
  type Destination,
  DestinationError,
  type DestinationRules,
  destinationOf,
  webhookUrl,
} from "./destinations.ts";
import type { Webhook } from "./rows.ts";
import { signatureHeaders } from "./signatures.ts";

/** The time of one try in milliseconds, from resolving the host to the head of the answer. */
export const tryTimeout = 15_000;
/** The most informational answers (1xx) before the answer, and the most characters of them all and of the answer's head. */
const mostInformation = 10;
const longestHead = 16_384;
const headEnd = "\r\n\r\n";
const tooMuchInformation = "TOO_MUCH_INFORMATION";

/** The result of one try: the status of the answer, or the reason why there was none. */
export interface TryResult {
  status: number | null;
  /** Why the message was not accepted; null if it was. */
  reason: string | null;
  /** What Retry-After says, in milliseconds. */
  retryAfter: number | undefined;
}

export interface Post {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface PostOptions {
  rules: DestinationRules;
  /** Aborts the try. */
  closing: AbortSignal;
  /** The current time in milliseconds. */
  clock: () => number;
  /** tryTimeout by default. */
  timeout?: number | undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the receiver refused the connection",
  ECONNRESET: "the receiver closed the connection before it answered",
  EHOSTUNREACH: "the receiver cannot be reached",
  ENETUNREACH: "the receiver cannot be reached",
  EPIPE: "the receiver closed the connection before it answered",
  [tooMuchInformation]: "the receiver sends informational answers (1xx) without end",
};

/** The reason of a failed try. It never contains what the receiver sent. */
function reasonOf(error: unknown, timedOut: boolean): string {
  if (error instanceof DestinationError) return error.message;
  if (timedOut) return "the receiver did not answer in time";
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  return (
    reasons[code] ??
    (/CERT|TLS|SSL|ALTNAME/.test(code) ? "the receiver's certificate is not valid" : "the connection failed")
  );
}

function reasonOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? "the receiver redirects, which is not followed"
    : `the receiver answered ${status}`;
}

/**
 * Sends the request over a connection of its own, so that each goes to an address that was just checked, and returns the head of the answer.
 * node:http would make an object of each informational answer, and a part of what came holds thousands of them.
 */
async function head({ url, address }: Destination, { headers, body }: Post, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted(); // the name was resolved too late
  const secure = url.protocol === "https:";
  const port = Number(url.port || (secure ? 443 : 80));
  const servername = url.hostname === address || url.hostname.startsWith("[") ? undefined : url.hostname; // for the certificate
  const lines = Object.entries({
    ...{ host: url.host, "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    ...{ "user-agent": "tallylight", connection: "close", ...headers },
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise<string>((resolve, reject) => {
    const fail = (code: string): void => reject(Object.assign(new Error("no answer"), { code }));
    // the address and not the name, which may resolve to another one by now
    const socket = secure
      ? loadTls().connect({ host: address, port, ALPNProtocols: ["http/1.1"], ...(servername && { servername }) })
      : connect({ host: address, port });
    const close = (): void => void socket.destroy();
    signal.addEventListener("abort", close);
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
      const heads = text.split(headEnd, mostInformation + 2).slice(0, -1);
      const answer = heads.find((one) => !/^HTTP\/1\.\d 1/.test(one));
      if (answer?.match(/^HTTP\/1\.\d \d{3}\b/)) resolve(answer);
      else if (heads.length > mostInformation) fail(tooMuchInformation);
      else if (answer === undefined && text.length <= longestHead && "HTTP/1.".startsWith(text.slice(0, 7))) return;
      else fail("NO_HTTP");
      close();
    });
    socket.on("error", reject);
    socket.on("close", () => {
      signal.removeEventListener("abort", close);
      fail("ECONNRESET");
    });
    socket.write(`POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  });
}

/** Makes one try. Never throws. */
export async function post(
  message: Post,
  { rules, closing, clock, timeout = tryTimeout }: PostOptions,
): Promise<TryResult> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeout); // AbortSignal.timeout keeps Deno running after the answer
  const signal = AbortSignal.any([late.signal, closing]);
  try {
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    );
    const answer = await Promise.race([
      destinationOf(message.url, rules).then((destination) => head(destination, message, signal)),
      aborted,
    ]);
    const status = Number(answer.slice(9, 12));
    const retryAfter = retryAfterOf(/^retry-after:\s*(.*?)\s*$/im.exec(answer)?.[1], clock());
    return { status, reason: reasonOfStatus(status), retryAfter };
  } catch (error) {
    return { status: null, reason: reasonOf(error, late.signal.aborted), retryAfter: undefined };
  } finally {
    clearTimeout(timer);
  }
}

/** The secrets that sign a message at a time: the new one, and the former one during a rotation. */
const secretsOf = ({ secret, former_secret, former_until }: Webhook, now: string): string[] =>
  former_secret !== null && (former_until ?? "") > now ? [secret, former_secret] : [secret];

/** Sends a message to a webhook. `id` is the same for every try. */
export function sendMessage(
  webhook: Webhook,
  message: { id: string; body: string },
  options: PostOptions,
): Promise<TryResult> {
  const time = options.clock();
  const headers = signatureHeaders({ ...message, time }, secretsOf(webhook, new Date(time).toISOString()));
  return post({ url: webhookUrl(webhook.url), headers, body: message.body }, options);
}

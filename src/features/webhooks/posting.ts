// Posts one message to a receiver: to the address that was checked, without following redirects, and without reading
// the answer beyond its head.
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { codeOf } from "../../core/errors.ts";
import { loadHttp, loadHttps } from "../../core/late_loading.ts";
import { retryAfterOf } from "../../core/times.ts";
import {
  type Destination,
  DestinationError,
  type DestinationRules,
  destinationOf,
  webhookUrl,
} from "./destinations.ts";
import { signatureHeaders } from "./signatures.ts";
import type { Webhook } from "./webhook_rows.ts";

/** The time of one try in milliseconds, from resolving the host to the head of the answer. */
export const tryTimeout = 15_000;
/** The most informational answers (1xx) before the answer, and the most bytes of the head of each. */
const maxInformation = 20;
const maxHead = 16_384;
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
  if (error instanceof Error && error.name === "NotCapable")
    return "Deno was not given the permissions --allow-net for the receiver and, for HTTPS, --allow-sys";
  const code = codeOf(error);
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
 * Sends the request to the address that was checked, over a connection of its own, and returns the head of the answer.
 */
async function headOf(
  { url, address }: Destination,
  { headers, body }: Post,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  signal.throwIfAborted(); // the name was resolved too late
  const { request } = url.protocol === "https:" ? loadHttps() : loadHttp();
  const family = isIP(address);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      agent: false,
      family,
      lookup: (_host, _options, done) => done(null, address, family), // the name may resolve to another address by now
      maxHeaderSize: maxHead,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": "tallylight",
        connection: "close",
        ...headers,
      },
    });
    const close = (): void => void sent.destroy();
    const fail = (code: string): void => {
      // first, because what has already come is read after destroy, too
      reject(Object.assign(new Error("no answer"), { code }));
      close();
    };
    signal.addEventListener("abort", close);
    let information = 0;
    sent.on("information", () => {
      if (++information > maxInformation) fail(tooMuchInformation);
    });
    sent.on("response", (answer) => {
      answer.on("error", () => {}); // the connection is closed before its end
      if ((answer.statusCode ?? 0) < 200) return fail("NO_HTTP"); // 101: another protocol, which was not asked for
      resolve(answer);
      close();
    });
    sent.on("error", reject);
    sent.on("close", () => signal.removeEventListener("abort", close));
    sent.end(body);
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
    const { statusCode: status = 0, headers } = await Promise.race([
      destinationOf(message.url, rules).then((destination) => headOf(destination, message, signal)),
      aborted,
    ]);
    const retryAfter = retryAfterOf(headers["retry-after"], clock());
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

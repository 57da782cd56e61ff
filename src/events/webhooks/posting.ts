// Posts one message to a receiver: to the address that was checked, without following redirects, and without reading the answer
// beyond its head.
import type { IncomingMessage, RequestOptions } from "node:http";
import { loadHttp, loadHttps, retryAfterOf } from "../../network.ts";
import { type Destination, DestinationError, type DestinationRules, destinationOf } from "./destinations.ts";

/** The time of one try in milliseconds, from resolving the host to the head of the answer. */
export const tryTimeout = 15_000;
/** The most informational answers (1xx) before the answer. An endless number of them would use the whole processor until the timeout. */
const mostInformation = 10;
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

/** Sends the request and returns the head of the answer. */
function head({ url, address }: Destination, { headers, body }: Post, signal: AbortSignal): Promise<IncomingMessage> {
  const secure = url.protocol === "https:";
  const options: RequestOptions & { servername?: string } = {
    host: address, // not the name, which may resolve to another address by now
    port: url.port || (secure ? 443 : 80),
    ...(url.hostname !== address && !url.hostname.startsWith("[") && { servername: url.hostname }), // for the certificate
    path: `${url.pathname}${url.search}`,
    method: "POST",
    agent: false, // a connection for each message, so that each goes to an address that was just checked
    headers: {
      ...{ host: url.host, "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) },
      ...{ "user-agent": "tallylight", connection: "close", ...headers },
    },
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = (secure ? loadHttps() : loadHttp()).request(options, resolve);
    let information = 0;
    request.on("information", () => {
      if (++information > mostInformation)
        request.destroy(Object.assign(new Error("no answer"), { code: tooMuchInformation }));
    });
    request.once("error", reject);
    request.end(body);
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
    const status = answer.statusCode ?? 0;
    const retryAfter = retryAfterOf(answer.headers["retry-after"], clock());
    answer.on("error", () => {}).destroy();
    return { status, reason: reasonOfStatus(status), retryAfter };
  } catch (error) {
    return { status: null, reason: reasonOf(error, late.signal.aborted), retryAfter: undefined };
  } finally {
    clearTimeout(timer);
  }
}

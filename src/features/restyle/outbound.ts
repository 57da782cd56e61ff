// Makes an HTTP call to a provider: with limits on time and size, without following redirects, and with at most one
// retry. Never logs or returns the text of an error.
import { setTimeout as sleep } from "node:timers/promises";
import { retryAfterOf } from "../../core/times.ts";

/** The dependencies and limits of outbound calls. Tests replace them. */
export interface Outbound {
  fetch: typeof fetch;
  /** The current time in milliseconds. */
  clock: () => number;
  /** Aborts after so many milliseconds. */
  timeLimit: (milliseconds: number) => AbortSignal;
  /** Aborts every call in progress. */
  closing: AbortSignal;
  /** The timeout of one try of a request that a provider should answer immediately, in milliseconds. */
  shortTimeout: number;
  /** The delay before the retry, in milliseconds: random between min and max. */
  retryDelay: readonly [min: number, max: number];
  /** The longest Retry-After that the retry waits for, in milliseconds. */
  maxRetryAfter: number;
}

export interface ProviderCall {
  method: "GET" | "POST";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** The timeout of one try in milliseconds, until the last byte of the answer. */
  timeout: number;
  /** The timeout of both tries together in milliseconds. */
  totalTimeout: number;
  /** The maximum size of the answer in bytes. */
  maxBytes: number;
}

/**
 * The outcome of a call: an answer of any status, or the kind of failure: "timeout" before the answer began,
 * "unfinished" after.
 */
export type Outcome =
  | { kind: "answer"; status: number; text: string; retry_after: number | undefined }
  | { kind: "unreachable" | "timeout" | "interrupted" | "unfinished" | "oversized" };

export type Failure = Exclude<Outcome["kind"], "answer">;

/** Each failure as a predicate: "the … provider cannot be reached". */
export const failures: Readonly<Record<Failure, string>> = {
  unreachable: "cannot be reached",
  timeout: "did not answer in time",
  interrupted: "closed the connection before its answer was complete",
  unfinished: "did not finish its answer in time",
  oversized: "sent an answer that is too large",
};

/** Whether the status means that a retry may succeed. */
export const isTransient = (outcome: Outcome): boolean =>
  outcome.kind === "answer" && (outcome.status === 502 || outcome.status === 503 || outcome.status === 504);

/** The text of an answer; undefined if it has more than `maxBytes` bytes. Stops reading at that point. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** connection: close, because Deno's transport retries by itself if a reused connection was closed in the meantime. */
const commonHeaders = { accept: "application/json", connection: "close", "user-agent": "tallylight" };

async function attempt(outbound: Outbound, call: ProviderCall, timeout: number): Promise<Outcome> {
  const { fetch, clock, closing, timeLimit } = outbound;
  const timeoutSignal = timeLimit(Math.ceil(timeout));
  let answering = false;
  try {
    const response = await fetch(call.url, {
      method: call.method,
      headers: { ...commonHeaders, ...call.headers },
      body: call.body ?? null,
      redirect: "manual", // the key must only be sent to the configured address
      signal: AbortSignal.any([timeoutSignal, closing]),
    });
    answering = true;
    const retry_after = retryAfterOf(response.headers.get("retry-after"), clock());
    const text = await readText(response, call.maxBytes);
    return text === undefined ? { kind: "oversized" } : { kind: "answer", status: response.status, text, retry_after };
  } catch {
    if (timeoutSignal.aborted) return { kind: answering ? "unfinished" : "timeout" };
    return { kind: answering ? "interrupted" : "unreachable" };
  }
}

/** The delay before the retry in milliseconds; undefined if Retry-After exceeds the maximum. */
function delayBeforeRetry({ retryDelay: [min, max], maxRetryAfter }: Outbound, outcome: Outcome): number | undefined {
  const delay = min + Math.random() * (max - min);
  const requested = outcome.kind === "answer" ? outcome.retry_after : undefined;
  if (requested === undefined) return delay;
  return requested <= maxRetryAfter ? Math.max(requested, delay) : undefined;
}

/** Makes a call. Retries it once after a delay if `shouldRetry` returns true for the outcome and there is time left. */
export async function send(
  outbound: Outbound,
  call: ProviderCall,
  shouldRetry: (first: Outcome) => boolean,
): Promise<Outcome> {
  const deadline = performance.now() + call.totalTimeout;
  const first = await attempt(outbound, call, Math.min(call.timeout, call.totalTimeout));
  const delay = shouldRetry(first) ? delayBeforeRetry(outbound, first) : undefined;
  if (delay === undefined || performance.now() + delay >= deadline) return first;
  await sleep(delay, undefined, { signal: outbound.closing }).catch(() => {});
  if (outbound.closing.aborted) return first;
  return attempt(outbound, call, Math.min(call.timeout, deadline - performance.now()));
}

const maxRetryAfterHeader = 300;

/**
 * The Retry-After header that an error passes on, in whole seconds and at most 300; no header if the provider sent
 * none.
 */
export function retryAfterHeader(outcome: Outcome): Record<string, string> {
  if (outcome.kind !== "answer" || outcome.retry_after === undefined) return {};
  const seconds = Math.ceil(outcome.retry_after / 1000);
  return { "retry-after": String(Math.min(Math.max(seconds, 1), maxRetryAfterHeader)) };
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

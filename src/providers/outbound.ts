// One call to another machine's service over HTTP: bounded in time and bytes, to that address and no other, and made once
// more where that is safe. Knows no provider, logs nothing, and tells of a failure by its kind alone.
import { setTimeout as sleep } from "node:timers/promises";

/** How a provider is reached; tests put their own in its place. */
export interface Outbound {
  fetch: typeof fetch;
  /** The present moment in milliseconds. */
  clock: () => number;
  /** Ends every call under way. */
  closing: AbortSignal;
  /** The most milliseconds of one try of what a provider answers at once. */
  promptly: number;
  /** The least and the most milliseconds between a failure and the second try; what lies between is jitter. */
  pause: readonly [least: number, most: number];
  /** The longest Retry-After, in milliseconds, that is waited for before the second try. */
  patience: number;
}

export interface Call {
  method: "GET" | "POST";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** The most milliseconds of one try, its answer's last byte included. */
  timeout: number;
  /** The most milliseconds of both tries together. */
  total: number;
  /** The most bytes that the answer may have. */
  most: number;
}

/** What became of a call: an answer of whatever status, or how it failed. */
export type Outcome =
  | { kind: "answer"; status: number; text: string; retry_after: number | undefined }
  | { kind: "unreachable" | "silent" | "broken" | "endless" | "oversized" };

export type Failure = Exclude<Outcome["kind"], "answer">;

/** Each failure as a predicate: "the … provider cannot be reached". */
export const failures: Readonly<Record<Failure, string>> = {
  unreachable: "cannot be reached",
  silent: "did not answer in time",
  broken: "broke its answer off",
  endless: "did not end its answer in time",
  oversized: "answered far more than it should",
};

/** Whether the provider said that the same request may do better in a moment. */
export const passing = (outcome: Outcome): boolean =>
  outcome.kind === "answer" && (outcome.status === 502 || outcome.status === 503 || outcome.status === 504);

/** Retry-After in milliseconds from now, given as seconds or as a date (RFC 9110 section 10.2.3). */
function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const timestamp = Date.parse(header);
  return Number.isNaN(timestamp) ? undefined : Math.max(0, timestamp - now);
}

/** The answer's text; undefined where it has more than `most` bytes, of which the rest is not read. */
async function readText(response: Response, most: number): Promise<string | undefined> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** A connection each: on one kept from before, Deno's transport tries again by itself where it was closed meanwhile. */
const commonHeaders = { accept: "application/json", connection: "close", "user-agent": "tallylight" };

async function attempt({ fetch, clock, closing }: Outbound, call: Call, timeout: number): Promise<Outcome> {
  const late = AbortSignal.timeout(Math.ceil(timeout));
  let begun = false;
  try {
    const response = await fetch(call.url, {
      method: call.method,
      headers: { ...commonHeaders, ...call.headers },
      body: call.body ?? null,
      redirect: "manual", // the key goes where it was configured to go
      signal: AbortSignal.any([late, closing]),
    });
    begun = true;
    const retry_after = retryAfterOf(response.headers.get("retry-after"), clock());
    const text = await readText(response, call.most);
    return text === undefined ? { kind: "oversized" } : { kind: "answer", status: response.status, text, retry_after };
  } catch {
    if (late.aborted) return { kind: begun ? "endless" : "silent" };
    return { kind: begun ? "broken" : "unreachable" };
  }
}

/** How long to wait before the second try; undefined where the provider asks for more than anybody here waits. */
function pauseBefore({ pause: [least, most], patience }: Outbound, outcome: Outcome): number | undefined {
  const pause = least + Math.random() * (most - least);
  const asked = outcome.kind === "answer" ? outcome.retry_after : undefined;
  if (asked === undefined) return pause;
  return asked <= patience ? Math.max(asked, pause) : undefined;
}

/** Makes a call, and once more after a pause where `again` says so of what became of it and there is time left. */
export async function send(outbound: Outbound, call: Call, again: (first: Outcome) => boolean): Promise<Outcome> {
  const end = performance.now() + call.total;
  const first = await attempt(outbound, call, Math.min(call.timeout, call.total));
  const pause = again(first) ? pauseBefore(outbound, first) : undefined;
  if (pause === undefined || performance.now() + pause >= end) return first;
  await sleep(pause, undefined, { signal: outbound.closing }).catch(() => {});
  if (outbound.closing.aborted) return first;
  return attempt(outbound, call, Math.min(call.timeout, end - performance.now()));
}

const longestRetryAfter = 300;

/** The Retry-After header that a refusal passes on: whole seconds, at most five minutes; none where none was given. */
export function retryAfterHeader(outcome: Outcome): Record<string, string> {
  if (outcome.kind !== "answer" || outcome.retry_after === undefined) return {};
  const seconds = Math.ceil(outcome.retry_after / 1000);
  return { "retry-after": String(Math.min(Math.max(seconds, 1), longestRetryAfter)) };
}

/** The value of a JSON text; undefined where it is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Calls the server's storage operations over HTTP, and repeats each call until the server gives a final answer.
import { type Backoff, minute, pauseAfter, retryAfterOf } from "../core/times.ts";
import { longestRetryAfter, usualBackoff, waitFor } from "./backoff.ts";
import { AgentError, codeOrTextOf } from "./errors.ts";

export interface ServerAnswer {
  status: number;
  /** The JSON that came. */
  body: Record<string, unknown>;
  /** The Date header. */
  date: string | null;
}

export interface ClientOptions {
  url: string;
  key: string;
  /** Ends every call and every wait. */
  signal: AbortSignal;
  pace?: Backoff;
  /** Milliseconds after which a call that gets no answer is given up; none if the agent runs on. */
  patience?: number;
  /** Is called with every answer. */
  answered?(answer: ServerAnswer): void;
  /** Is called once when the server cannot be used, and once, with undefined, when it can again. */
  away?(reason: string | undefined): void;
}

/** Milliseconds of one try: a batch is a second's work at the most, on a busy disk. */
const timeout = minute;
const largestAnswer = 4 << 20;
const retried: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 507]);

/** A failure that may be over at the next try. */
class Passing extends Error {
  readonly asked: number;
  constructor(reason: string, asked = 0) {
    super(reason);
    this.asked = asked;
  }
}

const detailOf = (body: unknown): string =>
  typeof body === "object" && body !== null && "detail" in body && typeof body.detail === "string" ? body.detail : "";

export class Client {
  readonly #options: ClientOptions;
  #failures = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Calls a path below /api/v1 and answers what came with 200, 404, 413 or 422. Tries again after a lost connection and
   * after answers that say "later". Throws AgentError if the key, the production or the address is refused.
   */
  async call(path: string, body?: string | FormData): Promise<ServerAnswer> {
    const { signal, pace = usualBackoff, patience = Number.POSITIVE_INFINITY, away } = this.#options;
    const end = performance.now() + patience;
    for (;;) {
      try {
        const answer = await this.#attempt(path, body);
        if (this.#failures > 0) away?.(undefined);
        this.#failures = 0;
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Passing)) throw error;
        if (++this.#failures === 1) away?.(error.message);
        const wait = pauseAfter(this.#failures, pace, error.asked);
        if (performance.now() + wait > end)
          throw new AgentError(`${this.#options.url} cannot be used: ${error.message}`);
        await waitFor(wait, signal);
      }
    }
  }

  async #attempt(path: string, body: string | FormData | undefined): Promise<ServerAnswer> {
    const { url, key, signal, answered } = this.#options;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${url}/api/v1${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${key}`,
          accept: "application/json",
          connection: "close", // a kept connection may be closed by the server just as it is used again
          "user-agent": "tallylight-agent",
          ...(typeof body === "string" && { "content-type": "application/json" }),
        },
        body: body ?? null,
        redirect: "manual", // the key must not be sent to another address
        signal: AbortSignal.any([AbortSignal.timeout(timeout), signal]),
      });
      text = await readText(response);
    } catch (error) {
      throw error instanceof Passing ? error : new Passing(reasonOf(error));
    }
    const answer = this.#judge(response, text);
    answered?.(answer);
    return answer;
  }

  /** Answers what is for the caller to look at; throws what ends the agent, and what passes. */
  #judge({ status, headers }: Response, text: string): ServerAnswer {
    const { url } = this.#options;
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    const detail = detailOf(body);
    // A conflict that passes: the production is frozen.
    if (retried.has(status) || (status === 409 && headers.has("retry-after")))
      throw new Passing(
        `the server answers ${status}${detail && `, ${detail}`}`,
        retryAfterOf(headers.get("retry-after"), Date.now(), longestRetryAfter),
      );
    if (status === 401 || status === 403) throw new AgentError(`${url} refuses the key: ${detail || status}`);
    if (status === 409) throw new AgentError(`${url} does not accept storage events: ${detail}`);
    if (status >= 300 && status < 400)
      throw new AgentError(`${url} redirects to ${headers.get("location")}; give that address instead`);
    if (typeof body !== "object" || body === null || (status !== 200 && detail === ""))
      throw new AgentError(`${url} does not answer as a Tallylight server does (status ${status})`);
    return { status, body: { ...body }, date: headers.get("date") };
  }
}

/** The sentence of a failed call, without what differs from runtime to runtime where that is possible. */
function reasonOf(error: unknown): string {
  const { name, cause } = error instanceof Error ? error : new Error(String(error));
  if (name === "TimeoutError") return `no answer within ${timeout / 1000} s`;
  return `the connection failed: ${codeOrTextOf(cause ?? error)}`;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > largestAnswer) throw new Passing("the answer is far too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

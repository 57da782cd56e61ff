// A provider on loopback that gives the replies a test scripted, one per request, and records the requests.
import "../../src/features.ts";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { type Config, readConfig } from "../../src/core/config.ts";
import type { HttpError } from "../../src/core/errors.ts";

export type Reply = (req: IncomingMessage, res: ServerResponse) => void;

/** Responds with JSON, or with a string as it is. */
export const respond =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Reply =>
  (_, res) =>
    void res
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));

/** Accepts the request and never responds. */
export const neverRespond: Reply = () => {};

/** Closes the connection without a response. */
export const closeConnection: Reply = (req) => void req.socket.destroy();

/** Begins a response and then closes the connection. */
export const sendPartOfBody: Reply = (req, res) => {
  res.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
  res.write('{"choices":');
  setTimeout(() => req.socket.destroy(), 20);
};

/** Time limits that end when the test says so, whatever the speed of the machine. */
export function openTimeLimits() {
  const running: AbortController[] = [];
  const end = () => {
    for (const one of running) one.abort();
  };
  const milliseconds: number[] = [];
  let begun = false;
  const outbound = {
    timeLimit(asked: number) {
      milliseconds.push(asked);
      const limit = new AbortController();
      running.push(limit);
      return limit.signal;
    },
    async fetch(...request: Parameters<typeof fetch>) {
      const response = await fetch(...request);
      if (begun) setImmediate(end);
      return response;
    },
  };
  return {
    outbound,
    /** The limits that were asked for. */
    milliseconds,
    /** The time is over when the request has arrived. */
    neverAnswers: end satisfies Reply,
    /** Sends single bytes without end. The time is over when the response has begun. */
    neverEnds: ((_, res) => {
      begun = true;
      res.writeHead(200, { "content-type": "application/json" });
      const drops = setInterval(() => res.write(" "), 10);
      res.on("close", () => clearInterval(drops));
    }) satisfies Reply,
  };
}

export interface ScriptedProvider {
  url: string;
  requests: { method: string; path: string; headers: IncomingMessage["headers"]; body: any }[];
  /** Sets the replies to the next requests; the last one is repeated. Clears `requests`. */
  respondWith(...replies: Reply[]): void;
  stop(): Promise<void>;
}

export async function openScriptedProvider(): Promise<ScriptedProvider> {
  let script: Reply[] = [];
  const requests: ScriptedProvider["requests"] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = "", url = "", headers } = req;
    requests.push({ method, path: url, headers, body: text === "" ? undefined : JSON.parse(text) });
    const reply = script.length > 1 ? script.shift() : script[0];
    if (reply === undefined) throw new Error("no reply was scripted");
    reply(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    respondWith(...replies) {
      script = replies;
      requests.length = 0;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The environment of a server that uses this address for both providers. */
export const environmentOf = (url: string) => ({
  TALLYLIGHT_RESTYLE_URL: url,
  TALLYLIGHT_RESTYLE_KEY: "dct_permanent",
  TALLYLIGHT_LOOK_URL: `${url}/v1`,
  TALLYLIGHT_LOOK_MODEL: "a-vision-model",
  TALLYLIGHT_LOOK_KEY: "sk-permanent",
});

/** A configuration that uses this address for both providers. */
export const configOf = (url: string): Config => readConfig(tmpdir(), environmentOf(url));

/** Retry settings for tests: pauses of a few milliseconds, and a Retry-After is followed for at most 50 ms. */
export const shortPauses = { retryDelay: [1, 5], maxRetryAfter: 50 } as const;

/** A valid brief from a model. */
export const goodBrief = {
  environment: "A stone kitchen below a ruined tower.",
  palette: "Slate grey, with a brass accent.",
  lighting: "One low window, hard and cold.",
  era: "The middle of the eighteenth century.",
  materials: "Wet stone, unpainted oak, tallow.",
  texture: "Fine grain, soft corners.",
};

/** A chat completion with `content` as its message. */
export const completion = (content: unknown, finish_reason = "stop", message: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "a-vision-model",
  choices: [
    {
      index: 0,
      finish_reason,
      message: {
        role: "assistant",
        content: typeof content === "string" || content === null ? content : JSON.stringify(content),
        ...message,
      },
    },
  ],
  usage: { prompt_tokens: 900, completion_tokens: 120 },
});

/** The error that a call throws, with its duration in milliseconds. Throws if the call succeeds. */
export async function httpErrorOf(call: () => Promise<unknown>): Promise<HttpError & { milliseconds: number }> {
  const started = performance.now();
  try {
    await call();
  } catch (error) {
    return Object.assign(error as HttpError, { milliseconds: performance.now() - started });
  }
  throw new Error("the call did not throw");
}

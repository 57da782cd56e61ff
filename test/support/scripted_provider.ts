// A provider on loopback that plays what a test scripted, one play a request, and remembers what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { type Config, readConfig } from "../../src/config.ts";
import type { HttpError } from "../../src/errors.ts";

export type Play = (req: IncomingMessage, res: ServerResponse) => void;

/** Answers with JSON, or with text as it is. */
export const says =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Play =>
  (_, res) =>
    void res
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));

/** Takes the request and never says a word. */
export const silence: Play = () => {};

/** Closes the connection in place of an answer. */
export const hangUp: Play = (req) => void req.socket.destroy();

/** Begins an answer and closes the connection. */
export const breakOff: Play = (req, res) => {
  res.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
  res.write('{"choices":');
  setTimeout(() => req.socket.destroy(), 20);
};

/** Begins an answer that trickles on for ever. */
export const trickle: Play = (_, res) => {
  res.writeHead(200, { "content-type": "application/json" });
  const drops = setInterval(() => res.write(" "), 10);
  res.on("close", () => clearInterval(drops));
};

export interface Scripted {
  url: string;
  requests: { method: string; path: string; headers: IncomingMessage["headers"]; body: any }[];
  /** Sets what the next requests get, one play each; the last is played again and again. Forgets former requests. */
  play(...plays: Play[]): void;
  stop(): Promise<void>;
}

export async function openScripted(): Promise<Scripted> {
  let script: Play[] = [];
  const requests: Scripted["requests"] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = "", url = "", headers } = req;
    requests.push({ method, path: url, headers, body: text === "" ? undefined : JSON.parse(text) });
    const play = script.length > 1 ? script.shift() : script[0];
    if (play === undefined) throw new Error("nothing was scripted");
    play(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    play(...plays) {
      script = plays;
      requests.length = 0;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The environment of a server that has both providers at one address. */
export const environmentOf = (url: string) => ({
  TALLYLIGHT_RESTYLE_URL: url,
  TALLYLIGHT_RESTYLE_KEY: "dct_permanent",
  TALLYLIGHT_LOOK_URL: `${url}/v1`,
  TALLYLIGHT_LOOK_MODEL: "a-vision-model",
  TALLYLIGHT_LOOK_KEY: "sk-permanent",
});

/** A configuration with both providers at one address. */
export const configOf = (url: string): Config => readConfig(tmpdir(), environmentOf(url));

/** The pauses of tests: none worth mentioning, and hardly a Retry-After is waited for. */
export const quickly = { retryDelay: [1, 5], maxRetryAfter: 50 } as const;

/** A brief as a model answers it. */
export const goodBrief = {
  environment: "A stone kitchen below a ruined tower.",
  palette: "Slate grey, with a brass accent.",
  lighting: "One low window, hard and cold.",
  era: "The middle of the eighteenth century.",
  materials: "Wet stone, unpainted oak, tallow.",
  texture: "Fine grain, soft corners.",
};

/** A chat completion whose message holds `content`. */
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

/** What a call came to: its refusal, with the milliseconds it took. Fails where it was not refused. */
export async function httpErrorOf(call: () => Promise<unknown>): Promise<HttpError & { milliseconds: number }> {
  const started = performance.now();
  try {
    await call();
  } catch (error) {
    return Object.assign(error as HttpError, { milliseconds: performance.now() - started });
  }
  throw new Error("it was not refused");
}

// Reading a JSON body, bounded; knows nothing of what is in it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpError, tooLarge, unprocessable } from "../../errors.ts";
import { parseJson, TooDeep } from "./json.ts";
import type { RequestContext } from "./request_context.ts";

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes that the client waits for 100 Continue before it sends its body: it hears so once somebody wants the body. */
export const holdBack = (req: IncomingMessage, res: ServerResponse): void => void waiting.set(req, res);

/** To be called before a body is read: asks for it where the client waits. Throws 415 for one that came encoded. */
export function welcomeBody(req: IncomingMessage): void {
  const encoding = req.headers["content-encoding"];
  if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding.trim()))
    throw new HttpError(415, "the body must be sent without a Content-Encoding", { "accept-encoding": "identity" });
  waiting.get(req)?.writeContinue();
  waiting.delete(req);
}

/**
 * The bytes of the body. Throws 413 as soon as there are more than `limit`, whatever was announced, 503 if bodies hold as
 * much memory as they may, and 400 if it breaks off. By the stream's events: its iterator costs a small body more than all
 * the rest of it.
 */
export function readBody({ app, req, res, credentials }: RequestContext, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refusal = () => tooLarge(`the body must have at most ${limit} bytes`);
    if (Number(req.headers["content-length"] ?? 0) > limit) throw refusal();
    welcomeBody(req);
    const share = app.bodies.open(credentials.key_id);
    res.once("close", share.release);
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (done: () => void) => {
      req.off("data", take).off("end", end).off("close", broken);
      done();
    };
    const refuse = (problem: unknown) => {
      req.pause();
      chunks.length = 0;
      share.release();
      settle(() => reject(problem));
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return refuse(refusal());
      try {
        share.take(chunk.length);
        chunks.push(chunk);
      } catch (problem) {
        refuse(problem);
      }
    };
    const end = () =>
      settle(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    const broken = () => refuse(new HttpError(400, "the body did not arrive whole"));
    req.on("error", () => {}); // "close" follows, and says as much
    req.on("data", take).on("end", end).on("close", broken);
  });
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The bytes as UTF-8 text. Throws 422 where they are not. */
export function textOf(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw unprocessable("the body is not valid UTF-8");
  }
}

/** The JSON object in a body. An empty body is an empty object. Throws 422 for anything else. */
export function jsonObjectOf(body: Uint8Array): Record<string, unknown> {
  const text = textOf(body);
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw unprocessable(error instanceof TooDeep ? "the body is nested too deep" : "the body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unprocessable("the body must be a JSON object");
  return value as Record<string, unknown>;
}

/** The bytes of a base64 text (RFC 4648 section 4, padded). Throws 422, naming the field, where it is none. */
export function decodeBase64(text: string, name: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Decoding passes over what is no base64: only what encodes to the same text again was.
  if (bytes.toString("base64") !== text) throw unprocessable(`${name} must be base64`);
  return bytes;
}

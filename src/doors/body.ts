// Reading a JSON body, bounded; knows nothing of what is in it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal, tooLarge, unprocessable } from "../errors.ts";

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes that the client waits for 100 Continue before it sends its body: it hears so once somebody wants the body. */
export const holdBack = (req: IncomingMessage, res: ServerResponse): void => void waiting.set(req, res);

/** To be called before a body is read: asks for it where the client waits. Throws 415 for one that came encoded. */
export function welcomeBody(req: IncomingMessage): void {
  const encoding = req.headers["content-encoding"];
  if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding.trim()))
    throw new Refusal(415, "the body must be sent without a Content-Encoding", { "accept-encoding": "identity" });
  waiting.get(req)?.writeContinue();
  waiting.delete(req);
}

/**
 * The bytes of the body. Throws 413 as soon as there are more than `limit`, whatever was announced, and 400 where it breaks
 * off. By the stream's events: its iterator costs a small body more than all the rest of it.
 */
export function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refusal = () => tooLarge(`the body must have at most ${limit} bytes`);
    if (Number(req.headers["content-length"] ?? 0) > limit) throw refusal();
    welcomeBody(req);
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (done: () => void) => {
      req.off("data", take).off("end", whole).off("close", broken);
      done();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      req.pause();
      settle(() => reject(refusal()));
    };
    const whole = () =>
      settle(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    const broken = () => settle(() => reject(new Refusal(400, "the body did not arrive whole")));
    req.on("error", () => {}); // "close" follows, and says as much
    req.on("data", take).on("end", whole).on("close", broken);
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

const deepest = 64;

/** JSON text as a value. Throws a RangeError where it is nested deeper than anybody means it, and a SyntaxError. */
export function jsonOf(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      // Over the string, whose own brackets do not count; an escaped quote does not end it.
      for (at = text.indexOf('"', at + 1); at > 0 && text[at - 1] === "\\"; at = text.indexOf('"', at + 1)) {
        let slashes = 1;
        while (text[at - 1 - slashes] === "\\") slashes++;
        if (slashes % 2 === 0) break;
      }
      if (at === -1) break;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) throw new RangeError("nested too deep");
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return JSON.parse(text, reviver);
}

/** 64-bit integers keep every digit: beyond 2^53 they come as bigint. */
const wholeDigits = (_: string, value: unknown, context: { source?: string }): unknown =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d{16,19}$/.test(context?.source ?? "")
    ? BigInt(context.source as string)
    : value;

/** The JSON object in a body. An empty body is an empty object. Throws 422 for anything else. */
export function jsonObjectOf(body: Uint8Array): Record<string, unknown> {
  const text = textOf(body);
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = jsonOf(text, wholeDigits as never);
  } catch (error) {
    throw unprocessable(error instanceof RangeError ? "the body is nested too deep" : "the body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unprocessable("the body must be a JSON object");
  return value as Record<string, unknown>;
}

/** The bytes of a base64 text (RFC 4648 section 4, padded). Throws 422, naming the field, where it is none. */
export function bytesOf(text: string, name: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Decoding passes over what is no base64: only what encodes to the same text again was.
  if (bytes.toString("base64") !== text) throw unprocessable(`${name} must be base64`);
  return bytes;
}

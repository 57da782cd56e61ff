// Reading a JSON body, bounded; knows nothing of what is in it.
import type { IncomingMessage } from "node:http";
import { Refusal, tooLarge, unprocessable } from "../errors.ts";

/** The bytes of the body. Throws 413 as soon as there are more than `limit`, whatever was announced. */
export async function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  const refusal = () => tooLarge(`the body must have at most ${limit} bytes`);
  if (Number(req.headers["content-length"] ?? 0) > limit) throw refusal();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > limit) throw refusal();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, "the body did not arrive whole");
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
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
    value = JSON.parse(text, wholeDigits as never);
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

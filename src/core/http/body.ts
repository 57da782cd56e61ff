// Reads request bodies up to a size limit, and decodes UTF-8, JSON and base64.
import type { IncomingMessage } from "node:http";
import { HttpError, tooLarge, unprocessable } from "../errors.ts";
import { parseJsonInTurns, RepeatedKey, TooDeep } from "../json.ts";
import { invalidJson } from "../json_fault.ts";
import { requestTurn } from "../limits.ts";
import type { RequestContext } from "./request_context.ts";
import { sendContinue } from "./request_head.ts";

/**
 * Call this before reading a body. Sends 100 Continue if the client waits for it. Throws 415 if the body is encoded.
 */
export function acceptBody(req: IncomingMessage): void {
  const encoding = req.headers["content-encoding"];
  if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding.trim()))
    throw new HttpError(415, "the body must be sent without a Content-Encoding", { "accept-encoding": "identity" });
  sendContinue(req);
}

/** 400: the connection closed before the end of the body. */
export const incompleteBody = (): HttpError => new HttpError(400, "the request ended before the body was complete");

/**
 * Returns the bytes of the body, once there is memory to parse them. Throws 413 as soon as there are more than `limit`
 * bytes, whatever Content-Length says, 503 if the budget for bodies in memory is used up, and 400 if the body is
 * incomplete. Uses the stream's events because its iterator takes more time than everything else that reading a small
 * body needs.
 */
export function readBody({ app, req, res, credentials }: RequestContext, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const overLimit = () => tooLarge(`the body must have at most ${limit} bytes`);
    if (Number(req.headers["content-length"] ?? 0) > limit) throw overLimit();
    acceptBody(req);
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
      if (size > limit) return refuse(overLimit());
      try {
        share.take(chunk.length);
        chunks.push(chunk);
      } catch (problem) {
        refuse(problem);
      }
    };
    const whole = () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    const end = () => settle(() => void (share.parse()?.then(whole, refuse) ?? whole()));
    const broken = () => refuse(incompleteBody());
    req.on("error", () => {}); // "close" follows and is handled
    req.on("data", take).on("end", end).on("close", broken);
  });
}

/**
 * Reads the body like readBody, and parses it while the turn of the event loop has time: many bodies may end in one
 * turn.
 */
export async function readBodyAs<T>(
  ctx: RequestContext,
  limit: number,
  parse: (body: Buffer) => T | Promise<T>,
): Promise<T> {
  const body = await readBody(ctx, limit);
  while (requestTurn.isOver) await requestTurn.next(ctx.credentials.key_id);
  return parse(body);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Returns the bytes as text. Throws 422 if they are not UTF-8. */
export function bodyText(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw unprocessable("the body is not valid UTF-8");
  }
}

/**
 * Returns the JSON object in a body, which it parses in turns. An empty body is an empty object. Throws 422 for
 * anything else.
 */
export async function jsonObjectOf(body: Uint8Array): Promise<Record<string, unknown>> {
  const text = bodyText(body);
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = await parseJsonInTurns(text);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    const saysWhere = error instanceof TooDeep || error instanceof RepeatedKey;
    throw unprocessable(saysWhere ? error.message : invalidJson("the body", text));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unprocessable("the body must be a JSON object");
  return value as Record<string, unknown>; // an object of JSON that is no list
}

/**
 * Returns the bytes of a base64 text (RFC 4648 section 4, padded). Throws 422 with the field's name if it is not
 * base64.
 */
export function decodeBase64(text: string, name: string, encoding: "base64" | "base64url" = "base64"): Buffer {
  const bytes = Buffer.from(text, encoding);
  // The decoder skips invalid characters, so the text is valid only if encoding the bytes gives the same text.
  if (bytes.toString(encoding) !== text) throw unprocessable(`${name} must be ${encoding}`);
  return bytes;
}

// Reads and writes JSON-RPC 2.0 messages.
import { HttpError } from "../../core/errors.ts";
import { parseJsonInTurns, RepeatedKey, TooDeep } from "../../core/json.ts";
import { invalidJson } from "../../core/json_fault.ts";
import { boundedWords } from "../../core/wording.ts";

const parseError = -32700;
const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;

/** A JSON-RPC protocol error: the client's message is wrong. Errors of the operation that it calls are HttpErrors. */
export class ProtocolError extends Error {
  readonly code: number;
  /** The id of the message as JSON text; null if it could not be read. */
  id: string;
  constructor(code: number, message: string, id = "null") {
    super(boundedWords(message));
    this.name = "ProtocolError";
    this.code = code;
    this.id = id;
  }
}

/** Runs a validation and returns its result. Turns its 422 into the protocol error -32602. */
export function asInvalidParams<T>(validation: () => T): T {
  try {
    return validation();
  } catch (error) {
    if (error instanceof HttpError && error.status === 422) throw new ProtocolError(invalidParams, error.message);
    throw error;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** A message that expects a response. */
export interface RpcRequest {
  /** As JSON text, for the response. */
  id: string;
  method: string;
  params: Fields;
}

/** How many characters an id may have, which the answer repeats. */
const maxId = 200;

const decoder = new TextDecoder("utf-8", { fatal: true });

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function parse(body: Uint8Array): Promise<unknown> {
  let text: string | undefined;
  try {
    text = decoder.decode(body);
    return await parseJsonInTurns(text);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (text === undefined) throw new ProtocolError(parseError, "the body is not valid UTF-8");
    const saysWhere = error instanceof TooDeep || error instanceof RepeatedKey;
    throw new ProtocolError(parseError, saysWhere ? error.message : invalidJson("the body", text));
  }
}

/**
 * Returns an id as JSON text, or undefined if it is neither a string nor an integer. Integers above 2^53 keep all
 * digits.
 */
function idText(id: unknown): string | undefined {
  if (typeof id === "string") return id.length <= maxId ? JSON.stringify(id) : undefined;
  return (typeof id === "bigint" && String(id).length <= maxId) || Number.isSafeInteger(id) ? String(id) : undefined;
}

/**
 * Returns the request in a body, or undefined for a message that expects no response: a notification, or a client's
 * response. Throws a ProtocolError for anything else.
 */
export async function readMessage(body: Uint8Array): Promise<RpcRequest | undefined> {
  const value = await parse(body);
  if (Array.isArray(value))
    throw new ProtocolError(invalidRequest, "the body must be one message; batches are not supported");
  if (!isObject(value)) throw new ProtocolError(invalidRequest, "the message must be an object");
  const hasId = Object.hasOwn(value, "id");
  const id = hasId ? idText(value.id) : undefined;
  if (hasId && id === undefined) {
    const begun = typeof value.id === "string" ? JSON.stringify(value.id.slice(0, maxId)) : undefined;
    throw new ProtocolError(invalidRequest, `id must be a string of at most ${maxId} characters or an integer`, begun);
  }
  if (value.jsonrpc !== "2.0") throw new ProtocolError(invalidRequest, 'jsonrpc must be "2.0"', id);
  if (typeof value.method !== "string") {
    const isResponse =
      !Object.hasOwn(value, "method") && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"));
    if (isResponse) return undefined;
    throw new ProtocolError(invalidRequest, "method must be the name of a method", id);
  }
  if (id === undefined) return undefined;
  const params = value.params ?? {};
  if (!isObject(params)) throw new ProtocolError(invalidParams, "params must be an object", id);
  return { id, method: value.method, params };
}

/**
 * Returns the UTF-8 bytes of a text as a string with one character for each byte. A socket writes it without another
 * copy.
 */
export const toLatin1 = (text: string): string => Buffer.from(text).toString("latin1");

/** Returns the response to the message `id` as JSON text. It and `result` have one character for each byte. */
export const resultMessage = (id: string, result: string): string =>
  `{"jsonrpc":"2.0","id":${toLatin1(id)},"result":${result}}`;

/** Returns the response for a protocol error as JSON text. */
export const errorMessage = ({ id, code, message }: ProtocolError): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;

// JSON-RPC 2.0 messages, read from bytes and written as JSON text. Knows no method and no HTTP.
import { HttpError } from "../../errors.ts";
import { parseJson, TooDeep } from "../http/json.ts";

export const parseError = -32700;
export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;

/** A protocol error: what a client must put right in its message, as opposed to a refusal of the operation it asked for. */
export class ProtocolError extends Error {
  readonly code: number;
  /** The id of the message at fault as JSON text; null where it could not be read. */
  id: string;
  constructor(code: number, message: string, id = "null") {
    super(message);
    this.name = "ProtocolError";
    this.code = code;
    this.id = id;
  }
}

/** Judges what was given; what REST refuses as 422 for its shape is a protocol error here. */
export function judged<T>(judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (error instanceof HttpError && error.status === 422) throw new ProtocolError(invalidParams, error.message);
    throw error;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** A message that wants an answer. */
export interface RpcRequest {
  /** As JSON text, ready to be echoed. */
  id: string;
  method: string;
  params: Fields;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parse(body: Uint8Array): unknown {
  try {
    return parseJson(decoder.decode(body));
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new ProtocolError(
      parseError,
      error instanceof TooDeep ? "the body is nested too deep" : "the body is not valid JSON",
    );
  }
}

/** An id as JSON text; undefined if it is neither a string nor an integer. Integers beyond 2^53 keep their digits. */
function idText(id: unknown): string | undefined {
  if (typeof id === "string") return JSON.stringify(id);
  return typeof id === "bigint" || Number.isSafeInteger(id) ? String(id) : undefined;
}

/**
 * The one message of a body; undefined for what wants no answer, a notification or a client's own response. Throws a
 * ProtocolError for anything else.
 */
export function readMessage(body: Uint8Array): RpcRequest | undefined {
  const value = parse(body);
  if (Array.isArray(value)) throw new ProtocolError(invalidRequest, "send one message a request: there is no batching");
  if (!isObject(value)) throw new ProtocolError(invalidRequest, "the message must be an object");
  const named = Object.hasOwn(value, "id");
  const id = named ? idText(value.id) : undefined;
  if (named && id === undefined) throw new ProtocolError(invalidRequest, "id must be a string or an integer");
  if (value.jsonrpc !== "2.0") throw new ProtocolError(invalidRequest, 'jsonrpc must be "2.0"', id);
  if (typeof value.method !== "string") {
    const response =
      !Object.hasOwn(value, "method") && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"));
    if (response) return undefined;
    throw new ProtocolError(invalidRequest, "method must be the name of a method", id);
  }
  if (id === undefined) return undefined;
  const { params = {} } = value;
  if (!isObject(params)) throw new ProtocolError(invalidParams, "params must be an object", id);
  return { id, method: value.method, params };
}

/** UTF-8 as a string with one character a byte: a socket takes it together with the headers, without another copy. */
export const toLatin1 = (text: string): string => Buffer.from(text).toString("latin1");

/** The answer to the message `id`; `result` is JSON text, and so is the answer, with one character a byte. */
export const resultMessage = (id: string, result: string): string =>
  `{"jsonrpc":"2.0","id":${toLatin1(id)},"result":${result}}`;

/** The answer to the message at fault. */
export const errorMessage = ({ id, code, message }: ProtocolError): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;

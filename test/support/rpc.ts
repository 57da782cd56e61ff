// Sends MCP messages over HTTP without an MCP client, so that nothing hides an error.
import * as assert from "uvu/assert";
import type { TestServer } from "./app.ts";

/** Posts a body to /mcp without changing it. */
export const post = (
  server: TestServer,
  token: string | undefined,
  body: NonNullable<RequestInit["body"]>,
  headers: Record<string, string> = {},
  path = "/mcp",
): Promise<Response> =>
  server.ask(token, path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

/** Sends one request. */
export const send = (
  server: TestServer,
  token: string | undefined,
  method: string,
  params?: object,
  id: unknown = 0,
  path?: string,
): Promise<Response> => post(server, token, JSON.stringify({ jsonrpc: "2.0", id, method, params }), {}, path);

/** Calls a tool. */
export const callTool = (
  server: TestServer,
  token: string,
  name: string,
  given: object = {},
  path?: string,
): Promise<Response> => send(server, token, "tools/call", { name, arguments: given }, 0, path);

/** The result of a response; fails if the response is an error. */
export async function resultOf(response: Response): Promise<any> {
  const text = await response.text();
  assert.is(response.status, 200, text);
  const message = JSON.parse(text);
  assert.is(message.jsonrpc, "2.0");
  assert.is(message.error, undefined, text);
  return message.result;
}

/** Checks a protocol error: HTTP 200, its code, the echoed id and the message. */
export async function assertProtocolError(
  response: Response,
  code: number,
  message?: string | RegExp,
  id: unknown = 0,
): Promise<void> {
  const text = await response.text();
  assert.is(response.status, 200, text);
  const answer = JSON.parse(text);
  assert.equal(Object.keys(answer), ["jsonrpc", "id", "error"], text);
  assert.is(answer.id, id);
  assert.is(answer.error.code, code, text);
  if (typeof message === "string") assert.is(answer.error.message, message);
  else if (message !== undefined) assert.match(answer.error.message, message);
}

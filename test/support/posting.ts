// Posts JSON to the API of a test server.
import * as assert from "uvu/assert";
import type { TestServer } from "./app.ts";

/** `send` posts and returns the response; `sent` returns the document, and fails if the status is not 200. */
export function postingTo(server: TestServer) {
  const send = (token: string, path: string, body: object = {}): Promise<Response> =>
    server.ask(token, `/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const sent = async (token: string, path: string, body: object = {}): Promise<Record<string, any>> => {
    const response = await send(token, path, body);
    const text = await response.text();
    assert.is(response.status, 200, text);
    return JSON.parse(text);
  };
  return { send, sent };
}

// Judges whatever the tests ask of a server as they ask it: an answer that the description does not describe fails the test
// that got it, wherever that is.
import { openapiText } from "../../src/transports/openapi.ts";
import { type Judge, openJudge } from "./openapi_validator.ts";

const url = "http://127.0.0.1"; // the judge looks at paths alone
let judge: Judge | undefined;

/** The answer as it came, judged by a copy. Throws where the description is violated. */
export async function watched(
  path: string,
  { method = "GET", body }: RequestInit,
  response: Response,
): Promise<Response> {
  judge ??= openJudge(JSON.parse(openapiText({ base_url: url, mcp_url: url, media_url: url, auth_url: url })));
  const json = response.headers.get("content-type")?.startsWith("application/json") === true;
  const text = json ? await response.clone().text() : undefined;
  const sent = typeof body === "string" ? body : undefined;
  const violations = judge.violations({ method, path, sent, response, text });
  if (violations.length === 0) return response;
  throw new Error(`${method} ${path} answers ${response.status} not as described: ${violations.join("; ")}`);
}

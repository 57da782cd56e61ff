// Validates every response that a test gets against the OpenAPI description: a response that is not described fails the test
// that received it.
import { features } from "../../src/core/features.ts";
import { openValidator, type Validator } from "./openapi_validator.ts";

const url = "http://127.0.0.1"; // the validator compares paths only
let validator: Validator | undefined;

/** Returns the response unchanged. Throws if it, or the request, violates the description. */
export async function validated(
  path: string,
  { method = "GET", body, headers }: RequestInit,
  response: Response,
): Promise<Response> {
  if (!features().some(({ name }) => name === "openapi")) return response; // a program without its description
  const { openapiText } = await import("../../src/features/openapi/route.ts");
  validator ??= openValidator(
    JSON.parse(await openapiText({ base_url: url, mcp_url: url, media_url: url, auth_url: url })),
  );
  const json = response.headers.get("content-type")?.startsWith("application/json") === true;
  const text = json ? await response.clone().text() : undefined;
  const isForm = /^(multipart\/|text\/csv)/.test(new Headers(headers).get("content-type") ?? "");
  const sent = typeof body === "string" && !isForm ? body : undefined;
  const violations = validator.violations({ method, path, sent, response, text });
  if (violations.length === 0) return response;
  throw new Error(`${method} ${path} answers ${response.status} not as described: ${violations.join("; ")}`);
}

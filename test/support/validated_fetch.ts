// Validates every response that a test gets against the OpenAPI description: a response that is not described fails the
// test that received it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { features } from "../../src/core/features.ts";
import { openValidator, type Validator } from "./openapi_validator.ts";
import { sharedFolder } from "./template.ts";

const url = "http://127.0.0.1"; // the validator compares paths only
let opened: Promise<Validator> | undefined;
/** What was found to be as described, the oldest first: many tests are given the same answer again and again. */
const sound = new Set<string>();
const mostSound = 100;

function remember(exchange: string): void {
  if (sound.size === mostSound) sound.delete(sound.values().next().value as string); // safe: it is not empty
  sound.add(exchange);
}

/** The response with its text, which was read: a clone of it would be read a second time. */
const withText = (text: string, response: Response): Response => {
  const { status, statusText, headers } = response;
  return new Response(status === 204 || status === 304 ? null : text, { status, statusText, headers });
};

/** Whether this is no program without its description. */
export const isDescribed = (): boolean => features().some(({ name }) => name === "openapi");

/** The text of the description, which takes a third of a second to make: once for a run. */
export async function description(): Promise<string> {
  const name = "description.json";
  const folder = await sharedFolder("description", async (draft) => {
    const { openapiText } = await import("../../src/features/openapi/route.ts");
    const text = await openapiText({ base_url: url, mcp_url: url, media_url: url, auth_url: url });
    writeFileSync(join(draft, name), text);
  });
  return readFileSync(join(folder, name), "utf8");
}
const openOne = async (): Promise<Validator> => openValidator(JSON.parse(await description()));

/** Returns the response with its status, headers and body. Throws if it, or the request, violates the description. */
export async function validated(
  path: string,
  { method = "GET", body, headers }: RequestInit,
  response: Response,
): Promise<Response> {
  if (!isDescribed()) return response;
  opened ??= openOne();
  const validator = await opened;
  const json = response.headers.get("content-type")?.startsWith("application/json") === true;
  const text = json ? await response.text() : undefined;
  const answer = text === undefined ? response : withText(text, response);
  const isForm = /^(multipart\/|text\/csv)/.test(new Headers(headers).get("content-type") ?? "");
  const sent = typeof body === "string" && !isForm ? body : undefined;
  const names = [...response.headers.keys()].join();
  const type = response.headers.get("content-type");
  const exchange = `${method} ${path} ${sent} ${response.status} ${type} ${names} ${text}`;
  if (sound.has(exchange)) return answer;
  const violations = validator.violations({ method, path, sent, response, text });
  if (violations.length === 0) {
    if (text !== undefined) remember(exchange);
    return answer;
  }
  throw new Error(`${method} ${path} answers ${response.status} not as described: ${violations.join("; ")}`);
}

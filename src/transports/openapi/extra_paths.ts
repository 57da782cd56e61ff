// The routes that are no rows: MCP, the media route, discovery, health and this description itself. Their doors hold the
// rules; here stands what a client must know to call them. Knows no row.
import type { Addresses } from "../../context.ts";
import type { Example, Examples } from "./examples.ts";
import { fileAnswers, headerRef, notModified, refusalsOf } from "./responses.ts";
import type { Json } from "./schemas.ts";

/** The paths that the doors answer at, from each address's root. */
export interface TransportPaths {
  rest: string;
  mcp: string;
  /** The same endpoint below the API. */
  mcpOfApi: string;
  media: string;
  authorize: string;
  token: string;
  protectedResource: string;
  authorizationServer: string;
  health: string;
  /** Below `rest`. */
  description: string;
}

const json = (schema: Json, example?: unknown): Json => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});
const answer = (description: string, schema: Json, example?: Example): Json => ({
  description,
  content: json(schema, example?.answer),
});
const anyKey = [{ key: [] }, { oauth: [] }];
const open: Json = { type: "object", additionalProperties: true };

/** JSON-RPC 2.0, as MCP sends it. */
export const messageSchemas: Record<string, Json> = {
  RpcRequest: {
    type: "object",
    required: ["jsonrpc", "method"],
    properties: {
      jsonrpc: { type: "string", const: "2.0" },
      id: {
        type: ["string", "integer"],
        description: "Without one the message is a notification: it executes nothing.",
      },
      method: { type: "string", examples: ["tools/call"] },
      params: open,
    },
  },
  RpcResponse: {
    type: "object",
    required: ["jsonrpc", "id"],
    properties: {
      jsonrpc: { type: "string", const: "2.0" },
      id: { type: ["string", "integer", "null"] },
      result: open,
      error: {
        type: "object",
        required: ["code", "message"],
        properties: { code: { type: "integer" }, message: { type: "string" } },
      },
    },
  },
};

const mcp = (operationId: string, summary: string, example: Example | undefined): Json => ({
  post: {
    operationId,
    tags: ["mcp"],
    summary,
    description:
      "Model Context Protocol over streamable HTTP: one JSON-RPC 2.0 message in, one out; no batches, no event stream. Refusals of the key, its scope or its reach have the status and body that the REST call has.",
    security: anyKey,
    parameters: [
      {
        name: "MCP-Protocol-Version",
        in: "header",
        description: "The version that initialize answered.",
        schema: { type: "string" },
      },
    ],
    requestBody: { required: true, content: json({ $ref: "#/components/schemas/RpcRequest" }, example?.body) },
    responses: {
      "200": answer("The result, or a JSON-RPC error.", { $ref: "#/components/schemas/RpcResponse" }, example),
      "202": { description: "A notification was taken; no body." },
      ...refusalsOf([400, 401, 403, 404, 408, 413, 415, 429]),
    },
  },
});

const media: Json = {
  get: {
    operationId: "media_route",
    tags: ["media"],
    summary: "Media by path",
    description:
      "The bytes at a `media_path`, for players and browsers that cannot send a header: a ticket of GET /media-ticket opens what its key reaches, and no Authorization header is looked at. The ticket ends with its key and, if an OAuth token fetched it, with that sign-in.",
    security: [],
    parameters: [
      {
        name: "path",
        in: "path",
        required: true,
        description: "A `media_path` as it stands in a document, its slashes included.",
        schema: { type: "string" },
      },
      { name: "t", in: "query", required: true, description: "A media ticket.", schema: { type: "string" } },
      ...["IfNoneMatch", "Range", "IfRange"].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    responses: { ...fileAnswers, ...refusalsOf([401, 404, 416, 429]) },
  },
};

/** A public document; `statuses` are its refusals beside another method's. */
const discovery = (
  operationId: string,
  words: [summary: string, description: string],
  example: Example | undefined,
  statuses: number[] = [],
): Json => ({
  get: {
    operationId,
    tags: ["discovery"],
    summary: words[0],
    description: words[1],
    security: [],
    responses: { "200": answer(words[0], open, example), ...refusalsOf([405, ...statuses]) },
  },
});

/** RFC 9728 section 3.1: the metadata of a resource stands at the well-known path with the resource's own path behind it. */
function protectedResourceOfPath(example: Example | undefined): Json {
  const words: [string, string] = ["Protected-resource metadata of one MCP address", "The same, for that address."];
  const item = discovery("protected_resource_of_path", words, example, [404]);
  const path = {
    name: "path",
    in: "path",
    required: true,
    description: "The MCP address's path.",
    schema: { type: "string" },
  };
  return { get: { ...(item.get as Json), parameters: [path] } };
}

const description: Json = {
  get: {
    operationId: "openapi",
    tags: ["discovery"],
    summary: "This description",
    description: "OpenAPI 3.1, made from the same table that the server runs.",
    security: [],
    parameters: [{ $ref: "#/components/parameters/IfNoneMatch" }],
    responses: {
      "200": { ...answer("The description.", open), headers: { ETag: headerRef("ETag") } },
      "304": notModified,
      ...refusalsOf([405]),
    },
  },
};

/** The path items; what does not stand below the API's own address names its server. (`/media/{path}` would be `/media/{id}`.) */
export function extraPaths(
  { base_url, mcp_url, media_url, auth_url }: Addresses,
  transportPaths: TransportPaths,
  examples: Examples,
): Json {
  const at = (url: string, item: Json): Json => ({ servers: [{ url }], ...item });
  const publicly = (name: string, summary: string, words: string, statuses?: number[]) =>
    discovery(name, [summary, words], examples[name], statuses);
  return {
    [transportPaths.description]: description,
    [transportPaths.mcp]: at(mcp_url, mcp("mcp", "MCP", examples.mcp)),
    [transportPaths.mcpOfApi]: at(mcp_url, mcp("mcp_of_api", "MCP, below the API's own root", examples.mcp)),
    "/{path}": at(media_url + transportPaths.media, media),
    [transportPaths.protectedResource]: at(
      mcp_url,
      publicly("protected_resource", "Protected-resource metadata", "Where to sign in for MCP (RFC 9728)."),
    ),
    [`${transportPaths.protectedResource}/{path}`]: at(mcp_url, protectedResourceOfPath(examples.protected_resource)),
    [transportPaths.authorizationServer]: at(
      auth_url,
      publicly(
        "authorization_server",
        "Authorization-server metadata",
        "Every address of the sign-in: registration, authorization, token, revocation (RFC 8414).",
      ),
    ),
    [transportPaths.health]: at(
      base_url,
      publicly("healthz", "Health", "200 while the server answers and its database does.", [503]),
    ),
  };
}

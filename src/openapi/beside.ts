// The routes that are no rows: MCP, the media route, discovery, health and this description itself. Their doors hold the
// rules; here stands what a client must know to call them. Knows no row.
import type { Addresses } from "../context.ts";
import { fileAnswers, headerRef, notModified, refusalsOf } from "./answers.ts";
import type { Json } from "./schemas.ts";

/** The paths that the doors answer at, from each address's root. */
export interface Ways {
  rest: string;
  mcp: string;
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
const answer = (description: string, schema: Json, example?: unknown): Json => ({
  description,
  content: json(schema, example),
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

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_production", arguments: {} } };

const mcp: Json = {
  post: {
    operationId: "mcp",
    tags: ["mcp"],
    summary: "MCP",
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
    requestBody: { required: true, content: json({ $ref: "#/components/schemas/RpcRequest" }, call) },
    responses: {
      "200": answer("The result, or a JSON-RPC error.", { $ref: "#/components/schemas/RpcResponse" }),
      "202": { description: "A notification was taken; no body." },
      ...refusalsOf([400, 401, 403, 404, 413, 415]),
    },
  },
};

const media: Json = {
  get: {
    operationId: "media_route",
    tags: ["media"],
    summary: "Media by path",
    description:
      "The bytes at a `media_path`, for players and browsers that cannot send a header: a ticket of GET /media-ticket opens what its key reaches, and no Authorization header is looked at.",
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
    responses: { ...fileAnswers, ...refusalsOf([401, 404, 416]) },
  },
};

const metadata = (operationId: string, summary: string, description: string, example: Json): Json => ({
  get: {
    operationId,
    tags: ["discovery"],
    summary,
    description,
    security: [],
    responses: { "200": answer(summary, open, example), ...refusalsOf([405]) },
  },
});

const protectedResource = ({ mcp_url, auth_url }: Addresses, { mcp: path }: Ways): Json =>
  metadata("oauth_protected_resource", "Protected-resource metadata", "Where to sign in for MCP (RFC 9728).", {
    resource: `${mcp_url}${path}`,
    authorization_servers: [auth_url],
    bearer_methods_supported: ["header"],
  });

const authorizationServer = ({ auth_url }: Addresses, { authorize, token }: Ways): Json =>
  metadata(
    "oauth_authorization_server",
    "Authorization-server metadata",
    "Every address of the sign-in: registration, authorization, token, revocation (RFC 8414).",
    { issuer: auth_url, authorization_endpoint: auth_url + authorize, token_endpoint: auth_url + token },
  );

const health: Json = {
  get: {
    operationId: "healthz",
    tags: ["discovery"],
    summary: "Health",
    description: "200 while the server answers and its database does.",
    security: [],
    responses: { "200": answer("In health.", open, { ok: true }), ...refusalsOf([405, 503]) },
  },
};

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
export function besideTheTable(addresses: Addresses, ways: Ways): Json {
  const at = (url: string, item: Json): Json => ({ servers: [{ url }], ...item });
  return {
    [ways.description]: description,
    [ways.mcp]: at(addresses.mcp_url, mcp),
    "/{path}": at(addresses.media_url + ways.media, media),
    [ways.protectedResource]: at(addresses.mcp_url, protectedResource(addresses, ways)),
    [ways.authorizationServer]: at(addresses.auth_url, authorizationServer(addresses, ways)),
    [ways.health]: at(addresses.base_url, health),
  };
}

// Describes the routes that are not in the table of operations: MCP, the media route, discovery, health and the description.

import type { Addresses } from "../../core/context.ts";
import {
  authorizationServerPath,
  basePath,
  mcpPaths,
  mediaPath,
  openapiPath,
  protectedResourcePath,
  toolSets,
  uploadsPath,
} from "../../core/http/paths.ts";
import type { Example, Examples } from "./recorded_examples.ts";
import { errorResponsesOf, fileResponses, headerRef, notModified } from "./responses.ts";
import type { Json } from "./schemas.ts";
import { objectOf } from "./schemas.ts";
import { uploadPaths } from "./uploads.ts";

const json = (schema: Json, example?: unknown): Json => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});
const response = (description: string, schema: Json, example?: Example): Json => ({
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
        description: "A message without an id is a notification: it executes nothing.",
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
      "Model Context Protocol over Streamable HTTP: one JSON-RPC 2.0 message in each request and response; no batches, no event stream. Errors of the key, its scope or its reach have the same status and body as over REST.",
    security: anyKey,
    parameters: [
      {
        name: "tools",
        in: "query",
        description:
          "`all` offers every operation that takes and answers JSON as a tool, `assistant` those for a model that helps people; otherwise there are fifteen.",
        schema: { type: "string", enum: [...toolSets] },
      },
      {
        name: "MCP-Protocol-Version",
        in: "header",
        description: "The version that initialize returned.",
        schema: { type: "string" },
      },
    ],
    requestBody: { required: true, content: json({ $ref: "#/components/schemas/RpcRequest" }, example?.body) },
    responses: {
      "200": response("The result, or a JSON-RPC error.", { $ref: "#/components/schemas/RpcResponse" }, example),
      "202": { description: "The notification was accepted; no body." },
      ...errorResponsesOf([400, 401, 403, 404, 408, 413, 415, 422, 429]),
    },
  },
});

const media: Json = {
  get: {
    operationId: "media_route",
    tags: ["media"],
    summary: "Media by path",
    description:
      "Returns the bytes at a `media_path`, for players and browsers that cannot send a header. The ticket of GET /media-ticket reaches what its key reaches; the Authorization header is ignored. The ticket ends with its key and, if an OAuth token requested it, with that sign-in.",
    security: [],
    parameters: [
      {
        name: "path",
        in: "path",
        required: true,
        description: "A `media_path` exactly as a document contains it, including its slashes.",
        schema: { type: "string" },
      },
      { name: "t", in: "query", required: true, description: "A media ticket.", schema: { type: "string" } },
      ...["IfNoneMatch", "Range", "IfRange"].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    responses: { ...fileResponses, ...errorResponsesOf([401, 404, 416, 429]) },
  },
};

/** A public document. `statuses` are its errors in addition to 405. */
const discovery = (
  operationId: string,
  words: [summary: string, description: string],
  example: Example | undefined,
  responses: Json = {},
): Json => ({
  get: {
    operationId,
    tags: ["discovery"],
    summary: words[0],
    description: words[1],
    security: [],
    responses: { "200": response(words[0], open, example), ...errorResponsesOf([405]), ...responses },
  },
});

/** RFC 9728 section 3.1: the metadata of a resource is at the well-known path, followed by the resource's own path. */
function protectedResourceOfPath(example: Example | undefined): Json {
  const words: [string, string] = [
    "Protected-resource metadata of one MCP address",
    "The same metadata for this address.",
  ];
  const item = discovery("protected_resource_of_path", words, example, errorResponsesOf([404]));
  const path = {
    name: "path",
    in: "path",
    required: true,
    description: "The MCP address's path.",
    schema: { type: "string" },
  };
  return { get: { ...objectOf(item.get), parameters: [path] } };
}

const description: Json = {
  get: {
    operationId: "openapi",
    tags: ["discovery"],
    summary: "This description",
    description: "OpenAPI 3.1, generated from the table of operations that the server runs.",
    security: [],
    parameters: [{ $ref: "#/components/parameters/IfNoneMatch" }],
    responses: {
      "200": { ...response("The description.", open), headers: { ETag: headerRef("ETag") } },
      "304": notModified,
      ...errorResponsesOf([405]),
    },
  },
};

/**
 * Returns the path items. A path that is not below /api/v1 names its server. The media route is `/{path}` of a server whose address
 * ends in /media, because `/media/{path}` would be the same path as `/media/{id}`.
 */
export function extraPaths(
  { base_url, mcp_url, media_url, auth_url }: Addresses,
  examples: Examples,
): Record<string, Json> {
  const at = (url: string, item: Json): Json => ({ servers: [{ url }], ...item });
  const publicDocument = (name: string, summary: string, words: string, responses?: Json) =>
    discovery(name, [summary, words], examples[name], responses);
  return {
    [openapiPath.slice(basePath.length)]: description,
    ...uploadPaths(uploadsPath.slice(basePath.length)),
    [mcpPaths[0]]: at(mcp_url, mcp("mcp", "MCP", examples.mcp)),
    [mcpPaths[1]]: at(mcp_url, mcp("mcp_of_api", "MCP, at its path below the API", examples.mcp)),
    "/{path}": at(media_url + mediaPath.slice(0, -1), media),
    [protectedResourcePath]: at(
      mcp_url,
      publicDocument("protected_resource", "Protected-resource metadata", "Says where to sign in for MCP (RFC 9728)."),
    ),
    [`${protectedResourcePath}/{path}`]: at(mcp_url, protectedResourceOfPath(examples.protected_resource)),
    [authorizationServerPath]: at(
      auth_url,
      publicDocument(
        "authorization_server",
        "Authorization-server metadata",
        "The addresses of the sign-in: registration, authorization, token, revocation (RFC 8414).",
      ),
    ),
    "/healthz": at(
      base_url,
      publicDocument(
        "healthz",
        "Health",
        "Returns 200 with the release and the epoch of the database if it can be read; `writable: false` and a `reason` if nothing can be written.",
        { "503": response("The database cannot be read or is damaged: `ok` is false, and `reason` says why.", open) },
      ),
    ),
  };
}

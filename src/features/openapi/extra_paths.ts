// Describes the routes that are not in the table of operations: MCP, the media route, discovery, health and the
// description.
import type { Addresses } from "../../core/context.ts";
import { basePath, mediaPath } from "../../core/http/request_head.ts";
import type { Json } from "../../core/input_schemas.ts";
import {
  authorizationServerPath,
  mcpPaths,
  openapiPath,
  protectedResourcePath,
  toolSets,
  uploadsPath,
} from "../addresses/paths.ts";
import type { Example, Examples } from "./recorded_examples.ts";
import { errorResponsesOf, fileResponses, notModified, parameterOf, parameterRefs, response } from "./responses.ts";
import { uploadPaths } from "./uploads.ts";

const json = (schema: Json, example?: unknown): Json => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});
const jsonResponse = (description: string, schema: Json, example?: Example, headers: readonly string[] = []): Json =>
  response(description, headers, json(schema, example?.answer));
const open: Json = { type: "object", additionalProperties: true };
const rpc = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** JSON-RPC 2.0, as MCP sends it. */
export const messageSchemas: Record<string, Json> = {
  RpcRequest: {
    type: "object",
    required: ["jsonrpc", "method"],
    properties: {
      jsonrpc: { type: "string", const: "2.0", description: "The version of JSON-RPC." },
      id: {
        type: ["string", "integer"],
        description: "The answer repeats it. A message without an id is a notification: it executes nothing.",
      },
      method: {
        type: "string",
        examples: ["tools/call"],
        description: "What is asked, such as tools/list or tools/call.",
      },
      params: {
        ...open,
        type: ["object", "null"],
        description: "What the method takes; null is as if it were absent.",
      },
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
    security: [{ key: [] }, { oauth: [] }],
    parameters: [
      parameterOf(
        "query",
        "tools",
        "`all` offers every operation that takes and answers JSON as a tool, `assistant` those for a model that helps people; otherwise there are fifteen.",
        { type: "string", enum: [...toolSets] },
      ),
      parameterOf("header", "MCP-Protocol-Version", "The version that initialize returned."),
    ],
    requestBody: { required: true, content: json(rpc("RpcRequest"), example?.body) },
    responses: {
      "200": jsonResponse("The result, or a JSON-RPC error.", rpc("RpcResponse"), example),
      "202": response("The notification was accepted; no body.", []),
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
      parameterOf("path", "path", "A `media_path` exactly as a document contains it, including its slashes."),
      parameterOf("query", "t", "A media ticket.", undefined, true),
      ...parameterRefs(["IfNoneMatch", "Range", "IfRange"]),
    ],
    responses: { ...fileResponses, ...errorResponsesOf([401, 404, 416, 429]) },
  },
};

const at = (url: string, item: Json): Json => ({ servers: [{ url }], ...item });

/** A public document. `responses` are those beside 200 and 405. */
const documentOf = (
  examples: Examples,
  operationId: string,
  summary: string,
  description: string,
  responses: Json = {},
): Json => ({
  operationId,
  tags: ["discovery"],
  summary,
  description,
  security: [],
  responses: {
    "200": jsonResponse(summary, open, examples[operationId]),
    ...errorResponsesOf([405]),
    ...responses,
  },
});

/** OpenAPI's own path. */
function descriptionPath(examples: Examples): Json {
  const description = documentOf(
    examples,
    "openapi",
    "This description",
    "OpenAPI 3.1, generated from the table of operations that the server runs.",
    { "200": jsonResponse("The description.", open, undefined, ["ETag"]), "304": notModified },
  );
  return { get: { ...description, parameters: parameterRefs(["IfNoneMatch"]) } };
}

/**
 * Where the sign-in of MCP is described. RFC 9728 section 3.1: at the well-known path, followed by the resource's own
 * path.
 */
function metadataPaths({ mcp_url, auth_url }: Addresses, examples: Examples): Record<string, Json> {
  const resource = "protected_resource";
  const summary = "Protected-resource metadata of one MCP address";
  const ofPath = documentOf(examples, `${resource}_of_path`, summary, "The same metadata for this address.", {
    "200": jsonResponse(summary, open, examples[resource]),
    ...errorResponsesOf([404]),
  });
  return {
    [protectedResourcePath]: at(mcp_url, {
      get: documentOf(examples, resource, "Protected-resource metadata", "Says where to sign in for MCP (RFC 9728)."),
    }),
    [`${protectedResourcePath}/{path}`]: at(mcp_url, {
      get: { ...ofPath, parameters: [parameterOf("path", "path", "The MCP address's path.")] },
    }),
    [authorizationServerPath]: at(auth_url, {
      get: documentOf(
        examples,
        "authorization_server",
        "Authorization-server metadata",
        "The addresses of the sign-in: registration, authorization, token, revocation (RFC 8414).",
      ),
    }),
  };
}

const healthPath = (examples: Examples): Json => ({
  get: documentOf(
    examples,
    "healthz",
    "Health",
    "Returns 200 with the release and the epoch of the database if it can be read; `writable: false` and a `reason` if nothing can be written.",
    {
      "503": jsonResponse("The database cannot be read or is damaged: `ok` is false, and `reason` says why.", open),
    },
  ),
});

/**
 * Returns the path items. A path that is not below /api/v1 names its server. The media route is `/{path}` of a server
 * whose address ends in /media, because `/media/{path}` would be the same path as `/media/{id}`.
 */
export const extraPaths = (addresses: Addresses, examples: Examples): Record<string, Json> => ({
  [openapiPath.slice(basePath.length)]: descriptionPath(examples),
  ...uploadPaths(uploadsPath.slice(basePath.length)),
  [mcpPaths[0]]: at(addresses.mcp_url, mcp("mcp", "MCP", examples.mcp)),
  [mcpPaths[1]]: at(addresses.mcp_url, mcp("mcp_of_api", "MCP, at its path below the API", examples.mcp)),
  "/{path}": at(addresses.media_url + mediaPath.slice(0, -1), media),
  ...metadataPaths(addresses, examples),
  "/healthz": at(addresses.base_url, healthPath(examples)),
});

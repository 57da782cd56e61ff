// Describes one operation of the table as an OpenAPI operation object.
import { signInScopes } from "../../inputs.ts";
import type { Operation } from "../../operations.ts";
import { type Example, requestFields } from "./examples.ts";
import { errorResponsesOf, fileResponses, headerRef, notModified } from "./responses.ts";
import { type Form, inputSchema, type Json, outputSchema } from "./schemas.ts";

/** Writes an operation's path as an OpenAPI path template. */
export const templated = (path: string): string => path.replace(/:(\w+)/g, "{$1}");
/** The tag of an operation: the first segment of its path. */
export const nounOf = ({ path }: Operation): string => path.split("/")[1] as string;

const pathFields = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
const hasInput = (row: Operation): boolean => Object.keys(row.input.entries).length > 0;
const conditional = (row: Operation): boolean => row.method === "GET" && row.noStore !== true;

const reachDescriptions = {
  production: "Only for production-wide keys; an engagement-bound key gets 403.",
  engagement: "Also for engagement-bound keys, limited to what their engagement was granted.",
};

function describe({ summary, scope, reach, tool, name, resource }: Operation): string {
  const transports = [tool && `tool \`${name}\``, resource && `resource \`${resource}\``].filter(Boolean).join(", ");
  return `${summary}\n\nScope \`${scope}\`. ${reachDescriptions[reach]}${transports === "" ? "" : ` On MCP: ${transports}.`}`;
}

/** Converts a recorded text to the type of its schema. */
function exampleOf({ type }: Json, text: string | undefined): Json {
  if (text === undefined) return {};
  if (type === "array") return { example: [Number(text)] };
  if (type === "boolean") return { example: text === "1" || text === "true" };
  return { example: type === "integer" ? Number(text) : text };
}

function parametersOf(row: Operation, example: Example | undefined): Json[] {
  const { properties, required } = inputSchema(row.input, "query");
  const recorded = example === undefined ? new Map<string, string>() : requestFields(row.path, example);
  const inPath = pathFields(row.path);
  const named = row.method === "GET" ? Object.keys(properties) : inPath;
  const fields = named.map((name) => {
    const { description, ...schema } = properties[name] as Json;
    return {
      name,
      in: inPath.includes(name) ? "path" : "query",
      ...(required.includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema,
      ...exampleOf(schema, recorded.get(name)),
    };
  });
  const headers = [
    ...(conditional(row) ? ["IfNoneMatch"] : []),
    ...(row.output === "bytes" ? ["Range", "IfRange"] : []),
    ...(row.method === "POST" ? ["IdempotencyKey"] : []),
    ...(row.subscribe === undefined ? [] : ["LastEventId"]),
  ];
  return [...fields, ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

/** Returns the schema of the body in one form, without the fields that are in the path. */
function bodySchema(row: Operation, form: Form) {
  const inPath = pathFields(row.path);
  const { properties, required } = inputSchema(row.input, form);
  const left = Object.entries(properties).filter(([name]) => !inPath.includes(name));
  const needed = required.filter((name) => !inPath.includes(name));
  return { type: "object", properties: Object.fromEntries(left), ...(needed.length > 0 && { required: needed }) };
}

function bodyOf(row: Operation, example: Example | undefined): Json {
  if (row.method === "GET" || row.body === "none") return {};
  const json = bodySchema(row, "json");
  if (Object.keys(json.properties).length === 0) return {};
  const shown = example?.body === undefined ? {} : { example: example.body };
  const form = bodySchema(row, "multipart");
  // A form's example contains no files, because the recorded examples contain none.
  for (const [name, text] of Object.entries(example?.form ?? {}))
    form.properties[name] = { ...form.properties[name], examples: [text] };
  const content = {
    ...(row.body !== "multipart" && { "application/json": { schema: json, ...shown } }),
    ...(row.body?.includes("multipart") && { "multipart/form-data": { schema: form } }),
  };
  return { requestBody: { required: json.required !== undefined, content } };
}

function headersOf(row: Operation): Json {
  const name = row.method === "POST" ? "Idempotency-Replayed" : "ETag";
  return row.method === "POST" || conditional(row) ? { headers: { [name]: headerRef(name) } } : {};
}

/** A stream: each event is the document of one message, and its cursor is the id. */
const eventStream: Json = {
  schema: { type: "string", description: "Server-sent events: `id` is a cursor, `data` is an Event as JSON." },
};

function successResponses(row: Operation, example: Example | undefined): Json {
  if (row.output === "bytes") return fileResponses;
  const schema = outputSchema(row.output);
  const shown = example?.status === 200 ? { example: example.answer } : {};
  return {
    "200": {
      description: titleOf(row.name),
      ...headersOf(row),
      content: { "application/json": { schema, ...shown }, ...(row.subscribe && { "text/event-stream": eventStream }) },
    },
    ...(conditional(row) && { "304": notModified }),
  };
}

/** Every error status of an operation: those of its row and those of the transport. */
function errorStatuses(row: Operation): number[] {
  const ofInput = hasInput(row) ? [422] : [];
  const ofBody = row.method === "POST" ? [400, 408, 409, 413, 415, 422, 503, 507] : [];
  return [401, 403, 429, ...row.errors, ...ofInput, ...ofBody];
}

/** Returns the operation object of a row. `example` is its recorded request and response. */
export function operationOf(row: Operation, example: Example | undefined): Json {
  const parameters = parametersOf(row, example);
  return {
    operationId: row.name,
    tags: [nounOf(row)],
    summary: titleOf(row.name),
    description: describe(row),
    security: [{ key: [row.scope] }, ...(signInScopes.includes(row.scope) ? [{ oauth: [row.scope] }] : [])],
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(row, example),
    responses: { ...successResponses(row, example), ...errorResponsesOf(errorStatuses(row)) },
  };
}

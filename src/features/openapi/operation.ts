// Describes one operation of the table as an OpenAPI operation object.

import { signInScopes } from "../../core/access/callers.ts";
import { uploadField, uploadIdsField } from "../../core/http/request_files.ts";
import type { Operation } from "../../core/operation.ts";
import { isFurtherTool, isStrict } from "../../core/operation.ts";
import { nounOf } from "../../core/operation_table.ts";
import { requestFields } from "./examples.ts";
import { fieldDescription, pathDescription } from "./field_descriptions.ts";
import type { Example } from "./recorded_examples.ts";
import { errorResponsesOf, fileResponses, notModified, parameterRefs, response } from "./responses.ts";
import { type InputForm, inputSchema, type Json, objectOf, objectsOf } from "./schemas.ts";

/** Writes an operation's path as an OpenAPI path template. */
export const templated = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

const pathFields = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
const hasInput = (row: Operation): boolean => Object.keys(row.input.entries).length > 0;
const conditional = (row: Operation): boolean => row.method === "GET" && row.noStore !== true;

const reachDescriptions = {
  production: "Only for production-wide keys; an engagement-bound key gets 403.",
  engagement: "Also for engagement-bound keys, limited to what their engagement was granted.",
  bound: "Only for engagement-bound keys; a production-wide key gets 403.",
};

function describe(row: Operation): string {
  const { summary, scope, reach, tool, name, resource } = row;
  const toolName = tool ? `tool \`${name}\`` : isFurtherTool(row) && `tool \`${name}\`, with \`tools=all\``;
  const transports = [toolName, resource && `resource \`${resource}\``].filter(Boolean).join(", ");
  const required = scope === null ? "Any key may call it." : `Scope \`${scope}\`.`;
  return `${summary}\n\n${required} ${reachDescriptions[reach]}${transports === "" ? "" : ` On MCP: ${transports}.`}`;
}

/** Converts a recorded text to the type of its schema. */
function exampleOf({ type, items }: Json, text: string | undefined): Json {
  if (text === undefined) return {};
  if (type === "array") return { example: objectOf(items).type === "string" ? text.split(",") : [Number(text)] };
  if (type === "boolean") return { example: text === "1" || text === "true" };
  return { example: type === "integer" ? Number(text) : text };
}

/** The names of the parameters of a row at one of its paths. If there are two, the fields of the first are not in the query. */
function parameterNames({ method, path, path_of_query, query = [], input }: Operation, pattern: string): string[] {
  if (method !== "GET") return [...pathFields(pattern), ...query];
  if (path_of_query !== undefined && pattern === path) return pathFields(pattern);
  const names = Object.keys(input.entries);
  return path_of_query === undefined ? names : names.filter((name) => !pathFields(path).includes(name));
}

function parametersOf(row: Operation, pattern: string, example: Example | undefined): Json[] {
  const { properties, required } = inputSchema(row.input, "query");
  const recorded = example === undefined ? new Map<string, string>() : requestFields(pattern, example);
  const inPath = pathFields(pattern);
  const named = parameterNames(row, pattern);
  const isRequired = (name: string): boolean =>
    inPath.includes(name) || pattern === row.path_of_query || required.includes(name);
  const fields = named.map((name) => {
    const { description: own, ...schema } = objectOf(properties[name]);
    const description = own ?? (inPath.includes(name) ? pathDescription(name) : fieldDescription(name));
    return {
      name,
      in: inPath.includes(name) ? "path" : "query",
      ...(isRequired(name) && { required: true }),
      ...(description !== undefined && { description }),
      ...(schema.type === "array" && { style: "form", explode: true }),
      schema,
      ...exampleOf(schema, recorded.get(name)),
    };
  });
  const headers = [
    ...(conditional(row) ? ["IfNoneMatch"] : []),
    ...(row.output === "bytes" ? ["Range", "IfRange"] : []),
    ...(row.method === "POST" ? ["IdempotencyKey"] : []),
    ...(row.stream === undefined ? [] : ["LastEventId"]),
  ];
  return [...fields, ...parameterRefs(headers)];
}

const uploadIdsSchema = (max: number): Json => ({
  type: "array",
  items: { type: "string" },
  minItems: 1,
  maxItems: max,
  description: "The ids of finished resumable uploads of this key, which are used up by this request.",
});

/** Returns the schema of the body in one form, without the fields that are in the path or in the query. */
function bodySchema(row: Operation, form: InputForm) {
  const { properties, required } = inputSchema(row.input, form);
  const field = form === "json" ? uploadField(row) : undefined;
  const whole = form === "multipart" ? row.whole_body : undefined;
  const elsewhere = [...pathFields(row.path), ...(row.query ?? []), whole, field?.name];
  const left = Object.entries(properties).filter(([name]) => !elsewhere.includes(name));
  const needed = required.filter((name) => !elsewhere.includes(name));
  if (field !== undefined) {
    left.push([uploadIdsField, uploadIdsSchema(field.max)]);
    needed.push(uploadIdsField);
  }
  for (const entry of left) entry[1] = { description: fieldDescription(entry[0]), ...objectOf(entry[1]) };
  return {
    type: "object",
    properties: objectsOf(Object.fromEntries(left)),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** The schema of a form. Its example contains no files, because the recorded examples contain none. */
function formSchema(row: Operation, example: Example | undefined): Json {
  const form = bodySchema(row, "multipart");
  for (const [name, text] of Object.entries(example?.form ?? {})) {
    const schema: Json = form.properties[name] ?? {};
    form.properties[name] = { ...schema, examples: [schema.type === "integer" ? Number(text) : text] };
  }
  return form;
}

function bodyOf(row: Operation, example: Example | undefined): Json {
  if (row.method === "GET" || row.body === "none") return {};
  const json = bodySchema(row, "json");
  if (Object.keys(json.properties).length === 0) return {};
  const whole = row.whole_body === undefined ? undefined : json.properties[row.whole_body];
  const shown = example?.body === undefined ? {} : { example: example.body };
  const asJson = row.body !== "multipart" && { "application/json": { schema: whole ?? json, ...shown } };
  const asList = row.whole_body !== undefined && { "text/csv": { schema: { type: "string" } } };
  const asForm = row.body?.includes("multipart") && { "multipart/form-data": { schema: formSchema(row, example) } };
  // The reference shows the first form: bytes that can be chosen there come before ids of uploads.
  const content = row.files_in_json === "upload_ids" ? { ...asForm, ...asJson } : { ...asJson, ...asList, ...asForm };
  return { requestBody: { required: json.required !== undefined, content } };
}

/** Whether an operation answers a list that may come in pages. */
const isList = ({ input, noStore }: Operation): boolean => "after" in input.entries && noStore !== true;

function headersOf(row: Operation): string[] {
  if (row.method === "POST") return ["Idempotency-Replayed"];
  return conditional(row) ? ["ETag", ...(isList(row) ? ["Link"] : [])] : [];
}

/** A stream of server-sent events: the `data` of each message is an event as JSON, and its `id` is a cursor. */
const eventStream: Json = { schema: { $ref: "#/components/schemas/Event" } };

function successResponses(row: Operation, schema: Json | undefined, example: Example | undefined): Json {
  if (schema === undefined) return fileResponses;
  const shown = example?.status === 200 ? { example: example.answer } : {};
  const stream = row.stream && { "text/event-stream": eventStream };
  return {
    "200": response(titleOf(row.name), headersOf(row), { "application/json": { schema, ...shown }, ...stream }),
    ...(conditional(row) && { "304": notModified }),
  };
}

/** Every error status of an operation: those of its row and those of the transport. */
function errorStatuses(row: Operation): number[] {
  const ofInput = hasInput(row) || isStrict(row) ? [422] : [];
  const ofBody = row.method === "POST" ? [400, 408, 409, 413, 415, 422, 503, 507] : [];
  return [401, 403, 429, ...row.errors, ...ofInput, ...ofBody];
}

/**
 * Returns the operation object of a row at one of its paths. `output` is the schema of its answer; undefined for bytes. `example` is its
 * recorded request and response.
 */
export function operationOf(row: Operation, pattern: string, output?: Json, example?: Example): Json {
  const parameters = parametersOf(row, pattern, example);
  const scopes = row.scope === null ? [] : [row.scope];
  return {
    operationId: pattern === row.path ? row.name : `${row.name}_by_query`,
    tags: [nounOf(row)],
    summary: titleOf(row.name),
    description: describe(row),
    security: [{ key: scopes }, ...(row.scope === null || signInScopes.includes(row.scope) ? [{ oauth: scopes }] : [])],
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(row, example),
    responses: { ...successResponses(row, output, example), ...errorResponsesOf(errorStatuses(row)) },
  };
}

// Describes one operation of the table as an OpenAPI operation object.
import { signInScopes } from "../../core/access/callers.ts";
import { uploadField, uploadIdsField } from "../../core/http/request_files.ts";
import { type InputForm, inputSchema, type Json, objectOf, objectsOf } from "../../core/input_schemas.ts";
import type { Operation } from "../../core/operation.ts";
import { isStrict } from "../../core/operation.ts";
import { isFurtherTool } from "../addresses/tools.ts";
import { requestFields } from "./examples.ts";
import type { Example } from "./recorded_examples.ts";
import { errorResponsesOf, fileResponses, ignored, notModified, parameterRefs, response } from "./responses.ts";

/** The first segment of an operation's path, which is its tag in the description. */
export const nounOf = ({ path }: Pick<Operation, "path">): string => path.split("/", 2)[1] ?? "";

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

/** What a key needs for an operation, and what it is called on MCP. */
export function accessOf(row: Operation): string {
  const { scope, reach, tool, name, resource } = row;
  const toolName = tool ? `tool \`${name}\`` : isFurtherTool(row) && `tool \`${name}\`, with \`tools=all\``;
  const transports = [toolName, resource && `resource \`${resource}\``].filter(Boolean).join(", ");
  const required = scope === null ? "Any key may call it." : `Scope \`${scope}\`.`;
  return `${required} ${reachDescriptions[reach]}${transports === "" ? "" : ` On MCP: ${transports}.`}`;
}

/** Converts a recorded text to the type of its schema. */
function exampleOf({ type, items, anyOf: flag }: Json, text: string | undefined): Json {
  if (text === undefined) return {};
  if (flag !== undefined) return { example: text === "1" || text === "true" };
  if (type === "array") return { example: objectOf(items).type === "string" ? text.split(",") : [Number(text)] };
  return { example: type === "integer" ? Number(text) : text };
}

/** Of a row with two paths: whether a field belongs to the query of the second, in place of the fields of the first. */
const isOfQuery = ({ path, path_of_query }: Operation, name: string, { default: usual }: Json): boolean =>
  path_of_query !== undefined && usual === undefined && !pathFields(path).includes(name);

/** The names of the parameters of a row at one of its paths. */
function parameterNames(row: Operation, pattern: string, properties: Record<string, Json>): string[] {
  const { method, path, path_of_query, query = [], input } = row;
  if (method !== "GET") return [...pathFields(pattern), ...query];
  const left = pattern === path_of_query ? pathFields(path) : [];
  return Object.keys(input.entries).filter(
    (name) => !left.includes(name) && (pattern !== path || !isOfQuery(row, name, objectOf(properties[name]))),
  );
}

/** Whether its stream sends the events after a cursor. */
const sendsEvents = ({ stream, input }: Operation): boolean => stream !== undefined && "after" in input.entries;

/**
 * The `data` of each message of a stream: an event, whose cursor is the message's `id`, or the answer of the operation.
 */
const messageOf = (row: Operation, answer: Json): Json =>
  sendsEvents(row) ? { $ref: "#/components/schemas/Event" } : answer;

function parametersOf(row: Operation, pattern: string, example: Example | undefined): Json[] {
  const { properties, required } = inputSchema(row, "query");
  const recorded = example === undefined ? new Map<string, string>() : requestFields(pattern, example);
  const inPath = pathFields(pattern);
  const named = parameterNames(row, pattern, properties);
  const isRequired = (name: string): boolean =>
    inPath.includes(name) || required.includes(name) || (pattern === row.path_of_query && name === row.named_by);
  const fields = named.map((name) => {
    const { description, ...schema } = objectOf(properties[name]);
    return {
      name,
      in: inPath.includes(name) ? "path" : "query",
      ...(isRequired(name) && { required: true }),
      ...(description !== undefined && { description }),
      // A list with commas: a client that repeats the parameter instead is understood, too.
      ...(schema.type === "array" && { style: "form", explode: false }),
      schema,
      ...exampleOf(schema, recorded.get(name)),
    };
  });
  const headers = [
    ...(conditional(row) ? ["IfNoneMatch"] : []),
    ...(row.output === "bytes" ? ["Range", "IfRange"] : []),
    ...(row.method === "POST" ? ["IdempotencyKey"] : []),
    ...(sendsEvents(row) ? ["LastEventId"] : []),
  ];
  return [...fields, ...parameterRefs(headers)];
}

const uploadIdsSchema = ({ name, max }: { name: string; max: number }): Json => ({
  type: "array",
  items: { type: "string" },
  minItems: 1,
  maxItems: max,
  description: `The ids of finished resumable uploads of this key, which are used up by this request. In a form either these or ${name} must be given.`,
});

/** Returns the schema of the body in one form, without the fields that are in the path or in the query. */
function bodySchema(row: Operation, form: InputForm) {
  const { properties, required } = inputSchema(row, form);
  const field = uploadField(row);
  const whole = form === "multipart" ? row.whole_body : undefined;
  const outsideBody = [...pathFields(row.path), ...(row.query ?? []), whole];
  const onlyIds = form === "json" && row.files_in_json === "upload_ids" ? field?.name : undefined;
  const left = Object.entries(properties).filter(([name]) => !outsideBody.includes(name) && name !== onlyIds);
  const needed = required.filter((name) => !outsideBody.includes(name) && name !== field?.name);
  if (field !== undefined) left.push([uploadIdsField, uploadIdsSchema(field)]);
  if (onlyIds !== undefined) needed.push(uploadIdsField);
  return {
    type: "object",
    properties: objectsOf(Object.fromEntries(left)),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** A field in a form: a list of objects is a text, its JSON. */
function inForm(field: Json): Json {
  if (field.type !== "array" || objectOf(field.items).type !== "object") return field;
  const { description, ...list } = field;
  return { type: "string", contentMediaType: "application/json", contentSchema: list, description };
}

/** The schema of a form. Its example contains no files, because the recorded examples contain none. */
function formSchema(row: Operation, example: Example | undefined) {
  const form = bodySchema(row, "multipart");
  for (const [name, field] of Object.entries(form.properties)) form.properties[name] = inForm(field);
  for (const [name, text] of Object.entries(example?.form ?? {})) {
    const schema: Json = form.properties[name] ?? {};
    form.properties[name] = { ...schema, examples: [schema.type === "integer" ? JSON.parse(text) : text] };
  }
  // A browser's form begins with as many entries as a list must have: here the ids of uploads are one of two ways.
  const { upload_ids } = form.properties;
  if (upload_ids !== undefined) {
    delete upload_ids.minItems;
    upload_ids.default = [];
  }
  return form;
}

/** How a form sends its lists of files and texts: as repeated fields. */
function encodingOf({ properties }: { properties: Record<string, Json> }): Json {
  const lists = Object.entries(properties).filter(([, { type }]) => type === "array");
  const encoding = lists.map(([name]) => [name, { style: "form", explode: true, allowReserved: true }]);
  return encoding.length === 0 ? {} : { encoding: Object.fromEntries(encoding) };
}

function bodyOf(row: Operation, example: Example | undefined): Json {
  if (row.method === "GET" || row.body === "none") return {};
  const json = bodySchema(row, "json");
  if (Object.keys(json.properties).length === 0) return {};
  const whole = row.whole_body === undefined ? undefined : json.properties[row.whole_body];
  const shown = example?.body === undefined ? {} : { example: example.body };
  const asJson = row.body !== "multipart" && { "application/json": { schema: whole ?? json, ...shown } };
  const asList = row.whole_body !== undefined && { "text/csv": { schema: { type: "string" } } };
  const form = row.body?.includes("multipart") ? formSchema(row, example) : undefined;
  const asForm = form && { "multipart/form-data": { schema: form, ...encodingOf(form) } };
  const required = json.required !== undefined || uploadField(row) !== undefined;
  // A generated client that uses one form of a body takes the first one: of two, that which takes bytes and ids of
  // uploads.
  const content = row.files_in_json === "upload_ids" ? { ...asForm, ...asJson } : { ...asJson, ...asList, ...asForm };
  return { requestBody: { required, content } };
}

/** Whether an operation answers a list that may come in pages. */
const isList = ({ input }: Operation): boolean => "total" in input.entries;

function headersOf(row: Operation): string[] {
  const all = isStrict(row) ? [] : [ignored];
  if (row.method === "POST") return ["Idempotency-Replayed", ...all];
  return [...(conditional(row) ? ["ETag"] : []), ...(isList(row) ? ["Link", "Tallylight-Total"] : []), ...all];
}

function successResponses(row: Operation, schema: Json | undefined, example: Example | undefined): Json {
  if (schema === undefined) return fileResponses;
  const shown = example?.status === 200 ? { example: example.answer } : {};
  const stream = row.stream && { "text/event-stream": { schema: messageOf(row, schema) } };
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
 * Returns the operation object of a row at one of its paths. `output` is the schema of its answer; undefined for bytes.
 * `example` is its recorded request and response.
 */
export function operationOf(row: Operation, pattern: string, output?: Json, example?: Example): Json {
  const parameters = parametersOf(row, pattern, example);
  const scopes = row.scope === null ? [] : [row.scope];
  return {
    operationId: pattern === row.path ? row.name : `${row.name}_by_query`,
    tags: [nounOf(row)],
    summary: titleOf(row.name),
    description: `${row.summary}\n\n${accessOf(row)}`,
    security: [{ key: scopes }, ...(row.scope === null || signInScopes.includes(row.scope) ? [{ oauth: scopes }] : [])],
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(row, example),
    responses: { ...successResponses(row, output, example), ...errorResponsesOf(errorStatuses(row)) },
  };
}

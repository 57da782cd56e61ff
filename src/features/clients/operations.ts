// Reads from the description of the API what a client needs of each operation.
import type { Addresses } from "../../core/context.ts";
import { openapiDocument } from "../openapi/description.ts";

/** JSON whose shape the description decides; its fields are looked at one by one. */
export type Schema = Record<string, unknown>;

/** Where an argument goes. `whole` is the body as a whole; `file` and `files` are sent in a form, or as an upload. */
export type ArgumentPlace = "path" | "query" | "body" | "whole" | "file" | "files";

export interface ClientField {
  name: string;
  place: ArgumentPlace;
  required: boolean;
  description: string;
  schema: Schema;
}

export interface ClientOperation {
  name: string;
  method: "GET" | "POST";
  /** From the root of the server, or an address if it is on another one. */
  path: string;
  description: string;
  scope: string | undefined;
  fields: readonly ClientField[];
  /** What the body may be, `json` or `form`; `bytes` if the answer is no JSON. */
  forms: readonly string[];
  /** The schema of the answer; undefined for bytes. */
  answer: Schema | undefined;
}

const objectOf = (value: unknown): Schema => (typeof value === "object" && value !== null ? { ...value } : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isFile = (schema: Schema): boolean => schema.format === "binary";
const placeOf = (schema: Schema): ArgumentPlace => {
  if (isFile(schema)) return "file";
  return isFile(objectOf(schema.items)) ? "files" : "body";
};

const field = (
  name: string,
  place: ArgumentPlace,
  required: boolean,
  { description, ...schema }: Schema,
): ClientField => ({
  name,
  place,
  required,
  description: typeof description === "string" ? description : "",
  schema,
});

function parameterFields(operation: Schema): ClientField[] {
  return listOf(operation.parameters)
    .map(objectOf)
    .flatMap((parameter) => {
      const { name, in: place, required, description, schema } = parameter;
      // headers are the client's own
      if (typeof name !== "string" || (place !== "path" && place !== "query")) return [];
      return [field(name, place, required === true, { description, ...objectOf(schema) })];
    });
}

const schemaOf = (content: Schema, type: string): Schema | undefined =>
  content[type] === undefined ? undefined : objectOf(objectOf(content[type]).schema);

/** The fields of a body: of its form, which knows files, before those of its JSON. */
function bodyFields(content: Schema): ClientField[] {
  const [form, json] = [schemaOf(content, "multipart/form-data"), schemaOf(content, "application/json")];
  const fields = new Map<string, ClientField>();
  for (const schema of [form, json])
    for (const [name, property] of Object.entries(objectOf(schema?.properties))) {
      if (fields.has(name) || objectOf(property).contentSchema !== undefined) continue; // the JSON of a list: a list
      const required = [form, json].every((one) => one === undefined || listOf(one.required).includes(name));
      fields.set(name, field(name, placeOf(objectOf(property)), required, objectOf(property)));
    }
  const isWhole = json !== undefined && json.properties === undefined;
  if (isWhole) fields.set("document", field("document", "whole", false, json));
  return [...fields.values()];
}

function formsOf(content: Schema, answer: Schema | undefined): string[] {
  const forms = { "application/json": "json", "multipart/form-data": "form" };
  const known = Object.entries(forms).flatMap(([type, form]) => (type in content ? [form] : []));
  return answer === undefined ? [...known, "bytes"] : known;
}

/** What a person reads: the transport of models is left out. */
const descriptionOf = ({ description, summary }: Schema): string =>
  String(description ?? summary ?? "").replace(/ On MCP: .*$/s, "");

const pageSize = "The size of a page, 500 at most: the list goes through all its pages.";

/**
 * The fields with what a client does with them: `limit` does not end a list, because the client asks for the next page.
 */
const inPages = (fields: readonly ClientField[], { type }: Schema): readonly ClientField[] =>
  type === "array" ? fields.map((one) => (one.name === "limit" ? { ...one, description: pageSize } : one)) : fields;

function operationOf(method: "GET" | "POST", path: string, operation: Schema): ClientOperation {
  const content = objectOf(objectOf(operation.requestBody).content);
  const answers = objectOf(objectOf(objectOf(operation.responses)["200"]).content);
  const answer = schemaOf(answers, "application/json");
  const [scope] = listOf(objectOf(listOf(operation.security)[0]).key);
  return {
    name: String(operation.operationId),
    method,
    path,
    description: descriptionOf(operation),
    scope: typeof scope === "string" ? scope : undefined,
    fields: inPages([...parameterFields(operation), ...bodyFields(content)], answer ?? {}),
    forms: formsOf(content, answer),
    answer,
  };
}

/** The tags of operations that a client has no methods for. */
const leftOut = ["uploads", "mcp", "discovery"];

/** The schemas, and those of the rows of lists as they come without the parameter fields: with what these require. */
function withWholeRows(schemas: Schema): Schema {
  const whole = Object.entries(schemas).flatMap(([name, schema]) => {
    const { "x-required": required, ...row } = objectOf(schema);
    return required === undefined ? [] : [[name.replace(/^Partial/, ""), { ...row, required }] as const];
  });
  return { ...Object.fromEntries(whole), ...schemas };
}

/** Every operation of the description that a client has a method for, and the schemas that their answers refer to. */
export async function clientOperations(
  addresses: Addresses,
): Promise<{ operations: readonly ClientOperation[]; schemas: Schema }> {
  const description = objectOf(await openapiDocument(addresses));
  const [{ url }] = listOf(description.servers).map(objectOf) as [Schema]; // safe: a description names its server
  const operations = Object.entries(objectOf(description.paths)).flatMap(([path, item]) => {
    const { servers, get, post } = objectOf(item);
    const server = String(objectOf(listOf(servers)[0]).url ?? url);
    const root = server.startsWith(addresses.base_url) ? server.slice(addresses.base_url.length) : server;
    return Object.entries({ GET: get, POST: post }).flatMap(([method, operation]) => {
      if (operation === undefined) return [];
      const described = objectOf(operation);
      if (listOf(described.tags).some((tag) => leftOut.includes(String(tag)))) return [];
      return [operationOf(method === "GET" ? "GET" : "POST", root + path, described)];
    });
  });
  return { operations, schemas: withWholeRows(objectOf(objectOf(description.components).schemas)) };
}

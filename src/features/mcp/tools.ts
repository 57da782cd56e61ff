// Makes an MCP tool or resource of an operation: its listing, its arguments, and its document as a result.
import * as v from "valibot";
import { type Attempt, attemptOf } from "../../core/attempts.ts";
import type { Context } from "../../core/context.ts";
import { separatedIn } from "../../core/http/coercion.ts";
import { inputSchema, type Json, objectOf } from "../../core/input_schemas.ts";
import * as input from "../../core/inputs.ts";
import { validate } from "../../core/inputs.ts";
import { requestTurn } from "../../core/limits.ts";
import { checkUpdatedSince, type Operation } from "../../core/operation.ts";
import { authorize, authorizePath, type DocumentResult, perform } from "../../core/pipeline.ts";
import type { ToolSet } from "../addresses/paths.ts";
import { descriptionOf, isPaged, rowsOfTool } from "./descriptions.ts";
import { asInvalidParams, type Fields, invalidParams, ProtocolError } from "./messages.ts";
import type { Handler } from "./registry.ts";
import { isUploadList, withUploads } from "./uploads.ts";

const fileSchema: Json = {
  type: "object",
  properties: {
    filename: { type: "string", description: "The file's name, stored as its label. Optional with upload_id." },
    content_base64: { type: "string", contentEncoding: "base64", description: "The file's bytes in base64." },
    upload_id: {
      type: "string",
      description: "The id of a finished resumable upload (tus at /api/v1/uploads), instead of content_base64.",
    },
  },
  anyOf: [{ required: ["filename", "content_base64"] }, { required: ["upload_id"] }],
};

/** The regular expression that the schema of a date or a time begins with. */
function sourceOf(schema: object): string {
  const parts: unknown[] = "pipe" in schema && Array.isArray(schema.pipe) ? schema.pipe : [];
  for (const part of parts) {
    const { requirement, pipe } = objectOf(part);
    if (requirement instanceof RegExp) return requirement.source;
    if (pipe !== undefined) return sourceOf({ pipe });
  }
  return "";
}
const formats: Readonly<Record<string, string>> = {
  [sourceOf(input.date)]: "date",
  [sourceOf(input.timestamp)]: "date-time",
};

/**
 * A part of a schema in fewer words, as a reviver of JSON: the context of a model is short, and the server checks
 * everything.
 */
function inFewerWords(name: string, value: unknown): unknown {
  if (name === "maximum" && value === Number.MAX_SAFE_INTEGER) return undefined;
  if (name === "pattern" && value === "\\S") return undefined;
  if (name === "required" && Array.isArray(value) && value.length === 0) return undefined;
  const { pattern, ...schema } = objectOf(value);
  const format = typeof pattern === "string" && Object.hasOwn(formats, pattern) ? formats[pattern] : undefined;
  return format === undefined ? value : { ...schema, format };
}

type Described = Pick<Operation, "files_in_json" | "path" | "input">;

/**
 * The schema of a tool's arguments, each with a description and its values: in a set in fewer words, otherwise with
 * every keyword that 1.0 gave it. A file is an object that has its bytes or names an upload.
 */
export function toolInputSchema(row: Described, entries: v.ObjectEntries, set: ToolSet | undefined): Fields {
  const schema = inputSchema(row, set === undefined ? "specified_tool" : "tool", entries);
  for (const [name, entry] of Object.entries(entries)) {
    const { type: _, ...described } = schema.properties[name] ?? {};
    if (isUploadList(entry)) schema.properties[name] = { type: "array", ...described, items: fileSchema };
    else if (entry === input.upload && row.files_in_json === "upload_ids")
      schema.properties[name] = { ...fileSchema, description: described.description };
  }
  return set === undefined ? schema : JSON.parse(JSON.stringify(schema), inFewerWords);
}

/**
 * What a client is told about the effects of an operation. A read changes nothing; the row of a write says what it
 * does.
 */
export const annotationsOf = ({ method, hints = [] }: Pick<Operation, "method" | "hints">): Fields => ({
  readOnlyHint: method === "GET",
  destructiveHint: hints.includes("replaces"),
  idempotentHint: method === "GET" || hints.includes("repeats"),
  openWorldHint: hints.includes("external"),
});

/** Runs an operation and returns its document. Throws an Error if the operation returns bytes. */
async function documentOf(context: Context, row: Operation, input: object, attempt?: Attempt): Promise<DocumentResult> {
  const document = await perform(context, row, input, attempt);
  if (!("text" in document)) throw new Error(`${row.name} returns bytes, which an MCP result cannot contain`);
  return { ...document, cacheable: document.cacheable && row.reports === undefined };
}

/**
 * Returns a document as a tool's result: as text and, if it is an object, also as structured content. Does not parse
 * it. For a page of a list that goes on, a second text says how to get the next one; another one says how many rows
 * there are, if that was asked for.
 */
function toolResult(document: string, next?: string, total?: number): string {
  const structured = document.startsWith("{") ? `"structuredContent":${document},` : "";
  const goesOn = next === undefined ? "" : `,{"type":"text","text":"The list goes on: call again with after=${next}"}`;
  const counted = total === undefined ? "" : `,{"type":"text","text":"All pages have ${total} rows."}`;
  const more = goesOn + counted;
  return `{"content":[{"type":"text","text":${JSON.stringify(document)}}${more}],${structured}"isError":false}`;
}

/** Returns an error as a tool's result. */
export const toolError = (detail: string): string =>
  `{"content":[{"type":"text","text":${JSON.stringify(detail)}}],"isError":true}`;

/** How the inputs of a page are described where a list comes in pages. */
const pageInputs = {
  limit: { type: "integer", minimum: 1, default: rowsOfTool, description: "At most so many rows." },
  after: { type: "string", description: "From the end of the page before." },
};
const fieldsText = "Only these.";
/** The inputs of a list that an assistant is not shown, because a question needs none of them; it may use them. */
const rareInputs = ["updated_since", "released", "before", "until", "total", "days_of_episode_id"];

/** The argument of a tool that writes which says that a call repeats an earlier one. */
const repeatField = "idempotency_key";
const repeatInput = {
  type: "string",
  description:
    "A text of your own for this call. A repeat with the same text answers what was answered and does nothing.",
};

/** What a call is repeated under: its argument, or the header of its request. Throws a ProtocolError if they differ. */
function repeatNameOf({ method }: Operation, asked: Fields, header: string | undefined): string | undefined {
  if (method === "GET") return undefined;
  const given = Object.hasOwn(asked, repeatField) ? (asked[repeatField] ?? undefined) : undefined;
  if (given !== undefined && typeof given !== "string")
    throw new ProtocolError(invalidParams, `${repeatField} must be text`);
  if (given !== undefined && header !== undefined && given !== header)
    throw new ProtocolError(invalidParams, `${repeatField} differs from the header Idempotency-Key`);
  return given ?? header;
}

/** The inputs of a tool as its listing shows them: to an assistant, whose context is short, in few words. */
function listedInputs(row: Operation, entries: v.ObjectEntries, set: ToolSet | undefined): Fields {
  const schema: Fields & { properties?: Fields } = toolInputSchema(row, entries, set);
  if (set === undefined) return schema;
  const all = Object.entries({
    ...schema.properties,
    ...(isPaged(row) && pageInputs),
    ...(row.method !== "GET" && { [repeatField]: repeatInput }),
  });
  const shown = set === "all" ? all : all.filter(([name]) => !rareInputs.includes(name));
  const properties = shown.map(([name, input]) =>
    name === "fields" ? [name, { ...objectOf(input), description: fieldsText }] : [name, input],
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

/**
 * The arguments without those that are null where that says nothing: clients send null for an optional argument that
 * they do not use.
 */
const withoutNulls = (entries: v.ObjectEntries, asked: Fields): Fields =>
  Object.fromEntries(
    Object.entries(asked).filter(([name, value]) => {
      const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
      return value !== null || (entry !== undefined && (entry.type !== "optional" || v.is(entry, null)));
    }),
  );

/**
 * The arguments as an operation takes them: a list of values as text with commas, as in a query; an empty one as
 * absent. Throws a ProtocolError for an item that is no text.
 */
function withLists(entries: v.ObjectEntries, asked: Fields): Fields {
  const fields: Record<string, unknown> = { ...asked };
  for (const [name, entry] of Object.entries(entries)) {
    const value = fields[name];
    if (!Array.isArray(value) || separatedIn(entry as v.GenericSchema) === undefined) continue; // every entry is one
    if (!value.every((item) => typeof item === "string"))
      throw new ProtocolError(invalidParams, `${name} must be a list of texts`);
    if (value.length === 0) delete fields[name];
    else fields[name] = value.join(",");
  }
  return fields;
}

/**
 * Returns the tool of an operation in a set of tools, where a list comes in pages of 50 rows by default; without a set
 * that of the
 * specification, whose schema lacks the inputs in `tool.omit`, but it takes them.
 */
export function toolOf(row: Operation, set?: ToolSet): Handler {
  const { entries } = row.input;
  const hidden = (set === undefined && row.tool && row.tool.omit) || [];
  const isShown = (name: string) => !hidden.includes(name) && !(row.item_files !== undefined && name === "files");
  const shown = Object.fromEntries(Object.entries(entries).filter(([name]) => isShown(name)));
  return {
    listing: {
      name: row.name,
      description: descriptionOf(row, set),
      inputSchema: listedInputs(row, shown, set),
      annotations: annotationsOf(row),
    },
    authorize: (context) => authorize(context, row),
    async answer(context, sent, header) {
      const asked = withLists(entries, withoutNulls(entries, sent));
      const given: Fields = set !== undefined && isPaged(row) ? { limit: rowsOfTool, ...asked } : asked;
      const names = Object.keys(entries).filter((name) => Object.hasOwn(given, name));
      const known = Object.fromEntries(names.map((name) => [name, given[name]]));
      asInvalidParams(() => checkUpdatedSince(row, Object.keys(given)));
      asInvalidParams(() => authorizePath(context, row, known));
      const attempt = await attemptOf(context, row, repeatNameOf(row, asked, header));
      try {
        return await withUploads(context, row, known, async (fields) => {
          const input = asInvalidParams(() => validate(row.input, fields));
          const { text, cacheable, next, total } = await documentOf(context, row, input, attempt);
          // A call of the specification's form gets the specification's answer.
          const knowsPages = "after" in shown || hidden.some((name) => name in known);
          return { text: knowsPages ? toolResult(text, next, total) : toolResult(text), cacheable };
        });
      } finally {
        attempt?.end();
      }
    },
  };
}

const mimeType = "application/json";

/** Returns the resource of an operation, whose `resource` must be its URI. */
export function resourceOf(row: Operation): Handler {
  const uri = row.resource ?? "";
  const head = `{"contents":[{"uri":${JSON.stringify(uri)},"mimeType":"${mimeType}","text":`;
  return {
    listing: { uri, name: row.name, description: row.summary, mimeType },
    authorize: (context) => authorize(context, row),
    async answer(context) {
      const { text, cacheable } = await documentOf(context, row, validate(row.input, {}));
      while (requestTurn.isOver) await requestTurn.next(context.caller.key_id); // a whole list is written once more
      return { text: `${head}${JSON.stringify(text)}}]}`, cacheable };
    },
  };
}

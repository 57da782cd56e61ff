// Makes an MCP tool or resource of an operation: its listing, its arguments, and its document as a result.
import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { type Attempt, attemptOf } from "../../core/attempts.ts";
import type { Context } from "../../core/context.ts";
import { upload, validate } from "../../core/inputs.ts";
import { checkUpdatedSince, type Operation } from "../../core/operation.ts";
import { authorize, authorizePath, type DocumentResult, perform } from "../../core/pipeline.ts";
import type { ToolSet } from "../addresses/paths.ts";
import { descriptionOf, isPaged, rowsOfTool } from "./descriptions.ts";
import { asInvalidParams, type Fields, invalidParams, ProtocolError } from "./messages.ts";
import type { Handler } from "./registry.ts";
import { withUploads } from "./uploads.ts";

const fileSchema: JsonSchema = {
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

const base64Schema: JsonSchema = { type: "string", contentEncoding: "base64" };

export function toolInputSchema({ files_in_json }: Pick<Operation, "files_in_json">, entries: v.ObjectEntries): Fields {
  const { $schema: _, ...schema } = toJsonSchema(v.object(entries), {
    typeMode: "input",
    errorMode: "ignore", // the server makes the checks that JSON Schema cannot express
    overrideSchema: ({ valibotSchema }) => (valibotSchema === upload ? fileSchema : undefined),
  });
  for (const [name, entry] of Object.entries(entries))
    if (entry === upload && files_in_json !== "upload_ids")
      schema.properties = { ...schema.properties, [name]: base64Schema };
  return schema;
}

/** What a client is told about the effects of an operation. A read changes nothing; the row of a write says what it does. */
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
  return document;
}

/**
 * Returns a document as a tool's result: as text and, if it is an object, also as structured content. Does not parse it. For a page of
 * a list that goes on, a second text says how to get the next one.
 */
function toolResult(document: string, next?: string): string {
  const structured = document.startsWith("{") ? `"structuredContent":${document},` : "";
  const more = next === undefined ? "" : `,{"type":"text","text":"The list goes on: call again with after=${next}"}`;
  return `{"content":[{"type":"text","text":${JSON.stringify(document)}}${more}],${structured}"isError":false}`;
}

/** Returns an error as a tool's result. */
export const toolError = (detail: string): string =>
  `{"content":[{"type":"text","text":${JSON.stringify(detail)}}],"isError":true}`;

/** How the inputs of a page are described where a list comes in pages. */
const pageInputs = {
  limit: { type: "integer", minimum: 1, default: rowsOfTool, description: "The maximum number of rows." },
  after: { type: "string", description: "The next page: from the end of the page before." },
};
const shortFields = { type: "string", description: "Only these fields, with commas." };
/** The inputs of a list that an assistant is not shown, because a question needs none of them; it may use them. */
const rareInputs = ["updated_since", "released", "before", "until"];

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
  const schema: Fields & { properties?: Fields } = toolInputSchema(row, entries);
  if (set === undefined) return schema;
  const all = Object.entries({
    ...schema.properties,
    ...(isPaged(row) && pageInputs),
    ...(row.method !== "GET" && { [repeatField]: repeatInput }),
  });
  const shown = set === "all" ? all : all.filter(([name]) => !rareInputs.includes(name));
  const properties = shown.map(([name, input]) => [name, set !== "all" && name === "fields" ? shortFields : input]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

/**
 * Returns the tool of an operation in a set of tools, where a list comes in pages of 50 rows by default; without a set that of the
 * specification, whose schema lacks the inputs in `tool.omit`, but it takes them.
 */
export function toolOf(row: Operation, set?: ToolSet): Handler {
  const { entries } = row.input;
  const hidden = (set === undefined && row.tool && row.tool.omit) || [];
  const shown = Object.fromEntries(Object.entries(entries).filter(([name]) => !hidden.includes(name)));
  return {
    listing: {
      name: row.name,
      description: descriptionOf(row, set),
      inputSchema: listedInputs(row, shown, set),
      annotations: annotationsOf(row),
    },
    authorize: (context) => authorize(context, row),
    async answer(context, asked, header) {
      const given: Fields = set !== undefined && isPaged(row) ? { limit: rowsOfTool, ...asked } : asked;
      const names = Object.keys(entries).filter((name) => Object.hasOwn(given, name));
      const known = Object.fromEntries(names.map((name) => [name, given[name]]));
      asInvalidParams(() => checkUpdatedSince(row, Object.keys(given)));
      asInvalidParams(() => authorizePath(context, row, known));
      const attempt = await attemptOf(context, row, repeatNameOf(row, asked, header));
      try {
        return await withUploads(context, row, known, async (fields) => {
          const input = asInvalidParams(() => validate(row.input, fields));
          const { text, cacheable, next } = await documentOf(context, row, input, attempt);
          // A call of the specification's form gets the specification's answer.
          const knowsPages = "after" in shown || hidden.some((name) => name in known);
          return { text: toolResult(text, knowsPages ? next : undefined), cacheable };
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
      return { text: `${head}${JSON.stringify(text)}}]}`, cacheable };
    },
  };
}

// A row as an MCP tool: its listing, its arguments, and its document as a tool's result.
import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { Context } from "../../context.ts";
import { upload } from "../../inputs.ts";
import { Bytes, type Operation } from "../../operations/operation.ts";
import { authorize, authorizePath, type DocumentResult, perform, validate } from "../../pipeline.ts";
import { type Fields, judged } from "./messages.ts";
import type { Handler } from "./registry.ts";
import { withUploads } from "./uploads.ts";

const fileSchema: JsonSchema = {
  type: "object",
  properties: {
    filename: { type: "string", description: "The file's name, kept as its label." },
    content_base64: { type: "string", contentEncoding: "base64", description: "The file's bytes in base64." },
  },
  required: ["filename", "content_base64"],
};

/** The arguments of the tool: the row's input without what the row leaves out of the tool. */
const argumentsOf = ({ input, tool }: Operation): v.ObjectEntries =>
  Object.fromEntries(Object.entries(input.entries).filter(([name]) => !tool?.omit?.includes(name)));

function inputSchema(row: Operation): Fields {
  const { $schema: _, ...schema } = toJsonSchema(v.object(argumentsOf(row)), {
    typeMode: "input",
    errorMode: "ignore", // checks that JSON Schema cannot say are still made
    overrideSchema: ({ valibotSchema }) => (valibotSchema === upload ? fileSchema : undefined),
  });
  return schema;
}

/** A read changes nothing. A write adds: it destroys nothing, and made twice it adds twice. */
const annotationsOf = ({ method }: Operation): Fields => ({
  readOnlyHint: method === "GET",
  destructiveHint: false,
  idempotentHint: method === "GET",
  openWorldHint: false,
});

/** The document that a row answers. */
export async function documentOf(context: Context, row: Operation, input: object): Promise<DocumentResult> {
  const document = await perform(context, row, input);
  if (document instanceof Bytes) throw new Error(`${row.name} answers bytes, which no MCP result carries`);
  return document;
}

/** A document as a tool's result: as text, and an object as structured content too, without parsing it. */
export function toolResult(document: string): string {
  const structured = document.startsWith("{") ? `"structuredContent":${document},` : "";
  return `{"content":[{"type":"text","text":${JSON.stringify(document)}}],${structured}"isError":false}`;
}

/** A refusal as a tool's result. */
export const toolError = (detail: string): string =>
  `{"content":[{"type":"text","text":${JSON.stringify(detail)}}],"isError":true}`;

/** The tool of a row. */
export function toolOf(row: Operation): Handler {
  const names = Object.keys(argumentsOf(row));
  return {
    listing: {
      name: row.name,
      description: row.summary,
      inputSchema: inputSchema(row),
      annotations: annotationsOf(row),
    },
    authorize: (context) => authorize(context, row),
    async answer(context, given) {
      const taken = Object.fromEntries(
        names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
      );
      judged(() => authorizePath(context, row, taken));
      return withUploads(context.app.blobs, context.caller.key_id, row, taken, async (fields) => {
        const input = judged(() => validate(row.input, fields));
        const { text, cacheable } = await documentOf(context, row, input);
        return { text: toolResult(text), cacheable };
      });
    },
  };
}

// Makes an MCP resource of an operation: its listing, and its document as the content at its URI.
import type { Operation } from "../../operations.ts";
import { authorize, validate } from "../../pipeline.ts";
import type { Handler } from "./registry.ts";
import { documentOf } from "./tools.ts";

const mimeType = "application/json";

/** Returns the resource of an operation, whose `resource` must be its URI. */
export function resourceOf(row: Operation): Handler {
  const uri = row.resource as string;
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

// A row as an MCP resource: its listing, and its document as what is read at its URI. Knows no HTTP.

import type { Operation } from "../../operations.ts";
import { authorize, validate } from "../../pipeline.ts";
import type { Handler } from "./registry.ts";
import { documentOf } from "./tools.ts";

const mimeType = "application/json";

/** The resource of a row. */
export function resourceOf(row: Operation): Handler {
  const uri = row.resource as string;
  const head = `{"contents":[{"uri":${JSON.stringify(uri)},"mimeType":"${mimeType}","text":`;
  return {
    listing: { uri, name: row.name, description: row.summary, mimeType },
    cacheable: row.noStore !== true,
    authorize: (context) => authorize(context, row),
    answer: async (context) => `${head}${JSON.stringify(await documentOf(context, row, validate(row.input, {})))}}]}`,
  };
}

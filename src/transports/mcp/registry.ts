// The registry of the tools, resources and prompts that MCP offers, made from the table of operations.
import type { Context } from "../../context.ts";
import { isFurtherTool } from "../../operations/operation.ts";
import { type Operation, table } from "../../operations.ts";
import type { Fields } from "./messages.ts";
import { type Prompt, prompts } from "./prompts.ts";
import { resourceOf } from "./resources.ts";
import { toolOf } from "./tools.ts";

/** A result as JSON text. */
export interface Result {
  text: string;
  /** Whether the same call returns the same result until something is written. */
  cacheable: boolean;
}

/** A tool or a resource. */
export interface Handler {
  /** As the list method shows it. */
  listing: { readonly name: string } & Fields;
  /** Throws 401, 403 or 404 if the caller may not use it. */
  authorize(context: Context): void;
  /** Throws a ProtocolError for malformed arguments, or an HttpError of the operation. */
  answer(context: Context, given: Fields): Promise<Result>;
}

export interface Registry {
  tools: ReadonlyMap<string, Handler>;
  /** By URI. */
  resources: ReadonlyMap<string, Handler>;
  prompts: ReadonlyMap<string, Prompt>;
}

/** Returns the tools and resources of `rows`, and the prompts. `all` adds a tool for every row that can be one. */
export const registryOf = (rows: readonly Operation[] = table, all = false): Registry => ({
  tools: new Map(
    rows.flatMap((row) => {
      if (!row.tool && !(all && isFurtherTool(row))) return [];
      return [[row.name, toolOf(row, all || !row.tool ? [] : row.tool.omit)]];
    }),
  ),
  resources: new Map(rows.flatMap((row) => (row.resource === undefined ? [] : [[row.resource, resourceOf(row)]]))),
  prompts,
});

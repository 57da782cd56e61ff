// The registry of the tools, resources and prompts that MCP offers, made from the table of operations.
import type { Context } from "../../core/context.ts";
import { isFurtherTool, type Operation } from "../../core/operation.ts";
import type { Fields } from "./messages.ts";
import { type Prompt, prompts } from "./prompts.ts";
import { stillTool } from "./stills.ts";
import { fullToolOf, resourceOf, toolOf } from "./tools.ts";

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
  /** Whether it is for clients that ask for all tools: they see the tools that their key may call. */
  all?: boolean;
}

/** Returns the tools and resources of `rows`, and the prompts. `all` adds a tool for every row that can be one, and get_still. */
export function registryOf(rows: readonly Operation[], all = false): Registry {
  const tools = rows.flatMap((row): Handler[] => {
    if (all) return row.tool || isFurtherTool(row) ? [fullToolOf(row)] : [];
    return row.tool ? [toolOf(row, row.tool.omit)] : [];
  });
  if (all) tools.push(stillTool);
  return {
    tools: new Map(tools.map((tool) => [tool.listing.name, tool])),
    resources: new Map(rows.flatMap((row) => (row.resource === undefined ? [] : [[row.resource, resourceOf(row)]]))),
    prompts,
    all,
  };
}

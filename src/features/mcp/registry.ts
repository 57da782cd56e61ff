// The registry of the tools, resources and prompts that MCP offers, made from the table of operations.
import type { Context } from "../../core/context.ts";
import type { Operation } from "../../core/operation.ts";
import type { ToolSet } from "../addresses/paths.ts";
import { isFurtherTool } from "../addresses/tools.ts";
import type { Fields } from "./messages.ts";
import { type Prompt, prompts } from "./prompts.ts";
import { stillTool } from "./stills.ts";
import { resourceOf, toolOf } from "./tools.ts";

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
  /**
   * `header` is the request's Idempotency-Key. Throws a ProtocolError for malformed arguments, or an HttpError of the
   * operation.
   */
  answer(context: Context, given: Fields, header?: string): Promise<Result>;
}

export interface Registry {
  tools: ReadonlyMap<string, Handler>;
  /** By URI. */
  resources: ReadonlyMap<string, Handler>;
  prompts: ReadonlyMap<string, Prompt>;
  /** The set that the client asked for; undefined for the fifteen. A client of a set sees only what its key may use. */
  set?: ToolSet | undefined;
}

/** What the set for assistants has besides the fifteen and get_still. */
const furtherTools: readonly string[] = [
  "search",
  "get_asset_usage",
  "get_day_bundle",
  "list_cast_days",
  "get_progress",
  "get_scene",
  "get_scene_script",
  "get_shoot_day",
  "get_delivery",
  "get_approval",
  "get_person",
  "get_note",
];

/** Whether a row has a tool in a set, or beyond it in the specification. */
function isIn(set: ToolSet | undefined, row: Operation): boolean {
  if (row.tool) return true;
  if (set === "all") return isFurtherTool(row);
  return set === "assistant" && furtherTools.includes(row.name);
}

/** Returns the tools and resources of `rows`, and the prompts. The tool get_still is in both sets. */
export function registryOf(rows: readonly Operation[], set?: ToolSet): Registry {
  const tools = rows.filter((row) => isIn(set, row)).map((row) => toolOf(row, set));
  if (set !== undefined) tools.push(stillTool);
  return {
    tools: new Map(tools.map((tool) => [tool.listing.name, tool])),
    resources: new Map(rows.flatMap((row) => (row.resource === undefined ? [] : [[row.resource, resourceOf(row)]]))),
    prompts,
    set,
  };
}

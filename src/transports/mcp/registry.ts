// What the MCP door offers: tools, resources and prompts by name. Types, and the registry that the table's rows make.
import type { Context } from "../../context.ts";
import { type Operation, table } from "../../operations.ts";
import type { Fields } from "./messages.ts";
import { type Prompt, prompts } from "./prompts.ts";
import { resourceOf } from "./resources.ts";
import { toolOf } from "./tools.ts";

/** Something to call or to read. */
export interface Handler {
  /** As the list method shows it. */
  listing: { readonly name: string } & Fields;
  /** Whether the same arguments get the same answer for as long as nothing is written. */
  cacheable: boolean;
  /** Whether the one calling may. Throws 401, 403 or 404. */
  authorize(context: Context): void;
  /** The result as JSON text. Throws a ProtocolError for arguments that are no good, a HttpError of the operation. */
  answer(context: Context, given: Fields): Promise<string>;
}

export interface Registry {
  tools: ReadonlyMap<string, Handler>;
  /** By URI. */
  resources: ReadonlyMap<string, Handler>;
  prompts: ReadonlyMap<string, Prompt>;
}

/** The tools and resources that the rows name, and the prompts that point at them. */
export const registryOf = (rows: readonly Operation[] = table): Registry => ({
  tools: new Map(rows.flatMap((row) => (row.tool === undefined ? [] : [[row.name, toolOf(row)]]))),
  resources: new Map(rows.flatMap((row) => (row.resource === undefined ? [] : [[row.resource, resourceOf(row)]]))),
  prompts,
});

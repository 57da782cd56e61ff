// Which operations are tools of MCP.
import type { Operation } from "../../core/operation.ts";

/** A row that is a tool only for clients that ask for all tools has one of these scopes, or none. */
const toolScopes: readonly string[] = ["read", "write", "submit:turnover", "read:money"];

/**
 * Whether an operation is a tool for clients that ask for all tools, although its row does not say `tool`: it takes and
 * answers JSON.
 */
export const isFurtherTool = ({ tool, scope, output, body }: Operation): boolean =>
  tool === undefined && (scope === null || toolScopes.includes(scope)) && output !== "bytes" && body !== "multipart";

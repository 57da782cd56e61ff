// Checks the resource that a token is for (RFC 8707): this server's MCP endpoint, at any of its addresses.
import { OAuthError } from "../../access/oauth.ts";
import type { Addresses } from "../../context.ts";
import { mcpAddresses } from "../http/paths.ts";

/** Returns the address of the named endpoint, by default the first. Throws invalid_target for any other address. */
export function resourceNamed({ mcp_url }: Addresses, named: string | undefined): string {
  const own = mcpAddresses.map((address) => mcp_url + address);
  if (named === undefined) return own[0] as string;
  const plain = URL.parse(named);
  if (plain !== null) plain.pathname = plain.pathname.replace(/\/$/, "");
  const found = own.find((address) => URL.parse(address)?.href === plain?.href);
  if (found === undefined) throw new OAuthError("invalid_target", `resource must be ${own[0]}`);
  return found;
}

// Determines the network address that a request comes from, for rate limits and the request log.
import type { IncomingMessage } from "node:http";

/** Returns the network of an address. IPv6 addresses count by their /64, because one machine can use every address in it. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("%")[0]?.split("::") ?? [];
  const groups = head.split(":").filter((group) => group !== "");
  const rest = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => "0");
  return [...groups, ...zeros, ...rest].slice(0, 4).join(":");
}

/** Returns the client's address: of the connection or, with `trustProxy`, the last entry of X-Forwarded-For. */
export function clientOf(req: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? req.headers["x-forwarded-for"] : undefined;
  const named =
    String(forwarded ?? "")
      .split(",")
      .at(-1)
      ?.trim() ?? "";
  return /^[0-9A-Fa-f.:]{2,45}$/.test(named) ? named : (req.socket.remoteAddress ?? "");
}

/** Returns the client's network. */
export const addressOf = (req: IncomingMessage, trustProxy: boolean): string => networkOf(clientOf(req, trustProxy));

// From which network address a request comes, for counting what one address does. Knows nothing of who is calling.
import type { IncomingMessage } from "node:http";

/** An IPv6 host is given a whole /64: one machine has as many addresses in it as it likes. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("%")[0]?.split("::") ?? [];
  const groups = head.split(":").filter((group) => group !== "");
  const rest = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => "0");
  return [...groups, ...zeros, ...rest].slice(0, 4).join(":");
}

/** The address that counts: the connection's, or with `trustProxy` the one that the proxy before us names last. */
export function addressOf(req: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? req.headers["x-forwarded-for"] : undefined;
  const named =
    String(forwarded ?? "")
      .split(",")
      .at(-1)
      ?.trim() ?? "";
  return networkOf(/^[0-9A-Fa-f.:]{2,45}$/.test(named) ? named : (req.socket.remoteAddress ?? ""));
}

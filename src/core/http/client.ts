// Says who asks: the address and the network of a request's client, by which failures and connections are limited.
import { isIP } from "node:net";
import type { RequestContext } from "./request_context.ts";

export interface ClientAddress {
  /** In its shortest form; an IPv4 address that is written as an IPv6 address, as IPv4. */
  address: string;
  /** The address; of IPv6 its /64, because one machine can use every address in it. */
  network: string;
}

/** Everybody whose address is not known. Together they are one network, so that nobody gains by hiding an address. */
const unknown: ClientAddress = { address: "unknown", network: "unknown" };

/** The groups of an IPv6 address, which are eight. */
export function ipv6Groups(address: string): number[] {
  const [before = "", after] = address.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((part) => Number.parseInt(part, 16));
  const [first, last] = [groups(before), groups(after ?? "")];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

export const ipv4Of = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");

/** An address in its shortest form without its zone, and an IPv4 address that is written as an IPv6 address as IPv4. */
export function normalAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const short = URL.parse(`http://[${address.split("%")[0]}]`)?.hostname.slice(1, -1) ?? address;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? [];
  return high === undefined || low === undefined ? short : ipv4Of(Number.parseInt(high, 16), Number.parseInt(low, 16));
}

/** An address as proxies write it, without its port and its brackets; empty if the brackets have no IPv6 address. */
function withoutPort(written: string): string {
  const inBrackets = /^\[(.*)\](?::\d{1,5})?$/.exec(written)?.[1];
  if (inBrackets !== undefined) return isIP(inBrackets) === 6 ? inBrackets : "";
  return /^([\d.]+):\d{1,5}$/.exec(written)?.[1] ?? written;
}

/** Who has an address, as a socket or a proxy writes it. */
export function clientAt(written: string): ClientAddress {
  const bare = withoutPort(written);
  if (isIP(bare) === 0) return unknown;
  const address = normalAddress(bare);
  const network = isIP(address) === 6 ? ipv6Groups(address).slice(0, 4) : undefined;
  return { address, network: network?.map((group) => group.toString(16)).join(":") ?? address };
}

/**
 * Who sends a request: the other end of the connection or, with the setting `trust_proxy`, the last entry of
 * X-Forwarded-For.
 */
export function clientOf({ req, app }: Pick<RequestContext, "req" | "app">): ClientAddress {
  if (!app.config.trust_proxy) return clientAt(req.socket.remoteAddress ?? "");
  const forwarded = String(req.headers["x-forwarded-for"] ?? "");
  return clientAt(forwarded.slice(forwarded.lastIndexOf(",") + 1).trim());
}

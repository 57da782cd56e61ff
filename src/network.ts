// Which address clients can use if the server listens on every address of the machine. Knows no HTTP.
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** An address of this machine that stands for all of them. */
export interface ReachableAddress {
  address: string;
  /** The network interface that has it; undefined for loopback, where there is no other. */
  interface: string | undefined;
}

/** Whether a host name, as URL and Host headers write it or as an address to listen on, means this machine itself. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname);

/** 0.0.0.0 and :: mean every address of the machine: a server listens there, but no client can connect to them. */
export const isUnspecified = (bound: string): boolean => bound === "0.0.0.0" || bound === "::";

/** Addresses that need no configuration and reach a neighbour at most (RFC 3927, RFC 4291 section 2.5.6). */
const linkLocal = /^(?:169\.254\.|fe[89ab])/i;

/** What the operating system names; nothing if it does not tell (a sandbox, or Deno without --allow-sys=networkInterfaces). */
function interfacesOfMachine(): Interfaces {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
}

/**
 * The machine's first address that other machines can connect to, IPv4 before IPv6, which a server bound to 0.0.0.0 does not
 * take; loopback if there is none. Never derived from a request: a Host header is whatever its sender says.
 */
export function reachableAddress(bound: string, interfaces = interfacesOfMachine()): ReachableAddress {
  const outward = Object.entries(interfaces).flatMap(([name, infos = []]) =>
    infos.filter(({ internal, address }) => !internal && !linkLocal.test(address)).map((info) => ({ name, ...info })),
  );
  const first =
    outward.find(({ family }) => family === "IPv4") ??
    (bound === "::" ? outward.find(({ family }) => family === "IPv6") : undefined);
  if (first === undefined) return { address: bound === "::" ? "::1" : "127.0.0.1", interface: undefined };
  return { address: first.address, interface: first.name };
}

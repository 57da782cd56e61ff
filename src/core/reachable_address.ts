// Finds the address that clients can use if the server listens on every address of the machine.
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** The network interfaces of a machine by name, as os.networkInterfaces returns them. */
export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** An address of this machine that clients can connect to. */
export interface ReachableAddress {
  address: string;
  /** The network interface that has the address; undefined for loopback. */
  interface: string | undefined;
}

/** Link-local addresses, which only the same network segment can reach (RFC 3927, RFC 4291 section 2.5.6). */
const linkLocal = /^(?:169\.254\.|fe[89ab])/i;

/**
 * The machine's interfaces; empty if they are not accessible (a sandbox, or Deno without
 * --allow-sys=networkInterfaces).
 */
function interfacesOfMachine(): Interfaces {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
}

/**
 * The chosen address if the machine still has it, otherwise another one: it had none yet, or the network has changed.
 */
function stableAddress(chosen: ReachableAddress, bound: string, interfaces = interfacesOfMachine()): ReachableAddress {
  const present = Object.values(interfaces).flatMap((infos = []) => infos);
  const isPresent = chosen.interface !== undefined && present.some(({ address }) => address === chosen.address);
  return isPresent ? chosen : reachableAddress(bound, interfaces);
}

/**
 * Returns the machine's first address that other machines can connect to: IPv4 if there is one, otherwise IPv6 if
 * `bound` is ::, otherwise loopback. The address never comes from a request, because a client controls the Host header.
 * docs/network.md, "Addresses".
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

/** How often the interfaces of the machine are looked at, in milliseconds. */
const lookInterval = 5_000;

/**
 * Calls `changed` with another address whenever the machine has lost the one that clients get. Returns a function that
 * ends it.
 */
export function lookForChanges(
  chosen: ReachableAddress,
  bound: string,
  interfaces: Interfaces | undefined,
  every = lookInterval,
  changed: (address: string) => void,
): () => void {
  let current = chosen;
  const timer = setInterval(() => {
    const now = stableAddress(current, bound, interfaces);
    if (now.address !== current.address) changed(now.address);
    current = now;
  }, every);
  timer.unref();
  return () => clearInterval(timer);
}

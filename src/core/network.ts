// Loads modules late, node:http among them, so that a server starts sooner and needs less memory at rest; and finds the address that clients can use
// if it listens on every address of the machine.
import { createRequire } from "node:module";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

const require = createRequire(import.meta.url);
/** node:http. On Node its import statement also loads fetch, because WebSocket is one of its names: 6 MiB, and a tenth of the start. */
export const loadHttp = (): typeof import("node:http") => require("node:http");
export const loadHttps = (): typeof import("node:https") => require("node:https");
/** On Deno a program that imports them is 1 MiB larger, and few of its requests use them. */
export const loadZlib = (): typeof import("node:zlib") => require("node:zlib");
export const loadThreads = (): typeof import("node:worker_threads") => require("node:worker_threads");
export const loadDns = (): typeof import("node:dns/promises") => require("node:dns/promises");

/**
 * Loads a module with its first use. Its name must not stand inside import(), because Deno reads such a file with the first module and keeps
 * its text.
 */
export const importLazily = <Module>(file: string, { url }: ImportMeta): Promise<Module> =>
  import(new URL(file, url).href);

/** The result of `load`, which is called once; again after a failure, so that one that passes does not last until the restart. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** The network interfaces of a machine by name, as os.networkInterfaces returns them. */
export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** An address of this machine that clients can connect to. */
export interface ReachableAddress {
  address: string;
  /** The network interface that has the address; undefined for loopback. */
  interface: string | undefined;
}

/** Whether a host name, as written in a URL, in a Host header or as an address to listen on, is loopback. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname);

/** Whether an address is 0.0.0.0 or ::, on which a server listens on every address. No client can connect to them. */
export const isUnspecified = (bound: string): boolean => bound === "0.0.0.0" || bound === "::";

/** Link-local addresses, which only the same network segment can reach (RFC 3927, RFC 4291 section 2.5.6). */
const linkLocal = /^(?:169\.254\.|fe[89ab])/i;

/** The machine's interfaces; empty if they are not accessible (a sandbox, or Deno without --allow-sys=networkInterfaces). */
function interfacesOfMachine(): Interfaces {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
}

/** The chosen address if the machine still has it, otherwise another one: it had none yet, or the network has changed. */
export function stableAddress(
  chosen: ReachableAddress,
  bound: string,
  interfaces = interfacesOfMachine(),
): ReachableAddress {
  const present = Object.values(interfaces).flatMap((infos = []) => infos);
  const isPresent = chosen.interface !== undefined && present.some(({ address }) => address === chosen.address);
  return isPresent ? chosen : reachableAddress(bound, interfaces);
}

/**
 * Returns the machine's first address that other machines can connect to: IPv4 if there is one, otherwise IPv6 if `bound` is ::,
 * otherwise loopback. The address never comes from a request, because a client controls the Host header. docs/network.md, "Addresses".
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

/** Calls `changed` with another address whenever the machine has lost the one that clients get. Returns a function that ends it. */
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

// Decides where webhooks may go: only to hosts and networks that the setting webhook_hosts lists, never to link-local
// addresses and never to this server itself.
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { unprocessable } from "../../core/errors.ts";
import { ipv4Of, ipv6Groups, normalAddress } from "../../core/http/client.ts";
import { loadDns } from "../../core/late_loading.ts";
import { withCommas } from "../../core/wording.ts";

/** A webhook may not go there; the message is the reason. */
export class DestinationError extends Error {}

export interface DestinationRules {
  /** Host names, addresses and networks such as 10.20.0.0/16: the setting webhook_hosts. */
  hosts: readonly string[];
  /** The port that this server listens on; undefined if it is not known. */
  ownPort: number | undefined;
}

/** Where a webhook goes: the address that was checked, and the host name for the request. */
export interface Destination {
  url: URL;
  address: string;
}

const maxUrl = 2_000;

/**
 * The address of a webhook. Throws 422 if it is not an http or https address, or has a user, a password or a fragment.
 */
export function webhookUrl(written: string): URL {
  const url = written.length > maxUrl ? null : URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" || url.hash !== "")
    throw unprocessable(
      `url must be an http or https address of at most ${withCommas(maxUrl)} characters, without a user and a fragment`,
    );
  return url;
}

/**
 * The IPv4 addresses that an IPv6 address may lead to: a gateway of the network takes them out of it. A local prefix of
 * NAT64 may have the address at four places (RFC 6052), and only the network knows which.
 */
function embeddedAddresses(address: string): string[] {
  if (isIP(address) !== 6) return [];
  const groups = ipv6Groups(address);
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groups;
  const last = ipv4Of(g6, g7);
  if (g0 === 0x64 && g1 === 0xff9b) {
    // The byte 8 of the address (the upper half of g4) is skipped.
    const at48 = ipv4Of(g3, ((g4 & 255) << 8) | (g5 >> 8));
    const at56 = ipv4Of(((g3 & 255) << 8) | (g4 & 255), g5);
    const at64 = ipv4Of(((g4 & 255) << 8) | (g5 >> 8), ((g5 & 255) << 8) | (g6 >> 8));
    return g2 === 1 ? [last, at48, at56, at64].filter((one) => !one.startsWith("0.")) : [last];
  }
  if (g0 === 0x2002) return [ipv4Of(g1, g2)]; // 6to4
  // Teredo: its server, and its client
  if (g0 === 0x2001 && g1 === 0) return [ipv4Of(g2, g3), ipv4Of(g6 ^ 0xffff, g7 ^ 0xffff)];
  if ((g4 & 0xfdff) === 0 && g5 === 0x5efe) return [last]; // ISATAP
  const isZero = groups.slice(0, 4).every((group) => group === 0);
  // translated, and the former compatible form
  if (isZero && ((g4 === 0xffff && g5 === 0) || (g4 === 0 && g5 === 0 && g6 > 0))) return [last];
  return [];
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** The networks of a list, without the host names. */
function networksOf(hosts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const host of hosts) {
    const [address = "", bits] = host.split("/");
    if (isIP(address) === 0) continue;
    if (bits === undefined) list.addAddress(normalAddress(address), familyOf(normalAddress(address)));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

const contains = (list: BlockList, address: string): boolean => list.check(address, familyOf(address));

const linkLocal = networksOf(["169.254.0.0/16", "fe80::/10"]);
const loopback = networksOf(["127.0.0.0/8", "::1"]);
/** Unspecified, broadcast and multicast addresses: no receiver has one. */
const unusable = networksOf(["0.0.0.0/8", "::", "224.0.0.0/4", "255.255.255.255", "ff00::/8"]);

/** Whether an address is one of this machine. */
const isOfThisMachine = (address: string): boolean =>
  contains(loopback, address) ||
  Object.values(networkInterfaces()).some((list) => list?.some((one) => normalAddress(one.address) === address));

const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));

/** Throws DestinationError if a webhook may not go to this address. `isNamed`: the host is listed by its name. */
function checkAddress(url: URL, address: string, isNamed: boolean, { hosts, ownPort }: DestinationRules): void {
  const shown = url.hostname === address ? address : `${url.hostname} (${address})`;
  for (const meant of [address, ...embeddedAddresses(address)]) {
    if (contains(linkLocal, meant)) throw new DestinationError(`${shown} is a link-local address`);
    if (contains(unusable, meant)) throw new DestinationError(`${shown} is not the address of a receiver`);
    if (meant !== address && contains(loopback, meant))
      throw new DestinationError(`${shown} is an address of the machine itself in another form`);
    if (portOf(url) === ownPort && isOfThisMachine(meant)) throw new DestinationError(`${shown} is this server itself`);
  }
  if (!isNamed && !contains(networksOf(hosts), address))
    throw new DestinationError(`${shown} is not in the setting webhook_hosts`);
}

/** The lookups that run or wait, by name. One that has no answer stays here longer than the try that began it. */
const lookups = new Map<string, Promise<readonly { address: string }[]>>();
/** The names whose last lookup had an answer. They do not wait for names that have none. */
const answered = new Set<string>();
/**
 * The last lookup of the other names, and of the answered ones: one of each runs at a time, because libuv runs two for
 * the whole process.
 */
const last: [Promise<unknown>, Promise<unknown>] = [Promise.resolve(), Promise.resolve()];

function lookUp(host: string): Promise<readonly { address: string }[]> {
  const known = lookups.get(host);
  if (known !== undefined) return known;
  const lane = answered.has(host) ? 1 : 0;
  const lookup = last[lane].then(() => loadDns().lookup(host, { all: true }));
  lookups.set(host, lookup);
  last[lane] = lookup
    .then(
      () => answered.add(host),
      () => answered.delete(host),
    )
    .then(() => lookups.delete(host));
  return lookup;
}

async function resolve(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return (await lookUp(host)).map(({ address }) => address);
  } catch {
    throw new DestinationError(`${host} cannot be resolved`);
  }
}

/**
 * Resolves the host of a webhook and checks its addresses: each of them must be allowed, and the first one is used.
 * Throws DestinationError.
 */
export async function destinationOf(url: URL, rules: DestinationRules): Promise<Destination> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isNamed = isIP(host) === 0 && rules.hosts.includes(host.replace(/\.$/, ""));
  // Refused before it is resolved, because a name must not leave the machine if nothing may.
  if (!isNamed && isIP(host) === 0 && !rules.hosts.some((entry) => isIP(entry.split("/")[0] as string) !== 0))
    throw new DestinationError(`${host} is not in the setting webhook_hosts`);
  const addresses = (await resolve(host)).map(normalAddress);
  for (const address of addresses) checkAddress(url, address, isNamed, rules);
  const [address] = addresses;
  if (address === undefined) throw new DestinationError(`${host} cannot be resolved`);
  return { url, address };
}

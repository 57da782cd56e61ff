// Shares a server's connections: those that have shown no valid key or session give way to others, so that nobody can hold them all.
import type { Socket } from "node:net";
import { networkOf } from "./client_address.ts";

/** Which part of all connections may be without a key or a session, of all networks and of one. */
const strangersPart = 7 / 8;
const networkPart = 3 / 4;

/** Names a connection by its other end, because a TLS connection has two sockets. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

export class ConnectionShares {
  readonly #max: number;
  readonly #maxOfNetwork: number;
  readonly #isBusy: (socket: Socket) => boolean;
  /** The connections that have shown no key or session, by network and in the order in which they were opened. */
  readonly #strangers = new Map<string, Map<string, Socket>>();
  #count = 0;

  /** `perNetwork` is false behind a proxy, whose connections are those of all clients. */
  constructor(connections: number, perNetwork: boolean, isBusy: (socket: Socket) => boolean) {
    this.#max = Math.max(1, Math.floor(connections * strangersPart));
    this.#maxOfNetwork = perNetwork ? Math.max(1, Math.floor(connections * networkPart)) : this.#max;
    this.#isBusy = isBusy;
  }

  /** Makes room for a connection by closing an older one that has no request in progress, or closes it if there is none. */
  opened(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? "");
    const own = this.#strangers.get(network) ?? new Map<string, Socket>();
    if (own.size >= this.#maxOfNetwork && !this.#closeIdle(own)) return void socket.destroy();
    if (this.#count >= this.#max && !this.#closeIdle(this.#largest())) return void socket.destroy();
    const name = nameOf(socket);
    this.#strangers.set(network, own.set(name, socket));
    this.#count++;
    socket.once("close", () => this.#remove(network, name));
  }

  /** The TLS connection over a connection that was opened before. */
  secured(socket: Socket): void {
    const own = this.#strangers.get(networkOf(socket.remoteAddress ?? ""));
    const name = nameOf(socket);
    if (own?.has(name)) own.set(name, socket);
  }

  /** Call this when a request of the connection had a valid key or session: it is not closed for others any more. */
  readonly trusted = (socket: Socket): void => this.#forget(socket);

  #forget(socket: Socket): void {
    this.#remove(networkOf(socket.remoteAddress ?? ""), nameOf(socket));
  }

  #remove(network: string, name: string): void {
    const own = this.#strangers.get(network);
    if (own?.delete(name) !== true) return;
    this.#count--;
    if (own.size === 0) this.#strangers.delete(network);
  }

  #largest(): ReadonlyMap<string, Socket> {
    let largest: ReadonlyMap<string, Socket> = new Map();
    for (const own of this.#strangers.values()) if (own.size > largest.size) largest = own;
    return largest;
  }

  /** Closes the oldest connection that has no request in progress. Returns false if there is none. */
  #closeIdle(own: ReadonlyMap<string, Socket>): boolean {
    for (const socket of own.values()) {
      if (this.#isBusy(socket)) continue;
      this.#forget(socket); // before its address is gone
      socket.destroy();
      return true;
    }
    return false;
  }
}

// Limits the connections of a server: those whose requests bring no valid key give way to others, so that nobody holds
// all without one.
import type { Socket } from "node:net";
import { HttpError } from "../errors.ts";
import { Shares } from "../limits.ts";
import { clientAt, clientOf } from "./client.ts";
import type { RequestContext } from "./request_context.ts";
import { sendProblem } from "./send.ts";

/** The part of all connections that may be without a key: those of all networks together, and those of one network. */
export const strangersPart = 7 / 8;
export const networkPart = 3 / 4;
/** How long a request that is refused has to take its answer, in milliseconds. */
const answerTime = 1_000;

/** The owner of a proxy's connections between two requests. They count for no network. */
const proxy = "";

interface Place {
  name: string;
  /** Of TLS the secure one, once there is one. */
  socket: Socket;
  /** Whose it is while it may be closed for others: a network, or `proxy`. */
  owner: string | undefined;
  /** The requests in progress. */
  requests: Set<RequestContext>;
}

/** Names a connection by its other end, because a TLS connection has two sockets. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const hasKey = ({ credentials }: RequestContext): boolean => credentials.key_id !== undefined;

const tooMany = () =>
  new HttpError(503, "this server has too many requests without a valid key; try again", { "retry-after": "1" });

/** Answers a request, and closes its connection. */
function refuse(ctx: RequestContext, socket: Socket): void {
  const { req, res } = ctx;
  res.shouldKeepAlive = false;
  sendProblem(ctx, tooMany());
  res.once("close", () => req.destroy());
  setTimeout(() => socket.destroy(), answerTime).unref();
}

/**
 * A client's own connection counts for its network until it has shown a valid key or session. A connection of a proxy
 * brings the requests of many clients, so it counts for the network of the request in progress, until that has shown
 * one, and between requests for none.
 * If there are too many, the one closes that has counted for longest, whatever it does: so each has the time to show
 * its key.
 */
export class ConnectionShares {
  readonly #max: number;
  readonly #behindProxy: boolean;
  readonly #strangers: Shares<string>;
  readonly #places = new Map<string, Place>();
  /** The places that may be closed for others, by owner, in the order in which they began to count for it. */
  readonly #owned = new Map<string, Set<Place>>();

  constructor(connections: number, behindProxy: boolean) {
    this.#max = connections;
    this.#behindProxy = behindProxy;
    this.#strangers = new Shares({
      ofAll: Math.max(1, Math.floor(connections * strangersPart)),
      ofOwner: Math.max(1, Math.floor(connections * networkPart)),
    });
  }

  /**
   * Call this for each connection. Closes another one if there are too many, or this one if all others have shown a
   * key.
   */
  opened(socket: Socket): void {
    const place: Place = { name: nameOf(socket), socket, owner: undefined, requests: new Set() };
    this.#places.set(place.name, place);
    socket.once("close", () => this.#forget(place));
    this.#give(place, this.#behindProxy ? proxy : clientAt(socket.remoteAddress ?? "").network);
  }

  /** The TLS connection over a connection that was opened before. */
  secured(socket: Socket): void {
    const place = this.#placeOf(socket);
    if (place !== undefined) place.socket = socket;
  }

  /** Call this for each request that is in progress. It is until its response is sent and its body has arrived. */
  begun(ctx: RequestContext): void {
    const { req, res } = ctx;
    const place = this.#placeOf(req.socket);
    if (place === undefined) return;
    place.requests.add(ctx);
    const ended = () => this.#ended(place, ctx);
    res.once("close", () => void (req.complete || req.closed ? ended() : req.once("close", ended)));
    if (this.#behindProxy) this.#give(place, clientOf(ctx).network);
  }

  /** Call this for each request with a valid key that was answered at once. */
  answered(ctx: RequestContext): void {
    const { socket } = ctx.req;
    if (this.#behindProxy) {
      if (socket.writableLength > 0) this.begun(ctx); // the client has not taken all of it
    } else if (this.#strangers.total > 0) this.#keep(this.#placeOf(socket));
  }

  #placeOf(socket: Socket): Place | undefined {
    return this.#places.get(nameOf(socket));
  }

  #ended(place: Place, ctx: RequestContext): void {
    place.requests.delete(ctx);
    if (!this.#behindProxy) {
      if (hasKey(ctx)) this.#keep(place);
    } else if (place.requests.size === 0 && this.#places.get(place.name) === place) this.#give(place, proxy);
  }

  /** From now on the place is not closed for others. */
  #keep(place: Place | undefined): void {
    if (place?.owner === undefined) return;
    const those = this.#owned.get(place.owner);
    those?.delete(place);
    if (those?.size === 0) this.#owned.delete(place.owner);
    if (place.owner !== proxy) this.#strangers.giveBack(place.owner);
    place.owner = undefined;
  }

  #forget(place: Place): void {
    this.#keep(place);
    if (this.#places.get(place.name) === place) this.#places.delete(place.name);
  }

  /** The place counts for an owner from now on. Closes others, or this one, while there are too many. */
  #give(place: Place, owner: string): void {
    this.#keep(place);
    place.owner = owner;
    const those = this.#owned.get(owner);
    if (those === undefined) this.#owned.set(owner, new Set([place]));
    else those.add(place);
    if (owner !== proxy) this.#strangers.take(owner);
    while (place.owner !== undefined) {
      const full = this.#fullOwner(owner);
      if (full === undefined) return;
      this.#closeOldest(full);
    }
  }

  /** The owner that must give a place up after `owner` got one; undefined if there is room. */
  #fullOwner(owner: string): string | undefined {
    const full = this.#strangers.exceeded(owner, 0);
    if (full !== undefined) return full === "owner" ? owner : this.#strangers.largest();
    if (this.#places.size <= this.#max) return undefined;
    let largest = owner;
    for (const [other, { size }] of this.#owned) if (size > (this.#owned.get(largest)?.size ?? 0)) largest = other;
    return largest;
  }

  #closeOldest(owner: string): void {
    const [oldest] = this.#owned.get(owner) ?? [];
    if (oldest === undefined) return;
    const { socket, requests } = oldest;
    if ([...requests].some(hasKey)) {
      this.#keep(oldest);
      return;
    }
    this.#forget(oldest);
    const [first] = requests;
    if (first === undefined || first.res.headersSent) socket.destroy();
    else refuse(first, socket);
  }
}

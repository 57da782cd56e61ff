// Whether a server has no production yet, and whether somebody on its own machine asks.
import type { App } from "../../core/context.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { listProductions } from "../../graph/find_production.ts";

const loopback = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Where the form that begins the first production is sent. */
export const firstFormPath = "/begin";

/** Whether the server has no production yet. */
export const isFresh = ({ store }: App): boolean => listProductions(store).length === 0;

const proxyHeader = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/**
 * Whether a browser on this machine asks, at an address of this machine. A proxy names the client that it asks for; nginx names nobody
 * unless it is told to, but then asks in HTTP/1.0, which no browser does. A page of another site that resolves to this machine has
 * another host.
 */
export function isOnThisMachine({ req }: RequestContext): boolean {
  const isForwarded = req.httpVersion !== "1.1" || Object.keys(req.headers).some((name) => proxyHeader.test(name));
  return !isForwarded && loopback.test(req.socket.remoteAddress ?? "") && loopbackHost.test(req.headers.host ?? "");
}

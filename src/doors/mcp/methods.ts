// The MCP methods over a registry (revision 2025-06-18): a message's method and parameters in, its result as JSON text out.
import type { Context } from "../../context.ts";
import { refusalOf } from "../../errors.ts";
import type { Exchange } from "../exchange.ts";
import type { Keeper } from "./keeper.ts";
import { type Fields, internalError, invalidParams, isObject, methodNotFound, ProtocolError } from "./messages.ts";
import type { Offer, Registry } from "./registry.ts";
import { toolError } from "./tools.ts";

export const protocolVersion = "2025-06-18";

const instructions =
  "One production's graph: scenes, assets, schedule, approvals, deliveries and activity. The key decides what is seen: a " +
  "production's key sees all of it, a vendor's key only what its engagement was granted, through the bundles, turnovers and " +
  "purchase orders. Ids are integers; find them with the list tools first. One get_scene_bundle call answers most questions about a scene.";

/** One call of a method, and what its request is noted as for the log. */
export interface Call {
  request: Exchange["request"];
  context: Context;
  /** The store's revision before the caller was known. */
  revision: number;
  method: string;
  params: Fields;
}

type Keep = Keeper["keep"];

/** Answers the result as JSON text with one character a byte. */
type Method = (call: Call) => Promise<string> | string;

function nameIn(params: Fields, field: "name" | "uri"): string {
  const name = params[field];
  if (typeof name !== "string") throw new ProtocolError(invalidParams, `${field} must be text`);
  return name;
}

function argumentsIn({ arguments: given = {} }: Fields): Fields {
  if (!isObject(given)) throw new ProtocolError(invalidParams, "arguments must be an object");
  return given;
}

function find<T>(offers: ReadonlyMap<string, T>, name: string, noun: string): T {
  const found = offers.get(name);
  if (found === undefined) throw new ProtocolError(methodNotFound, `there is no ${noun} of that name`);
  return found;
}

/** 401, 403 and 404 leave as they would over REST. */
const leavesBare = (status: number): boolean => status === 401 || status === 403 || status === 404;

/** The result of an offer; `otherwise` makes one of the sentence of a refusal that does not leave bare. */
async function obtain(
  keep: Keep,
  call: Call,
  offer: Offer,
  given: Fields,
  otherwise: (detail: string) => string,
): Promise<string> {
  call.request.operation = `mcp ${offer.listing.name}`;
  offer.admit(call.context);
  try {
    return await keep(call, offer, () => offer.answer(call.context, given));
  } catch (error) {
    const { status, message } = refusalOf(error);
    if (error instanceof ProtocolError || leavesBare(status)) throw error;
    if (status >= 500) call.request.error = error;
    return bytesOf(otherwise(message));
  }
}

/** A reading has no other place for it. */
function refuseReading(detail: string): never {
  throw new ProtocolError(internalError, detail);
}

const written = (result: object): string => bytesOf(JSON.stringify(result));

const listing = (name: string, offers: ReadonlyMap<string, { listing: Fields }>): string =>
  written({ [name]: [...offers.values()].map((offer) => offer.listing) });

/** Every method by its name. Lists are the same for every key, so they are written once. */
export function methodsOf({ tools, resources, prompts }: Registry, keep: Keep): ReadonlyMap<string, Method> {
  const initialized = written({
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: "tallylight", version: "1.0.0" },
    instructions,
  });
  const lists = [listing("tools", tools), listing("resources", resources), listing("prompts", prompts)] as const;
  return new Map<string, Method>([
    ["initialize", () => initialized],
    ["ping", () => "{}"],
    ["tools/list", () => lists[0]],
    ["resources/list", () => lists[1]],
    ["prompts/list", () => lists[2]],
    [
      "tools/call",
      (call) => {
        const tool = find(tools, nameIn(call.params, "name"), "tool");
        return obtain(keep, call, tool, argumentsIn(call.params), toolError);
      },
    ],
    [
      "resources/read",
      (call) => {
        const resource = find(resources, nameIn(call.params, "uri"), "resource");
        return obtain(keep, call, resource, {}, refuseReading);
      },
    ],
    ["prompts/get", ({ params }) => find(prompts, nameIn(params, "name"), "prompt").answer(argumentsIn(params))],
  ]);
}

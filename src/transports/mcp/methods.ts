// The MCP methods over a registry (revision 2025-06-18): a message's method and parameters in, its result as JSON text out.
import type { Context } from "../../context.ts";
import { httpErrorOf } from "../../errors.ts";
import type { RequestContext } from "../http/request_context.ts";
import {
  type Fields,
  internalError,
  invalidParams,
  isObject,
  methodNotFound,
  ProtocolError,
  type RpcRequest,
} from "./messages.ts";
import type { Handler, Registry } from "./registry.ts";
import { toolError } from "./tools.ts";

export const protocolVersion = "2025-06-18";

const instructions =
  "One production's graph: scenes, assets, schedule, approvals, deliveries and activity. The key decides what is seen: a " +
  "production's key sees all of it, a vendor's key only what its engagement was granted, through the bundles, turnovers and " +
  "purchase orders. Ids are integers; find them with the list tools first. One get_scene_bundle call answers most questions about a scene.";

/** One call of a method, and what its request is noted as for the log. */
export interface Call {
  request: RequestContext["request"];
  context: Context;
  message: RpcRequest;
}

export interface Result {
  /** JSON text. */
  text: string;
  /** Whether the same call has the same result for as long as nothing is written. */
  cacheable: boolean;
}

type Method = (call: Call) => Result | Promise<Result>;

function nameIn(params: Fields, field: "name" | "uri"): string {
  const name = params[field];
  if (typeof name !== "string") throw new ProtocolError(invalidParams, `${field} must be text`);
  return name;
}

function argumentsIn({ arguments: given = {} }: Fields): Fields {
  if (!isObject(given)) throw new ProtocolError(invalidParams, "arguments must be an object");
  return given;
}

function find<T>(handlers: ReadonlyMap<string, T>, name: string, noun: string): T {
  const found = handlers.get(name);
  if (found === undefined) throw new ProtocolError(methodNotFound, `there is no ${noun} of that name`);
  return found;
}

/** 401, 403 and 404 leave as they would over REST. */
const leavesBare = (status: number): boolean => status === 401 || status === 403 || status === 404;

/** The result of an offer; `otherwise` makes one of the sentence of a refusal that does not leave bare. */
async function obtain(
  { request, context }: Call,
  handler: Handler,
  given: Fields,
  otherwise: (detail: string) => string,
): Promise<Result> {
  request.operation = `mcp ${handler.listing.name}`;
  handler.authorize(context);
  try {
    return { text: await handler.answer(context, given), cacheable: handler.cacheable };
  } catch (error) {
    const { status, message } = httpErrorOf(error);
    if (error instanceof ProtocolError || leavesBare(status)) throw error;
    if (status >= 500) request.error = error;
    return { text: otherwise(message), cacheable: false };
  }
}

/** A reading has no other place for it. */
function refuseReading(detail: string): never {
  throw new ProtocolError(internalError, detail);
}

const fixed = (result: object): Method => {
  const text = JSON.stringify(result);
  return () => ({ text, cacheable: true });
};

const listing = (name: string, handlers: ReadonlyMap<string, { listing: Fields }>): Method =>
  fixed({ [name]: [...handlers.values()].map((handler) => handler.listing) });

/** Every method by its name. Lists are the same for every key, so they are written once. */
export const methodsOf = ({ tools, resources, prompts }: Registry): ReadonlyMap<string, Method> =>
  new Map<string, Method>([
    [
      "initialize",
      fixed({
        protocolVersion,
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: "tallylight", version: "1.0.0" },
        instructions,
      }),
    ],
    ["ping", fixed({})],
    ["tools/list", listing("tools", tools)],
    ["resources/list", listing("resources", resources)],
    ["prompts/list", listing("prompts", prompts)],
    [
      "tools/call",
      (call) => {
        const { params } = call.message;
        return obtain(call, find(tools, nameIn(params, "name"), "tool"), argumentsIn(params), toolError);
      },
    ],
    [
      "resources/read",
      (call) => obtain(call, find(resources, nameIn(call.message.params, "uri"), "resource"), {}, refuseReading),
    ],
    [
      "prompts/get",
      ({ message: { params } }) => ({
        text: find(prompts, nameIn(params, "name"), "prompt").answer(argumentsIn(params)),
        cacheable: true,
      }),
    ],
  ]);

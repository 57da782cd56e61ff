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
import type { Handler, Registry, Result } from "./registry.ts";
import { toolError } from "./tools.ts";

export const protocolVersion = "2025-06-18";

const instructions =
  "One production's graph: scenes, assets, schedule, approvals, deliveries and activity. The key decides what is seen: a " +
  "production's key sees all of it, a vendor's key only what its engagement was granted, through the bundles, turnovers and " +
  "purchase orders. Ids are integers; find them with the list tools first. One get_scene_bundle call answers most questions about a scene.";

/** One call of a method. */
export interface Call {
  ctx: RequestContext;
  context: Context;
  message: RpcRequest;
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

function find<T>(offered: ReadonlyMap<string, T>, name: string, noun: string): T {
  const found = offered.get(name);
  if (found === undefined) throw new ProtocolError(methodNotFound, `there is no ${noun} of that name`);
  return found;
}

/** 401, 403 and 404 leave as they would over REST. */
const leavesBare = (status: number): boolean => status === 401 || status === 403 || status === 404;

/** The result of a handler; `otherwise` makes one of the sentence of a refusal that does not leave bare. */
async function resultOf(
  { ctx, context }: Call,
  handler: Handler,
  given: Fields,
  otherwise: (detail: string) => string,
): Promise<Result> {
  ctx.operation = `mcp ${handler.listing.name}`;
  handler.authorize(context);
  try {
    return await handler.answer(context, given);
  } catch (error) {
    const { status, message } = httpErrorOf(error);
    if (error instanceof ProtocolError || leavesBare(status)) throw error;
    if (status >= 500) ctx.error = error;
    return { text: otherwise(message), cacheable: false };
  }
}

/** A resource's result has no place for a refusal. */
function refuseReading(detail: string): never {
  throw new ProtocolError(internalError, detail);
}

const fixed = (result: object): Method => {
  const text = JSON.stringify(result);
  return () => ({ text, cacheable: true });
};

const listing = (name: string, offered: ReadonlyMap<string, { listing: Fields }>): Method =>
  fixed({ [name]: [...offered.values()].map((one) => one.listing) });

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
        return resultOf(call, find(tools, nameIn(params, "name"), "tool"), argumentsIn(params), toolError);
      },
    ],
    [
      "resources/read",
      (call) => resultOf(call, find(resources, nameIn(call.message.params, "uri"), "resource"), {}, refuseReading),
    ],
    [
      "prompts/get",
      ({ message: { params } }) => ({
        text: find(prompts, nameIn(params, "name"), "prompt").answer(argumentsIn(params)),
        cacheable: true,
      }),
    ],
  ]);

// The MCP methods (revision 2025-06-18). Each takes a message's parameters and returns its result as JSON text.
import type { Context } from "../../core/context.ts";
import { HttpError, httpErrorOf, NothingLabelled } from "../../core/errors.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { release } from "../../core/program.ts";
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
  "One production's graph: scenes, assets, schedule, approvals, deliveries and activity. What you can see depends on the key: a " +
  "production-wide key sees everything; a vendor's key sees only what its engagement was granted, through the bundles, turnovers " +
  "and purchase orders. Ids are integers; use the list tools to find them. One get_scene_bundle call answers most questions about a scene.";

/** What is added for a set of tools. */
const moreInstructions =
  " Begin with search, which finds scenes, assets, people and deliveries by words. get_asset_usage with a label says where an asset is " +
  "used, on which days, and who must sign. get_day_bundle with a date says what shoots on that day, what is not released for it, and " +
  "what is in the way; with missing, only the assets that are not released. list_approvals says whom each approval waits for (awaiting), and " +
  "list_activity with since what changed since a time.";

/** One call of a method. */
export interface MethodCall {
  ctx: RequestContext;
  context: Context;
  message: RpcRequest;
}

type Method = (call: MethodCall) => Result | Promise<Result>;

function nameOf(params: Fields, field: "name" | "uri"): string {
  const name = params[field];
  if (typeof name !== "string") throw new ProtocolError(invalidParams, `${field} must be text`);
  return name;
}

function argumentsOf(params: Fields): Fields {
  const given = params.arguments ?? {};
  if (!isObject(given)) throw new ProtocolError(invalidParams, "arguments must be an object");
  return given;
}

function find<T>(offered: ReadonlyMap<string, T>, name: string, noun: string): T {
  const found = offered.get(name);
  if (found === undefined) throw new ProtocolError(methodNotFound, `there is no ${noun} of that name`);
  return found;
}

/** Whether an error of the operation is sent as an HTTP status, as over REST, and not in a JSON-RPC response. */
const isHttpStatus = (status: number): boolean => status === 401 || status === 403 || status === 404;

/**
 * Runs a handler and returns its result. `errorResult` makes the result for an error that is not sent as an HTTP
 * status.
 */
async function resultOf(
  { ctx, context }: MethodCall,
  handler: Handler,
  given: Fields,
  errorResult: (detail: string) => string,
): Promise<Result> {
  ctx.operation = `mcp ${handler.listing.name}`;
  handler.authorize(context);
  try {
    return await handler.answer(context, given, ctx.req.headers["idempotency-key"]?.toString());
  } catch (error) {
    if (error instanceof NothingLabelled) throw new HttpError(error.status, error.forTools);
    const { status, message } = httpErrorOf(error);
    if (error instanceof ProtocolError || isHttpStatus(status)) throw error;
    if (status >= 500) ctx.error = error;
    return { text: errorResult(message), cacheable: false };
  }
}

/** The result of resources/read has no field for an error, so the error becomes a JSON-RPC error. */
function throwInternalError(detail: string): never {
  throw new ProtocolError(internalError, detail);
}

const fixed = (result: object): Method => {
  const text = JSON.stringify(result);
  return () => ({ text, cacheable: true });
};

const listing = (name: string, offered: ReadonlyMap<string, { listing: Fields }>): Method =>
  fixed({ [name]: [...offered.values()].map((one) => one.listing) });

/** Whether the key of a call may use a tool, a resource or a prompt. */
function isAllowed({ context }: MethodCall, handler: Pick<Handler, "authorize">): boolean {
  try {
    handler.authorize(context);
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

/** The list of what the key of the call may use. */
function listAllowed(name: string, offered: ReadonlyMap<string, Pick<Handler, "authorize" | "listing">>): Method {
  const texts = new Map([...offered.values()].map((one) => [one, JSON.stringify(one.listing)]));
  return (call) => {
    const allowed = [...texts].flatMap(([one, text]) => (isAllowed(call, one) ? [text] : []));
    return { text: `{"${name}":[${allowed.join(",")}]}`, cacheable: true };
  };
}

/** Returns every method by its name. Lists that are the same for every key are serialised once. */
export function methodsOf({ tools, resources, prompts, set }: Registry): ReadonlyMap<string, Method> {
  const list = set === undefined ? listing : listAllowed;
  return new Map<string, Method>([
    [
      "initialize",
      fixed({
        protocolVersion,
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: "tallylight", version: "1.0.0" },
        _meta: { "tallylight/release": release },
        instructions: set === undefined ? instructions : instructions + moreInstructions,
      }),
    ],
    ["ping", fixed({})],
    ["tools/list", list("tools", tools)],
    ["resources/list", list("resources", resources)],
    ["prompts/list", list("prompts", prompts)],
    [
      "tools/call",
      (call) => {
        const { params } = call.message;
        return resultOf(call, find(tools, nameOf(params, "name"), "tool"), argumentsOf(params), toolError);
      },
    ],
    [
      "resources/read",
      (call) => resultOf(call, find(resources, nameOf(call.message.params, "uri"), "resource"), {}, throwInternalError),
    ],
    [
      "prompts/get",
      ({ message: { params } }) => ({
        text: find(prompts, nameOf(params, "name"), "prompt").answer(argumentsOf(params)),
        cacheable: true,
      }),
    ],
  ]);
}

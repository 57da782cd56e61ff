// Validates a request and its response against the description: status, headers and bodies. Object schemas are closed,
// so a field that the description does not name is a violation too.
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

type Json = Record<string, any>;

export interface RequestContext {
  method: string;
  /** The path with its query, from the root. */
  path: string;
  /** The JSON body of the request, as text. */
  sent?: string | undefined;
  response: Response;
  /** The body of the response; undefined if it was not read. */
  text?: string | undefined;
}

export interface Validator {
  /** The messages of all violations; empty if there are none. */
  violations(ctx: RequestContext): string[];
}

/** A copy whose object schemas allow no additional properties. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)])) as Json;
  if (copy.type === "object" && copy.properties !== undefined) copy.additionalProperties ??= false;
  return copy;
}

const escaped = (part: string): string => part.replaceAll("~", "~0").replaceAll("/", "~1");
const pointer = (...parts: string[]): string => `#/${parts.map(escaped).join("/")}`;

interface Described {
  template: string;
  pattern: RegExp;
  item: Json;
}

function pathsOf(document: Json): Described[] {
  const root = (item: Json): string => new URL((item.servers ?? document.servers)[0].url).pathname.replace(/\/$/, "");
  const patternOf = (template: string, item: Json) =>
    root(item) +
    template
      .replace(/[.]/g, "\\.")
      .replace(/\{path\}/g, ".+")
      .replace(/\{\w+\}/g, "[^/]+");
  return Object.entries<Json>(document.paths)
    .map(([template, item]) => ({ template, item, pattern: new RegExp(`^${patternOf(template, item)}$`) }))
    .sort((a, b) => a.template.split("{").length - b.template.split("{").length);
}

/**
 * Opens a validator for a description. `checksIt`: whether the description itself must be valid, which one test asks
 * for all.
 */
export function openValidator(document: Json, checksIt = false): Validator {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: checksIt,
    allErrors: true,
    formats: { int64: true, binary: true },
    // Each process of a run compiles most schemas, and uses each of them a few times: this takes a quarter of the
    // processor time.
    inlineRefs: false,
    code: { optimize: false },
  });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  const name = "contract";
  ajv.addSchema({ ...(closed(document) as Json), $id: name }, name);
  const paths = pathsOf(document);
  const validators = new Map<string, ValidateFunction>();
  const resolved = (value: Json): Json =>
    value.$ref === undefined
      ? value
      : value.$ref
          .slice(2)
          .split("/")
          .reduce((at: Json, part: string) => at[part], document);

  /** `isPart`: the request asked for some fields of each row, so rows may lack the others. */
  function validateBody(place: string, text: string, isPart = false): string[] {
    let validate = validators.get(place);
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `${name}${place}` });
      validators.set(place, validate);
    }
    if (validate(JSON.parse(text))) return [];
    const isAllowed = ({ keyword, instancePath }: ErrorObject) =>
      isPart && keyword === "required" && /^\/\d+$/.test(instancePath);
    const errors = (validate.errors ?? []).filter((error) => !isAllowed(error));
    return errors.map(
      (error) => `${error.instancePath || "the body"} ${error.message} ${JSON.stringify(error.params)}`,
    );
  }

  function validateResponse(place: string[], answer: Json, { method, path, response, text }: RequestContext): string[] {
    const found: string[] = [];
    for (const [header, reference] of Object.entries<Json>(answer.headers ?? {}))
      if (resolved(reference).required === true && !response.headers.has(header)) found.push(`has no ${header} header`);
    const type = (response.headers.get("content-type") ?? "").split(";")[0] as string;
    const content: Json = answer.content ?? {};
    if (Object.keys(content).length === 0) return text ? [...found, "has a body, and none is described"] : found;
    if (content["*/*"] !== undefined) return found;
    if (content[type] === undefined) return [...found, `has the content type ${type}, which is not described`];
    if (method === "HEAD" || text === undefined) return found;
    return [...found, ...validateBody(pointer(...place, "content", type, "schema"), text, /[?&]fields=/.test(path))];
  }

  function validateRequest(place: string[], operation: Json, sent: string): string[] {
    if (operation.requestBody?.content["application/json"] === undefined) return [];
    return validateBody(pointer(...place, "requestBody", "content", "application/json", "schema"), sent);
  }

  return {
    violations(ctx) {
      const { method, response } = ctx;
      const path = ctx.path.split("?")[0] as string;
      const found = paths.find(({ pattern, item }) => pattern.test(path) && methodOf(method, item) !== undefined);
      if (found === undefined) return undescribed(method, path, response.status);
      const verb = methodOf(method, found.item) as string;
      const operation: Json = found.item[verb];
      const place = ["paths", found.template, verb];
      const described = operation.responses[response.status] !== undefined;
      const status = !described && mayOccurAnywhere(response.status) ? "default" : String(response.status);
      const answer: Json | undefined = operation.responses[status];
      if (answer === undefined) return [`answers ${response.status}, which ${operation.operationId} does not describe`];
      const where = answer.$ref === undefined ? [...place, "responses", status] : answer.$ref.slice(2).split("/");
      // A response with `refused` accepted the rest of an invalid request; JSON-RPC reports errors with status 200.
      const refuses = /"refused":|"error":\{"code":/.test(ctx.text ?? "");
      const taken = ctx.sent !== undefined && response.status === 200 && !refuses;
      const asked = taken ? validateRequest(place, operation, ctx.sent as string) : [];
      return [
        ...asked.map((sentence) => `was accepted although the description forbids it: ${sentence}`),
        ...validateResponse(where, resolved(answer), ctx),
      ];
    },
  };
}

/** The pages for people and the OAuth endpoints. The description covers the API only. */
const outsideTheApi = /^\/(?:docs(?:\/.*)?|register|authorize|token|revoke)?$/;

/** A path that the description does not have must return 404 or 405, unless it is not part of the API. */
function undescribed(method: string, path: string, status: number): string[] {
  if (method === "OPTIONS" || outsideTheApi.test(path) || status === 404 || status === 405 || mayOccurAnywhere(status))
    return [];
  return [`answers ${status} on ${method} ${path}, which the description does not have`];
}

/** Statuses that the `default` response describes: server errors and requests that are not valid HTTP. */
const mayOccurAnywhere = (status: number): boolean => status >= 500 || [400, 417, 431].includes(status);

const methodOf = (method: string, item: Json): string | undefined => {
  const verb = method === "HEAD" && item.head === undefined ? "get" : method.toLowerCase();
  return item[verb] === undefined ? undefined : verb;
};

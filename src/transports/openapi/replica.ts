// Adds to every operation of the description what a read-only replica answers: the age of its copy in a header, and 503.
import { errorResponsesOf, headerRef, replicaAge } from "./responses.ts";
import type { Json } from "./schemas.ts";

const methods: ReadonlySet<string> = new Set(["get", "head", "post", "patch", "delete"]);

/** Adds the header to a response. A reference stays as it is, because its component has the header. */
function responseOf(response: Json): Json {
  if (response.$ref !== undefined) return response;
  return { ...response, headers: { ...(response.headers as Json | undefined), [replicaAge]: headerRef(replicaAge) } };
}

function operationOf(operation: Json): Json {
  const { default: other, ...responses } = { ...errorResponsesOf([503]), ...(operation.responses as Json) };
  const described = Object.entries(responses).map(([status, response]) => [status, responseOf(response as Json)]);
  return { ...operation, responses: { ...Object.fromEntries(described), default: other } };
}

/** Returns the path items with the responses of a replica. */
export const withReplica = (paths: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [name, methods.has(name) ? operationOf(value as Json) : value]),
      ),
    ]),
  );

// The one pipeline that runs a row, for every transport: authenticate -> reach -> scope -> validate -> run.
import * as v from "valibot";
import { authenticate } from "./access/callers.ts";
import type { App, Context } from "./context.ts";
import { forbidden, unprocessable } from "./errors.ts";
import type { Attempt } from "./idempotency.ts";
import { detailOf } from "./inputs.ts";
import { type Answer, Bytes, type Operation, TaggedDocument } from "./operations/operation.ts";

/** What a transport knows of a request before its body is read. */
export interface Credentials {
  /** The Authorization header. */
  authorization: string | undefined;
  /** Set as soon as the caller is known. */
  key_id?: number;
}

/** A document as it is sent. */
export interface DocumentResult {
  /** JSON text. */
  text: string;
  /** The ETag that the document brings with it; undefined if its hash is to be taken. */
  etag: string | undefined;
  /** Whether the same call gets the same answer until something is written. */
  cacheable: boolean;
}

/** The caller of a request and the time of the call. Throws 401, or 429 if keys have a rate limit. */
export function openContext(app: App, credentials: Credentials): Context {
  const renew = (): Context => {
    const now = new Date(app.clock()).toISOString();
    return { app, now, caller: authenticate(app.store, credentials.authorization, now), renew, write };
  };
  const write: Context["write"] = (work) => app.store.write(() => work(renew()));
  const context = renew();
  credentials.key_id = context.caller.key_id;
  app.rates?.check(context.caller.key_id, app.clock());
  return context;
}

/** Throws 403 if the caller's shape or, after that, its scopes do not reach the operation. */
export function authorize({ caller }: Context, operation: Operation): void {
  if (operation.reach === "production" && caller.engagement_id !== null)
    throw forbidden("this key is bound to an engagement, which does not reach this endpoint");
  if (!caller.scopes.includes(operation.scope)) throw forbidden(`key does not have the \`${operation.scope}\` scope`);
}

/** The input as the schema makes it. Throws 422 with a sentence for each problem. */
export function validate<T extends v.GenericSchema<unknown, object>>(schema: T, given: unknown): v.InferOutput<T> {
  const result = v.safeParse(schema, given);
  if (!result.success) throw unprocessable(detailOf(result.issues));
  return result.output;
}

/**
 * Lets the row refuse by its path alone, before any body is read. Throws 422 for a malformed path: the row is never asked about
 * what is not an id.
 */
export function authorizePath(context: Context, operation: Operation, path: object): void {
  if (operation.authorize === undefined) return;
  const names = operation.path.matchAll(/:(\w+)/g).map(([, name]) => name as string);
  const entries = Object.fromEntries(names.map((name) => [name, operation.input.entries[name] as v.GenericSchema]));
  operation.authorize(context, validate(v.object(entries), path));
}

/** An answer as it is sent. */
function resultOf(answer: Answer, operation: Operation): DocumentResult | Bytes {
  if (answer instanceof Bytes) return answer;
  const cacheable = operation.method === "GET" && operation.noStore !== true;
  if (answer instanceof TaggedDocument) return { text: answer.text, etag: answer.etag, cacheable };
  return { text: typeof answer === "string" ? answer : JSON.stringify(answer), etag: undefined, cacheable };
}

/** The context of a write: a body takes its time, so who may write is asked again within the transaction. */
function contextOfWrite(context: Context, operation: Operation, attempt: Attempt | undefined): Context {
  const write: Context["write"] = (work) =>
    context.app.store.write(() => {
      const present = context.renew();
      authorize(present, operation);
      const answer = work(present);
      attempt?.settle(resultOf(answer, operation));
      return answer;
    });
  return { ...context, write };
}

/** Runs an authorized call on its validated input, once for each Idempotency-Key. */
export async function perform(
  context: Context,
  operation: Operation,
  input: object,
  attempt?: Attempt,
): Promise<DocumentResult | Bytes> {
  if (operation.method === "GET") return resultOf(await operation.run(context, input), operation);
  const present = context.renew();
  authorize(present, operation);
  const former = attempt?.former([operation.name, input]);
  if (former !== undefined) return { text: former, etag: undefined, cacheable: false };
  const result = resultOf(await operation.run(contextOfWrite(present, operation, attempt), input), operation);
  // The answer of a provider, or one that several calls share, was not written by this call's transaction.
  if (attempt?.settled === false) await context.app.store.write(() => attempt.settle(result));
  return result;
}

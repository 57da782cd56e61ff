// The one pipeline that runs a row, for every door: authenticate -> reach -> scope -> validate -> run. Knows no wire.
import * as v from "valibot";
import { authenticate } from "./access/callers.ts";
import type { App, Context } from "./context.ts";
import { forbidden, unprocessable } from "./errors.ts";
import type { Attempt } from "./idempotency.ts";
import { detailOf } from "./inputs.ts";
import { type Answer, Bytes } from "./operations/answers.ts";
import type { Operation } from "./operations.ts";

/** What a door knows of a request before its body is read, and what the log will say of it. */
export interface Request {
  authorization: string | undefined;
  /** Set as soon as the caller is known. */
  key_id?: number;
}

/** The caller of a request and the moment of the call. Throws 401, or 429 where keys have a rate limit. */
export function contextOf(app: App, request: Request): Context {
  const renew = (): Context => {
    const now = new Date(app.clock()).toISOString();
    return { app, now, caller: authenticate(app.store, request.authorization, now), renew, write };
  };
  const write: Context["write"] = (work) => app.store.write(() => work(renew()));
  const context = renew();
  request.key_id = context.caller.key_id;
  app.rates?.check(context.caller.key_id);
  return context;
}

/** Throws 403 where the caller's shape or scopes do not reach the operation; in this order. */
export function authorize({ caller }: Context, operation: Operation): void {
  if (operation.reach === "production" && caller.engagement_id !== null)
    throw forbidden("this key is bound to an engagement, which does not reach this endpoint");
  if (!caller.scopes.includes(operation.scope)) throw forbidden(`key does not have the \`${operation.scope}\` scope`);
}

/** The input as the row's schema has it. Throws 422 with one sentence for each problem. */
export function validate(schema: Operation["input"], given: unknown): object {
  const result = v.safeParse(schema, given);
  if (!result.success) throw unprocessable(detailOf(result.issues));
  return result.output;
}

/**
 * Lets the row refuse by its path alone, before any body is read. Throws 422 where the path itself is no good, so that the
 * row is never asked about what is no id.
 */
export function authorizePath(context: Context, operation: Operation, path: object): void {
  if (operation.authorize === undefined) return;
  const names = operation.path.matchAll(/:(\w+)/g).map(([, name]) => name as string);
  const entries = Object.fromEntries(names.map((name) => [name, operation.input.entries[name] as v.GenericSchema]));
  operation.authorize(context, validate(v.object(entries), path) as never);
}

const textOf = (answer: Answer): string | Bytes =>
  typeof answer === "string" || answer instanceof Bytes ? answer : JSON.stringify(answer);

/** The context of a write: a body takes its time, so who may write is asked anew within the transaction. */
function contextOfWrite(context: Context, operation: Operation, attempt: Attempt | undefined): Context {
  const write: Context["write"] = (work) =>
    context.app.store.write(() => {
      const present = context.renew();
      authorize(present, operation);
      const answer = work(present);
      attempt?.settle(textOf(answer));
      return answer;
    });
  return { ...context, write };
}

/** Runs an admitted call on its validated input, once for each Idempotency-Key; answers JSON text or stored bytes. */
export async function perform(
  context: Context,
  operation: Operation,
  input: object,
  attempt?: Attempt,
): Promise<string | Bytes> {
  if (operation.method === "GET") return textOf(await operation.run(context, input as never));
  const present = context.renew();
  authorize(present, operation);
  const former = attempt?.former([operation.name, input]);
  if (former !== undefined) return former;
  const answer = textOf(await operation.run(contextOfWrite(present, operation, attempt), input as never));
  // An answer that came from a provider, or was shared, is stored now.
  if (attempt?.settled === false) await context.app.store.write(() => attempt.settle(answer));
  return answer;
}

/** Validates what was given and runs an admitted call. */
export const run = async (
  context: Context,
  operation: Operation,
  given: unknown,
  attempt?: Attempt,
): Promise<string | Bytes> => perform(context, operation, validate(operation.input, given), attempt);

// Runs an operation for every transport: authenticate -> check reach -> check scope -> validate -> run.
// docs/architecture.md, "How a request flows".
import * as v from "valibot";
import { authenticate, type Caller, holds } from "./access/callers.ts";
import { Bytes, Pieces, Steps, TaggedDocument } from "./answers.ts";
import type { Attempt } from "./attempts.ts";
import type { App, Context } from "./context.ts";
import { forbidden } from "./errors.ts";
import type { KeyId } from "./ids.ts";
import { validate } from "./inputs.ts";
import { requestTurn, turnFor } from "./limits.ts";
import { ListPage } from "./listing.ts";
import { type Answer, type Operation, pathFieldsOf } from "./operation.ts";
import type { Store } from "./store/store.ts";
import { refuseFrozen } from "./store/transactions.ts";
import { timestampOf } from "./times.ts";

/** A session that a feature has found in a request. */
interface Session {
  token: string;
  /** Throws 401 if the session is unknown or has ended. */
  authenticate(store: Store, token: string, now: string): Caller;
}

/** The credentials of a request, and whose they are once that is known. */
export interface Credentials {
  /** The Authorization header. */
  authorization: string | undefined;
  /** A browser session. If present, the call is the session's, whatever the header says. */
  session?: Session;
  /** Set once the caller is authenticated; null for a session without a key. */
  key_id?: KeyId | null;
}

/** A JSON answer, with what the transport needs to send it. */
export interface DocumentResult {
  /** JSON text. */
  text: string;
  /** The ETag of the document; undefined if the transport must compute it from the text. */
  etag: string | undefined;
  /** Whether the same call returns the same document until the next write. */
  cacheable: boolean;
  /** The cursor of the next page of a list; undefined if there is none. */
  next?: string | undefined;
  /** How many rows all pages of a list have; undefined if it was not asked for. */
  total?: number | undefined;
}

/**
 * Authenticates the caller of a request. `onClose` registers a listener for the end of the request. Throws 401 if the
 * credentials are invalid, 429 if the key exceeds its rate limit.
 */
export function openContext(app: App, credentials: Credentials, onClose: Context["onClose"] = () => {}): Context {
  const { store } = app;
  const { authorization, session } = credentials;
  const renew = (): Context => {
    const now = timestampOf(app);
    const caller =
      session === undefined ? authenticate(store, authorization, now) : session.authenticate(store, session.token, now);
    app.copy?.checkKey(caller);
    return { app, now, caller, credentials: session?.token ?? authorization ?? "", onClose, renew, write };
  };
  const write: Context["write"] = (work) =>
    store.write(() => work(renew()), { production_id: context.caller.production_id });
  const context = renew();
  credentials.key_id = context.caller.key_id;
  app.rates?.check(context.caller.key_id, app.clock());
  return context;
}

/**
 * Throws 403 if the operation is for the other kind of keys (production-wide, or bound to an engagement), or if the key
 * lacks the scope. docs/api.md, "Keys and scopes".
 */
export function authorize({ caller }: Context, { reach, scope }: Operation): void {
  const refused = (bound: string, needed: string) => {
    const withScope = scope === null ? "" : ` with the scope \`${scope}\``;
    const isNeeded = `it needs a key${withScope} ${needed}`;
    return forbidden(`this key is bound to ${bound} engagement and cannot use this endpoint; ${isNeeded}`);
  };
  if (reach === "production" && caller.engagement_id !== null) throw refused("an", "that is bound to none");
  if (scope !== null && !holds(caller.scopes, scope)) throw forbidden(`key does not have the \`${scope}\` scope`);
  if (reach === "bound" && caller.engagement_id === null) throw refused("no", "that is bound to one");
}

/**
 * Runs the operation's `authorize` on the path fields, before the body is read. Throws 422 if the path is malformed,
 * otherwise what `authorize` throws; 503 if the operation writes and this server is a replica.
 */
export function authorizePath(context: Context, operation: Operation, path: object): void {
  if (context.app.copy !== undefined && operation.method !== "GET") throw context.app.copy.readOnly();
  if (operation.authorize === undefined) return;
  const named = new Set(pathFieldsOf(operation));
  const entries = Object.entries(operation.input.entries).filter(([name]) => named.has(name));
  operation.authorize(context, validate(v.object(Object.fromEntries(entries)), path));
}

/** Converts a handler's result to a response. */
function resultOf(answer: Answer, operation: Operation): DocumentResult | Bytes | Pieces {
  if (answer instanceof Bytes || answer instanceof Pieces) return answer;
  const cacheable = operation.method === "GET" && operation.noStore !== true;
  if (answer instanceof TaggedDocument) return { text: answer.text, etag: answer.etag, cacheable };
  if (answer instanceof ListPage) {
    const { text, next, total } = answer;
    return { text, etag: undefined, cacheable, next, total };
  }
  return { text: typeof answer === "string" ? answer : JSON.stringify(answer), etag: undefined, cacheable };
}

/**
 * A context whose `write` authorizes again inside the transaction, because uploading the body may have taken a long
 * time.
 */
function contextOfWrite(context: Context, operation: Operation, attempt: Attempt | undefined): Context {
  const { production_id } = context.caller;
  let hasWritten = false;
  const write: Context["write"] = (work) => {
    if (hasWritten) throw new Error(`${operation.name} must write in one transaction`);
    hasWritten = true;
    return context.app.store.write(
      () => {
        const present = context.renew();
        authorize(present, operation);
        const answer = work(present);
        // A response with a credential is kept in memory, so it is settled after the commit, which may fail (perform
        // does it).
        if (operation.noStore !== true) attempt?.settle(resultOf(answer, operation));
        return answer;
      },
      { production_id, reports: operation.reports === "writes" },
    );
  };
  return { ...context, write, attempt };
}

/**
 * Runs a read. It waits before each of its steps while others take the time of this turn of the event loop, and is then
 * authorized again.
 */
async function readAnswer(context: Context, operation: Operation, input: object): Promise<Answer> {
  let steps: Iterator<void, Answer> | undefined;
  try {
    let waited = false;
    for (;;) {
      for (; requestTurn.isOver; waited = true) await requestTurn.next(context.caller.key_id);
      if (waited) {
        authorize(Object.assign(context, context.renew()), operation); // a page goes on with the same context
        operation.authorize?.(context, input);
      }
      waited = false;
      if (steps === undefined) {
        const running = operation.run(context, input);
        const begun = running instanceof Promise ? await running : running;
        if (!(begun instanceof Steps)) return begun;
        steps = begun.steps;
        waited = running instanceof Promise;
        if (waited) continue;
      }
      const { done, value } = steps.next();
      if (done) return value;
    }
  } finally {
    steps?.return?.(); // closes what it has open
  }
}

/**
 * Runs an authorized call on its validated input. A read waits while others take the time of this turn of the event
 * loop, and is then authorized again. A call whose Idempotency-Key has a stored response is not run again.
 */
export async function perform(
  context: Context,
  operation: Operation,
  input: object,
  attempt?: Attempt,
): Promise<DocumentResult | Bytes | Pieces> {
  if (operation.method === "GET") {
    const result = resultOf(await readAnswer(context, operation, input), operation);
    // Who asked hashes or parses it next, which takes a turn of its own if it is long.
    if ("text" in result) await turnFor(result.text, context.caller.key_id);
    return result;
  }
  const present = context.renew();
  authorize(present, operation);
  const stored = attempt?.storedAnswer([operation.name, input]);
  if (stored !== undefined) return { text: stored, etag: undefined, cacheable: false };
  if (operation.while_frozen !== true && operation.scope !== "read")
    refuseFrozen(context.app.store, present.caller.production_id);
  const answer = await operation.run(contextOfWrite(present, operation, attempt), input);
  if (answer instanceof Steps) throw new Error(`${operation.name} writes, so it must not run in steps`);
  const result = resultOf(answer, operation);
  if (attempt?.settled !== false) return result;
  // Nothing was changed, or the result came from a provider or is shared with another call.
  if (operation.noStore) attempt.settle(result);
  else await context.app.store.write(() => attempt.settle(result), { reports: true });
  return result;
}

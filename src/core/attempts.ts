// A request with an Idempotency-Key, of which a feature keeps the first answer for those that repeat it. docs/api.md,
// "Writing".
import { needKey } from "./access/callers.ts";
import type { App, Context } from "./context.ts";
import { contribution } from "./features.ts";
import type { KeyId } from "./ids.ts";
import type { Operation } from "./operation.ts";

/** One attempt of a request that has an Idempotency-Key. */
export interface Attempt {
  /** Whether the response is the stored one of an earlier attempt. */
  readonly replayed: boolean;
  /** Whether the response of this attempt is stored: `settle` sets it, or whoever gave `pending` to a thread. */
  settled: boolean;
  /**
   * Returns the stored response of the first attempt; undefined if this is the first. `request` must be the same in
   * every attempt: throws 422 if it is not. Errors are not stored, so the attempt after an error executes again.
   */
  storedAnswer(request: readonly unknown[]): string | undefined;
  /**
   * Stores the response. Call it after `storedAnswer`, in the transaction of the write. A response without text is not
   * stored.
   */
  settle(answer: object): void;
  /** For a thread that stores the response itself. Call it after `storedAnswer`. */
  pending(): PendingAnswer;
  /** Ends the attempt, whether it succeeded or failed. */
  end(): void;
}

/** A response that is stored once it is known. */
export interface PendingAnswer {
  key_id: KeyId;
  idempotency_key: string;
  /** The hash of the request. */
  request_sha256: string;
  created_at: string;
  a_day_ago: string;
}

/**
 * Begins an attempt of a key with the value of its header. With `noStore` the response contains a credential, so it is
 * kept in memory only. Throws 422 if the header is malformed, 409 while another attempt with the same header runs.
 */
export type BeginAttempt = (app: App, key_id: KeyId, header: string, noStore?: boolean) => Attempt;

/**
 * Begins the attempt of a call that writes, over any transport; `name` is its Idempotency-Key. Undefined without one,
 * and if no feature keeps the answers of attempts. Throws what BeginAttempt throws.
 */
export async function attemptOf(
  { app, caller }: Context,
  { noStore }: Pick<Operation, "noStore">,
  name: string | undefined,
): Promise<Attempt | undefined> {
  if (name === undefined) return undefined;
  const keeper = await contribution("attempts")?.();
  return keeper?.beginAttempt(app, needKey(caller.key_id), name, noStore);
}

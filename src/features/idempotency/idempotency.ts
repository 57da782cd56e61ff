// Idempotency-Key: a repeated request gets the stored response of the first one and executes nothing. The response is
// stored in the transaction of the write itself, so that a crash leaves both or neither.
import { hash } from "node:crypto";
import type { Attempt, BeginAttempt, PendingAnswer } from "../../core/attempts.ts";
import { HttpError, unprocessable } from "../../core/errors.ts";
import { stateOf } from "../../core/features.ts";
import type { KeyId } from "../../core/ids.ts";
import { Upload } from "../../core/inputs.ts";
import { change, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { day } from "../../core/times.ts";
import { settledClockOf } from "../clock/settled_clock.ts";

/** What the stored answers are found by. */
type AttemptName = Pick<PendingAnswer, "key_id" | "idempotency_key">;
/** An answer as it is kept: `body` is its JSON. */
type StoredAnswer = Pick<PendingAnswer, "request_sha256" | "created_at"> & { body: string };

/** A store of responses. */
interface Answers {
  get(name: AttemptName): StoredAnswer | undefined;
  put(name: AttemptName, answer: StoredAnswer): void;
}

const getAnswer = one<AttemptName & { a_day_ago: string }, StoredAnswer>("get_idempotent_answer");
const putAnswer = change("put_idempotent_answer");
const deleteAnswers = change("delete_idempotent_answers");

/** Stores a response in the database, in the transaction of its change. Those from more than a day ago are removed. */
export function storeAnswer(store: Store, { a_day_ago, ...answer }: PendingAnswer, body: string): void {
  deleteAnswers(store, { a_day_ago });
  putAnswer(store, { ...answer, body });
}

/** The maximum number of responses in memory; the oldest are removed first. */
const maxInMemory = 10_000;

const textOf = ({ key_id, idempotency_key }: AttemptName): string => `${key_id} ${idempotency_key}`;

/** A hash of the request. Of a file it includes the name and the SHA-256 of the bytes, however the file was sent. */
function fingerprint(request: readonly unknown[]): string {
  let seen = 0;
  const long: number[] = []; // the places of the long integers, because a text of the same digits is another request
  const text = JSON.stringify(request, (_, value) => {
    seen++;
    if (value instanceof Upload) return { file_name: value.file_name, staged: value.staged.sha256 };
    if (typeof value !== "bigint") return value;
    long.push(seen);
    return String(value);
  });
  return hash("sha256", long.length === 0 ? text : `${text} ${long}`);
}

/** Stores responses in the database. */
const answersInDatabase = (store: Store, aDayAgo: () => string): Answers => ({
  get: (name) => getAnswer(store, { ...name, a_day_ago: aDayAgo() }),
  put: (name, { body, ...answer }) => storeAnswer(store, { ...name, ...answer, a_day_ago: aDayAgo() }, body),
});

/** Stores responses in memory only. For responses that contain a credential, which must not be written to disk. */
function answersInMemory(aDayAgo: () => string): Answers {
  const answers = new Map<string, StoredAnswer>(); // oldest first
  const sweep = (): void => {
    for (const [oldest, { created_at }] of answers) {
      if (created_at > aDayAgo() && answers.size <= maxInMemory) break;
      answers.delete(oldest);
    }
  };
  return {
    get(name) {
      sweep();
      return answers.get(textOf(name));
    },
    put(name, answer) {
      answers.set(textOf(name), answer);
      sweep();
    },
  };
}

/**
 * Responses are stored for 24 hours, separately for each API key. `clock` returns the time in milliseconds, `settled`
 * the one by which they are deleted.
 */
export function openIdempotency(store: Store, clock: () => number, settled = clock) {
  /** The attempts in progress. Only one server process uses a data directory, so this set is complete. */
  const running = new Set<string>();
  const present = (): string => new Date(clock()).toISOString();
  const aDayAgo = (): string => new Date(settled() - day).toISOString();
  const inDatabase = answersInDatabase(store, aDayAgo);
  const inMemory = answersInMemory(aDayAgo);

  function attemptOf(name: AttemptName, answers: Answers): Attempt {
    let request_sha256: string | undefined;
    const state = { replayed: false, settled: false };
    const fingerprinted = (): string => {
      if (request_sha256 === undefined) throw new Error("storedAnswer was not called");
      return request_sha256;
    };
    return Object.assign(state, {
      storedAnswer(request: readonly unknown[]) {
        request_sha256 = fingerprint(request);
        const stored = answers.get(name);
        if (stored === undefined) return undefined;
        if (stored.request_sha256 !== request_sha256)
          throw unprocessable("Idempotency-Key was used for another request; send a new key with each new request");
        state.replayed = true;
        return stored.body;
      },
      settle(answer: object) {
        state.settled = true;
        if (!("text" in answer) || typeof answer.text !== "string") return;
        answers.put(name, { request_sha256: fingerprinted(), body: answer.text, created_at: present() });
      },
      pending: () => ({
        ...name,
        request_sha256: fingerprinted(),
        created_at: present(),
        a_day_ago: aDayAgo(),
      }),
      end: () => void running.delete(textOf(name)),
    });
  }

  return {
    /**
     * Begins an attempt for an API key. With `noStore` the response is stored in memory only. Throws 422 if the header
     * is malformed, 409 while another attempt with the same header runs.
     */
    begin(key_id: KeyId, header: string, noStore = false): Attempt {
      if (!/^[\x20-\x7e]{1,255}$/.test(header))
        throw unprocessable("Idempotency-Key must have 1 to 255 printable ASCII characters");
      const name = { key_id, idempotency_key: header };
      if (running.has(textOf(name)))
        throw new HttpError(409, "a request with this Idempotency-Key is still running; try again", {
          "retry-after": "1",
        });
      running.add(textOf(name));
      return attemptOf(name, noStore ? inMemory : inDatabase);
    },
  };
}

const idempotencyOf = stateOf((app) => {
  const settled = settledClockOf(app);
  return openIdempotency(app.store, app.clock, () => settled.now());
});

export const beginAttempt: BeginAttempt = (app, ...attempt) => idempotencyOf(app).begin(...attempt);

// Idempotency-Key: a repeated request gets the first one's answer and executes nothing. The answer is stored in the transaction
// that has the effect, so that a crash leaves both or neither.
import { hash } from "node:crypto";
import { HttpError, unprocessable } from "./errors.ts";
import type { Store } from "./store/database.ts";
import { change, one } from "./store/statements.ts";

/** One try of a request that carries a key. */
export interface Attempt {
  /** Whether the answer is a former try's. */
  readonly replayed: boolean;
  /** Whether the answer is stored. */
  readonly settled: boolean;
  /**
   * What the first try was answered; undefined if this is the first. `request` is what two tries must have in common. Throws
   * 422 if it differs from the first try's. A refusal is not stored: the next try executes again.
   */
  former(request: readonly unknown[]): string | undefined;
  /** Stores the answer, after `former`: within the transaction that has the effect. An answer without text is not stored. */
  settle(answer: object): void;
  /** Ends the try, whatever its outcome. */
  end(): void;
}

interface AttemptName {
  key_id: number;
  idempotency_key: string;
}

interface StoredAnswer {
  request_sha256: string;
  body: string;
  created_at: string;
}

/** Where answers are kept. */
interface Answers {
  get(name: AttemptName): StoredAnswer | undefined;
  put(name: AttemptName, answer: StoredAnswer): void;
}

const getAnswer = one<AttemptName & { a_day_ago: string }, StoredAnswer>("get_idempotent_answer");
const putAnswer = change<AttemptName & StoredAnswer>("put_idempotent_answer");
const deleteAnswers = change<{ a_day_ago: string }>("delete_idempotent_answers");

const day = 86_400_000;
/** How many answers are held in memory at most; the oldest go first. */
const maxInMemory = 10_000;

const textOf = ({ key_id, idempotency_key }: AttemptName): string => `${key_id} ${idempotency_key}`;

/** What two tries have in common, as a hash: a file counts by its bytes and its name. */
const fingerprint = (request: readonly unknown[]): string =>
  hash(
    "sha256",
    JSON.stringify(request, (name, value) => {
      if (typeof value === "bigint") return String(value);
      return name === "staged" ? (value as { sha256: string }).sha256 : value;
    }),
  );

/** Answers in the database. `aDayAgo` gives the timestamp before which an answer is forgotten. */
const answersInDatabase = (store: Store, aDayAgo: () => string): Answers => ({
  get: (name) => getAnswer(store, { ...name, a_day_ago: aDayAgo() }),
  put(name, answer) {
    deleteAnswers(store, { a_day_ago: aDayAgo() });
    putAnswer(store, { ...name, ...answer });
  },
});

/** Answers in memory: those that hold a credential are never written to the disk. */
function answersInMemory(aDayAgo: () => string): Answers {
  const answers = new Map<string, StoredAnswer>(); // in the order in which they were given
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

export type Idempotency = ReturnType<typeof openIdempotency>;

/** Answers are kept for 24 hours for each API key. `clock` gives the time in milliseconds. */
export function openIdempotency(store: Store, clock: () => number) {
  /** What runs now. One server has a data directory, so this process knows. */
  const running = new Set<string>();
  const timestampBefore = (milliseconds: number): string => new Date(clock() - milliseconds).toISOString();
  const aDayAgo = () => timestampBefore(day);
  const inDatabase = answersInDatabase(store, aDayAgo);
  const inMemory = answersInMemory(aDayAgo);

  function attemptOf(name: AttemptName, answers: Answers): Attempt {
    let request_sha256: string | undefined;
    const state = { replayed: false, settled: false };
    return Object.assign(state, {
      former(request: readonly unknown[]) {
        request_sha256 = fingerprint(request);
        const former = answers.get(name);
        if (former === undefined) return undefined;
        if (former.request_sha256 !== request_sha256)
          throw unprocessable("Idempotency-Key was used for another request; send a new one with each request");
        state.replayed = true;
        return former.body;
      },
      settle(answer: object) {
        state.settled = true;
        if (request_sha256 === undefined) throw new Error("an attempt is settled before it was looked up");
        if (!("text" in answer) || typeof answer.text !== "string") return;
        answers.put(name, { request_sha256, body: answer.text, created_at: timestampBefore(0) });
      },
      end: () => void running.delete(textOf(name)),
    });
  }

  return {
    /**
     * Begins a try for an API key; undefined if the request carries no header. With `noStore` the answer is held in memory
     * only. Throws 422 for a malformed header, 409 while another try with the same key runs.
     */
    begin(key_id: number, header: string | undefined, noStore = false): Attempt | undefined {
      if (header === undefined) return undefined;
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

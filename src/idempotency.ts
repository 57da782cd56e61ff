// Idempotency-Key: a repeated request gets the first one's answer and executes nothing. The answer is stored in the very
// transaction that has the effect, so that a cut leaves both or neither. Knows no door and no operation.
import { hash } from "node:crypto";
import { HttpError, unprocessable } from "./errors.ts";
import type { Store } from "./store/database.ts";

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
  /** Stores the answer, after `former`: within the transaction that has the effect. Answers of bytes are not stored. */
  settle(answer: unknown): void;
  /** Ends the try, however it went. */
  end(): void;
}

interface Stored {
  request_sha256: string;
  body: string;
  created_at: string;
}

interface Name {
  key_id: number;
  idempotency_key: string;
}

const textOf = ({ key_id, idempotency_key }: Name): string => `${key_id} ${idempotency_key}`;
const day = 86_400_000;
/** How many answers are held in memory at most; the oldest go first. */
const maxInMemory = 10_000;

/** What two tries have in common, as text: a file counts by its bytes and its name. */
const fingerprint = (request: readonly unknown[]): string =>
  hash(
    "sha256",
    JSON.stringify(request, (name, value) => {
      if (typeof value === "bigint") return String(value);
      return name === "staged" ? (value as { sha256: string }).sha256 : value;
    }),
  );

export type Idempotency = ReturnType<typeof openIdempotency>;

/** Answers are kept for 24 hours for each API key. `clock` gives the present moment in milliseconds. */
export function openIdempotency(store: Store, clock: () => number) {
  /** What runs now. One server has a data directory, so this process knows. */
  const running = new Set<string>();
  const timestampBefore = (milliseconds: number): string => new Date(clock() - milliseconds).toISOString();

  /** Answers in the database, written with the effect that they tell of. */
  const cacheable = {
    get: (name: Name) => store.get<Stored>("get_idempotent_answer", { ...name, a_day_ago: timestampBefore(day) }),
    put(name: Name, answer: Stored): void {
      store.run("delete_idempotent_answers", { a_day_ago: timestampBefore(day) });
      store.run("put_idempotent_answer", { ...name, ...answer });
    },
  };

  /** Answers that hold a credential: never on the disk. In the order in which they were given. */
  const answers = new Map<string, Stored>();
  const noStore = {
    get: (name: Name): Stored | undefined => answers.get(textOf(name)),
    put: (name: Name, answer: Stored) => void answers.set(textOf(name), answer),
    sweep(): void {
      for (const [oldest, { created_at }] of answers) {
        if (created_at > timestampBefore(day) && answers.size <= maxInMemory) break;
        answers.delete(oldest);
      }
    },
  };

  function attemptOf(name: Name, kept: typeof cacheable | typeof noStore): Attempt {
    let request_sha256: string | undefined;
    const state = { replayed: false, settled: false };
    return Object.assign(state, {
      former(request: readonly unknown[]) {
        request_sha256 = fingerprint(request);
        const former = kept.get(name);
        if (former === undefined) return undefined;
        if (former.request_sha256 !== request_sha256)
          throw unprocessable("Idempotency-Key was used for another request; send a new one with each request");
        state.replayed = true;
        return former.body;
      },
      settle(answer: unknown) {
        state.settled = true;
        if (request_sha256 === undefined) throw new Error("an attempt is settled before it was looked up");
        if (typeof answer === "string")
          kept.put(name, { request_sha256, body: answer, created_at: timestampBefore(0) });
      },
      end: () => void running.delete(textOf(name)),
    });
  }

  return {
    /**
     * Begins a try for an API key; undefined if the request carries no header. The answer of a `fleeting` one is held in
     * memory alone. Throws 422 for a malformed header, 409 while another try with the same key runs.
     */
    begin(key_id: number, header: string | undefined, isNoStore = false): Attempt | undefined {
      if (header === undefined) return undefined;
      if (!/^[\x20-\x7e]{1,255}$/.test(header))
        throw unprocessable("Idempotency-Key must have 1 to 255 printable ASCII characters");
      const name = { key_id, idempotency_key: header };
      if (running.has(textOf(name)))
        throw new HttpError(409, "a request with this Idempotency-Key is still running; try again", {
          "retry-after": "1",
        });
      running.add(textOf(name));
      noStore.sweep();
      return attemptOf(name, isNoStore ? noStore : cacheable);
    },
  };
}

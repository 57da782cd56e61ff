// Idempotency-Key: a repeated request gets the first one's answer and executes nothing. The answer is stored in the very
// transaction that has the effect, so that a cut leaves both or neither. Knows no door and no operation.
import { hash } from "node:crypto";
import { Refusal, unprocessable } from "./errors.ts";
import type { Store } from "./store/database.ts";

/** One try of a request that carries a key. */
export interface Attempt {
  /** Whether the answer is a former try's. */
  replayed: boolean;
  /**
   * Answers what the first try answered, or what `execute` answers now. `request` is what two tries must have in common.
   * Throws 422 where it differs from the first try's. A refusal is not stored: the next try executes again.
   */
  answer<T>(request: readonly unknown[], execute: () => string | T | Promise<string | T>): Promise<string | T>;
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
  const momentBefore = (milliseconds: number): string => new Date(clock() - milliseconds).toISOString();

  /** Answers in the database, written with the effect that they tell of. */
  const lasting = {
    get: (name: Name) => store.get<Stored>("get_idempotent_answer", { ...name, a_day_ago: momentBefore(day) }),
    put(name: Name, answer: Stored): void {
      store.run("delete_idempotent_answers", { a_day_ago: momentBefore(day) });
      store.run("put_idempotent_answer", { ...name, ...answer });
    },
  };

  /** Answers that hold a credential: never on the disk. */
  const answers = new Map<string, Stored>();
  const fleeting = {
    get(name: Name): Stored | undefined {
      for (const [other, { created_at }] of answers) if (created_at <= momentBefore(day)) answers.delete(other);
      return answers.get(textOf(name));
    },
    put: (name: Name, answer: Stored) => void answers.set(textOf(name), answer),
  };

  return {
    /**
     * Begins a try for an API key; undefined where the request carries no header. The answer of a `fleeting` one is held in
     * memory alone. Throws 422 for a header that is no good, 409 while another try with the same key runs.
     */
    begin(key_id: number, header: string | undefined, isFleeting = false): Attempt | undefined {
      if (header === undefined) return undefined;
      if (!/^[\x20-\x7e]{1,255}$/.test(header))
        throw unprocessable("Idempotency-Key must have 1 to 255 printable ASCII characters");
      const name = { key_id, idempotency_key: header };
      if (running.has(textOf(name)))
        throw new Refusal(409, "a request with this Idempotency-Key is still running; try again", {
          "retry-after": "1",
        });
      running.add(textOf(name));
      const kept = isFleeting ? fleeting : lasting;
      return {
        replayed: false,
        async answer(request, execute) {
          const request_sha256 = fingerprint(request);
          const settle = <T>(answer: T): T => {
            if (typeof answer === "string")
              kept.put(name, { request_sha256, body: answer, created_at: momentBefore(0) });
            return answer;
          };
          return store.write(() => {
            const former = kept.get(name);
            if (former !== undefined && former.request_sha256 !== request_sha256)
              throw unprocessable("Idempotency-Key was used for another request; send a new one with each request");
            this.replayed = former !== undefined;
            if (former !== undefined) return former.body;
            const answer = execute();
            // What asks the outside cannot hold a transaction open: its answer is stored once it is there.
            return answer instanceof Promise ? answer.then((late) => store.write(() => settle(late))) : settle(answer);
          });
        },
        end: () => void running.delete(textOf(name)),
      };
    },
  };
}

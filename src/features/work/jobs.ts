// Runs the jobs of a server on threads: one at a time for each production, the productions in turn, each job up to a
// deadline. Of two jobs that run at once, one at most is large.
import { busy, HttpError, tooLarge } from "../../core/errors.ts";
import { FairQueue } from "../../core/limits.ts";
import { startThread, type Thread } from "./thread.ts";

/** How many jobs run at once. */
const maxRunning = 2;
/** How many jobs of one production may run and wait. */
const maxOfProduction = 8;
/** How many jobs may wait in all. */
const maxWaiting = 64;

const tooMany = (count: number): HttpError => busy(`${count} imports already wait`);
const stopping = (): HttpError => new HttpError(503, "the server is stopping; nothing was changed");
const clientGone = (): HttpError => new HttpError(400, "the client went away before the end; nothing was changed");

/** The phases of a job in memory that its thread shares: it is only ended while it does not write. */
const [working, ended, writing] = [0, 1, 2];

/** For the thread of a job, inside a transaction: from now on the job is not ended. Throws if it was. */
export function beginWriting(phase: SharedArrayBuffer): void {
  if (Atomics.compareExchange(new Int32Array(phase), 0, working, writing) === ended) throw stopping();
}

/** For the thread of a job, after a transaction: the job may be ended again. */
export function endWriting(phase: SharedArrayBuffer): void {
  Atomics.compareExchange(new Int32Array(phase), 0, writing, working);
}

interface Job {
  production_id: number;
  is_large: boolean;
  /** Resolves once the thread of the job does nothing any more. */
  start(): Promise<void>;
  /** Ends the job, unless it is writing: then it is about to end by itself, and what it wrote stays. */
  stop(reason: HttpError): void;
  isWriting(): boolean;
}

/** The work of a job: the script of its thread, and its data, to which the phase is added. */
export interface JobTask {
  production_id: number;
  script: URL;
  data: object;
  /** Names the work in error messages. */
  noun: string;
  /** Whether the job may need all the memory of a thread. It then waits until no other such job runs. */
  is_large?: boolean;
  /** Registers a listener for the moment when the client disconnects, which ends the job. */
  onClose(listener: () => void): void;
  /** Called once the thread does nothing any more. Until it resolves, no other job of the production runs. */
  ended?(): Promise<void>;
}

export class Jobs {
  /** In seconds. */
  readonly #deadline: number;
  /** The jobs that wait, by production. */
  readonly #waiting = new FairQueue<number, Job>();
  readonly #running = new Map<number, { job: Job; done: Promise<void> }>();
  #stopped = false;

  constructor(deadline: number) {
    this.#deadline = deadline;
  }

  /** Runs a job. Throws 503 if too many wait or the server stops, 413 if the job needs too much time or memory. */
  run<Result>(task: JobTask): Promise<Result> {
    const { production_id } = task;
    if (this.#stopped) throw stopping();
    const count = this.#waiting.of(production_id).length + (this.#running.has(production_id) ? 1 : 0);
    if (count >= maxOfProduction) throw tooMany(count);
    if (this.#waiting.size >= maxWaiting) throw tooMany(this.#waiting.size);
    return new Promise((resolve, reject) => {
      const job = this.#jobOf<Result>(task, resolve, reject);
      this.#waiting.add(production_id, job);
      task.onClose(() => job.stop(clientGone()));
      this.#startNext();
    });
  }

  /** Whether the thread of a job is in its transaction. */
  get isWriting(): boolean {
    return [...this.#running.values()].some(({ job }) => job.isWriting());
  }

  /** Ends every job. Resolves once no thread does anything any more. */
  async end(): Promise<void> {
    this.#stopped = true;
    for (const job of this.#waiting.all()) job.stop(stopping());
    const running = [...this.#running.values()];
    for (const { job } of running) job.stop(stopping());
    await Promise.all(running.map(({ done }) => done));
  }

  #jobOf<Result>(task: JobTask, resolve: (result: Result) => void, reject: (reason: unknown) => void): Job {
    const shared = new SharedArrayBuffer(4);
    const phase = new Int32Array(shared);
    let thread: Thread<Result> | undefined;
    const job: Job = {
      production_id: task.production_id,
      is_large: task.is_large === true,
      start: () => {
        thread = startThread<Result>(task.script, { ...task.data, phase: shared }, task.noun, job.is_large);
        const seconds = this.#deadline;
        const tooLong = () =>
          job.stop(tooLarge(`the ${task.noun} took longer than ${seconds} s (import_deadline); nothing was changed`));
        const timer = setTimeout(tooLong, seconds * 1000);
        thread.result.then(resolve, reject).finally(() => clearTimeout(timer));
        return thread.ended.then(task.ended).catch(() => {}); // what could not be removed is swept at the next start
      },
      stop: (reason) => {
        if (thread === undefined) this.#waiting.remove(task.production_id, job);
        else if (Atomics.compareExchange(phase, 0, working, ended) !== working) return;
        else thread.end();
        reject(reason); // does nothing after the result
      },
      isWriting: () => Atomics.load(phase, 0) === writing,
    };
    return job;
  }

  /** Whether a job may run beside those that run; otherwise its production keeps its turn. */
  #mayStart({ production_id, is_large }: Job): boolean {
    if (this.#running.has(production_id)) return false;
    return !is_large || ![...this.#running.values()].some(({ job }) => job.is_large);
  }

  #startNext(): void {
    while (this.#running.size < maxRunning) {
      const job = this.#waiting.take((_, next) => this.#mayStart(next));
      if (job === undefined) return;
      const { production_id } = job;
      const done = job.start().then(() => {
        this.#running.delete(production_id);
        this.#startNext();
      });
      this.#running.set(production_id, { job, done });
    }
  }
}

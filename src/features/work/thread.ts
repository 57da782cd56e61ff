// Runs work on another thread, so that no request waits for it.
import type { Worker } from "node:worker_threads";
import { conflict, tooLarge } from "../../core/errors.ts";
import { featuresUrl } from "../../core/features.ts";
import { loadThreads } from "../../core/late_loading.ts";
import type { ThreadAnswer } from "./thread_work.ts";

/** In a checkout, a Node that strips no types needs the loader that the launcher uses. */
const needsLoader = import.meta.url.endsWith(".ts") && !("Deno" in globalThis) && !process.features.typescript;
/** The arguments of Node for a program of ours on a thread or in a process. */
export const loaderArguments: readonly string[] = needsLoader ? ["--import", import.meta.resolve("tsx")] : [];

/**
 * The memory that a thread may use for its objects, in MiB. One that does large work gets more, and one at most does:
 * it, another one at its limit and the server stay below 700 MB. 30,000 scenes need less. A small young generation
 * saves 100 MiB and is not slower. Deno has no such limits.
 */
const maxMemory = 128;
const memoryOf = (isLarge: boolean): number => (isLarge ? 2 * maxMemory : maxMemory);
/** How long a thread waits for the next work, in milliseconds: its start takes more time than a small change. */
const maxIdle = 10_000;

export interface Thread<Result> {
  /**
   * What the work returned. Rejects with 409 if it was refused, with 413 if the thread needs too much memory, or if it
   * ends without an answer.
   */
  result: Promise<Result>;
  /** Resolves once the thread does nothing any more. */
  ended: Promise<void>;
  /** Ends the thread at once, unless its work is done. */
  end(): void;
}

/** The thread of each script and size that waits for work, and its end. */
const idle = new Map<string, { worker: Worker; timer: NodeJS.Timeout }>();

const nameOf = (script: URL, isLarge: boolean): string => `${isLarge} ${script.href}`;

/** Lets a thread wait for the next work of its script and size, unless one does. */
function keep(name: string, worker: Worker): void {
  if (idle.has(name)) return void worker.terminate();
  const timer = setTimeout(() => {
    idle.delete(name);
    void worker.terminate();
  }, maxIdle).unref();
  worker.unref();
  idle.set(name, { worker, timer });
}

function threadOf(script: URL, isLarge: boolean): Worker {
  const name = nameOf(script, isLarge);
  const waiting = idle.get(name);
  if (waiting === undefined) {
    const resourceLimits = { maxOldGenerationSizeMb: memoryOf(isLarge), maxYoungGenerationSizeMb: 8 };
    const worker = new (loadThreads().Worker)(script, {
      resourceLimits,
      workerData: { features: featuresUrl() },
      ...(needsLoader && { execArgv: [...loaderArguments] }),
    });
    worker.on("error", () => {}); // an error while it waits only ends it
    worker.on("exit", () => {
      if (idle.get(name)?.worker === worker) idle.delete(name);
    });
    return worker;
  }
  idle.delete(name);
  clearTimeout(waiting.timer);
  waiting.worker.ref();
  return waiting.worker;
}

/**
 * Does work on a thread of a script, which calls doWork. `noun` names the work in error messages. The caller knows the
 * type of the result.
 */
export function startThread<Result>(script: URL, work: unknown, noun: string, isLarge = false): Thread<Result> {
  const worker = threadOf(script, isLarge);
  const { promise: ended, resolve: exit } = Promise.withResolvers<void>();
  let isDone = false;
  const result = new Promise<Result>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? tooLarge(`the ${noun} needs more than ${memoryOf(isLarge)} MiB of memory; nothing was changed`)
          : error,
      );
    const leave = (status: number) => {
      exit();
      reject(new Error(`the ${noun} ended with status ${status}`));
    };
    worker.on("error", fail).on("exit", leave);
    worker.once("message", ({ outcome, isLight }: ThreadAnswer<Result>) => {
      worker.off("error", fail).off("exit", leave);
      if (isLight && !isDone) {
        keep(nameOf(script, isLarge), worker);
        exit();
      } else void worker.once("exit", () => exit()).terminate();
      isDone = true;
      if ("result" in outcome) resolve(outcome.result);
      else reject(conflict(outcome.refused));
    });
  });
  result.catch(() => {}); // who ends a thread may not wait for its result
  worker.postMessage(work);
  return {
    result,
    ended,
    end: () => {
      if (!isDone) void worker.terminate();
      isDone = true;
    },
  };
}

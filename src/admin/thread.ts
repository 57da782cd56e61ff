// Runs work on another thread, so that no request waits for it.
import { Worker } from "node:worker_threads";
import { tooLarge } from "../errors.ts";

/** In a checkout, a Node that strips no types needs the loader that the launcher uses. */
const needsLoader = import.meta.url.endsWith(".ts") && !("Deno" in globalThis) && !process.features.typescript;
const execArgv = needsLoader ? { execArgv: ["--import", import.meta.resolve("tsx")] } : {};

/**
 * The memory that a thread may use for its objects, in MiB: two threads at their limits and the server stay below 700 MB. 20,000 scenes
 * need less. A small young generation saves 100 MiB and is not slower. Deno has no such limits.
 */
const maxMemory = 128;
const resourceLimits = { maxOldGenerationSizeMb: maxMemory, maxYoungGenerationSizeMb: 8 };

export interface Thread<Result> {
  /** The first message of the thread. Rejects with 413 if the thread needs too much memory, or if it ends without a message. */
  result: Promise<Result>;
  /** Resolves once the thread does nothing any more. */
  ended: Promise<void>;
  /** Ends the thread at once. */
  end(): void;
}

/** Starts a thread that runs a script. `noun` names the work in error messages. The caller knows the type of the result. */
export function startThread<Result>(script: URL, workerData: unknown, noun: string): Thread<Result> {
  const worker = new Worker(script, { workerData, resourceLimits, ...execArgv });
  const { promise: ended, resolve: exit } = Promise.withResolvers<void>();
  const result = new Promise<Result>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? tooLarge(`the ${noun} needs more than ${maxMemory} MiB of memory; nothing was changed`)
          : error,
      ),
    );
    worker.once("exit", (status) => {
      exit();
      reject(new Error(`the ${noun} ended with status ${status}`)); // does nothing after an answer
    });
  });
  result.catch(() => {}); // who ends a thread may not wait for its result
  return { result, ended, end: () => void worker.terminate() };
}

// Runs work on a thread of its own, so that no request waits for it.
import { Worker } from "node:worker_threads";

/** TypeScript on Node needs the loader that the server itself runs under; Deno reads it as it is. */
const execArgv = "Deno" in globalThis ? {} : { execArgv: ["--import", import.meta.resolve("tsx")] };

/**
 * Starts the thread of a script. Resolves with its first message, whose type the caller knows. Rejects if the thread ends without
 * one. `noun` is what the error calls the work.
 */
export function runThread<Result>(script: URL, workerData: unknown, noun: string): Promise<Result> {
  const worker = new Worker(script, { workerData, ...execArgv });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    // Rejecting does nothing after an answer.
    worker.once("exit", (status) => reject(new Error(`the ${noun} ended with status ${status}`)));
  });
}

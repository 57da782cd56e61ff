// Runs work on another thread, so that no request waits for it.
import { Worker } from "node:worker_threads";

/** In a checkout, a Node that strips no types needs the loader that the launcher uses. */
const needsLoader = import.meta.url.endsWith(".ts") && !("Deno" in globalThis) && !process.features.typescript;
const execArgv = needsLoader ? { execArgv: ["--import", import.meta.resolve("tsx")] } : {};

/**
 * Starts a thread that runs a script. Resolves with its first message, whose type the caller knows. Rejects if the thread ends without
 * a message. `noun` names the work in the error message.
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

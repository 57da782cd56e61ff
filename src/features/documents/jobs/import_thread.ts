// The thread that runs a job: opens the data directory, updates the production, and answers the plan or the problems.
import { join } from "node:path";
import { callerOfKey, holds } from "../../../core/access/callers.ts";
import { CliError, forbidden, httpErrorOf, type Problem } from "../../../core/errors.ts";
import { openBlobs } from "../../../core/store/blobs.ts";
import { databaseName, openStore } from "../../../core/store/database.ts";
import { later } from "../../../core/times.ts";
import type { Admin } from "../../../graph/admin.ts";
import { storeAnswer } from "../../idempotency/idempotency.ts";
import { beginWriting, endWriting } from "../../work/jobs.ts";
import { doWork } from "../../work/thread_work.ts";
import type { Plan } from "../planned.ts";
import { refusalIn } from "../refusals.ts";
import type { WritePlan } from "../update_input.ts";
import type { Job, JobDone, JobResult, ReadingModule, WorkModule } from "./import_job.ts";

/** A job with the memory that it shares with the server. */
type SharedJob = Job & { phase: SharedArrayBuffer };

/** A flag of the command line is a query parameter here. */
const overHttp = (problem: Problem): Problem => ({
  ...problem,
  sentence: problem.sentence.replace(/^--(\w+)/, "`$1`"),
});

/** Throws 403 if the key of the admin was revoked or expired in the meantime. */
function checkKey({ store, key_id, is_editor, scope }: Admin): void {
  if (key_id === null) return;
  const caller = callerOfKey(store, key_id, new Date().toISOString());
  const needed = scope ?? (is_editor ? "edit" : "admin");
  if (caller === undefined || !holds(caller.scopes, needed))
    throw forbidden(`key does not have the \`${needed}\` scope`);
}

/** Runs a job. Its response is stored in the transaction of the change, for a request with an Idempotency-Key. */
async function done(admin: Admin, job: SharedJob): Promise<JobDone> {
  const { store } = admin;
  const { data, role, work, limit, phase, pending, asked } = job;
  const module: WorkModule | ReadingModule = await import(work.module);
  if ("answer" in module) return { answer: JSON.stringify(await module.answer(work.request)), stored: false };
  const { perform, answerOf } = module;
  const blobs = openBlobs(join(data, "media"), store, { ceiling: Number.POSITIVE_INFINITY, role });
  const textOf = (plan: Plan | undefined) =>
    answerOf?.(admin, work.request, plan) ?? JSON.stringify(plan && { ...plan, changes: plan.changes.slice(0, limit) });
  let answer: string | undefined;
  const clock = () => later(admin.now, Math.max(0, Date.now() - asked));
  const write: WritePlan = async (apply) => {
    try {
      return store.writeSync(() => {
        beginWriting(phase);
        checkKey(admin);
        const plan = apply(clock(), clock);
        if (plan === undefined || pending === undefined) return plan;
        answer = textOf(plan);
        storeAnswer(store, pending, answer);
        return plan;
      });
    } finally {
      endWriting(phase); // after the commit
    }
  };
  const plan = await perform(admin, blobs, work.request, write);
  return { answer: answer ?? textOf(plan), stored: answer !== undefined };
}

async function run(job: SharedJob): Promise<JobResult> {
  if (job.features !== undefined) await import(job.features);
  const store = openStore(join(job.data, databaseName));
  try {
    return await done({ ...job.admin, store }, job);
  } catch (error) {
    if (error instanceof CliError) {
      const { detail, problems } = refusalIn(error.problems.map(overHttp), error.more);
      return { error: { status: 422, detail: detail === "" ? error.message : detail, headers: {}, problems } };
    }
    const { status, message: detail, headers } = httpErrorOf(error);
    if (status >= 500 && status !== 503 && status !== 507) throw error;
    return { error: { status, detail, headers } };
  } finally {
    store.close();
  }
}

doWork(run);

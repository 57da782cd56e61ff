// Runs updates of a production on another thread with its own connection, because reading and comparing documents takes time and
// other requests must not wait for it.
import { dirname } from "node:path";
import type { Plan } from "../document/plan.ts";
import { HttpError, type Problem, problemText } from "../errors.ts";
import type { PaperworkFlags } from "../paperwork/flags.ts";
import type { Admin } from "./admin.ts";
import type { UpdateRequest } from "./production_update.ts";
import type { DecisionRequest } from "./script_changes.ts";
import { runThread } from "./thread.ts";

/** A file of a request: a staged one with the name that the client gave it, or a parsed document. */
export type JobFile = { path: string; file: string } | { document: unknown; file: string };

/** The work of a job. */
export type JobWork =
  | { kind: "import"; files: readonly JobFile[]; flags: PaperworkFlags; request: UpdateRequest }
  | { kind: "decide"; request: DecisionRequest };

export interface Job {
  /** The data directory. */
  data: string;
  /** The admin of the request. If it is a key, the key must still be live and have its scope when the transaction runs. */
  admin: Omit<Admin, "store">;
  work: JobWork;
}

/** The answer of the thread. */
export type JobResult =
  | { plan: Plan | undefined }
  | { refused: { message: string; problems: readonly Problem[] } }
  | { error: { status: number; detail: string; headers: Readonly<Record<string, string>> } };

/** How many problems the detail of a response names. */
const maxProblems = 20;

function detailOf(message: string, problems: readonly Problem[]): string {
  const more = problems.length - maxProblems;
  const first = problems.slice(0, maxProblems).map(problemText);
  return problems.length === 0 ? message : [...first, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** How many jobs may wait for the one that runs. */
const maxWaiting = 8;
let waiting = 0;
/** Resolves when the last job in the queue has ended. */
let last: Promise<unknown> = Promise.resolve();

/** Runs jobs one after the other, so that many imports at once cannot use up the memory. Throws 503 if too many jobs wait. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= maxWaiting)
    throw new HttpError(503, `${maxWaiting} imports already wait; try again in 5 s`, { "retry-after": "5" });
  waiting++;
  const turn = last.then(work).finally(() => {
    waiting--;
  });
  last = turn.catch(() => undefined);
  return turn;
}

/** Runs the job. Returns the plan. Throws 422 with the problems of the documents, and any error of the work itself. */
async function runJob({ store, ...admin }: Admin, work: JobWork): Promise<Plan | undefined> {
  const job: Job = { work, admin, data: dirname(store.file) };
  const thread = new URL("./import_thread.ts", import.meta.url);
  const result = await inTurn(() => runThread<JobResult>(thread, job, "import"));
  if ("plan" in result) return result.plan;
  if ("refused" in result) throw new HttpError(422, detailOf(result.refused.message, result.refused.problems));
  throw new HttpError(result.error.status, result.error.detail, result.error.headers);
}

/** Updates a production from files. Returns the plan. Throws 422 with the problems of the files, and any error of the update. */
export const runImportJob = (admin: Admin, work: Omit<Extract<JobWork, { kind: "import" }>, "kind">): Promise<Plan> =>
  runJob(admin, { ...work, kind: "import" }) as Promise<Plan>; // an import has a plan

/** Decides script changes. Throws the errors of decideScriptChanges. */
export async function runDecisionJob(admin: Admin, request: DecisionRequest): Promise<void> {
  await runJob(admin, { kind: "decide", request });
}

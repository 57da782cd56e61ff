// Runs updates of a production on another thread with its own connection, because reading and comparing documents takes
// time and other requests must not wait for it.
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { JsonText } from "../../../core/answers.ts";
import type { PendingAnswer } from "../../../core/attempts.ts";
import type { App, Context } from "../../../core/context.ts";
import { type FileProblem, HttpError } from "../../../core/errors.ts";
import { featuresUrl, stateOf } from "../../../core/features.ts";
import type { Blobs } from "../../../core/store/blobs.ts";
import { type Admin, adminOf } from "../../../graph/admin.ts";
import { Jobs } from "../../work/jobs.ts";
import type { Plan } from "../planned.ts";
import type { WritePlan } from "../update_input.ts";

/** The jobs of an application. */
export const jobsOf = stateOf((app) => {
  const jobs = new Jobs(app.config.import_deadline);
  app.onEnd(() => jobs.end());
  app.store.waitWhile(() => jobs.isWriting);
  return jobs;
});

/** The work of a job: an update of the production. */
export interface JobWork {
  /** The address of the module that does it, which exports what WorkModule or ReadingModule says. */
  module: string;
  request: object;
  /** Whether it may need all the memory of a thread. */
  is_large: boolean;
}

/** What the module of a work exports. */
export interface WorkModule {
  /** Does the work, which writes with `write`. Returns the plan, if there is one. */
  perform(admin: Admin, blobs: Blobs, request: object, write: WritePlan): Promise<Plan | undefined>;
  /** The response to the request in place of the plan. */
  answerOf?(admin: Admin, request: object, plan: Plan | undefined): string;
}

/** What the module of a work exports that only reads files. */
export interface ReadingModule {
  /** Returns the response. */
  answer(request: object): Promise<unknown>;
}

export interface Job {
  /** The data directory. */
  data: string;
  /** The address of the list of features, which the thread installs. */
  features: string | undefined;
  /** What the names of the job's staged files begin with. */
  role: `server-${string}`;
  /** When the request was made, by the clock of the machine, in milliseconds. */
  asked: number;
  /**
   * The admin of the request. If it is a key, the key must still be live and have its scope when the transaction runs.
   */
  admin: Omit<Admin, "store">;
  work: JobWork;
  /** How many changes the response has at most; all of them by default. */
  limit: number | undefined;
  /** The response that the thread stores in the transaction of the change, for a request with an Idempotency-Key. */
  pending: PendingAnswer | undefined;
}

export interface JobDone {
  /** The response: a plan may be large, so the thread makes its text. */
  answer: string;
  /** Whether the response to an Idempotency-Key is stored. */
  stored: boolean;
}

/** The answer of the thread. */
export type JobResult =
  | JobDone
  | {
      error: {
        status: number;
        detail: string;
        headers: Readonly<Record<string, string>>;
        problems?: readonly FileProblem[] | undefined;
      };
    };

/**
 * A file of a request: a staged one with the name that the client gave it, or a parsed document. `folder` is what the
 * paths of its media start from, if the server made the document itself.
 */
export type JobFile = { path: string; file: string } | { document: unknown; file: string; folder?: string };

/**
 * How large the files of a small import are together, in bytes, and how many things each list of its document, or a
 * change set, has.
 */
const [maxSmallFiles, maxSmallList] = [512 * 1024, 2_000];

/** Whether so many changes may need all the memory of a thread. */
export const areMany = (count: number): boolean => count > maxSmallList;

/** Whether an import of files may need all the memory of a thread. A .msd is compressed, so its size does not tell. */
export function areLarge(files: readonly JobFile[]): boolean {
  let bytes = 0;
  for (const given of files) {
    if (/\.msd$/i.test(given.file)) return true;
    if ("path" in given) bytes += statSync(given.path).size;
    // A document that a request gives is an object.
    else if (Object.values(given.document as object).some((list) => Array.isArray(list) && areMany(list.length)))
      return true;
  }
  return bytes > maxSmallFiles;
}

/** For whom a work is done. */
interface Asked {
  admin: Admin;
  limit?: number | undefined;
  pending?: PendingAnswer | undefined;
  onClose: Context["onClose"];
}

/**
 * Does a work on a thread. Returns its response, in which a plan has at most `limit` changes. Throws 422 with the
 * problems of the documents, and any error of the work itself.
 */
export async function runWork(app: App, work: JobWork, { admin, limit, pending, onClose }: Asked): Promise<JobDone> {
  const { store, ...acting } = admin;
  const role = `server-${randomUUID()}` as const;
  const asked = Date.now();
  const features = featuresUrl();
  const data: Job = { work, limit, asked, admin: acting, role, data: dirname(app.store.file), features, pending };
  const result = await jobsOf(app).run<JobResult>({
    production_id: admin.production_id ?? 0, // a new production has none
    script: new URL("./import_thread.ts", import.meta.url),
    data,
    noun: "import",
    is_large: work.is_large,
    onClose,
    ended: () => app.blobs.discardOf(role),
  });
  if ("answer" in result) return result;
  const { status, detail, headers, problems } = result.error;
  throw new HttpError(status, detail, headers, problems);
}

/**
 * Does the work of a request, as runWork. Its response is stored for an Idempotency-Key. The caller knows the type of
 * the response.
 */
export async function runJob<Answer = Plan>(
  context: Context,
  work: JobWork,
  limit?: number,
  scope?: Admin["scope"],
): Promise<JsonText<Answer>> {
  const { app, attempt, onClose } = context;
  const asked = { admin: { ...adminOf(context), scope }, limit, pending: attempt?.pending(), onClose };
  const { answer, stored } = await runWork(app, work, asked);
  if (attempt !== undefined && stored) attempt.settled = true;
  return answer as JsonText<Answer>; // safe: answerOf of the thread
}

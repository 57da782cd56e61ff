// Runs updates of a production on another thread with its own connection, because reading and comparing documents takes time and
// other requests must not wait for it.

import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { JsonText } from "../../core/answers.ts";
import type { PendingAnswer } from "../../core/attempts.ts";
import type { Context } from "../../core/context.ts";
import { type FileProblem, HttpError } from "../../core/errors.ts";
import { featuresUrl } from "../../core/features.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { type Admin, adminOf } from "../../graph/admin.ts";
import type { WritePlan } from "./apply/update.ts";
import { jobsOf } from "./jobs.ts";
import type { Plan } from "./plan/plan.ts";

/** The work of a job: an update of the production. */
export interface JobWork {
  /** The address of the module that does it, which exports what WorkModule says. */
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

export interface Job {
  /** The data directory. */
  data: string;
  /** The address of the list of features, which the thread installs. */
  features: string | undefined;
  /** What the names of the job's staged files begin with. */
  role: `server-${string}`;
  /** When the request was made, by the clock of the machine, in milliseconds. */
  asked: number;
  /** The admin of the request. If it is a key, the key must still be live and have its scope when the transaction runs. */
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
 * A file of a request: a staged one with the name that the client gave it, or a parsed document. `folder` is what the paths of its media
 * start from, if the server made the document itself.
 */
export type JobFile = { path: string; file: string } | { document: unknown; file: string; folder?: string };

/** How large the files of a small import are together, in bytes, and how many things each list of its document, or a change set, has. */
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

/** How many problems the detail of a response names. */
export const maxProblems = 20;

/**
 * Runs a job. Returns the response, in which a plan has at most `limit` changes. Throws 422 with the problems of the documents, and any
 * error of the work itself. The caller knows the type of the response.
 */
export async function runJob<Answer = Plan>(
  context: Context,
  work: JobWork,
  limit?: number,
): Promise<JsonText<Answer>> {
  const local = adminOf(context);
  const { store, ...admin } = local;
  const { attempt } = context;
  const role = `server-${randomUUID()}` as const;
  const data: Job = {
    work,
    limit,
    asked: Date.now(),
    admin,
    role,
    data: dirname(store.file),
    features: featuresUrl(),
    pending: attempt?.pending(),
  };
  const script = new URL("./import_thread.ts", import.meta.url);
  const { production_id } = admin;
  const { app, onClose } = context;
  const ended = () => app.blobs.discardOf(role);
  const task = { production_id, script, data, noun: "import", is_large: work.is_large, onClose, ended };
  const result = await jobsOf(app).run<JobResult>(task);
  if ("answer" in result) {
    if (attempt !== undefined && result.stored) attempt.settled = true;
    return result.answer as JsonText<Answer>; // safe: answerOf of the thread
  }
  const { status, detail, headers, problems } = result.error;
  throw new HttpError(status, detail, headers, problems);
}

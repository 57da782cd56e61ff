// An update of a production on a thread of its own, with its own connection: reading and comparing documents takes time, and no
// other request waits for it.
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Plan } from "../document/plan.ts";
import { HttpError, type Problem } from "../errors.ts";
import type { Admin } from "./admin.ts";
import type { UpdateRequest } from "./production_update.ts";

/** A document of a request: a staged file with the name that the client gave it, or a parsed document. */
export type JobDocument = { path: string; file: string } | { document: unknown; file: string };

export interface ImportJob {
  /** The data directory. */
  data: string;
  /** Who asked. If it was a key, the key must still be live, with its scope, when the transaction runs. */
  admin: Omit<Admin, "store">;
  documents: readonly JobDocument[];
  request: UpdateRequest;
}

/** What the thread answers. */
export type JobResult =
  | { plan: Plan }
  | { refused: { message: string; problems: readonly Problem[] } }
  | { error: { status: number; detail: string; headers: Readonly<Record<string, string>> } };

/** How many problems the detail of a response names. */
const maxProblems = 20;

function detailOf(message: string, problems: readonly Problem[]): string {
  const more = problems.length - maxProblems;
  const first = problems
    .slice(0, maxProblems)
    .map(({ file, sentence }) => (file === undefined ? sentence : `${file}: ${sentence}`));
  return problems.length === 0 ? message : [...first, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** TypeScript on Node needs the loader that the server itself runs under; Deno reads it as it is. */
const execArgv = "Deno" in globalThis ? {} : { execArgv: ["--import", import.meta.resolve("tsx")] };

/** Runs the job. Returns the plan. Throws 422 with the problems of the documents, and what the update throws. */
export function runImportJob({ store, ...admin }: Admin, job: Pick<ImportJob, "documents" | "request">): Promise<Plan> {
  const workerData: ImportJob = { ...job, admin, data: dirname(store.database.name) };
  const worker = new Worker(new URL("./import_thread.ts", import.meta.url), { workerData, ...execArgv });
  return new Promise<Plan>((resolve, reject) => {
    worker.once("message", (result: JobResult) => {
      if ("plan" in result) resolve(result.plan);
      else if ("refused" in result)
        reject(new HttpError(422, detailOf(result.refused.message, result.refused.problems)));
      else reject(new HttpError(result.error.status, result.error.detail, result.error.headers));
    });
    worker.once("error", reject);
    // Rejecting does nothing after an answer.
    worker.once("exit", (status) => reject(new Error(`the import ended with status ${status}`)));
  });
}

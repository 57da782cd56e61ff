// The thread that runs a job: opens the data directory, updates the production, and answers the plan or the problems.
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { callerOfKey } from "../access/callers.ts";
import type { Plan } from "../document/plan.ts";
import { partialDocument } from "../document/read_partial.ts";
import { CliError, forbidden, httpErrorOf, problemText } from "../errors.ts";
import { readGiven } from "../paperwork/files.ts";
import { openBlobs } from "../store/blobs.ts";
import { databaseName, openStore } from "../store/database.ts";
import type { Admin } from "./admin.ts";
import { type Job, type JobFile, type JobResult, maxProblems } from "./import_job.ts";
import { beginWriting, endWriting } from "./jobs.ts";
import { updateFromFiles } from "./production_update.ts";
import { decideScriptChanges } from "./script_changes.ts";

/** A job with the memory that it shares with the server. */
type SharedJob = Job & { phase: SharedArrayBuffer };

function detailOf({ message, problems, more }: CliError): string {
  const rest = problems.length + more - maxProblems;
  const first = problems.slice(0, maxProblems).map(problemText);
  return problems.length === 0 ? message : [...first, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}

const read = (given: JobFile) =>
  "path" in given
    ? readGiven(given.path, { file: given.file, folder: undefined })
    : partialDocument(given.document, given.file, undefined);

/** Throws 403 if the key of the admin was revoked or expired in the meantime. */
function checkKey({ store, key_id }: Admin): void {
  if (key_id === null) return;
  const caller = callerOfKey(store, key_id, new Date().toISOString());
  if (caller?.scopes.includes("admin") !== true) throw forbidden("key does not have the `admin` scope");
}

async function perform(admin: Admin, { data, work, phase }: SharedJob): Promise<Plan | undefined> {
  const { store } = admin;
  const blobs = openBlobs(join(data, "media"), store, { ceiling: Number.POSITIVE_INFINITY, role: "command" });
  const write = async <T>(work: () => T): Promise<T> => {
    try {
      return store.writeSync(() => {
        beginWriting(phase);
        checkKey(admin);
        return work();
      });
    } finally {
      endWriting(phase); // after the commit
    }
  };
  if (work.kind === "decide") return (await decideScriptChanges(admin, blobs, work.request, write)).plan;
  const { files, flags, request } = work;
  return updateFromFiles(admin, blobs, { given: await Promise.all(files.map(read)), flags }, request, write);
}

async function run(job: SharedJob): Promise<JobResult> {
  const store = openStore(join(job.data, databaseName));
  try {
    return { plan: await perform({ ...job.admin, store }, job) };
  } catch (error) {
    if (error instanceof CliError) return { error: { status: 422, detail: detailOf(error), headers: {} } };
    const { status, message: detail, headers } = httpErrorOf(error);
    if (status >= 500 && status !== 503 && status !== 507) throw error;
    return { error: { status, detail, headers } };
  } finally {
    store.close();
  }
}

parentPort?.postMessage(await run(workerData as SharedJob));

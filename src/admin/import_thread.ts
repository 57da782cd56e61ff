// The thread of an import job: opens the data directory, updates the production, and answers the plan or what was wrong.
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { callerOfKey } from "../access/callers.ts";
import { partialDocument, readPartial } from "../document/read_partial.ts";
import { CliError, forbidden, httpErrorOf } from "../errors.ts";
import { openBlobs } from "../store/blobs.ts";
import { databaseName, openStore } from "../store/database.ts";
import type { Admin } from "./admin.ts";
import type { ImportJob, JobDocument, JobResult } from "./import_job.ts";
import { updateFrom } from "./production_update.ts";

const read = (given: JobDocument) =>
  "path" in given
    ? readPartial(given.path, given.file, undefined)
    : partialDocument(given.document, given.file, undefined);

/** Throws 403 if the key of the admin was revoked or expired in the meantime. */
function checkKey({ store, key_id }: Admin): void {
  if (key_id === null) return;
  const caller = callerOfKey(store, key_id, new Date().toISOString());
  if (caller?.scopes.includes("admin") !== true) throw forbidden("key does not have the `admin` scope");
}

async function run({ data, admin: who, documents, request }: ImportJob): Promise<JobResult> {
  const store = openStore(join(data, databaseName));
  try {
    const admin: Admin = { ...who, store };
    const blobs = openBlobs(join(data, "media"), store, { ceiling: Number.POSITIVE_INFINITY, role: "command" });
    const given = await Promise.all(documents.map(read));
    const write = async <T>(work: () => T): Promise<T> =>
      store.writeSync(() => {
        checkKey(admin);
        return work();
      });
    return { plan: await updateFrom(admin, blobs, given, request, write) };
  } catch (error) {
    if (error instanceof CliError) return { refused: { message: error.message, problems: error.problems } };
    const { status, message: detail, headers } = httpErrorOf(error);
    if (status >= 500 && status !== 503 && status !== 507) throw error;
    return { error: { status, detail, headers } };
  } finally {
    store.close();
  }
}

parentPort?.postMessage(await run(workerData as ImportJob));

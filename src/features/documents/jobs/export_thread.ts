// The thread that collects the document of an export: answers its text without the bytes of its media.
import { join } from "node:path";
import { databaseName, openReadable, openReplicaStore } from "../../../core/store/database.ts";
import { closing } from "../../../core/store/files.ts";
import { doWork } from "../../work/thread_work.ts";
import { larger, type MarkedDocument, markedDocument } from "../export/export.ts";

export interface ExportJob {
  /** The data directory. */
  data: string;
  production_id: number;
  isReplica: boolean;
}

const readOnly = (): Error => new Error("an export writes nothing");

async function run({ data, production_id, isReplica }: ExportJob): Promise<MarkedDocument> {
  const file = join(data, databaseName);
  const store = isReplica ? openReplicaStore(file, readOnly) : openReadable(file, {}, readOnly);
  return closing(store, async () => {
    const { mark, pieces } = markedDocument(store, production_id);
    return { mark, pieces: await Array.fromAsync(larger(pieces)) };
  });
}

doWork(run);

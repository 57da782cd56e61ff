// Exports the production of a call. A thread collects the document, because that takes long for a large production.
import { dirname } from "node:path";
import type { Context } from "../context.ts";
import { larger, type MarkedDocument, withMedia } from "../document/export/export.ts";

/** The input of the thread. */
export interface ExportJob {
  /** The data directory. */
  data: string;
  production_id: number;
  isReplica: boolean;
}

/** The production as one document in pieces of text, media included. Throws the errors of Jobs.run. */
export async function exportedPieces({ app, caller, onClose }: Context): Promise<AsyncGenerator<string>> {
  const { production_id } = caller;
  const data: ExportJob = { data: dirname(app.store.file), production_id, isReplica: app.replica !== undefined };
  const script = new URL("./export_thread.ts", import.meta.url);
  const document = await app.jobs.run<MarkedDocument>({ production_id, script, data, noun: "export", onClose });
  return larger(withMedia(document, app.blobs));
}

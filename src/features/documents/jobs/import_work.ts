// The updates that a job of the admin API makes: from files, and by the removal of a thing.
import type { PaperworkFlags } from "../import_flags.ts";
import { readInputFile } from "../importers.ts";
import { documentLimits } from "../json_limits.ts";
import { type RemovalRequest, removeThing, type UpdateRequest, updateFromFiles } from "../production_update.ts";
import { partialDocument } from "../read/read.ts";
import type { JobFile, WorkModule } from "./import_job.ts";

export type ImportRequest = UpdateRequest & { files: readonly JobFile[]; flags: PaperworkFlags };

/** Of all documents of an import. A document of 8 MiB, which is the most of a body, seldom has more. */
const maxValues = 300_000;

function readAll({ files, flags: { as } }: ImportRequest) {
  const limits = documentLimits(maxValues);
  return Promise.all(
    files.map((given) =>
      "path" in given
        ? readInputFile(given.path, { file: given.file, folder: undefined, as }, limits)
        : partialDocument(given.document, given.file, given.folder),
    ),
  );
}

export const perform: WorkModule["perform"] = async (admin, blobs, asked, write) => {
  const request = asked as ImportRequest | RemovalRequest; // an operation made it
  if (!("files" in request)) return removeThing(admin, blobs, request, write);
  const given = await readAll(request);
  return updateFromFiles(admin, blobs, { given, flags: request.flags }, request, write);
};

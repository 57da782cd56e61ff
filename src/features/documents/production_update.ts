// Creates a production, and updates a stored one from documents and from other programs' files, for the command line and the API. The changes, their
// activity entries, their events and the audit row are written in one transaction.

import { forbidden, notFound, unprocessable } from "../../core/errors.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import type { Admin } from "../../graph/admin.ts";
import { recordAction } from "../../graph/audit.ts";
import { type Imported, importDocument, type ReadDocument } from "./apply/create.ts";
import { removeFrom } from "./apply/restoring.ts";
import { type Documents, updateProduction, type WritePlan } from "./apply/update.ts";
import { checkDocuments, checkList, checkUpdate } from "./edit_scope.ts";
import type { PaperworkFlags } from "./import_flags.ts";
import { type InputFile, isPaper, loadPaperwork } from "./importers.ts";
import { isListKind } from "./kinds.ts";
import type { Plan } from "./plan/plan.ts";
import { emptyDocument, type InputDocument } from "./read/read.ts";
import { changedBy, loadRecording } from "./recording.ts";
import type { SectionName } from "./sections/sections.ts";

export interface UpdateRequest {
  production_id: number;
  /** Whether things that the documents do not list are removed from the sections that the documents contain. */
  exact: boolean;
  dry_run: boolean;
  if_revision?: string | undefined;
}

/** The documents, once the admin may import what they contain. */
const checkedDocuments =
  (admin: Admin, documents: Documents): Documents =>
  (stored) => {
    const reading = typeof documents === "function" ? documents(stored) : { documents };
    checkDocuments(admin, reading.documents);
    return reading;
  };

/** Creates the production of a checked document. Throws like importDocument. */
export async function createFrom(
  admin: Admin,
  blobs: Blobs,
  read: ReadDocument,
  progress?: (rows: number) => void,
): Promise<Imported> {
  const recordUpdate = await loadRecording();
  const { title, file: source } = read;
  return importDocument(admin.store, blobs, read, {
    now: admin.now,
    progress,
    record(planned, writer) {
      const { production_id } = writer;
      recordAction(admin, { action: "production.imported", production_id, detail: { title } });
      recordUpdate(admin, planned, writer, { source, summary: `Created ${title}; this cannot be undone` });
    },
  });
}

/**
 * Plans the update and, unless it is a dry run, applies it. Returns the plan. Throws CliError with every problem of every document,
 * 409 if the production has another revision; then nothing is written. `write` runs the transaction.
 */
export async function updateFrom(
  admin: Admin,
  blobs: Blobs,
  documents: Documents,
  request: UpdateRequest,
  write: WritePlan,
): Promise<Plan> {
  const recordUpdate = await loadRecording();
  return updateProduction(admin.store, blobs, checkedDocuments(admin, documents), {
    ...request,
    now: admin.now,
    write,
    check: ({ changes }) => checkUpdate(admin, request.production_id, changes),
    changedBy: (...changed) => changedBy({ ...admin, production_id: request.production_id }, ...changed),
    record(planned, writer) {
      const { production_id, counts } = planned.plan;
      const files = planned.reading.documents.map(({ file }) => file);
      recordUpdate(admin, planned, writer, { source: files.join(", ") });
      const detail = { files, ...counts };
      recordAction({ ...admin, now: writer.now }, { action: "production.updated", production_id, detail });
    },
  });
}

/** The thing of a section that is removed. */
export type RemovalRequest = Omit<UpdateRequest, "exact"> & { section: SectionName; id: number };

/** Removes a thing by its id, which no document can do without listing the others. Throws like updateFrom, and 404 if there is none. */
export const removeThing = (
  admin: Admin,
  blobs: Blobs,
  { section, id, ...request }: RemovalRequest,
  write: WritePlan,
): Promise<Plan> =>
  updateFrom(
    admin,
    blobs,
    (stored) => {
      const raw = stored.rawOf(section, id);
      if (raw === undefined) throw notFound();
      if (admin.is_editor && raw.is_admin === true)
        throw forbidden(
          "a person who is an admin is removed with a key that has the `admin` scope; nothing was changed",
        );
      return {
        documents: [emptyDocument("a removal")],
        restore: (target, source) => removeFrom(target, source, section, id),
      };
    },
    { ...request, exact: false },
    write,
  );

/** Updates a production from files, some of which may be other programs' files. Throws like updateFrom, and 422 if the flags contradict each other. */
export async function updateFromFiles(
  admin: Admin,
  blobs: Blobs,
  { given, flags }: { given: readonly InputFile[]; flags: PaperworkFlags },
  request: UpdateRequest,
  write: WritePlan,
): Promise<Plan> {
  if (isListKind(flags.as)) checkList(admin, flags.as);
  const hasPaper = given.some(isPaper);
  if (request.exact && hasPaper)
    throw unprocessable(
      "exact is only for production documents, because scripts and lists never contain everything of their sections",
    );
  const { store, now, label: actor } = admin;
  const documents = hasPaper
    ? (await loadPaperwork()).documentsOf(store, given, {
        flags,
        now,
        actor,
        allowList: (kind) => checkList(admin, kind),
      })
    : given.filter((one): one is InputDocument => !isPaper(one));
  return updateFrom(admin, blobs, documents, request, write);
}

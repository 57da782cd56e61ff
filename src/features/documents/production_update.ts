// The way of every update of a stored production: from documents and from other programs' files, by the removal of a thing, by an undo and by
// decisions about its script, for the command line and for the threads of the API; and the creation of a production. The changes, their
// activity entries, their events, their change set and the audit row are written in one transaction.
import { forbidden, notFound, unprocessable } from "../../core/errors.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import type { Admin } from "../../graph/admin.ts";
import type { PreparedUpdate } from "./apply/apply.ts";
import { type Imported, importDocument, type ReadDocument } from "./apply/create.ts";
import { removeFrom } from "./apply/restoring.ts";
import { type Documents, updateProduction, type WritePlan } from "./apply/update.ts";
import type { Parts } from "./changes/parts.ts";
import { checkDocuments, checkList, checkUpdate } from "./edit_scope.ts";
import { engine } from "./engine.ts";
import type { PaperworkFlags } from "./import_flags.ts";
import { type InputFile, isPaper, loadPaperwork } from "./importers.ts";
import { isListKind, type ListKind } from "./kinds.ts";
import type { Writer } from "./nouns/writer.ts";
import type { Plan } from "./plan/plan.ts";
import { emptyDocument, type InputDocument } from "./read/read.ts";
import { changedBy, type Done, loadFollowing, loadRecording } from "./recording.ts";
import type { SectionName } from "./sections/sections.ts";

export interface UpdateRequest {
  production_id: number;
  /** Whether things that the documents do not list are removed from the sections that the documents contain. */
  exact?: boolean;
  dry_run?: boolean;
  if_revision?: string | undefined;
}

/** Creates the production of a checked document. Throws like importDocument. */
export async function createFrom(
  admin: Admin,
  blobs: Blobs,
  read: ReadDocument,
  options: { progress?: (rows: number) => void; write?: WritePlan } = {},
): Promise<Imported> {
  const { title, file: source } = read;
  const audit = { action: "production.imported", detail: { title } };
  const done = { source, summary: `Created ${title}; this cannot be undone`, audit };
  if (engine.parts !== undefined) {
    const { createByOperations, loadRecord } = engine.parts;
    const recordNew = await loadRecord();
    return createByOperations(admin.store, blobs, read, {
      ...options,
      now: admin.now,
      record: (applied) => recordNew(admin, applied, done),
    });
  }
  const recordUpdate = await loadRecording();
  const record = (planned: PreparedUpdate, writer: Writer) => recordUpdate(admin, planned, writer, done);
  return importDocument(admin.store, blobs, read, { ...options, now: admin.now, record });
}

/** What an update from files did. */
function doneByFiles({ plan, reading }: Pick<PreparedUpdate, "plan" | "reading">): Done {
  const files = reading.documents.map(({ file }) => file);
  return { source: files.join(", "), audit: { action: "production.updated", detail: { files, ...plan.counts } } };
}

/**
 * Plans the update and, unless it is a dry run, applies it, and records what `doneBy` says of it. Returns the plan. Throws CliError with
 * every problem of every document, 409 if the production has another revision, 403 if the plan has what the admin may not change; then
 * nothing is written. `write` runs the transaction.
 */
export async function updateFrom(
  admin: Admin,
  blobs: Blobs,
  documents: Documents,
  request: UpdateRequest,
  write: WritePlan,
  doneBy: (planned: Pick<PreparedUpdate, "plan" | "reading">) => Done = doneByFiles,
): Promise<Plan> {
  const { production_id, exact = false, dry_run = false, if_revision } = request;
  if (engine.parts !== undefined) return updateByEngine(engine.parts, admin, blobs, documents, request, write, doneBy);
  const recordUpdate = await loadRecording();
  let following: Awaited<ReturnType<typeof loadFollowing>>;
  return updateProduction(admin.store, blobs, documents, {
    production_id,
    exact,
    dry_run,
    if_revision,
    write,
    now: admin.now,
    ...(admin.is_editor && { check: ({ changes }) => checkUpdate(admin, production_id, changes) }),
    changedBy: (...changed) => changedBy({ ...admin, production_id }, ...changed),
    async prepare(planned) {
      following = await loadFollowing(admin.store, planned);
    },
    record: (planned, writer) => recordUpdate(admin, planned, writer, doneBy(planned), following),
  });
}

/** The same by operations on rows. */
async function updateByEngine(
  { updateByOperations, loadRecord }: Parts,
  ...[admin, blobs, documents, request, write, doneBy = doneByFiles]: Parameters<typeof updateFrom>
): Promise<Plan> {
  const record = await loadRecord();
  const { production_id, exact = false, dry_run = false, if_revision } = request;
  let following: Awaited<ReturnType<typeof loadFollowing>>;
  return updateByOperations(admin.store, blobs, documents, {
    ...{ production_id, exact, dry_run, if_revision, write },
    now: admin.now,
    ...(admin.is_editor && { check: ({ changes }) => checkUpdate(admin, production_id, changes) }),
    async load(plan) {
      following = await loadFollowing(admin.store, { plan });
    },
    record: (applied) => record(admin, applied, doneBy(applied), following),
  });
}

/** The thing of a section that is removed. */
export type RemovalRequest = Omit<UpdateRequest, "exact"> & { section: SectionName; id: number };

/** Removes a thing by its id, which no document can do without listing the others. Throws like updateFrom, and 404 if there is none. */
export function removeThing(
  admin: Admin,
  blobs: Blobs,
  { section, id, ...request }: RemovalRequest,
  write: WritePlan,
): Promise<Plan> {
  const removal: Documents = (stored) => {
    const raw = stored.rawOf(section, id);
    if (raw === undefined) throw notFound();
    if (admin.is_editor && raw.is_admin === true)
      throw forbidden("a person who is an admin is removed with a key that has the `admin` scope; nothing was changed");
    return {
      documents: [emptyDocument("a removal")],
      removal: { section, id },
      restore: (target, source) => removeFrom(target, source, section, id),
    };
  };
  return updateFrom(admin, blobs, removal, request, write);
}

/** The documents, once the admin may import what they contain. */
const checkedDocuments =
  (admin: Admin, documents: Documents): Documents =>
  (stored) => {
    const reading = typeof documents === "function" ? documents(stored) : { documents };
    checkDocuments(admin, reading.documents);
    return reading;
  };

/** Files of an update, some of which may be other programs' files. */
export interface GivenFiles {
  given: readonly InputFile[];
  flags: PaperworkFlags;
}

/** Updates a production from files. Throws like updateFrom, and 422 if the flags contradict each other. */
export async function updateFromFiles(
  admin: Admin,
  blobs: Blobs,
  { given, flags }: GivenFiles,
  request: UpdateRequest,
  write: WritePlan,
): Promise<Plan> {
  const { store, now, label: actor } = admin;
  const allowList = (kind: ListKind) => checkList(admin, kind);
  if (isListKind(flags.as)) allowList(flags.as);
  const hasPaper = given.some(isPaper);
  if (request.exact && hasPaper)
    throw unprocessable(
      "exact is only for production documents, because scripts and lists never contain everything of their sections",
    );
  const documents = hasPaper
    ? (await loadPaperwork()).documentsOf(store, given, { flags, now, actor, allowList })
    : given.filter((one): one is InputDocument => !isPaper(one));
  return updateFrom(admin, blobs, checkedDocuments(admin, documents), request, write);
}

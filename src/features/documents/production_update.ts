// The way of every update of a stored production: from documents and from other programs' files, by the removal of a
// thing, by an undo and by decisions about its script, for the command line and for the threads of the API; and the
// creation of a production. The changes, their activity entries, their events, their change set and the audit row are
// written in one transaction.
import { basename } from "node:path";
import { forbidden, notFound, unprocessable } from "../../core/errors.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { indexChanges } from "../../core/store/migrations.ts";
import { change } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { Admin } from "../../graph/admin.ts";
import { type Applied, updateProduction } from "./changes/commit.ts";
import { importDocument } from "./changes/creating.ts";
import { loadRecord } from "./changes/record.ts";
import { checkDocuments, checkList, checkUpdate } from "./edit_scope.ts";
import type { PaperworkFlags } from "./import_flags.ts";
import { type InputFile, isPaper, loadPaperwork } from "./importers.ts";
import { episodeProblem, isListKind, type ListKind } from "./kinds.ts";
import type { Plan } from "./planned.ts";
import { emptyDocument, type InputDocument } from "./read/read.ts";
import type { Imported, ReadDocument } from "./read/whole.ts";
import { type Done, loadFollowing } from "./recording.ts";
import type { SectionName } from "./sections/sections.ts";
import type { Documents, WritePlan } from "./update_input.ts";

export interface UpdateRequest {
  production_id: number;
  /** Whether things that the documents do not list are removed from the sections that the documents contain. */
  exact?: boolean;
  /** The code of the episode to which exact documents belong. */
  episode?: string | undefined;
  dry_run?: boolean;
  if_revision?: string | undefined;
}

const stampNodes = change("stamp_nodes");
const stampMedia = change("stamp_media");

/** How long a transaction may take before what it wrote gets the time of its end, in milliseconds. */
const maxLate = 50;

/**
 * The same transaction, with late times: what it changed has the time of its end, so that nobody who asks for what
 * changed since a time misses it. `now` is when the change was asked for; what is `new` has that time until it
 * is written.
 */
const withLateTimes =
  (store: Store, write: WritePlan, { now, isNew = false }: { now: string; isNew?: boolean }): WritePlan =>
  (work) =>
    write((begun = now, clock = () => begun) => {
      const plan = work(begun);
      if (plan === undefined || plan.dry_run) return plan;
      if (!isNew && Date.parse(clock()) - Date.parse(begun) < maxLate) return plan;
      indexChanges(store); // what the end of the transaction does, so that little comes after the time
      const stamped = { production_id: plan.production_id, asked: isNew ? now : begun, begun, now: clock() };
      stampNodes(store, stamped);
      stampMedia(store, stamped);
      return plan;
    });

/** Creates the production of a checked document. Throws like importDocument. */
export async function createFrom(
  admin: Admin,
  blobs: Blobs,
  read: ReadDocument,
  options: { progress?: (rows: number) => void; write?: WritePlan } = {},
): Promise<Imported> {
  const { title, file } = read;
  const { store, now } = admin;
  const asked: WritePlan = options.write ?? (async (work) => store.writeSync(() => work()));
  const write = withLateTimes(store, asked, { now, isNew: true });
  const audit = { action: "production.imported", detail: { title } };
  const done = { source: basename(file), summary: `Created ${title}; this cannot be undone`, audit };
  const record = await loadRecord(store);
  return importDocument(store, blobs, read, {
    ...options,
    write,
    now,
    record: (applied) => record(admin, applied, done),
  });
}

/**
 * Creates the productions of checked documents in one transaction: all of them or none. `progress` is told of the rows
 * that were written of one, and without a number once they all are. Throws like importDocument.
 */
export async function createAll(
  admin: Admin,
  blobs: Blobs,
  reads: readonly ReadDocument[],
  { progress }: { progress: (read: ReadDocument, rows?: number) => void },
): Promise<Imported[]> {
  const works: (() => void)[] = [];
  const imported: Imported[] = [];
  /** Prepares the documents from `at` on, and then writes all. */
  async function createRest(at: number): Promise<void> {
    const read = reads[at];
    if (read === undefined)
      return admin.store.writeSync(() => {
        for (const work of works) work();
      });
    const write: WritePlan = async (work) => {
      works[at] = () => {
        work();
        progress(read);
      };
      await createRest(at + 1);
      return read.made.plan;
    };
    imported[at] = await createFrom(admin, blobs, read, { write, progress: (rows) => progress(read, rows) });
  }
  await createRest(0);
  return imported;
}

/** What was planned of what was given. */
type Made = Pick<Applied, "plan" | "reading">;

/** What an update from documents did, which `nameOf` names. */
const doneBy =
  (nameOf: (file: string) => string) =>
  ({ plan, reading }: Made): Done => {
    const files = reading.documents.map(({ file }) => nameOf(file));
    return { source: files.join(", "), audit: { action: "production.updated", detail: { files, ...plan.counts } } };
  };
const doneByDocuments = doneBy((name) => name);
/** Whoever reads what files did needs their names, and not where this machine keeps them. */
const doneByFiles = doneBy((file) => basename(file));

/**
 * Plans the update and, unless it is a dry run, applies it, and records what `done` says of it. Returns the plan.
 * Throws CliError with every problem of every document, 409 if the production has another revision, 403 if the plan has
 * what the admin may not change; then nothing is written. `write` runs the transaction.
 */
export async function updateFrom(
  admin: Admin,
  blobs: Blobs,
  documents: Documents,
  { production_id, exact = false, episode, dry_run = false, if_revision }: UpdateRequest,
  writePlan: WritePlan,
  done: (made: Made) => Done = doneByDocuments,
): Promise<Plan> {
  const write = withLateTimes(admin.store, writePlan, admin);
  const record = await loadRecord(admin.store);
  let following: Awaited<ReturnType<typeof loadFollowing>>;
  return updateProduction(admin.store, blobs, documents, {
    ...{ production_id, exact, episode, dry_run, if_revision, write },
    now: admin.now,
    ...(admin.is_editor && { check: ({ changes }) => checkUpdate(admin, production_id, changes) }),
    async load(plan) {
      following = await loadFollowing(admin.store, plan);
    },
    record: (applied) => record(admin, applied, done(applied), following),
  });
}

/** The thing of a section that is removed. */
export type RemovalRequest = Omit<UpdateRequest, "exact"> & { section: SectionName; id: number };

/**
 * Removes a thing by its id, which no document can do without listing the others. Throws like updateFrom, and 404 if
 * there is none.
 */
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
  const allowList = (kind: ListKind) => {
    checkList(admin, kind);
    const problem = episodeProblem(kind);
    if (flags.episode !== undefined && problem !== undefined) throw unprocessable(problem);
  };
  if (isListKind(flags.as)) allowList(flags.as);
  const hasPaper = given.some(isPaper);
  if (request.exact && hasPaper)
    throw unprocessable(
      "exact is only for production documents, because scripts and lists never contain everything of their sections",
    );
  const documents = hasPaper
    ? (await loadPaperwork()).documentsOf(store, given, { flags, now, actor, allowList })
    : given.filter((one): one is InputDocument => !isPaper(one));
  const { episode } = flags;
  const ofEpisode = request.exact === true && episode !== undefined ? { episode } : {};
  return updateFrom(admin, blobs, checkedDocuments(admin, documents), { ...request, ...ofEpisode }, write, doneByFiles);
}

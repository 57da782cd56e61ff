// Updates a production from partial documents; apply/create.ts makes one from a whole document, as an update of nothing. Everything that changes
// a production by document takes this way: files, commands, forms, lists, script decisions, and the undo of any of them.
// 1. nouns/stored.ts reads the things of the touched sections. They have references to others by id, so a rename changes one thing.
// 2. match/target.ts makes the things as they will be; an undo sets the values that its change set recorded (apply/restoring.ts).
// 3. check/ checks them by the rules of whole documents, at the places of the documents that name them.
// 4. plan/plan.ts lists the differences: the preview, the history, and what the events tell.
// 5. apply/apply.ts writes them, if each thing is still as the plan read it (apply/meanwhile.ts). Only this holds the write lock.
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readConfig } from "../../../core/config.ts";
import { conflict, HttpError, type Problem } from "../../../core/errors.ts";
import type { ProductionId } from "../../../core/ids.ts";
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import { many, one, value } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import { cut } from "../../../core/wording.ts";
import { append } from "../../sequences/sequences.ts";
import type { UpdateContext } from "../check/check.ts";
import { asSource, type Source, unchangedWarnings } from "../match/matching.ts";
import { StoredProduction } from "../nouns/stored.ts";
import type { Writer } from "../nouns/writer.ts";
import { type Plan, type Planned, type PlannedChange, planUpdate } from "../plan/plan.ts";
import type { InputDocument } from "../read/read.ts";
import { notImported, problemText } from "../refusals.ts";
import { type Hashes, hashesOf, momentOf, revisionText, scriptTables, staleness } from "../revision.ts";
import { sectionNames, sections } from "../sections/sections.ts";
import {
  type ApplyOptions,
  apply,
  discardStaged,
  explainFailure,
  type PreparedUpdate,
  stageNew,
  type UpdateInput,
} from "./apply.ts";
import { changedMeanwhile, type Meanwhile } from "./meanwhile.ts";

export const productionOfTitle = one<{ title: string }, { id: ProductionId }>("import_find_title");

export interface UpdateOptions extends ApplyOptions {
  production_id: number;
  exact: boolean;
  dry_run: boolean;
  /** The update is refused if what it reads is another than in this revision. */
  if_revision?: string | undefined;
  /** Throws if the update may not make a plan. */
  check?(plan: Plan): void;
  write: WritePlan;
  /** Loads what the record of a plan needs, before it is applied. */
  prepare?(planned: PreparedUpdate): Promise<void>;
  /** By whom a field of a thing was changed last, as the end of a sentence. */
  changedBy?(section: PlannedChange["section"], id: number, field: string | undefined): Promise<string>;
}

/** Documents, or a function that reads them from what is stored. It may be called again, each time in a transaction. */
export type Documents = readonly InputDocument[] | ((stored: StoredProduction) => UpdateInput);

/**
 * Runs the writing transaction. `work` takes the time of the commit, by default that of the request, and returns the plan that it applied;
 * undefined if the plan must be made again.
 */
export type WritePlan = (work: (at?: string) => Plan | undefined) => Promise<Plan | undefined>;

const bindingsOf = many<{ production_id: number }, UpdateContext["bindings"][number]>("list_bindings");
const scriptMoment = value<{ production_id: number }, string>("script_moment");
const sectionOrder = ["document", "document_version", "production", ...sectionNames];

/** Throws CliError with every problem of every document. */
export function refuseDocuments(sources: readonly Source[]): never {
  const found = sources.map(({ file, problems, document, unsound = document, unreadable = [] }) => {
    const described = problems.described(unsound, sectionOrder);
    return { file, problems: [...unreadable, ...described.map((one): Problem => ({ file, ...one }))] };
  });
  const more = sources.reduce((sum, { problems }) => sum + problems.more, 0);
  const bad = found.filter(({ problems }) => problems.length > 0);
  const problems = bad.flatMap(({ problems }) => problems);
  const count = problems.length + more === 1 ? "a problem" : `${problems.length + more} problems`;
  const onlyFile = bad.length === 1 ? bad[0]?.file : undefined;
  throw notImported(
    onlyFile === undefined ? `${bad.length} of ${sources.length} files have ${count}` : `${onlyFile} has ${count}`,
    problems,
    problems.map((one) => (onlyFile !== undefined && one.line === undefined ? one.sentence : problemText(one))),
    more,
  );
}

/** A plan with the state of the production that it was made from. */
interface Read extends PreparedUpdate {
  /** The store's revision. */
  at: number;
  /** The tables that the plan read. */
  tables: ReadonlySet<string>;
  /** Of these tables; of those that the plan changes only where something is compared with them. */
  hashes: Hashes;
}

/** Throws 409 if what a plan read is another than in the revision that the caller looked at. */
function checkRevision({ if_revision }: UpdateOptions, revision: string): void {
  const why = if_revision === undefined ? undefined : staleness(if_revision, revision);
  if (why === undefined) return;
  throw conflict(
    `the production is at revision ${revision}, not ${cut(String(if_revision))}: ${why}; nothing was changed`,
  );
}

/** The present revision, which tells of tables. In a transaction. */
const revisionNow = (store: Store, production_id: number, hashes: Hashes): string =>
  revisionText(store, hashes, momentOf(store, { production_id }));

const surroundingsOf = (
  store: Store,
  production_id: number,
  title: string,
  { beside }: Pick<UpdateInput, "beside">,
): UpdateContext => ({
  bindings: bindingsOf(store, { production_id }).filter(({ noun, id }) => beside?.frees?.has(`${noun} ${id}`) !== true),
  titled: productionOfTitle(store, { title }),
  script: beside && scriptMoment(store, { production_id }),
});

/** Plans the update from what is stored now. Throws CliError with every problem. */
function plan(store: Store, given: Documents, options: UpdateOptions): Read {
  const { production_id } = options;
  const at = store.revision();
  const stored = new StoredProduction(store, production_id);
  checkRevision(options, revisionNow(store, production_id, new Map()));
  const reading = typeof given === "function" ? given(stored) : { documents: given };
  const { documents, restore, warnings = [] } = reading;
  const sources = documents.map(asSource);
  const surroundings = (title: string) => surroundingsOf(store, production_id, title, reading);
  const turnaround = () => readConfig(dirname(store.file), process.env).turnaround;
  const planned = planUpdate(stored, sources, { ...options, surroundings, turnaround, restore });
  if (planned === undefined || documents.some(({ unreadable = [] }) => unreadable.length > 0))
    return refuseDocuments(sources);
  options.check?.(planned.plan);
  const tables = new Set([
    ...stored.read(planned.target.touched),
    ...(reading.beside === undefined ? [] : scriptTables),
  ]);
  const isCompared = options.dry_run || options.if_revision !== undefined || isIdle({ ...planned, reading });
  const changed = isCompared || reading.beside !== undefined ? new Set<string>() : tablesOfPlan(planned);
  const hashes = hashesOf(store, production_id, tables.difference(changed));
  planned.plan.revision = revisionNow(store, production_id, hashes);
  checkRevision(options, planned.plan.revision);
  append(planned.plan.warnings, sources.flatMap(unchangedWarnings));
  append(planned.plan.warnings, warnings);
  return { ...planned, reading, at, tables, hashes };
}

/** Whether nothing is written. */
const isIdle = ({ plan, reading }: PreparedUpdate): boolean =>
  plan.changes.length === 0 && reading.beside === undefined;

/** The tables that a plan changes, as far as its sections tell: their hashes are taken once it is applied. */
const tablesOfPlan = ({ slots }: Planned): ReadonlySet<string> =>
  new Set(
    [...new Set(slots.map(({ section }) => section))].flatMap((name) => [
      sections[name].table,
      ...sections[name].tables,
    ]),
  );

const busy = (): HttpError =>
  new HttpError(503, "the production changed each time it was compared; nothing was changed; try again in 5 s", {
    "retry-after": "5",
  });

/** Why a plan cannot be applied to what is stored now; undefined if it can. In the transaction in which it is applied. */
function staleReason(planned: Read, store: Store): Meanwhile | "other" | undefined {
  const { target, reading, surroundings, at, hashes } = planned;
  const { stored, production } = target;
  const around = surroundingsOf(store, stored.production_id, String(production.item.title), reading);
  if (!isDeepStrictEqual(around, surroundings)) return "other";
  store.revision(); // looks for commits of other processes
  if (store.changedAt(stored.production_id, true) <= at) return undefined;
  // What is written beside the documents was made of other things than those that change.
  const isOther = () => !isDeepStrictEqual(hashesOf(store, stored.production_id, hashes.keys()), hashes);
  return reading.beside !== undefined && isOther() ? "other" : changedMeanwhile(store, planned);
}

/** How often a plan is made, each time without the lock. */
const tries = 8;

/** Throws what refuses an update that could not be applied in any of its tries. */
async function refuseStale(reason: Meanwhile | "other", { changedBy }: UpdateOptions): Promise<never> {
  if (reason === "other") throw busy();
  const { section, id, field, sentence } = reason;
  throw conflict(
    // A stored thing has an id.
    `${sentence}${(await changedBy?.(section, id as number, field)) ?? ""}; nothing was changed; try again`,
  );
}

/**
 * Updates a production. Returns the plan, with new ids and the revision after it if it was applied. Reading, comparing and staging media
 * happen without a lock. Under it, each thing that changes is compared with what the plan read of it; if it is another, the plan is made
 * again. Throws CliError with every problem of every document, 409 for another revision, and 409 or 503 if what the plan changes was
 * changed by others in each try; then nothing is written.
 */
export async function updateProduction(
  store: Store,
  blobs: Blobs,
  documents: Documents,
  options: UpdateOptions,
): Promise<Plan> {
  const read = (): Read => store.database.transaction(() => plan(store, documents, options))();
  // What nobody changed in the meantime is as the plan read it, but for what the update wrote itself.
  const revisionAfter = ({ tables, hashes, at, reading }: Read, { tables: written }: Writer): string => {
    const { production_id } = options;
    const isKnown = reading.beside === undefined && store.changedAt(production_id, true) <= at;
    const changed = [...tables].filter((table) => !isKnown || written.has(table) || !hashes.has(table));
    return revisionNow(store, production_id, new Map([...hashes, ...hashesOf(store, production_id, changed)]));
  };
  let planned = read();
  if (options.dry_run) return planned.plan;
  const staged = new Map<string, Staged>();
  try {
    for (let attempt = 1; !isIdle(planned); attempt++) {
      await stageNew(blobs, planned.reading.documents, planned, staged);
      await options.prepare?.(planned);
      let reason: Meanwhile | "other" | undefined;
      const done = await explainFailure(planned.target.touched, () =>
        options.write((now = options.now) => {
          reason = staleReason(planned, store);
          if (reason !== undefined) return undefined;
          const writer = apply(store, blobs, planned, staged, { ...options, now });
          return { ...planned.plan, revision: revisionAfter(planned, writer) };
        }),
      ).catch((error: unknown) => {
        // What the plan refers to may be gone, or a name may be taken.
        if (attempt === tries || store.changedAt(options.production_id, true) <= planned.at) throw error;
        return undefined;
      });
      if (done !== undefined) return done;
      if (attempt === tries && reason !== undefined) return await refuseStale(reason, options);
      planned = read();
    }
    return planned.plan;
  } finally {
    await discardStaged(blobs, staged);
  }
}

// Begins a new round of an approval: reopens one that is decided, or asks again, about another version. Either is a
// change that can be undone.
import { type Caller, holds } from "../../core/access/callers.ts";
import { conflict, forbidden, unprocessable } from "../../core/errors.ts";
import type { ApprovalId, NodeId, ProductionId, VersionId } from "../../core/ids.ts";
import { change, many, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { type Admin, recordChange, requireChangeable } from "../../graph/admin.ts";
import { type Approval, getApproval, settleApproval } from "../../graph/approvals.ts";
import { type ApprovalVersion, notOfApproval, versionOfApproval } from "../../graph/signed_versions.ts";
import { isReleasedSince, keepRound } from "../review/taking_back.ts";
import { storeChangeOf } from "./change_sets.ts";

interface StoredApproval {
  production_id: ProductionId;
  title: string;
  status: Approval["status"];
  node_id: NodeId | null;
  version_id: VersionId | null;
  newest_version_id: VersionId | null;
  is_of_person: 0 | 1;
  is_of_asset: 0 | 1;
}

const storedApproval = one<{ id: number; person_id: number | null }, StoredApproval>("find_approval");
const reopenSteps = change("reopen_steps");
const moveApproval = change("move_approval");
const stepsOfAbsent = many<{ id: number }, { position: number; person: string }>("list_steps_of_absent");

export interface Reopened {
  approval: Approval;
  /** What was done, as a sentence. */
  summary: string;
  /** The steps of people who left the production: nobody can decide them by name. */
  absent: { position: number; person: string }[];
}

interface NewRound {
  source: string;
  /** What is done, as a sentence, in a round of that number. */
  summary(round: number): string;
  /** What else changes, before the steps are pending. */
  work(): void;
  record(round: number, summary: string): void;
}

/**
 * Makes every step pending and keeps the former ones as a former round, as a change set. Inside a write transaction.
 */
function beginRound(
  admin: Admin,
  { production_id, id }: { production_id: ProductionId; id: ApprovalId },
  { source, summary: summaryOf, work, record }: NewRound,
): Reopened {
  const { store, now } = admin;
  let round = 0;
  const begin = () => {
    round = keepRound(store, { production_id, id }) + 1;
    work();
    reopenSteps(store, { production_id, id });
    settleApproval(store, { production_id, approval_id: id }, now, true);
  };
  let summary = "";
  storeChangeOf(admin, { production_id, section: "approvals", id }, begin, () => {
    summary = summaryOf(round);
    return { source, summary };
  });
  record(round, summary);
  const document = getApproval.statement(store, { production_id, engagement_id: null, now, approval_id: id });
  // it was just found
  return { approval: JSON.parse(document as string), summary, absent: stepsOfAbsent(store, { id }) };
}

/** The scene or asset that an approval is about. */
export const nodeOfApproval = (store: Store, id: ApprovalId): NodeId | null =>
  storedApproval(store, { id, person_id: null })?.node_id ?? null;

const foundBy = (admin: Admin, id: number): StoredApproval =>
  requireChangeable(admin, storedApproval(admin.store, { id, person_id: admin.person_id }), `approval ${id}`);

/**
 * Reopens a decided approval: every step becomes pending, and the former steps are kept as a former round. Throws 404
 * if it does not exist or the admin may not change it, 409 if it is pending.
 */
export function reopenApproval(admin: Admin, { id }: { id: ApprovalId }): Reopened {
  return admin.store.writeSync(() => {
    const { production_id, title, status, node_id } = foundBy(admin, id);
    if (status === "pending")
      throw conflict(`approval ${id} is pending; only a decided approval can be reopened; nothing was changed`);
    return beginRound(
      admin,
      { production_id, id },
      {
        source: "approvals reopen",
        summary: (round) => `Reopened ${title}, round ${round}`,
        work() {},
        record(round, summary) {
          const entry = { production_id, node_id, summary, detail: { id, round } };
          recordChange(admin, entry, { type: "approval.reopened", subject: { kind: "approval", id }, data: { round } });
        },
      },
    );
  });
}

/**
 * Throws 403 unless the caller has `edit`, or a step of an approval that is pending or that changes were asked of is
 * its person's.
 */
function requireAsker({ status, is_of_person }: StoredApproval, caller: Caller | undefined): void {
  if (caller === undefined || holds(caller.scopes, "edit")) return;
  if (status === "approved" || status === "rejected")
    throw forbidden(`the approval is ${status}: only a key with the scope edit may ask again; nothing was changed`);
  if (is_of_person === 0)
    throw forbidden(
      "only a key of the person of one of its steps, or one with the scope edit, may ask again; nothing was changed",
    );
}

/** The version that is asked about. Throws 422 for one that cannot be, and 409 if there is none. */
function versionToAsk(
  { store }: Admin,
  key: { production_id: ProductionId; approval_id: ApprovalId },
  { version_id: named, newest_version_id }: StoredApproval,
  given: number | undefined,
): ApprovalVersion {
  const version = versionOfApproval(store, { ...key, version_id: given ?? newest_version_id });
  if (version === undefined && given === undefined)
    throw conflict("there is no version that can be asked about: each is archived; nothing was changed");
  if (version?.is_comparable !== 1) throw notOfApproval("version_id", named !== null);
  if (version.archived === 1)
    throw unprocessable(
      `version_id must be that of a version that is not archived, as v${version.version} is; nothing was changed`,
    );
  return version;
}

/**
 * Asks again about a version of the same asset and variant: by default the newest. Every step becomes pending, and the
 * former steps are kept as a former round. Without a caller, the admin may. Throws 404 if the approval does not exist,
 * 403 as requireAsker, 422 as versionToAsk, and 409 if a release followed the last decision, it is about no asset, or
 * it is pending and about that version.
 */
export function askAgain(
  admin: Admin,
  { id, version_id: given }: { id: ApprovalId; version_id?: number | undefined },
  caller?: Caller,
): Reopened {
  return admin.store.writeSync(() => {
    const found = foundBy(admin, id);
    const { production_id, title, status, node_id, version_id: former_version_id } = found;
    requireAsker(found, caller);
    if (found.is_of_asset === 0) throw conflict("the approval is about no asset; nothing was changed");
    if (isReleasedSince(admin.store, id))
      throw conflict(
        "a version was released after the last decision; another approval asks again; nothing was changed",
      );
    const { id: version_id, version, variant } = versionToAsk(admin, { production_id, approval_id: id }, found, given);
    if (status === "pending" && version_id === former_version_id)
      throw conflict(`the approval is pending and about v${version} already; nothing was changed`);
    return beginRound(
      admin,
      { production_id, id },
      {
        source: "approvals ask-again",
        summary: (round) => `Asked again about v${version} ${variant} of ${title}, round ${round}`,
        work: () => moveApproval(admin.store, { production_id, id, version_id }),
        record(round, summary) {
          const about = { node_id, version_id, former_version_id, round };
          const entry = { production_id, node_id, summary, detail: { id, ...about } };
          recordChange(admin, entry, { type: "approval.asked_again", subject: { kind: "approval", id }, data: about });
        },
      },
    );
  });
}

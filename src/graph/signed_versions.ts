// What a decision signs: the version that an approval is about, compared with the versions that the client showed.
import { conflict, type HttpError, unprocessable } from "../core/errors.ts";
import type { ApprovalId, ProductionId, VersionId } from "../core/ids.ts";
import { one } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";

export interface ApprovalVersion {
  id: VersionId;
  version: number;
  variant: string;
  archived: 0 | 1;
  /** Whether it is of the variant of the version that the approval names, or the approval names none. */
  is_comparable: 0 | 1;
}

type ApprovalKey = { production_id: ProductionId; approval_id: ApprovalId };

/** A version by its id, if it is one of the asset that an approval is about. */
export const versionOfApproval = one<ApprovalKey & { version_id: number | null }, ApprovalVersion>(
  "get_version_of_approval",
);

const versionText = ({ id, version, variant }: ApprovalVersion): string => `v${version} ${variant} (version_id ${id})`;

/** The ids of versions that a client showed. */
export interface Shown {
  /** What the decision is meant to sign; null if there was none. */
  version_id?: number | null | undefined;
  /** The newest one. */
  seen?: number | undefined;
}

/** What an approval would sign now, and the newest version that could be asked about. */
export interface Signable {
  signed_version_id: VersionId | null;
  newest_version_id: VersionId | null;
}

/** Says the same of an unknown version, of one of another production, and of one that is not comparable. */
export const notOfApproval = (field: string, ofVariant: boolean): HttpError =>
  unprocessable(
    `${field} must be the id of a version of the asset${ofVariant ? " and the variant" : ""} that the approval is about; nothing was recorded`,
  );

/**
 * Throws 422 for a version that is not of the asset, or in `seen` not of the variant, that the approval is about, and
 * 409 if another version is signed now than the client showed, or if one is there that is newer than all that it
 * showed.
 */
export function checkShown(store: Store, key: ApprovalKey, now: Signable, { version_id, seen }: Shown): void {
  const versionOf = (id: number | null) => versionOfApproval(store, { ...key, version_id: id });
  const meant = versionOf(version_id ?? null);
  if (typeof version_id === "number" && meant === undefined) throw notOfApproval("version_id", false);
  const newestShown = seen === undefined ? undefined : versionOf(seen);
  if (seen !== undefined && newestShown?.is_comparable !== 1) throw notOfApproval("seen", true);
  const signed = versionOf(now.signed_version_id);
  if (version_id === null && signed !== undefined)
    throw conflict(`${versionText(signed)} came since; nothing was recorded`);
  if (meant !== undefined && signed !== undefined && meant.id !== signed.id)
    throw conflict(
      `the approval is about ${versionText(signed)} now, not about v${meant.version}; nothing was recorded`,
    );
  const newest = versionOf(now.newest_version_id);
  if (newestShown !== undefined && newest !== undefined && newest.version > newestShown.version)
    throw conflict(`${versionText(newest)} came since: it is newer than v${newestShown.version}; nothing was recorded`);
}

// What approvals are about, read by one statement for all of a page. The operation is not one of the API, so its file
// has no other.
import * as v from "valibot";
import { holds } from "../../core/access/callers.ts";
import type { ApprovalId, ProductionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { document, many } from "../../core/store/statements.ts";
import type { Approval } from "../../graph/approvals.ts";
import { withPreviews } from "./film_previews.ts";
import type { SeenMedium, ShownVersion } from "./pages/versions.ts";
import { sceneNumber } from "./scene_facts.ts";
import type { Visit } from "./visit.ts";

const subjectNote = v.object({ text: out.text, author: v.nullable(out.text), came_with: v.boolean() });
type SubjectNote = v.InferOutput<typeof subjectNote>;
const newestVersion = v.object({ id: out.id, version: out.count, variant: out.text, answers: v.boolean() });
type NewestVersion = v.InferOutput<typeof newestVersion>;

export interface Subject {
  href: string;
  name: string;
  /** The kind of an asset. */
  kind?: string;
  /** What is signed: the version that the approval names, or the newest. */
  version?: Omit<ShownVersion, "media_id"> | undefined;
  /** The still of the version; of a delivery the media of the newest work on it, otherwise its own. */
  media: readonly SeenMedium[];
  /** The newest version that can be asked about. `answers`: changes were asked for, and it came since. */
  newest?: NewestVersion | undefined;
  /** The numbers of the versions that steps of it have signed, by their ids. */
  signed: Readonly<Record<string, number>>;
  /** The note that came with the version, and the newest one on it. */
  notes: readonly SubjectNote[];
  /** The title, the vendor and the note of the newest work on a delivery. */
  submission?: string | undefined;
}

const optional = v.nullable(out.text);
const found = v.object({
  approval_id: out.id,
  node_id: v.nullable(out.id),
  kind: optional,
  label: optional,
  scene: v.nullable(v.object({ number: out.text, slugline: out.text, episode_code: optional })),
  delivery_id: v.nullable(out.id),
  delivery: optional,
  version: v.nullable(
    v.object({
      id: out.id,
      version: out.count,
      variant: out.text,
      status: out.text,
      released: v.boolean(),
      created_by: optional,
      created_at: optional,
      archived: v.boolean(),
    }),
  ),
  media: v.array(v.object({ id: out.id, label: out.text, sha256: out.text, content_type: out.text })),
  newest: v.nullable(newestVersion),
  signed: v.record(out.text, out.count),
  notes: v.array(subjectNote),
  submission: v.array(out.text),
});
type Found = v.InferOutput<typeof found>;

interface Asked {
  production_id: ProductionId;
  /** The ids of the approvals, as a JSON array. */
  ids: string;
}
/** How many media of a subject are looked at. */
const mediaOfSubject = 100;

const subjectsOf = document<Asked & { with_unreleased: 0 | 1; most: number }, Found[]>("list_approval_subjects");
/** What an approval signs, and the newest version that it may be asked about; null for an approval of no asset. */
export interface SignedVersion {
  approval_id: ApprovalId;
  version_id: number | null;
  newest_id: number | null;
}
const versionsOf = many<Asked, SignedVersion>("list_signed_versions");

const listApprovalSubjects = operation({
  name: "list_approval_subjects",
  summary: "Lists what approvals are about. Of an unreleased version, a key without write sees only that it is there.",
  path: "/approval-subjects",
  scope: "read",
  input: v.object({ ids: v.array(input.id) }),
  output: v.array(found),
  run({ app, caller }, { ids }) {
    const { production_id, scopes } = caller;
    const with_unreleased = holds(scopes, "write") ? 1 : 0;
    return (
      subjectsOf(app.store, { production_id, ids: JSON.stringify(ids), with_unreleased, most: mediaOfSubject }) ?? []
    );
  },
});

/** The subject that was found; undefined for an approval that gates nothing. */
function subjectOf({ node_id, delivery_id, scene, delivery, kind, label, version, ...more }: Found) {
  const shown = { media: more.media, notes: more.notes, signed: more.signed };
  if (delivery_id !== null)
    return {
      ...shown,
      href: `/deliveries/${delivery_id}`,
      name: delivery ?? "",
      submission: more.submission.join(" · ") || undefined,
    };
  if (node_id === null) return undefined;
  if (scene !== null) {
    const number = sceneNumber({ number: scene.number, episode_code: scene.episode_code ?? undefined });
    return { ...shown, href: `/scenes/${node_id}`, name: `Scene ${number} ${scene.slugline}` };
  }
  const of = { kind: kind ?? "", version: version ?? undefined, newest: more.newest ?? undefined };
  return { ...shown, ...of, href: `/assets/${node_id}`, name: label ?? "" };
}

/** What approvals are about, by their ids. */
export async function subjectsByApproval(
  visit: Visit,
  approvals: readonly Pick<Approval, "id">[],
): Promise<ReadonlyMap<number, Subject | undefined>> {
  if (approvals.length === 0) return new Map();
  const rows = await visit.ask(listApprovalSubjects, { ids: approvals.map(({ id }) => id) });
  const known = rows.map(async (row) => ({ ...row, media: await withPreviews(visit, row.media) }));
  return new Map((await Promise.all(known)).map((row) => [row.approval_id, subjectOf(row)]));
}

/** The newest version that can be asked about, if it is newer than what is signed. */
export const newerOf = ({ version, newest }: Subject): NewestVersion | undefined =>
  version !== undefined && newest !== undefined && newest.version > version.version ? newest : undefined;

/** What approvals sign, and the newest version that can be asked about, by the ids of the approvals. */
export function signedVersions(
  { context: { app, caller } }: Visit,
  approvals: readonly Pick<Approval, "id">[],
): ReadonlyMap<number, SignedVersion> {
  const ids = JSON.stringify(approvals.map(({ id }) => id));
  const rows = versionsOf(app.store, { production_id: caller.production_id, ids });
  return new Map(rows.map((row) => [row.approval_id, row]));
}

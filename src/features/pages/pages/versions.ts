// The versions of an asset with as much of each as the visitor may see, and their media.
import type { NodeId } from "../../../core/ids.ts";
import { getAsset, listVersions } from "../../../graph/assets.ts";
import { getMedia } from "../../../graph/media.ts";
import { getPerson } from "../../../graph/people.ts";
import { withPreviews } from "../film_previews.ts";
import { isShownPicture, type KnownMedium } from "../media_words.ts";
import type { OutputOf, Visit } from "../visit.ts";

type AssetVersion = OutputOf<typeof listVersions>[number];

/** What is shown of a version. An unreleased one is complete only for keys that may write. */
export type ShownVersion = Pick<AssetVersion, "id" | "version" | "variant" | "status" | "released"> &
  Partial<
    Pick<AssetVersion, "note" | "note_place" | "created_by" | "created_by_person_id" | "created_at" | "archived">
  > & {
    media_id: number | null;
    /** Who wrote the note that it shows, if that is known. */
    note_by?: string | undefined;
  };

/** The medium of a version that browsers show as a still; the first one if there is none. */
const stillOf = ({ media }: AssetVersion): number | null => (media.find(isShownPicture) ?? media[0])?.id ?? null;

/**
 * The versions of an asset, newest last, with as much as the visitor may see of each, and signed by the people of their
 * keys.
 */
export async function versionsOf(visit: Visit, node_id: NodeId): Promise<ShownVersion[]> {
  const versions: ShownVersion[] = visit.mayWrite
    ? (await visit.ask(listVersions, { node_id })).map((version) => ({ ...version, media_id: stillOf(version) }))
    : (await visit.ask(getAsset, { node_id })).versions.map((one) => (one.released ? one : { ...one, media_id: null }));
  const signed = versions.map(async ({ created_by_person_id: person_id, ...version }) =>
    person_id == null ? version : { ...version, created_by: (await visit.ask(getPerson, { person_id })).name },
  );
  return Promise.all(signed);
}

/** The newest version that is not archived; a new note lands on the newest of all. */
export const newestOf = (versions: readonly ShownVersion[]): ShownVersion | undefined =>
  versions.findLast(({ archived }) => archived !== true);

/** What a version is compared with: the last released one of its variant that is not itself. */
export const releasedBefore = (
  { id, variant }: ShownVersion,
  versions: readonly ShownVersion[],
): ShownVersion | undefined =>
  versions.findLast((one) => one.released && one.archived !== true && one.variant === variant && one.id !== id);

export interface SeenMedium extends KnownMedium {
  id: number;
  label: string;
}

/** How many media of one thing are shown, and not only linked. */
export const shownMedia = 6;

/** The first media of a list, each with the type of its bytes and what is known of a film. */
export const mediaOf = async (visit: Visit, media: readonly { id: number }[]): Promise<SeenMedium[]> => {
  const asked = media.slice(0, shownMedia).map(({ id }) => visit.ask(getMedia, { id }));
  return withPreviews(visit, await Promise.all(asked));
};

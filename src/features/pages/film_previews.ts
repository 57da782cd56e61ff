// Asks for the previews of films that no browser or only some play, so that pages play these in their place.
import { HttpError } from "../../core/errors.ts";
import { getMediaContent } from "../../graph/media.ts";
import { withFacts } from "./known_media.ts";
import { isFilm, isPlayed, type KnownMedium } from "./media_words.ts";
import type { Visit } from "./visit.ts";

/** How many films of a page are asked for: what is made of each is kept. */
const maxAsked = 6;

/** Whether a film has a preview, or gets one. */
async function previewState(visit: Visit, id: number): Promise<KnownMedium["preview"]> {
  try {
    await visit.bytes(getMediaContent, { id, preview: true });
    return "ready";
  } catch (error) {
    return error instanceof HttpError && error.status === 503 ? "waits" : undefined;
  }
}

/** Media with what is known of each. */
export async function withPreviews<M extends { id: number; sha256: string; content_type: string }>(
  visit: Visit,
  media: readonly M[],
): Promise<(M & KnownMedium)[]> {
  const known: (M & KnownMedium)[] = await withFacts(visit.context.app, media);
  const asked = new Set(known.filter((one) => isFilm(one) && (!isPlayed(one) || one.film?.isRare)).slice(0, maxAsked));
  return Promise.all(
    known.map(async (one) => {
      const preview = asked.has(one) ? await previewState(visit, one.id) : undefined;
      return preview === undefined ? one : { ...one, preview };
    }),
  );
}

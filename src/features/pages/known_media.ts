// Says what is known of media from their files: the codec of a film, and whether a picture moves, carries a place or is
// cut off. What was found is kept.
import type { App } from "../../core/context.ts";
import { pictureFactsOf } from "../../core/store/picture_headers.ts";
import { filmIn, isRead } from "./film_codecs.ts";
import type { KnownMedium } from "./media_words.ts";

type Facts = Pick<KnownMedium, "film" | "picture">;

/** The media that were looked at, by their hashes. */
const known = new Map<string, Facts>();
const maxKnown = 10_000;
/** How many pictures of one thing are looked at: a sequence has thousands. */
const maxPictures = 50;

async function factsIn(file: string, content_type: string): Promise<Facts | undefined> {
  if (isRead(content_type)) return { film: await filmIn(file, content_type) };
  return content_type.startsWith("image/") ? { picture: await pictureFactsOf(file) } : undefined;
}

/** What is known of a medium; undefined without its bytes. */
async function factsOf({ blobs }: App, sha256: string, content_type: string): Promise<Facts | undefined> {
  const found = known.get(sha256) ?? (await factsIn(blobs.fileOf(sha256), content_type).catch(() => undefined));
  if (found === undefined) return undefined;
  known.set(sha256, found);
  for (const oldest of known.keys()) {
    if (known.size <= maxKnown) break;
    known.delete(oldest);
  }
  return found;
}

/** Media with what is known of each, of many pictures the first ones. */
export function withFacts<M extends { sha256: string; content_type: string }>(
  app: App,
  media: readonly M[],
): Promise<(M & Facts)[]> {
  const pictures = media.filter(({ content_type }) => content_type.startsWith("image/"));
  const passed = new Set(pictures.slice(maxPictures));
  return Promise.all(
    media.map(async (medium) =>
      passed.has(medium) ? medium : { ...medium, ...(await factsOf(app, medium.sha256, medium.content_type)) },
    ),
  );
}

// The tags of the manifests that somebody follows. All who follow the manifest of one engagement share its tag, which
// is made again after a commit of the production, or once a grant or an engagement has ended by the clock.
import type { Context } from "../../core/context.ts";
import { stateOf } from "../../core/features.ts";
import { nextExpiry } from "../../core/http/response_cache.ts";
import { authorize, perform } from "../../core/pipeline.ts";
import { getManifest } from "./manifest.ts";

/** A tag that was made, or is being made. */
export interface MadeTag {
  by: Context;
  /** The revision of the store when it was begun. */
  revision: number;
  /** When something that the manifest shows may expire, in milliseconds. */
  until: number;
  /** When those who wait may have it made again, by performance.now(). */
  restUntil: number;
  etag: Promise<string>;
}

/** How many times as long as it took to make a tag nobody who waits has it made again. */
const rest = 5;

const tagsOf = stateOf(() => ({ made: new Map<string, MadeTag>() }));

/** What a manifest depends on: its engagement, and whether the caller may see money. */
const nameOf = ({ caller }: Context): string =>
  `${caller.engagement_id} ${caller.scopes.includes("read:money") ? "with money" : ""}`;

function isCurrent({ app, caller }: Context, { revision, until }: MadeTag): boolean {
  app.store.revision(); // learns of the commits of other processes
  return revision >= app.store.changedAt(caller.production_id) && app.clock() < until;
}

function makeTag(context: Context): MadeTag {
  const { app, caller, now } = context;
  const revision = app.store.revision();
  const expiry = nextExpiry(app.store, { production_id: caller.production_id, now });
  const started = performance.now();
  const tag = async (): Promise<string> => {
    const { etag } = (await perform(context, getManifest, {})) as { etag: string }; // safe: a manifest has its tag
    made.restUntil = performance.now() + rest * (performance.now() - started);
    return etag;
  };
  const until = expiry ? Date.parse(expiry) : Number.POSITIVE_INFINITY;
  const made: MadeTag = {
    by: context,
    revision,
    until,
    restUntil: Number.POSITIVE_INFINITY,
    etag: Promise.resolve(""),
  };
  made.etag = tag();
  return made;
}

/**
 * Whether somebody who knows the tag `seen` should ask again: there is another one, or it is time to make another one.
 */
export function mayHaveMoved(context: Context, seen: MadeTag): boolean {
  const made = tagsOf(context.app).made.get(nameOf(context));
  if (made === undefined || made !== seen) return true;
  return performance.now() >= made.restUntil && !isCurrent(context, made);
}

/** The present tag of the caller's manifest. Throws what GET /me/manifest throws, also if the key ended meanwhile. */
export async function currentTag(context: Context): Promise<{ made: MadeTag; etag: string }> {
  const { made: tags } = tagsOf(context.app);
  for (;;) {
    const present = context.renew();
    authorize(present, getManifest);
    const name = nameOf(present);
    const known = tags.get(name);
    const made = known !== undefined && isCurrent(present, known) ? known : makeTag(present);
    tags.set(name, made);
    try {
      const etag = await made.etag;
      context.renew();
      return { made, etag };
    } catch (error) {
      if (tags.get(name) === made) tags.delete(name);
      if (made.by === present) throw error; // otherwise it may be the refusal of another key
    }
  }
}

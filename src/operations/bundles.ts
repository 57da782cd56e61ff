// The bundles: one round trip, one statement, one hash.
import type { Context } from "../context.ts";
import { etagOf } from "./answers.ts";
import { read } from "./read.ts";

/** Closes a bundle with its etag: a hash of the assembled document, as the ETag header bears it. */
function withEtag(document: string): string {
  return `${document.slice(0, -1)},"etag":${JSON.stringify(etagOf(document))}}`;
}

/** GET /bundles/scene/{node_id} */
export const getSceneBundle = (context: Context, { node_id }: { node_id: number }) =>
  withEtag(read(context, "get_scene_bundle", { node_id }));

/** GET /bundles/character/{node_id} */
export const getCharacterBundle = (context: Context, { node_id }: { node_id: number }) =>
  withEtag(read(context, "get_character_bundle", { node_id }));

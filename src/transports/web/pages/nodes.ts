// /nodes/{node_id}: leads to the scene or the asset of an id, for lists that do not say which of the two it is.
import { HttpError } from "../../../errors.ts";
import { getAsset } from "../../../operations/assets.ts";
import type { Redirect } from "../page.ts";
import type { Visit } from "../visit.ts";

export async function showNode(visit: Visit): Promise<Redirect> {
  const node_id = visit.id("node_id");
  try {
    await visit.ask(getAsset, { node_id });
    return { location: `/assets/${node_id}` };
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 404) throw error;
    return { location: `/scenes/${node_id}` };
  }
}

// The ids of the things that commands name.
import { unprocessable } from "../core/errors.ts";
import type { Lookup } from "../core/feature.ts";
import { contribution } from "../core/features.ts";
import type { ProductionId } from "../core/ids.ts";
import type { Store } from "../core/store/store.ts";
import { cut } from "../core/wording.ts";

type Noun = Parameters<Lookup["idOf"]>[1];

/**
 * The id of the thing that `text` names: an id, or with a feature that knows names also a name. Throws 404 or 422 if it
 * names no thing or several.
 */
export async function idNamed(store: Store, noun: Noun, text: string, production_id?: ProductionId): Promise<number> {
  const lookup = await contribution("lookup")?.();
  if (lookup !== undefined) return lookup.idOf(store, noun, text, production_id);
  if (!/^[1-9]\d{0,14}$/.test(text)) throw unprocessable(`${cut(text)} is not an id: an id is a positive integer`);
  return Number(text);
}

/** The same for a flag; undefined if it is absent. */
export const idGiven = async (store: Store, noun: Noun, text: string | undefined, production_id?: ProductionId) =>
  text === undefined ? undefined : idNamed(store, noun, text, production_id);

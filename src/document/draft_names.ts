// The names of the things of a draft. The names of each noun are collected once, at the first request.
import type { Draft, Slot } from "./draft.ts";
import type { Noun } from "./names.ts";
import { keyOf } from "./sections.ts";
import type { Known, KnownNames } from "./validator.ts";

export class DraftNames implements KnownNames {
  readonly #draft: Draft;
  readonly #ids = new Map<Noun, ReadonlyMap<string, number | undefined>>();
  #assets: ReadonlyMap<string, Slot> | undefined;

  /** The draft must not change any more. */
  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /** The ids by name; the id of what is not stored is undefined. */
  ids(noun: Noun): ReadonlyMap<string, number | undefined> {
    let ids = this.#ids.get(noun);
    if (ids === undefined) {
      ids = this.#draft.names(noun);
      this.#ids.set(noun, ids);
    }
    return ids;
  }

  get(noun: Noun, name: string): Known | undefined {
    if (noun !== "asset") return this.ids(noun).has(name) ? {} : undefined;
    const slot = this.#slotsOfAssets().get(name);
    if (slot === undefined) return undefined;
    const { kind, versions = [] } = slot.item as { kind?: string; versions?: unknown[] };
    return { kind, versions: versions.length };
  }

  isUnsure(): boolean {
    return false;
  }

  #slotsOfAssets(): ReadonlyMap<string, Slot> {
    this.#assets ??= new Map(
      this.#draft.slots("assets").flatMap((slot) => (slot.gone ? [] : [[keyOf("assets", slot.item) as string, slot]])),
    );
    return this.#assets;
  }
}

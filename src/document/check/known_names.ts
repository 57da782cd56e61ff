// What the names in a document refer to: of one complete document, or of a draft.
import { sameName } from "../../spelling.ts";
import type { Draft } from "../match/draft.ts";
import type { Slot } from "../match/source.ts";
import { type Noun, nameOf, namings, nouns } from "../sections/names.ts";
import { namedThing, type Problems } from "../sections/problems.ts";
import type { ProductionDocument } from "../sections/schema.ts";
import { keyOf } from "../sections/sections.ts";
import type { Known, KnownNames } from "./validator.ts";

export class DocumentNames implements KnownNames {
  readonly #document: ProductionDocument;
  readonly #problems: Problems;
  /** Positions in the document's lists. */
  readonly #names = new Map<Noun, Map<string, number>>();
  readonly #unsure = new Set<Noun>();
  /** What is known of the assets that were asked for: an asset of many versions is often named. */
  readonly #assets = new Map<number, Known>();

  constructor(document: ProductionDocument, problems: Problems) {
    this.#document = document;
    this.#problems = problems;
    for (const noun of nouns) this.#collect(noun);
  }

  get(noun: Noun, name: string): Known | undefined {
    const position = this.#names.get(noun)?.get(name);
    if (position === undefined || noun !== "asset") return position === undefined ? undefined : {};
    let known = this.#assets.get(position);
    if (known === undefined) {
      known = this.#knownAsset(position);
      this.#assets.set(position, known);
    }
    return known;
  }

  #knownAsset(position: number): Known {
    const asset = this.#document.assets[position];
    const place = `assets[${position}]`;
    const numbered =
      this.#isUsable(`${place}.versions`) && asset?.versions.every((version, at) => version?.version === at + 1);
    return {
      kind: this.#isUsable(`${place}.kind`) ? asset?.kind : undefined,
      versions: numbered ? asset?.versions.length : undefined,
    };
  }

  isUnsure(noun: Noun): boolean {
    return this.#unsure.has(noun);
  }

  #isUsable(place: string): boolean {
    return !this.#problems.has(place);
  }

  /** The name of a thing; undefined if it has no name that can be relied on. */
  #nameOf(noun: Noun, item: unknown, place: string): string | undefined {
    const { field, refs } = { refs: false, ...namings[noun] };
    if (!this.#isUsable(place)) return undefined;
    if (noun === "vendor") return nameOf(noun, item);
    if (!this.#isUsable(`${place}.${field}`) || (refs && !this.#isUsable(`${place}.ref`))) return undefined;
    if (noun === "scene" && !this.#hasEpisode(item as { episode?: unknown }, place)) return undefined;
    return nameOf(noun, item);
  }

  /** Whether the episode, which is a part of the scene's name, is as the production's format requires it. */
  #hasEpisode({ episode }: { episode?: unknown }, place: string): boolean {
    if (!this.#isUsable(`${place}.episode`)) return false;
    const readable = this.#isUsable("production") && this.#isUsable("production.format");
    const format = readable ? this.#document.production.format : undefined;
    if (format === "single") return episode === undefined;
    const known = typeof episode === "string" && this.#names.get("episode")?.has(episode) === true;
    return format === "episodic" ? known : known || episode === undefined;
  }

  #collect(noun: Noun): void {
    const { list, field, refs, folded } = { refs: false, folded: false, ...namings[noun] };
    const names = new Map<string, number>();
    this.#names.set(noun, names);
    if (!this.#isUsable(list)) {
      this.#unsure.add(noun);
      return;
    }
    const seen = folded ? new Map<string, number>() : names;
    (this.#document[list] as readonly unknown[]).forEach((item, at) => {
      const place = `${list}[${at}]`;
      const name = this.#nameOf(noun, item, place);
      if (name === undefined) {
        this.#unsure.add(noun);
        return;
      }
      const key = folded ? sameName(name) : name;
      const before = seen.get(key);
      if (!names.has(name)) names.set(name, at);
      if (before === undefined) {
        seen.set(key, at);
        return;
      }
      this.#unsure.add(noun); // a reference may mean the other one
      const other = namedThing(this.#document, `${list}[${before}]`);
      if (noun === "vendor") this.#problems.add(place, `is the same as ${other}`);
      else if (!refs) this.#problems.add(`${place}.${field}`, `is the same as that of ${other}`);
      else if ((item as { ref?: string }).ref === undefined)
        this.#problems.add(`${place}.ref`, `is required: ${other} has the same name`);
      else this.#problems.add(`${place}.ref`, `must be different: ${other} already has it`);
    });
  }
}

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

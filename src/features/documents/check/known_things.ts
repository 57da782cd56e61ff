// What the names in the documents of an update refer to: things as they will be.
import type { Slot } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import { type Noun, namings } from "../sections/sections.ts";
import type { KnownAsset, KnownThings } from "./validator.ts";

/** What the names in the documents of an update refer to. The target must not change any more. */
export function knownThings(target: Target): KnownThings {
  const byNoun = new Map<Noun, ReadonlySet<string>>();
  let assets: ReadonlyMap<string, Slot> | undefined;
  let hasUnsureScenes: boolean | undefined;

  /** Whether a reference is to something that stays. */
  function has(noun: Noun, reference: string): boolean {
    const known = byNoun.get(noun) ?? new Set(target.names.references(noun).values());
    byNoun.set(noun, known);
    return known.has(reference);
  }

  /** Whether the episode, which is a part of the name of a scene, is another one than the format of the production requires. */
  function lacksEpisode(slot: Slot): boolean {
    if (slot.gone) return false;
    const episode = slot.field("episode");
    return target.production.item.format === "episodic" ? !has("episode", episode as string) : episode !== undefined;
  }

  return {
    has,
    /** What is known of the asset of a reference. */
    asset(reference: string): KnownAsset {
      assets ??= new Map(target.slots("assets").flatMap((slot) => (slot.gone ? [] : [[slot.ref, slot]])));
      const found = assets.get(reference);
      return found === undefined ? {} : knownAsset(found);
    },
    /** Whether something of the noun has a name that could not be read: an unknown name may be its name. */
    isUnsure(noun: Noun): boolean {
      if (target.unsure.has(namings[noun].list)) return true;
      if (noun !== "scene") return false;
      hasUnsureScenes ??= target.slots("scenes").some(lacksEpisode);
      return hasUnsureScenes;
    },
  };
}

function knownAsset({ item, given }: Slot): KnownAsset {
  const { kind, versions = [] } = item as { kind?: string; versions?: ({ version?: unknown } | null)[] };
  const isSound = (field: string) => !given.some(({ source, at }) => source.problems.has(`assets[${at}].${field}`));
  const isNumbered = isSound("versions") && versions.every((one, at) => one?.version === at + 1);
  return { kind: isSound("kind") ? kind : undefined, versions: isNumbered ? versions.length : undefined };
}

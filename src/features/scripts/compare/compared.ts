// A scene of the script as the comparison knows it: as the newest draft has it, as it was approved, and what was
// dismissed of the difference.
import type { DraftScene } from "./drafts.ts";
import type { SceneDependencies } from "./fields.ts";

/** What somebody dismissed of a scene, or made otherwise by hand: 1, what differs in it; 2, its place; 3, both. */
export type Dismissed = 0 | 1 | 2 | 3;
export const isContentDismissed = ({ dismissed }: { dismissed: Dismissed }): boolean => dismissed % 2 === 1;
export const isPlaceDismissed = ({ dismissed }: { dismissed: Dismissed }): boolean => dismissed >= 2;

export const dismissedOf = (content: boolean, place: boolean): Dismissed => (content ? (place ? 3 : 1) : place ? 2 : 0);

/** A scene of the script, or of the production alone. */
export interface KnownScene {
  /** As the newest draft has it; omitted, if that does not. */
  scene: DraftScene;
  /** Its place there; null if that draft does not have it, undefined if no draft ever had it. */
  place: number | null | undefined;
  /** As it was last approved; of a scene that the production does not have, `scene`. */
  approved: DraftScene;
  /** As the production has it, with its index there. Undefined if it does not: the addition waits, or was dismissed. */
  stored: (SceneDependencies & { order: number }) | undefined;
  dismissed: Dismissed;
  /** Whether a change of its place waits. */
  asked: boolean;
}

/** A scene with a later draft in the place of the newest one. */
export interface ComparedScene extends KnownScene {
  place: number | null;
  /** As the draft before had it, if that differs. */
  former?: DraftScene | undefined;
  /** Whether revised pages have it. Undefined for a whole draft. */
  isOfPages?: boolean | undefined;
  /** Such as "perhaps 41, renumbered". */
  hint?: string | undefined;
}

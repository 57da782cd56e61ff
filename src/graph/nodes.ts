// What scenes and assets have in common: the time of the last change.
import { change } from "../core/store/statements.ts";

/** Moves the time of the last change of a scene or an asset. */
export const touchNode = change("touch_node");

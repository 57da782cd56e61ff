// Reads a Final Draft file of one episode.
import { readFdxScripts } from "../../src/features/scripts/fdx.ts";
import type { Script } from "../../src/features/scripts/script.ts";

/** The script of a Final Draft file; the first one if it has several episodes. */
export const readFdx = (bytes: Uint8Array): Script => readFdxScripts(bytes)[0]?.script as Script;

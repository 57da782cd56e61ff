// Which engine writes the changes of documents. What tests and the comparison of both set; nothing that users reach does.
import type { Parts } from "./changes/parts.ts";

/** With `parts`, an update is a list of operations on rows (changes/). */
export const engine: { parts?: Parts } = {};

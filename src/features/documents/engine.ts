// Which engine writes the changes of documents. Tests and the comparison of both set it; nothing that users reach does.

/** With `operations`, an update is a list of operations on rows (changes/). */
export const engine = { operations: process.env.TALLYLIGHT_ENGINE === "operations" };

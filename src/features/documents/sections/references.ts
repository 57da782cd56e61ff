// What stands in a document for the bytes of a medium that are known by their hash.

/**
 * The `file` of a medium whose bytes are known by their hash. The character is for private use: no path of a document
 * has it.
 */
const fileMark = "\ue000";
export const fileOfHash = (sha256: string): string => fileMark + sha256;
export const hashOfFile = (file: unknown): string | undefined =>
  typeof file === "string" && file.startsWith(fileMark) ? file.slice(fileMark.length) : undefined;

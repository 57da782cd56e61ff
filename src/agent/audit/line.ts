// Reads the paths from one line of LucidLink's audit trail. A line is only a reason to look at the disk, so a line with an unknown
// action counts too.
import type { Hint } from "../spool.ts";

/** Actions that change neither names nor bytes of files. */
const quietActions: ReadonlySet<string> = new Set([
  "FileRead",
  "PreHydrate",
  "Pin",
  "Unpin",
  "ExtendedAttributeSet",
  "ExtendedAttributeDelete",
]);

/** A path of the trail relative to the root; undefined if it is not a path. */
function relative(path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  const stripped = path.replace(/^\/+|\/+$/g, "");
  const parts = stripped.split("/");
  return parts.some((part) => part === "" || part === "." || part === "..") || stripped.includes("\0")
    ? undefined
    : stripped;
}

/** A name on the disk may have another Unicode form than in the trail. */
const formsOf = (path: string): Set<string> => new Set([path, path.normalize("NFC"), path.normalize("NFD")]);

/** Where to look because of a line; undefined if the text is not a line of the trail. */
export function hintsOf(text: string): Hint[] | undefined {
  let line: { operation?: { action?: unknown; entryPath?: unknown; targetPath?: unknown } } | null;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  const operation = line?.operation;
  if (typeof operation !== "object" || operation === null || typeof operation.action !== "string") return undefined;
  const { action } = operation;
  if (quietActions.has(action)) return [];
  const named = action !== "FileWritten";
  return [operation.entryPath, operation.targetPath].flatMap((written) => {
    const path = relative(written);
    if (path === undefined) return [];
    return [...formsOf(path)].map((form) => ({ path: form, source: "audit_tail" as const, named, merged: false }));
  });
}

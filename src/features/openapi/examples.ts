// Reads the recorded examples as the description has them.
import type { Example } from "./recorded_examples.ts";

/**
 * Returns the path and query fields of a recorded request as text. `pattern` is the operation's path, e.g.
 * `/assets/:node_id`.
 */
export function requestFields(pattern: string, { path }: Example): ReadonlyMap<string, string> {
  const [pathname = "", query] = path.split("?");
  const parts = pathname.split("/");
  const inPath = pattern.split("/").flatMap((part, at): [string, string][] => {
    const text = parts[at];
    return part.startsWith(":") && text !== undefined ? [[part.slice(1), decodeURIComponent(text)]] : [];
  });
  return new Map([...inPath, ...new URLSearchParams(query)]);
}

// Evaluates conditional and range headers (RFC 9110 sections 13 and 14).

/** Whether an If-None-Match header matches `etag`. The header may be a list, `*` or weak tags, and quotes may be missing. */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag) return true;
  const bare = etag.replace(/^W\//i, "").replaceAll('"', "");
  return ifNoneMatch.split(",").some((part) => {
    const tag = part.trim();
    return tag === "*" || tag.replace(/^W\//, "").replace(/^"(.*)"$/, "$1") === bare;
  });
}

export interface ByteRange {
  start: number;
  /** Inclusive. */
  end: number;
}

/**
 * Returns the range of `size` bytes to send. Returns undefined, so that the whole file is sent, if there is no Range header, if
 * it is not a single byte range, or if If-Range is not this ETag (the comparison is strong, so a date never matches).
 */
export function rangeOf(
  range: string | undefined,
  ifRange: string | undefined,
  etag: string,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [matched, from, to] = /^bytes=\s*(\d{0,16})-(\d{0,16})\s*$/i.exec(range) ?? [];
  if (matched === undefined || from === undefined || to === undefined || (from === "" && to === "")) return undefined;
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  const end = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}

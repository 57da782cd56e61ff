// Evaluates the headers of content negotiation, conditional and range requests (RFC 9110 sections 12 to 14).

const codings = ["br", "gzip"] as const; // the preferred one first
/** A content coding of the server. */
export type Coding = (typeof codings)[number];
/** The compressed forms of a body. */
export type Coded = Partial<Record<Coding, Buffer>>;

/** A shorter body is not compressed. In bytes. */
export const minCompressed = 1024;

/** The content coding of a response to a request with this Accept-Encoding header; undefined for none. */
export function codingOf(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined || acceptEncoding === "identity") return undefined;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = codings.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0)
    ? best
    : undefined;
}

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

// Reads Retry-After: for webhooks, providers and the storage agent. It imports nothing, because the agent imports it.

/**
 * A Retry-After header, which is seconds or a date (RFC 9110 section 10.2.3), in milliseconds from now, and at most `most`. Undefined if there is
 * none that can be read.
 */
export function retryAfterOf(
  header: string | null | undefined,
  now: number,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  const written = header?.trim() ?? "";
  const asked = /^\d{1,9}$/.test(written) ? Number(written) * 1000 : Date.parse(written) - now;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), most);
}

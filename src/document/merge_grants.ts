// Merges engagements in an update: the vendor of an engagement cannot change, grants that a list no longer contains are revoked, ended
// engagements stay ended, and revoked grants stay revoked.
import { Claims } from "./claims.ts";
import { grantTargetFields } from "./engagements.ts";
import type { Raw, RawOf } from "./item_schemas.ts";
import type { Merging } from "./source.ts";
import { report, thingAt, warnKept } from "./source.ts";

/**
 * Refuses another vendor, because the keys that are bound to the engagement would see that vendor's orders, and its submissions would
 * be that vendor's. An engagement that has ended stays ended.
 */
export function settleEngagement(
  { before, given, place, options }: Merging<RawOf<"engagements">>,
  next: RawOf<"engagements">,
): void {
  const { vendor, ended_at } = before as { vendor: string; ended_at?: string };
  if (typeof given.vendor === "string" && given.vendor !== vendor)
    report(
      place,
      `contradicts what was recorded: this engagement is of ${vendor}; end it, and add another one with its own title or ref`,
      ".vendor",
    );
  if (ended_at !== undefined && ended_at <= options.now && given.ended_at === undefined && options.exact)
    warnKept(place, "the engagement has ended and stays ended; `tallylight engagements add` adds another one");
  if (ended_at === undefined || next.ended_at === ended_at) return;
  if (ended_at > options.now) return; // it has not ended yet
  if (given.ended_at !== undefined)
    report(
      place,
      `contradicts what was recorded: this engagement ended at ${ended_at}; \`tallylight engagements add\` adds another one`,
      ".ended_at",
    );
  next.ended_at = ended_at;
}

/** The fields by which two grants are the same. */
const sameFields = ["verb", ...grantTargetFields];

const keptRevoked = "the grant was revoked and stays revoked; `tallylight grants add` grants it again";
const named = (grant: Raw): string => {
  const [target] = grantTargetFields.filter((field) => grant[field] !== undefined);
  return target === undefined ? String(grant.verb) : `${String(grant.verb)} on ${target} "${String(grant[target])}"`;
};

const isLive = ({ revoked_at, expires_at }: Raw, now: string): boolean =>
  revoked_at === undefined && (expires_at === undefined || String(expires_at) > now);

/**
 * The stored grants in their order with those that a document adds. A given list replaces the live ones: those that are not in it
 * are revoked. A grant is the same by verb and target; of several, by the time at which it was made.
 */
export function mergeGrants({ given, place, options }: Merging<RawOf<"engagements">>, stored: readonly Raw[]): Raw[] {
  const { now, exact } = options;
  const absent = given.grants === undefined || given.grants === null;
  if (absent && !exact && given.grants !== null) return [...stored];
  const wanted = ((given.grants ?? []) as Raw[]).map((grant) =>
    Object.fromEntries(Object.entries(grant).filter(([, value]) => value !== null)),
  );
  const list = [...stored];
  const listed = new Set<number>();
  const claims = new Claims(stored.map((grant) => ({ ...grant, live: isLive(grant, now) })));
  wanted.forEach((grant, at) => {
    let index = claims.claim(grant, [...sameFields, "created_at"]);
    if (index === undefined && grant.created_at === undefined)
      index = claims.claim({ ...grant, live: true }, [...sameFields, "live"]);
    // One that is not live, as an earlier import of the same list stored it.
    if (index === undefined && grant.created_at === undefined && !isLive(grant, now))
      index = claims.claim(grant, [...sameFields, "expires_at", "revoked_at"]);
    if (index === undefined) {
      list.push(grant);
      return;
    }
    listed.add(index);
    const before = list[index] as Raw;
    if (grant.revoked_at !== undefined && before.revoked_at !== undefined && grant.revoked_at !== before.revoked_at)
      report(
        place,
        `contradicts what was recorded: this grant was revoked at ${String(before.revoked_at)}`,
        `.grants[${at}].revoked_at`,
      );
    if (before.revoked_at !== undefined) {
      if (grant.revoked_at === undefined) warnKept(place, keptRevoked, `${named(before)} of ${thingAt(place)}`);
      return;
    }
    const { expires_at: _, ...rest } = before;
    list[index] = {
      ...rest,
      ...(grant.expires_at !== undefined && { expires_at: grant.expires_at }),
      ...(grant.revoked_at !== undefined && { revoked_at: grant.revoked_at }),
    };
  });
  return list.map((grant, at) =>
    at < stored.length && !listed.has(at) && isLive(grant, now) ? { ...grant, revoked_at: now } : grant,
  );
}

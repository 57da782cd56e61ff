// tallylight whoami: shows what a key may do and see, for example to explain to a vendor why a request is a 404.
import type { Command } from "../../core/command.ts";
import { CliError } from "../../core/errors.ts";
import type { Store } from "../../core/store/store.ts";
import { dataCommand } from "../../graph/data_command.ts";
import type { GrantRow } from "../../graph/engagements.ts";
import { grantLine, listEngagements } from "../../graph/engagements.ts";
import { findKeyByToken, type KeyRow } from "../../graph/keys.ts";
import { listTurnovers, type Turnover } from "../../graph/turnovers.ts";
import { scopeOfVerb } from "./vendor_setup.ts";

/** Returns why a key does not work or reaches nothing, or undefined if it works. */
function reasonOf(
  { revoked_at, expires_at, engagement_ended_at, person_left, person }: KeyRow,
  now: string,
): string | undefined {
  if (revoked_at !== null) return `revoked at ${revoked_at}`;
  if (expires_at !== null && expires_at <= now) return `expired at ${expires_at}`;
  if (person_left) return `its person, ${person}, has left`;
  return engagement_ended_at === null ? undefined : `its engagement ended at ${engagement_ended_at}`;
}

/** Returns the deliveries that GET /turnovers lists. It uses the same statement. */
const deliveriesOf = (store: Store, { production_id, engagement_id }: KeyRow, now: string): Turnover[] =>
  JSON.parse(listTurnovers.statement(store, { production_id, engagement_id, now }).text);

function keyLines(
  key: KeyRow,
  reason: string | undefined,
  grants: GrantRow[],
  turnovers: Turnover[],
  now: string,
): string[] {
  const { live = [], ended = [] } = Object.groupBy(grants, (grant) => (grant.live ? "live" : "ended"));
  const has = (verb: GrantRow["verb"]) => key.scopes.includes(scopeOfVerb[verb]);
  const may = (canSubmit: boolean) =>
    canSubmit && has("submit") ? "may submit work" : `may ${has("read") ? "read, may " : ""}not submit work`;
  const shape = key.engagement_id === null ? "production-wide" : `work ${key.engagement_id}, ${key.vendor}`;
  return [
    `key ${key.id}, ${key.prefix}…, ${key.label}: ${reason ?? "live"}`,
    `production ${key.production_id}, ${key.production}: ${shape}`,
    `scopes: ${key.scopes.join(" ")}`,
    ...(key.person === null ? [] : [`person: ${key.person}`]),
    ...(key.engagement_id === null ? [] : ["reaches only this, with its media:"]),
    ...live.map(
      (grant) =>
        `  ${grantLine(grant, now)}${has(grant.verb) ? "" : `; not without the scope ${scopeOfVerb[grant.verb]}`}`,
    ),
    ...turnovers.map(
      ({ id, title, status, can_submit }) => `  delivery ${id}, ${title} (${status}): ${may(can_submit)}`,
    ),
    ...(ended.length === 0 ? [] : ["grants that have ended, and reach nothing:"]),
    ...ended.map((grant) => `  ${grantLine(grant, now)}`),
  ];
}

export const commands: readonly Command[] = [
  dataCommand({
    words: "whoami",
    summary: "shows what a key may do and see",
    example: "tallylight whoami tl_YOUR_KEY",
    positionals: ["TOKEN"],
    run: ({ positionals: [token = ""], now }, { store }) => {
      const key = findKeyByToken(store, token, now);
      if (key === undefined) throw new CliError("no key has this token");
      const reason = reasonOf(key, now);
      const bound = key.engagement_id;
      const grants = bound === null ? [] : (listEngagements(store, { id: bound }, now)[0]?.grants ?? []);
      const turnovers = deliveriesOf(store, key, now);
      const live = key.live && key.engagement_ended_at === null && !key.person_left;
      return {
        document: { ...key, live, reason: reason ?? null, grants, deliveries: turnovers },
        lines: keyLines(key, reason, grants, turnovers, now),
      };
    },
  }),
];

// tallylight engagements list, add, end; tallylight grants add, revoke.
import { addEngagement, type EngagementRow, endEngagement, listEngagements } from "../admin/engagements.ts";
import type { GrantRow } from "../admin/grant_rows.ts";
import { addGrant, revokeGrant } from "../admin/grants.ts";
import { grantVerbs } from "../inputs.ts";
import type { Command } from "./arguments.ts";
import { asAdmin, productionNamed, productionOf } from "./data.ts";

/** One grant as a line; says why it is not live if it is not. */
export function grantLine(grant: GrantRow, now: string): string {
  const dead =
    grant.revoked_at !== null ? "revoked" : (grant.expires_at ?? "9") <= now ? "expired" : "engagement ended";
  const until = grant.live && grant.expires_at !== null ? `, until ${grant.expires_at}` : "";
  return `grant ${grant.id}: ${grant.verb} on ${grant.target} ${grant.target_id}, ${grant.target_name}${until}${grant.live ? "" : ` (${dead})`}`;
}

const endOf = (active: boolean, ended_at: string | null): string => {
  if (ended_at === null) return "";
  return active ? `, until ${ended_at.slice(0, 10)}` : ` (ended ${ended_at.slice(0, 10)})`;
};

const engagementLines = (
  { id, production_id, vendor, title, active, ended_at, grants }: EngagementRow,
  now: string,
) => [
  `engagement ${id} on production ${production_id}: ${vendor}, ${title}${endOf(active, ended_at)}`,
  ...grants.map((grant) => `  ${grantLine(grant, now)}`),
];

/** What is said of something that was to be added and existed already. */
const already = ({ existed }: { existed: boolean }): string => (existed ? " (exists already)" : "");

const list: Command = {
  words: "engagements list",
  summary: "shows vendors' engagements and their grants",
  flags: { production: { value: "ID", summary: "of one production" } },
  run: (args) =>
    asAdmin(args, (admin) => {
      const production_id = productionNamed(admin.store, args)?.id;
      const engagements = listEngagements(admin.store, { production_id }, args.now);
      return { document: engagements, lines: engagements.flatMap((row) => engagementLines(row, args.now)) };
    }),
};

const add: Command = {
  words: "engagements add",
  summary: "engages a vendor, whether the production knows the vendor or not; an engagement that exists stays",
  flags: {
    production: { value: "ID", required: true, summary: "the production" },
    vendor: { value: "NAME", required: true, summary: "the vendor's name" },
    title: { value: "TEXT", summary: "what the engagement is called; the vendor's name by default" },
  },
  run: (args) =>
    asAdmin(args, (admin) => {
      const production_id = productionOf(admin.store, args).id;
      const vendor = args.text("vendor") as string;
      const engagement = addEngagement(admin, { production_id, vendor, title: args.text("title") });
      const [first, ...grants] = engagementLines(engagement, args.now);
      return { document: engagement, lines: [`${first}${already(engagement)}`, ...grants] };
    }),
};

const end: Command = {
  words: "engagements end",
  summary: "ends an engagement: none of its grants is live from the next call on",
  positionals: ["ID"],
  run: (args) =>
    asAdmin(args, (admin) => {
      const { was_ended, ...engagement } = endEngagement(admin, { id: Number(args.positionals[0]) });
      const deed = was_ended ? `had ended at ${engagement.ended_at} already` : "has ended";
      return { document: engagement, lines: [`engagement ${engagement.id}, ${engagement.vendor}, ${deed}`] };
    }),
};

const grant: Command = {
  words: "grants add",
  summary:
    "grants an engagement one verb on one target, from the next call on; a grant that is live already stays, with a new expiry if one is given",
  flags: {
    engagement: { value: "ID", id: true, required: true, summary: "the engagement" },
    verb: { value: "VERB", required: true, summary: `one of ${grantVerbs.join(", ")}` },
    node: { value: "ID", id: true, summary: "a scene, a character or any asset, to read" },
    department: { value: "ID", id: true, summary: "a department, to read or for read:own_po" },
    delivery: { value: "ID", id: true, summary: "a delivery, to read or to submit on" },
    expires: { value: "WHEN", summary: "a date, through its end in UTC, or an ISO timestamp" },
  },
  run: (args) =>
    asAdmin(args, (admin) => {
      const target = {
        node_id: args.id("node"),
        department_id: args.id("department"),
        delivery_id: args.id("delivery"),
      };
      const engagement_id = args.id("engagement") as number;
      const verb = args.text("verb") as string;
      const added = addGrant(admin, { engagement_id, verb, expires: args.text("expires"), ...target });
      return { document: added, lines: [`${grantLine(added, args.now)}${already(added)}`] };
    }),
};

const revoke: Command = {
  words: "grants revoke",
  summary: "ends a grant, from the next call on",
  positionals: ["ID"],
  run: (args) =>
    asAdmin(args, (admin) => {
      const { was_revoked, ...revoked } = revokeGrant(admin, { id: Number(args.positionals[0]) });
      const deed = was_revoked ? `was revoked at ${revoked.revoked_at} already` : "is revoked";
      const { id, engagement_id, still_live } = revoked;
      return {
        document: revoked,
        lines: [`grant ${id} of engagement ${engagement_id} ${deed}`],
        notes: still_live.map((other) => `grant ${other}, of the same verb on the same target, is still live`),
      };
    }),
};

export const engagementCommands: readonly Command[] = [list, add, end, grant, revoke];

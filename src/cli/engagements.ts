// tallylight engagements list, add, end; tallylight grants add, revoke: vendors' engagements and their grants.
import type { Command } from "../core/command.ts";
import { UsageError } from "../core/errors.ts";
import { plural } from "../core/wording.ts";
import { dataCommand, itsProduction } from "../graph/data_command.ts";
import {
  addEngagement,
  type EngagementRow,
  endEngagement,
  getEngagement,
  grantLine,
  listEngagements,
} from "../graph/engagements.ts";
import { addEpisodeGrants, addGrant, revokeGrant } from "../graph/grants.ts";
import { grantVerbs } from "../graph/values.ts";
import { idGiven, idNamed } from "./named_ids.ts";

const endOf = (active: boolean, ended_at: string | null): string => {
  if (ended_at === null) return "";
  return active ? `, until ${ended_at.slice(0, 10)}` : ` (ended ${ended_at.slice(0, 10)})`;
};

const engagementLines = (
  { id, production_id, vendor, title, active, ended_at, grants }: EngagementRow,
  now: string,
) => [
  `work ${id} on production ${production_id}: ${vendor}, ${title}${endOf(active, ended_at)}`,
  ...grants.map((grant) => `  ${grantLine(grant, now)}`),
];

/** The suffix for what exists, so that it was not added. `expires`: the expiry that it was given. */
const already = ({ existed }: { existed: boolean }, expires?: string): string =>
  !existed ? "" : expires === undefined ? " (exists already)" : " (existed already; it has this expiry now)";

export const commands: readonly Command[] = [
  dataCommand({
    words: "engagements list",
    summary: "lists vendors' work, and what they may see",
    example: "tallylight engagements list --production 1",
    flags: { production: { value: "ID", summary: "only the work on this production" } },
    run: ({ production_id, now }, { store }) => {
      const engagements = listEngagements(store, { production_id }, now);
      return { document: engagements, lines: engagements.flatMap((row) => engagementLines(row, now)) };
    },
  }),
  dataCommand({
    words: "engagements add",
    summary: "adds work of a vendor on a production",
    details:
      "Creates the vendor if needed. If the vendor has work of this title that has not ended, adds nothing and says so.",
    example: 'tallylight engagements add --production 1 --vendor "Lumen Works"',
    flags: {
      production: { value: "ID", required: true, summary: "the production" },
      vendor: { value: "NAME", required: true, summary: "the vendor's name" },
      title: { value: "TEXT", summary: "the title of the work; the vendor's name by default" },
    },
    run: (args, admin) => {
      const of = { production_id: args.production.id, vendor: args.required("vendor") };
      const engagement = addEngagement(admin, { ...of, title: args.text("title") });
      const [first, ...grants] = engagementLines(engagement, args.now);
      return { document: engagement, lines: [`${first}${already(engagement)}`, ...grants] };
    },
  }),
  dataCommand({
    words: "engagements end",
    summary: "ends a vendor's work and all it may see",
    details: "From the next call on.",
    example: "tallylight engagements end 1",
    positionals: ["ID-OR-TITLE"],
    flags: { production: { value: "ID", summary: "the production in which the title is looked up; all by default" } },
    run: async ({ positionals: [named = ""], production_id }, admin) => {
      const id = await idNamed(admin.store, "engagement", named, production_id);
      const { was_ended, ...engagement } = endEngagement(admin, { id });
      const result = was_ended ? `already ended at ${engagement.ended_at}` : "has ended";
      return { document: engagement, lines: [`work ${engagement.id}, ${engagement.vendor}, ${result}`] };
    },
  }),
  dataCommand({
    words: "grants add",
    summary: "lets a vendor see or send in something",
    details: "From the next call on. If the vendor may do so already, adds nothing, says so, and sets a given expiry.",
    example: 'tallylight grants add --engagement 1 --verb read --node "scene 22"',
    flags: {
      engagement: { value: "ID-OR-TITLE", required: true, summary: "the work of the vendor" },
      verb: { value: "VERB", required: true, choices: grantVerbs, summary: `one of ${grantVerbs.join(", ")}` },
      node: {
        value: "ID-OR-NAME",
        summary: 'the target for read: a scene such as "scene 22", or an asset by its label',
      },
      department: { value: "ID-OR-SLUG", summary: "the target for read or read:own_po: a department" },
      delivery: { value: "ID-OR-TITLE", summary: "the target for read or submit: a delivery" },
      episode: {
        value: "CODE",
        summary: "for read: each scene that an episode has now, without omitted ones; later scenes are not in it",
      },
      production: {
        value: "ID",
        summary: "the production in which the title of the work is looked up; all by default",
      },
      expires: {
        value: "WHEN",
        summary: "the expiry: a date (valid until its end where the production is) or an ISO timestamp",
      },
    },
    run: async (args, admin) => {
      const { store } = admin;
      const named = args.required("engagement");
      const engagement_id = await idNamed(store, "engagement", named, args.production_id);
      const { production_id } = getEngagement(admin, engagement_id);
      const target = {
        node_id: await idGiven(store, "node", args.text("node"), production_id),
        department_id: await idGiven(store, "department", args.text("department"), production_id),
        delivery_id: await idGiven(store, "delivery", args.text("delivery"), production_id),
      };
      const verb = args.required("verb");
      const code = args.text("episode");
      if (code !== undefined) {
        if (Object.values(target).some((id) => id !== undefined))
          throw new UsageError(
            "--episode is a target of its own; do not use it with --node, --department or --delivery",
          );
        const all = addEpisodeGrants(admin, {
          engagement_id,
          verb,
          production_id,
          code,
          expires: args.text("expires"),
        });
        const last = `${plural(all.length, "scene")} of episode ${code}; scenes that come later are not in it`;
        return {
          document: all,
          lines: [...all.map((one) => `${grantLine(one, args.now)}${already(one, args.text("expires"))}`), last],
        };
      }
      const added = addGrant(admin, { engagement_id, verb, expires: args.text("expires"), ...target });
      return { document: added, lines: [`${grantLine(added, args.now)}${already(added, args.text("expires"))}`] };
    },
  }),
  dataCommand({
    words: "grants revoke",
    summary: "ends what a vendor may see or send in",
    example: "tallylight grants revoke 4",
    positionals: ["ID"],
    flags: itsProduction,
    run: (args, admin) => {
      const { was_revoked, ...revoked } = revokeGrant(admin, { id: Number(args.positionals[0]) });
      const result = was_revoked ? `ended already at ${revoked.revoked_at}` : "has ended";
      const { id, engagement_id, still_live } = revoked;
      return {
        document: revoked,
        lines: [`what ${id} lets the vendor of work ${engagement_id} do ${result}`],
        notes: still_live.map((other) => `${other} lets the vendor do the same, and has not ended`),
      };
    },
  }),
];

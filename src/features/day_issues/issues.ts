// Issues the call sheet of a shoot day: keeps the day's bundle, lists what was kept, and returns it. docs/api.md,
// "Writing".
import * as v from "valibot";
import type { TaggedDocument } from "../../core/answers.ts";
import type { Context } from "../../core/context.ts";
import { notFound } from "../../core/errors.ts";
import type { Id, PersonId, ProductionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { operation, reading } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { change, one } from "../../core/store/statements.ts";
import { recordActivity } from "../../graph/activity.ts";
import { dayText } from "../../graph/units.ts";
import { type DayBundle, dayBundle, dayBundleReader } from "../days/day_bundle.ts";

const { describe } = input;

const issueFields = {
  number: describe(out.id, "Counted from 1 for each day."),
  issued_at: out.timestamp,
  issued_by: describe(v.nullable(out.text), "The name of the key's person. Null for a key of nobody."),
};
const dayIssue = out.record("DayIssue", v.object(issueFields));
const wholeIssue = out.record(
  "WholeDayIssue",
  v.object({ ...issueFields, bundle: describe(dayBundle, "The day's bundle as it was issued.") }),
);

type DayKey = { production_id: ProductionId; shoot_day_id: Id<"shoot_day"> };
type Issue = v.InferOutput<typeof dayIssue>;
const dayOf = one<DayKey, { day_number: number; unit: string | null }>("get_issued_day");
const lastIssueOf = one<DayKey, Issue & { bundle: string }>("get_last_day_issue");
const insertIssue = change("issue_day");
const nameOf = one<{ production_id: ProductionId; person_id: PersonId | null }, { name: string }>("get_issuer");

/** The day of a path. Throws 404 if it does not exist. */
function requireDay({ app, caller }: Context, { shoot_day_id }: { shoot_day_id: Id<"shoot_day"> }) {
  const day = dayOf(app.store, { production_id: caller.production_id, shoot_day_id });
  if (day === undefined) throw notFound();
  return day;
}

/** What a bundle says: its text without the etag, which an erasure of a name does not follow. */
const contentOf = (bundle: string): string => JSON.stringify({ ...JSON.parse(bundle), etag: undefined });

/** Keeps a bundle as the next issue, in a write transaction; the last issue if it says the same. */
function issueIn(context: Context, shoot_day_id: Id<"shoot_day">, { text: bundle }: TaggedDocument<DayBundle>): Issue {
  const { app, caller, now } = context;
  const key = { production_id: caller.production_id, shoot_day_id };
  const day = requireDay(context, key);
  const last = lastIssueOf(app.store, key);
  if (last !== undefined && contentOf(last.bundle) === contentOf(bundle)) {
    const { number, issued_at, issued_by } = last;
    return { number, issued_at, issued_by };
  }
  const number = (last?.number ?? 0) + 1;
  const issued_by = nameOf(app.store, { production_id: key.production_id, person_id: caller.person_id })?.name ?? null;
  insertIssue(app.store, { ...key, number, issued_at: now, issued_by, bundle });
  recordActivity(
    context,
    { verb: "shoot_day.issued", summary: `Issued the call sheet of ${dayText(day)}, issue ${number}`, node_id: null },
    { type: "shoot_day.issued", subject: { kind: "shoot_day", id: shoot_day_id }, data: { number, ...day } },
  );
  return { number, issued_at: now, issued_by };
}

export const issueDay = operation({
  hints: ["repeats"],
  name: "issue_day",
  summary:
    "Issues the call sheet of a shoot day: keeps the day's bundle, numbered from 1 for each day. If nothing changed since the last issue, it answers that one and keeps nothing.",
  method: "POST",
  path: "/days/:shoot_day_id/issue",
  scope: "write",
  body: "none",
  output: dayIssue,
  authorize: requireDay,
  run: async (context, { shoot_day_id }) => {
    const read = await dayBundleReader();
    return context.write((context) => issueIn(context, shoot_day_id, read(context, shoot_day_id)));
  },
});

export const listDayIssues = reading({
  name: "list_day_issues",
  summary: "Lists the issues of a shoot day's call sheet, newest first.",
  path: "/days/:shoot_day_id/issues",
  scope: "read",
  output: v.array(dayIssue),
  authorize: requireDay,
});

export const getDayIssue = reading({
  name: "get_day_issue",
  summary: "Returns one issue of a shoot day's call sheet, with the day's bundle as it was issued.",
  path: "/days/:shoot_day_id/issues/:number",
  scope: "read",
  output: wholeIssue,
  authorize: requireDay,
});

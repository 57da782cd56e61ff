// A new production of a whole document: an update of nothing, which is made and checked without a database.
import type { Plan } from "../planned.ts";
import { type Source, unchangedWarnings } from "../read/sources.ts";
import { check } from "./check.ts";
import { type Listed, listChanges, printedChanges } from "./plan.ts";
import { mergeDocuments, refuseProblems } from "./prepare.ts";
import { Rows } from "./rows.ts";
import { orderThings } from "./scene_order.ts";
import { linkCasts, linkScenes } from "./scenes.ts";
import { Update } from "./update.ts";

/** What a whole document makes, before it has a database. */
export interface NewProduction {
  update: Update;
  listed: Listed;
  plan: Plan;
}

/** No production has it. */
const noProduction = -1;

/** Makes and checks the things of whole documents. Throws CliError with every problem. */
export function newProduction(sources: readonly Source[]): NewProduction {
  const update = new Update(new Rows(undefined, noProduction), sources, { now: "", exact: false, is_new: true });
  mergeDocuments(update);
  check(update, undefined);
  refuseProblems(sources);
  linkCasts(update, linkScenes(update));
  orderThings(update);
  const listed = listChanges(update, {});
  const changes = printedChanges(listed);
  const plan = {
    production_id: noProduction,
    dry_run: false,
    revision: "",
    counts: listed.counts,
    changes,
    warnings: sources.flatMap(unchangedWarnings),
  };
  return { update, listed, plan };
}

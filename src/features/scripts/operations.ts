// The operation that decides script changes.
import * as v from "valibot";
import type { Context } from "../../core/context.ts";
import * as input from "../../core/inputs.ts";
import { describe, oneOf } from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { adminOf, noSuch } from "../../graph/admin.ts";
import { scriptChange } from "../../graph/script_changes.ts";
import { areMany, runJob } from "../documents/jobs/import_job.ts";
import type { NamedDecision } from "./deciding.ts";
import { scriptChangeOf } from "./one_change.ts";
import { renameScopes } from "./other_episodes.ts";

const decidedChange = out.record(
  "DecidedScriptChange",
  v.object({
    ...scriptChange.entries,
    warnings: v.optional(
      describe(
        v.array(out.text),
        "What the decision leaves to people, such as a link that a person made. Absent if there is nothing.",
      ),
    ),
  }),
);
type DecidedChange = v.InferOutput<typeof decidedChange>;

const decide = (context: Context, given: Omit<NamedDecision, "production_id">) =>
  runJob<DecidedChange>(context, {
    module: new URL("./deciding.ts", import.meta.url).href,
    request: { ...given, production_id: context.caller.production_id } satisfies NamedDecision,
    is_large: areMany(given.ids.length),
  });

/** The most names in a list of an approval. */
const maxNames = 100;
/** What goes with an approval. */
const withApproval = {
  everywhere: v.optional(
    describe(
      v.boolean(),
      "Whether an approved rename of a character holds for the scenes, too, that keep the former name in the draft.",
    ),
  ),
  rename: v.optional(
    describe(
      oneOf(renameScopes),
      "Of a series: whether the new name of a character holds in every episode, or makes a new character of this one. Required where scenes of other episodes have the former name.",
    ),
  ),
  follow: v.optional(
    describe(
      v.boolean(),
      "Whether what follows an approval is done, too: a new part of a scene goes after it on its shoot day, an omitted scene leaves its days, and links of characters who left a scene go. Otherwise `warnings` ask.",
    ),
  ),
  unlink: v.optional(
    describe(
      input.list(input.text(300), maxNames),
      "Names of characters whom the approval takes out of a scene, and whose links that a person made go with it; the others stay, and `warnings` ask.",
    ),
  ),
  keep: v.optional(
    describe(
      input.list(input.text(300), maxNames),
      "Names of such characters whose links stay, so that nobody is asked again. Also for a change that was approved before.",
    ),
  ),
};

export type WithApproval = v.InferOutput<v.ObjectSchema<typeof withApproval, undefined>>;

export const decideScriptChange = operation({
  name: "decide_script_change",
  summary:
    "Decides a pending script change. Approving applies it to the scene, which keeps its id, links, strips, approvals and status.",
  method: "POST",
  path: "/script-changes/:id/decide",
  scope: "edit",
  input: v.object({
    decision: oneOf(["approved", "dismissed"]),
    decided_by: v.optional(
      describe(
        input.text(300),
        "The person who decides, by full name or id; the person of the key by default, if the key has one.",
      ),
    ),
    note: v.optional(input.text()),
    ...withApproval,
  }),
  output: decidedChange,
  errors: [404, 409],
  authorize(context, { id }) {
    const { production_id } = context.caller;
    if (scriptChangeOf(context.app.store, { production_id, id }) === undefined)
      throw noSuch(adminOf(context), `script change ${id}`);
  },
  run: (context, { id, ...given }) => decide(context, { ids: [id], ...given }),
});

/**
 * How many changes one request decides at most: a renumbered script has one for each scene, which free each other's
 * numbers.
 */
const maxDecided = 20_000;

export const decideScriptChanges = operation({
  name: "decide_script_changes",
  summary: "Decides several pending script changes of the production in one transaction. Answers the first.",
  method: "POST",
  path: "/script-changes/decide",
  scope: "edit",
  input: v.object({
    ids: v.pipe(input.list(input.id, maxDecided), v.minLength(1, "must name at least one change")),
    decision: oneOf(["approved", "dismissed"]),
    ...withApproval,
  }),
  output: decidedChange,
  errors: [404, 409],
  run: decide,
});

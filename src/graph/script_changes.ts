// Lists the differences between script drafts. docs/paperwork.md, "Later drafts".
import * as v from "valibot";
import type { Context } from "../core/context.ts";
import { unprocessable } from "../core/errors.ts";
import type { ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { one } from "../core/store/statements.ts";
import { sameName } from "../core/wording.ts";
import { unit } from "./schedule.ts";
import { scriptChangeKinds, scriptChangeStatuses } from "./values.ts";

const { describe } = input;

/** A script change. */
export const scriptChange = out.record(
  "ScriptChange",
  v.object({
    id: out.id,
    kind: v.picklist(scriptChangeKinds),
    status: v.picklist(scriptChangeStatuses),
    scene_number: out.text,
    node_id: v.nullable(out.id),
    summary: out.text,
    revision_color: out.text,
    detected_at: out.timestamp,
    decided_at: v.nullable(out.timestamp),
    fields: describe(
      v.record(v.string(), v.object({ from: v.unknown(), to: v.unknown() })),
      'What differs, by field; `text` only says "changed". Empty for a change that a document brought.',
    ),
    draft: describe(
      v.nullable(v.object({ id: out.id, file: out.text, color: out.text, imported_at: out.timestamp })),
      "The draft that raised the change; null for a change that a document brought.",
    ),
    superseded_by: describe(
      v.nullable(out.id),
      "The id of the newer draft that replaced the change before it was decided; of its own draft if an update made what it asks.",
    ),
    decided_by: describe(v.nullable(out.text), "The name of the person who decided."),
    note: v.nullable(out.text),
    episode_id: describe(v.optional(v.nullable(out.id)), "Present only on an episodic production."),
    episode_code: describe(v.optional(v.nullable(out.text)), "Present only on an episodic production."),
  }),
);

const listedChange = out.record(
  "ListedScriptChange",
  v.object({
    ...scriptChange.entries,
    concerns: v.optional(
      describe(
        v.object({
          departments: describe(v.array(out.text), "The slugs of the departments of the scene's assets."),
          vendors: describe(v.array(out.text), "Those who see the scene or one of its assets."),
          shoot_days: v.array(v.object({ id: out.id, day_number: out.count, unit, date: out.text, status: out.text })),
        }),
        "Whom the scene concerns. Present only with include=concerns.",
      ),
    ),
  }),
);

/** The colors of revisions in their customary order. */
const colors = ["white", "blue", "pink", "yellow", "green", "goldenrod", "buff", "salmon", "cherry", "tan"];
const lastOfColor = one<{ production_id: ProductionId; color: string }, { at: string | null }>("get_last_of_color");

/**
 * The parameters that select the changes after a revision color: those detected after the last draft or change of that
 * color; if the production has neither, those of the customary colors after it; without a color, every change. Throws
 * 422 for a color that is neither of a draft nor customary.
 */
function sinceColor({ app, caller }: Context, { since: color }: { since?: string | undefined }) {
  const { production_id } = caller;
  if (color === undefined) return { since: null, former_colors: null };
  const since = lastOfColor(app.store, { production_id, color })?.at ?? null;
  if (since !== null) return { since, former_colors: null };
  const place = colors.indexOf(sameName(color));
  if (place < 0)
    throw unprocessable(`since must be the color of a draft of this production, or one of ${colors.join(", ")}`);
  return { since, former_colors: JSON.stringify(colors.slice(0, place + 1)) };
}

/** A script change, as a client gets it. */
export type ScriptChange = v.InferOutput<typeof scriptChange>;

export const listScriptChanges = reading({
  name: "list_script_changes",
  summary:
    "Lists differences between script drafts, by default those that await a decision. On an episodic production only those of the current episode, unless episode_id or all_episodes is given.",
  path: "/script-changes",
  scope: "read",
  input: v.object({
    status: v.optional(input.oneOf([...scriptChangeStatuses, "all"]), "pending"),
    episode_id: v.optional(describe(input.ids, "The episode; the current one by default. May be repeated.")),
    all_episodes: v.optional(describe(input.flag, "Whether to include every episode."), false),
    since: v.optional(
      describe(
        input.text(64),
        "A revision color: only changes after its last draft, or of later colors if it had none.",
      ),
    ),
    order: v.optional(
      describe(input.oneOf(["script"]), "`script`: in the order of the script. By default the newest first."),
    ),
    include: v.optional(describe(input.listOf(["concerns"]), "concerns adds the field concerns to each row.")),
  }),
  output: v.array(listedChange),
  parameters: sinceColor,
});

// Lists the differences between script drafts.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import * as input from "../inputs.ts";
import { id, record, text, timestamp } from "../records.ts";
import { document } from "../store/statements.ts";
import { listing, pageEntries, readPage } from "./listing.ts";
import { operation } from "./operation.ts";

const { describe } = input;

export const scriptChange = record(
  "ScriptChange",
  v.object({
    id,
    kind: v.picklist(input.scriptChangeKinds),
    status: v.picklist(input.scriptChangeStatuses),
    scene_number: text,
    node_id: v.nullable(id),
    summary: text,
    revision_color: text,
    detected_at: timestamp,
    decided_at: v.nullable(timestamp),
    fields: describe(
      v.record(v.string(), v.object({ from: v.unknown(), to: v.unknown() })),
      'What differs, by field; `text` only says "changed". Empty for a change that a document brought.',
    ),
    draft: describe(
      v.nullable(v.object({ id, file: text, color: text, imported_at: timestamp })),
      "The draft that raised the change; null for a change that a document brought.",
    ),
    superseded_by: describe(
      v.nullable(id),
      "The id of the newer draft that replaced the change before it was decided.",
    ),
    decided_by: describe(v.nullable(text), "The name of the person who decided."),
    note: v.nullable(text),
    episode_id: describe(v.optional(v.nullable(id)), "Present only on an episodic production."),
    episode_code: describe(v.optional(v.nullable(text)), "Present only on an episodic production."),
  }),
);

interface Filter {
  status: string;
  episode_id: number | null;
  all_episodes: 0 | 1;
}
export const scriptChangesOf = listing<Reach & Filter, v.InferOutput<typeof scriptChange>>("list_script_changes");
export const scriptChangeOf = document<{ production_id: number; id: number }, v.InferOutput<typeof scriptChange>>(
  "get_script_change",
);
export type ScriptChange = v.InferOutput<typeof scriptChange>;

export const listScriptChanges = operation({
  name: "list_script_changes",
  summary:
    "Lists differences between script drafts, by default those that await a decision. On an episodic production only those of the current episode, unless episode_id or all_episodes is given.",
  method: "GET",
  path: "/script-changes",
  scope: "read",
  reach: "production",
  input: v.object({
    status: v.optional(input.oneOf([...input.scriptChangeStatuses, "all"]), "pending"),
    episode_id: v.optional(describe(input.id, "The episode; the current one by default.")),
    all_episodes: v.optional(describe(input.flag, "Whether to include every episode."), false),
    ...pageEntries,
  }),
  output: v.array(scriptChange),
  errors: [],
  run: (context, { status, episode_id = null, all_episodes, ...page }) =>
    readPage(context, scriptChangesOf, { status, episode_id, all_episodes: all_episodes ? 1 : 0 }, page),
});

// tallylight script-changes list, approve, dismiss: the differences between drafts of the script.
import type { Command, ParsedArgs } from "../../core/command.ts";
import { choiceOf, UsageError } from "../../core/errors.ts";
import type { Id } from "../../core/ids.ts";
import { commandText } from "../../core/program.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { rowsOutput } from "../../core/tables.ts";
import { listed, plural } from "../../core/wording.ts";
import { dataCommand } from "../../graph/data_command.ts";
import { listScriptChanges, type ScriptChange } from "../../graph/script_changes.ts";
import { scriptChangeKinds, scriptChangeStatuses } from "../../graph/values.ts";
import { nameOfFile } from "../documents/importers.ts";
import type { Plan } from "../documents/planned.ts";
import { type DecisionRequest, decideScriptChanges } from "./deciding.ts";
import { elsewhereText, namedElsewhere, renameAsked, renameScopes } from "./other_episodes.ts";
import { findScriptChange, scriptKeyOf } from "./script_store.ts";

const statuses = [...scriptChangeStatuses, "all"] as const;
type Status = (typeof statuses)[number];

/** What chooses changes. */
const filters = {
  draft: { value: "DRAFT", summary: "those that a draft raised, by the name of its file or its id" },
  episode: { value: "CODE", summary: "those of an episode" },
  kind: { value: "KIND", choices: scriptChangeKinds, summary: `those of a kind: ${scriptChangeKinds.join(", ")}` },
};
const filterNames = Object.keys(filters);

const draftsOf = many<{ production_id: number }, { id: Id<"draft">; file: string }>("list_script_drafts");
/** The ids of the drafts of a file, or the draft of an id. Throws UsageError if there is none. */
function draftsNamed(store: Store, production_id: number, name: string): ReadonlySet<number | undefined> {
  const drafts = draftsOf(store, { production_id });
  const named = drafts.filter(({ id, file }) => file === nameOfFile(name) || String(id) === name);
  const files = [...new Set(drafts.map(({ file }) => file))].slice(-10); // the newest ones
  if (named.length === 0)
    throw new UsageError(`there is no draft ${name}${files.length === 0 ? "" : `; drafts are ${files.join(", ")}`}`);
  return new Set(named.map(({ id }) => id));
}

/** The changes of a status that the filters leave, in the order of the script. */
function chosenChanges(
  store: Store,
  args: Pick<ParsedArgs, "now" | "text">,
  production_id: number,
  status: Status,
): ScriptChange[] {
  const reach = { production_id, engagement_id: null, now: args.now };
  const changes: ScriptChange[] = JSON.parse(
    listScriptChanges.statement(store, { ...reach, status, all_episodes: true, order: "script" }).text,
  );
  const [draft, episode, kind] = filterNames.map((name) => args.text(name));
  if (kind !== undefined) choiceOf("--kind", kind, scriptChangeKinds);
  if (episode !== undefined && scriptKeyOf(store, production_id, episode).episode_id === null)
    throw new UsageError(`there is no episode ${episode}`);
  const drafts = draft === undefined ? undefined : draftsNamed(store, production_id, draft);
  return changes.filter(
    (one) =>
      (drafts === undefined || drafts.has(one.draft?.id)) &&
      (episode === undefined || one.episode_code === episode) &&
      (kind === undefined || one.kind === kind),
  );
}

function checkIds({ positionals, has, text }: ParsedArgs, words: string): void {
  const isChosen = has("all") || filterNames.some((name) => text(name) !== undefined);
  if (isChosen && positionals.length > 0)
    throw new UsageError(
      `--all and ${listed(filterNames.map((name) => `--${name}`))} choose pending changes; do not give an ID with them`,
    );
  if (isChosen && text("production") === undefined)
    throw new UsageError(`${has("all") ? "--all" : "a choice of changes"} needs --production ID`);
  if (!isChosen && positionals.length === 0) throw new UsageError(`${words} needs ID, or --all`);
}

/** The summary with the episode of a series, which older versions did not write in it. */
const sentenceOf = ({ summary, episode_code }: ScriptChange): string =>
  episode_code && !summary.startsWith(`${episode_code}/`) ? `${episode_code}/${summary}` : summary;

/** What an approval did: "2 added, 1 changed, the text of 3 scenes replaced". */
function effectOf(plan: Plan | undefined, approved: readonly ScriptChange[]): string {
  const { added = 0, changed = 0, removed = 0 } = plan?.counts ?? {};
  const texts = approved.filter(({ fields }) => fields.text !== undefined).length;
  const parts = [
    ...(added > 0 ? [`${added} added`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(texts > 0 ? [`the text of ${plural(texts, "scene")} replaced`] : []),
  ];
  return parts.length === 0 ? "nothing else changed" : parts.join(", ");
}

/** Those of chosen changes that nobody approves without saying how a rename is meant, each with what says why. */
function openRenames(store: Store, production_id: number | undefined, ids: readonly number[]) {
  if (production_id === undefined) return [];
  const changes = ids.flatMap((id) => findScriptChange(store, id) ?? []);
  const elsewhere = namedElsewhere(store, production_id, changes.flatMap(renameAsked));
  return changes.flatMap(({ id, fields, episode }) => {
    const found = elsewhere.get(id);
    const { from, to } = fields.character ?? {};
    const why = found && elsewhereText(String(from), found);
    const ways = commandText(`script-changes approve ${id} --rename ${renameScopes.join(" or ")}`);
    return found ? [{ id, sentence: `${from} is ${to} in ${episode}, and ${why}; ${ways}` }] : [];
  });
}

const decision = (
  words: string,
  decision: DecisionRequest["decision"],
  texts: Pick<Command, "summary" | "details">,
): Command =>
  dataCommand({
    words,
    ...texts,
    example: `tallylight ${words} --all --production 1`,
    positionals: ["[ID…]"],
    flags: {
      all: { summary: "every change of the production that is to decide" },
      production: { value: "ID", summary: "the production; required with --all and the choices below" },
      ...filters,
      by: { value: "PERSON", summary: "the person who decides, by full name or id" },
      note: { value: "TEXT", summary: "a note on the decision" },
      ...(decision === "approved" && {
        everywhere: { summary: "gives a renamed character its new name also in the scenes that keep the former one" },
        rename: {
          value: "SCOPE",
          choices: renameScopes,
          summary:
            "everywhere: a renamed character has the new name in every episode of a series; episode: it is a new character of this one",
        },
        follow: {
          summary:
            "does what follows, too: new parts of a scene go on its day, omitted scenes leave their days, and links of who left a scene go",
        },
        unlink: {
          value: "NAME",
          many: true,
          summary: "a character who left a scene, and whose link that a person made goes",
        },
        keep: {
          value: "NAME",
          many: true,
          summary:
            "such a character whose link stays, so that nobody is asked again; also for a change approved before",
        },
      }),
    },
    check: (args) => checkIds(args, words),
    run: async (args, admin, blobs, write) => {
      const { store } = admin;
      const { production_id } = args;
      const chosen =
        args.positionals.length > 0 || production_id === undefined
          ? args.positionals.map(Number)
          : chosenChanges(store, args, production_id, "pending").map(({ id }) => id);
      const [unlink, keep, scope] = [args.texts("unlink"), args.texts("keep"), args.text("rename")];
      const rename = scope === undefined ? undefined : choiceOf("--rename", scope, renameScopes);
      const flags = { everywhere: args.has("everywhere"), follow: args.has("follow"), unlink, keep, rename };
      const isOpen = decision === "approved" && args.positionals.length === 0 && rename === undefined;
      const open = isOpen ? openRenames(store, production_id, chosen) : [];
      const left = new Set(open.map(({ id }) => id));
      const request = {
        production_id,
        ids: chosen.filter((id) => !left.has(id)),
        decision,
        decided_by: args.text("by"),
        note: args.text("note"),
        ...flags,
      };
      const decided = await decideScriptChanges(admin, blobs, request, write);
      const every = { now: args.now, text: () => undefined };
      const all = decided.plan === undefined ? [] : chosenChanges(store, every, decided.plan.production_id, "all");
      const ids = new Set(decided.ids);
      const rows = all.filter(({ id }) => ids.has(id));
      const count = plural(decided.ids.length, "script change");
      const effect = decision === "approved" && rows.length > 0 ? `: ${effectOf(decided.plan, rows)}` : "";
      return {
        document: { ids: decided.ids, decision, plan: decided.plan ?? null },
        lines: [`${count} ${decision}${effect}`, ...rows.map((row) => `  ${sentenceOf(row)}`)],
        notes: [
          ...(decided.plan?.warnings ?? []).map((warning) => `warning: ${warning}`),
          ...open.map(({ sentence }) => `left pending: ${sentence}`),
        ],
      };
    },
  });

export const commands: readonly Command[] = [
  dataCommand({
    words: "script-changes list",
    summary: "lists differences between drafts",
    details:
      "By default only those that are to decide, in the order of the script, each with a sentence that says what it changes.",
    example: "tallylight script-changes list --production 1",
    flags: {
      production: { value: "ID", required: true, summary: "the production" },
      status: { value: "STATUS", choices: statuses, summary: `one of ${statuses.join(", ")}; pending by default` },
      ...filters,
    },
    run: (args, { store }) => {
      const status = choiceOf("--status", args.text("status") ?? "pending", statuses);
      const rows = chosenChanges(store, args, args.production.id, status);
      const columns = ["id", "status", "kind", "revision_color", "draft", "summary"] as const;
      return rowsOutput(rows, columns, (row) => ({ ...row, draft: row.draft?.file ?? null, summary: sentenceOf(row) }));
    },
  }),
  decision("script-changes approve", "approved", {
    summary: "approves script changes that are to decide",
    details: "This applies them to the scenes.",
  }),
  decision("script-changes dismiss", "dismissed", {
    summary: "dismisses script changes that are to decide",
    details: "They are raised again if the scene changes once more.",
  }),
];

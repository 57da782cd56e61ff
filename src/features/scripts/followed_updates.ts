// Keeps what the newest drafts ask true after an update by documents: what the production has now waits no more, and what it has no longer is
// asked again, by the same change.
import { isDeepStrictEqual } from "node:util";
import { plural } from "../../core/wording.ts";
import type { Admin } from "../../graph/admin.ts";
import type { PreparedUpdate } from "../documents/apply/apply.ts";
import type { Written } from "../documents/apply/written.ts";
import { StoredProduction } from "../documents/nouns/stored.ts";
import type { PlannedChange } from "../documents/plan/plan.ts";
import { summaryOf } from "./change_summaries.ts";
import { askedFields } from "./compare/fields.ts";
import { isRename } from "./compare/renames.ts";
import { type Asked, changeOfQuestion, compareWith } from "./questions.ts";
import {
  type AskingScript,
  answerChange,
  askAgain,
  askingScripts,
  changesOf,
  type StoredChange,
  setChangeFields,
  tellOfChange,
} from "./script_store.ts";

/** Whether a question is that of a change, perhaps without what the production has now, or with what it had before. */
function isOf({ kind, fields: asks, of: { known } }: Asked, { kind: ofChange, fields }: StoredChange): boolean {
  const approved: Partial<Record<string, unknown>> = { ...known?.approved };
  return (
    kind === ofChange &&
    askedFields(asks).every((name) => {
      const found = fields[name] ?? { from: approved[name], to: asks[name]?.to };
      return name === "order" ? found.to === asks.order?.to : isDeepStrictEqual(found, asks[name]);
    })
  );
}

/** Whether a change of the production may be one about which drafts ask: of a scene that has a change of a script, or of the order of scenes. */
function isAbout(changes: readonly StoredChange[]): (planned: PlannedChange) => boolean {
  const nodes = new Set(changes.map(({ node_id }) => node_id));
  const hasRenames = changes.some(({ fields }) => isRename(fields));
  return ({ section, action, id, fields }) =>
    section === "scenes" &&
    (action !== "change" ||
      "order" in fields ||
      "number" in fields ||
      nodes.has(id) ||
      (hasRenames && "elements" in fields));
}

/** Follows an update in one script. Returns how many changes wait no more, and how many wait again. */
function followIn(
  { store, production_id, now }: Written,
  { actor, planned }: { actor: string; planned: readonly PlannedChange[] },
  stored: StoredProduction,
  { episode_id, episode }: AskingScript,
) {
  const key = { production_id, episode_id };
  const [waiting, answered] = [changesOf(store, key), changesOf(store, key, "answered")];
  if (!planned.some(isAbout([...answered, ...waiting]))) return { made: 0, again: 0 };
  const script = { stored, key, episode: episode ?? undefined };
  const { questions } = compareWith(store, script, [...answered, ...waiting]);
  const describe = ({ id }: StoredChange, question: Asked) => {
    const fields = JSON.stringify(question.fields);
    setChangeFields(store, { production_id, id, fields, summary: summaryOf(question) });
  };
  const [waitingOf, answeredOf] = [changeOfQuestion(waiting), changeOfQuestion(answered)];
  const asked = questions.map((one) => ({ one, change: waitingOf(one) }));
  const stays = new Set(asked.map(({ change }) => change));
  const made = waiting.filter((change) => !stays.has(change));
  for (const change of made) {
    answerChange(store, { production_id, id: change.id, now });
    tellOfChange(store, { production_id, actor, now }, "dismissed", change);
  }
  for (const { one, change } of asked) {
    const isSame = change === undefined || isDeepStrictEqual(askedFields(change.fields), askedFields(one.fields));
    if (!isSame && isOf(one, change)) describe(change, one);
  }
  const again = asked.flatMap(({ one, change }): [StoredChange, Asked][] => {
    const former = change === undefined ? answeredOf(one) : undefined;
    return former !== undefined && isOf(one, former) ? [[former, one]] : [];
  });
  for (const [change, one] of again) {
    askAgain(store, { production_id, id: change.id });
    describe(change, one);
    tellOfChange(store, { production_id, actor, now }, "detected", change);
  }
  return { made: made.length, again: again.length };
}

/** Follows an update in the scripts that ask something. Inside its transaction, after it; the plan warns of what became of the changes. */
export function followUpdate({ label }: Admin, { plan }: Pick<PreparedUpdate, "plan">, writer: Written): void {
  const { store, production_id } = writer;
  const stored = new StoredProduction(store, production_id);
  const update = { actor: label, planned: plan.changes };
  for (const script of askingScripts(store, { production_id })) {
    const { made, again } = followIn(writer, update, stored, script);
    if (made + again > 0) writer.tables.add("script_changes");
    if (made > 0)
      plan.warnings.push(
        `${plural(made, "script change")} ${made === 1 ? "waits" : "wait"} no more: the production has what the draft asks`,
      );
    if (again > 0) plan.warnings.push(`${plural(again, "script change")} ${again === 1 ? "waits" : "wait"} again`);
  }
}

// Keeps what the newest drafts ask true after an update by documents: what the production has now waits no more, and what it has no longer is
// asked again, by the same change.

import { isDeepStrictEqual } from "node:util";
import { plural } from "../../core/spelling.ts";
import type { Store } from "../../core/store/store.ts";
import type { Admin } from "../../graph/admin.ts";
import type { PreparedUpdate } from "../documents/apply/apply.ts";
import { StoredProduction } from "../documents/nouns/stored.ts";
import type { Writer } from "../documents/nouns/writer.ts";
import type { PlannedChange } from "../documents/plan/plan.ts";
import { compareScript, type Question } from "./compare/comparison.ts";
import type { DraftScene } from "./compare/drafts.ts";
import { askedFields } from "./compare/fields.ts";
import { nextScenes } from "./compare/next_draft.ts";
import { isRename } from "./compare/renames.ts";
import { changeOfQuestion, characterFinder, type FoundScene, foundScenes } from "./known_scenes.ts";
import { summaryOf } from "./script_import.ts";
import {
  type AskingScript,
  answerChange,
  askAgain,
  askingScripts,
  changesOf,
  dismissedRenames,
  type ScriptKey,
  type StoredChange,
  scriptRows,
  setChangeFields,
  tellOfChange,
} from "./script_store.ts";

/** A question of the newest draft, with its scene. */
interface Asked {
  question: Question;
  found: FoundScene | undefined;
  scene: DraftScene;
}

/** What the newest draft of a script asks of the production as it is stored. */
function questionsNow(
  store: Store,
  stored: StoredProduction,
  { key, episode }: { key: ScriptKey; episode: string | null },
  changes: readonly StoredChange[],
): Asked[] {
  const nodes = stored.items("scenes").filter(({ raw }) => raw.episode === (episode ?? undefined));
  const found = foundScenes(scriptRows(store, key), nodes, changes);
  const inDraft = [...found.entries()].filter(([, { place }]) => typeof place === "number");
  const pairs = inDraft.map(([before], after) => ({ before, after, by: "number" as const }));
  const draft = { scenes: inDraft.map(([, { scene }]) => scene) };
  const next = nextScenes(found, { draft, matching: { pairs, hints: [] }, color: null, pages: undefined });
  const names = { hasCharacter: characterFinder(stored), dismissed: dismissedRenames(store, key) };
  return compareScript(next, names).questions.flatMap((question) => {
    const one = next[question.at];
    const known = isRename(question.fields) ? undefined : found[one?.known ?? -1];
    return one === undefined ? [] : [{ question, found: known, scene: one.scene }];
  });
}

/** Whether a question is that of a change, perhaps without what the production has now, or with what it had before. */
function isOf({ question, found }: Asked, { kind, fields }: StoredChange): boolean {
  const asks = question.fields;
  const approved: Partial<Record<string, unknown>> = { ...found?.approved };
  return (
    kind === question.kind &&
    askedFields(asks).every((name) => {
      const known = fields[name] ?? { from: approved[name], to: asks[name]?.to };
      return name === "order" ? known.to === asks.order?.to : isDeepStrictEqual(known, asks[name]);
    })
  );
}

/** The changes of a script, each with the question about the same scene or character. */
function withQuestions(changes: readonly StoredChange[], asked: readonly Asked[]): Map<StoredChange, Asked> {
  const changeOf = changeOfQuestion(changes);
  return new Map(
    asked.flatMap((one): [StoredChange, Asked][] => {
      const change = changeOf(one.question, one.found?.row);
      return change === undefined ? [] : [[change, one]];
    }),
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
  writer: Writer,
  { actor, planned }: { actor: string; planned: readonly PlannedChange[] },
  stored: StoredProduction,
  { episode_id, episode }: AskingScript,
) {
  const { store, production_id, now } = writer;
  const key = { production_id, episode_id };
  const [waiting, answered] = [changesOf(store, key), changesOf(store, key, "answered")];
  if (!planned.some(isAbout([...answered, ...waiting]))) return { made: 0, again: 0 };
  const asked = questionsNow(store, stored, { key, episode }, [...answered, ...waiting]);
  const describe = ({ id }: StoredChange, { question, scene }: Asked) => {
    const summary = summaryOf({ ...question, scene });
    setChangeFields(store, { production_id, id, fields: JSON.stringify(question.fields), summary });
  };
  const questionOf = withQuestions(waiting, asked);
  const made = waiting.filter((change) => !questionOf.has(change));
  for (const change of made) {
    answerChange(store, { production_id, id: change.id, now });
    tellOfChange(store, { production_id, actor, now }, "dismissed", change);
  }
  for (const [change, one] of questionOf) {
    const isSame = isDeepStrictEqual(askedFields(change.fields), askedFields(one.question.fields));
    if (!isSame && isOf(one, change)) describe(change, one);
  }
  const known = new Set(questionOf.values());
  const others = withQuestions(
    answered,
    asked.filter((one) => !known.has(one)),
  );
  const again = [...others].filter(([change, one]) => isOf(one, change));
  for (const [change, one] of again) {
    askAgain(store, { production_id, id: change.id });
    describe(change, one);
    tellOfChange(store, { production_id, actor, now }, "detected", change);
  }
  return { made: made.length, again: again.length };
}

/** Follows an update in the scripts that ask something. Inside its transaction, after it; the plan warns of what became of the changes. */
export function followUpdate({ label }: Admin, { plan }: PreparedUpdate, writer: Writer): void {
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

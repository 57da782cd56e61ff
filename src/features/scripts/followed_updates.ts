// Keeps what the newest drafts ask true after an update by documents: what the production has now waits no more, and what it has no longer is
// asked again, by the same change.

import { isDeepStrictEqual } from "node:util";
import { plural } from "../../core/spelling.ts";
import type { Admin } from "../../graph/admin.ts";
import type { PreparedUpdate } from "../documents/apply/apply.ts";
import { StoredProduction } from "../documents/nouns/stored.ts";
import type { Writer } from "../documents/nouns/writer.ts";
import type { AskingScript } from "../documents/recording.ts";
import { compareScript, type Question } from "./compare/comparison.ts";
import type { DraftScene } from "./compare/drafts.ts";
import { askedFields } from "./compare/fields.ts";
import { nextScenes } from "./compare/next_draft.ts";
import { isRename, isSameRename, renameOf } from "./compare/renames.ts";
import { characterFinder, type FoundScene, foundScenes, waitingFor } from "./known_scenes.ts";
import { summaryOf } from "./script_import.ts";
import {
  answerChange,
  askAgain,
  dismissedRenames,
  type PendingChange,
  pendingChangesOf,
  type ScriptKey,
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
function questionsNow(writer: Writer, stored: StoredProduction, key: ScriptKey, episode: string | null): Asked[] {
  const { store } = writer;
  const nodes = stored.items("scenes").filter(({ raw }) => raw.episode === (episode ?? undefined));
  const changes = [...pendingChangesOf(store, key, "answered"), ...pendingChangesOf(store, key)];
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
function isOf({ question, found }: Asked, { kind, fields }: PendingChange): boolean {
  const asks = question.fields;
  if (isRename(asks) || isRename(fields))
    return isRename(asks) && isRename(fields) && isSameRename(renameOf(asks), renameOf(fields));
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
function withQuestions(changes: readonly PendingChange[], asked: readonly Asked[]): Map<PendingChange, Asked> {
  const changeOf = waitingFor(changes);
  const renames = changes.filter(({ fields }) => isRename(fields));
  return new Map(
    asked.flatMap((one): [PendingChange, Asked][] => {
      const row = one.found?.row;
      const rename = renames.find((change) => isOf(one, change));
      const change = row === undefined ? rename : changeOf(row);
      return change === undefined ? [] : [[change, one]];
    }),
  );
}

/** Follows an update in one script. Returns how many changes wait no more, and how many wait again. */
function followIn(writer: Writer, actor: string, stored: StoredProduction, { episode_id, episode }: AskingScript) {
  const { store, production_id, now } = writer;
  const key = { production_id, episode_id };
  const asked = questionsNow(writer, stored, key, episode);
  const describe = ({ id }: PendingChange, { question, scene }: Asked) => {
    const summary = summaryOf({ ...question, scene });
    setChangeFields(store, { production_id, id, fields: JSON.stringify(question.fields), summary });
  };
  const waiting = pendingChangesOf(store, key);
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
  const others = asked.filter((one) => ![...questionOf.values()].includes(one));
  const again = [...withQuestions(pendingChangesOf(store, key, "answered"), others)].filter(
    ([change, one]) => !made.includes(change) && isOf(one, change),
  );
  for (const [change, one] of again) {
    askAgain(store, { production_id, id: change.id });
    describe(change, one);
    tellOfChange(store, { production_id, actor, now }, "detected", change);
  }
  return { made: made.length, again: again.length };
}

/** Follows an update in the scripts that ask something. Inside its transaction, after it; the plan warns of what became of the changes. */
export function followUpdate(
  { label }: Admin,
  { plan }: PreparedUpdate,
  writer: Writer,
  scripts: readonly AskingScript[],
): void {
  const stored = new StoredProduction(writer.store, writer.production_id);
  for (const script of scripts) {
    const { made, again } = followIn(writer, label, stored, script);
    if (made + again > 0) writer.tables.add("script_changes");
    if (made > 0)
      plan.warnings.push(
        `${plural(made, "script change")} ${made === 1 ? "waits" : "wait"} no more: the production has what the draft asks`,
      );
    if (again > 0) plan.warnings.push(`${plural(again, "script change")} ${again === 1 ? "waits" : "wait"} again`);
  }
}

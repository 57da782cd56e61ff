// What the changes of a section are in a sentence, for the activity and the history.
import { wordOf } from "../../core/wording.ts";
import { append } from "../sequences/sequences.ts";
import { factsOfChange, factText, keyOfChange } from "./plan_words.ts";
import { type PlannedChange, verbs } from "./planned.ts";
import { hasMoney, sections } from "./sections/sections.ts";

/** How many changes of a section are named one by one. */
const maxNamed = 6;
const maxValue = 60;

/** What a change did to a thing that stays: "status ready -> sent". Without values, the fields are named. */
function changedText(change: PlannedChange): string {
  const facts = factsOfChange(change).map((fact) => factText(fact, maxValue, " "));
  return (facts.length > 0 ? facts : Object.keys(change.fields).map(wordOf)).join(", ");
}

/** Two shoot days that exchanged their dates. */
function swapped(changes: readonly PlannedChange[]): [PlannedChange, PlannedChange] | undefined {
  const dated = changes.flatMap((change) =>
    change.fields.date === undefined ? [] : [{ change, date: change.fields.date }],
  );
  for (const one of dated)
    for (const other of dated)
      if (one !== other && one.date.from === other.date.to && one.date.to === other.date.from)
        return [one.change, other.change];
  return undefined;
}

/** Describes the changes of one section in a sentence. */
export function sentenceOf(section: PlannedChange["section"], changes: readonly PlannedChange[]): string {
  const parts: string[] = [];
  let rest = changes;
  const pair = section === "schedule" && changes.length <= maxNamed ? swapped(changes) : undefined;
  if (pair !== undefined) {
    parts.push(`${keyOfChange(pair[0])} and ${keyOfChange(pair[1])} swapped`);
    rest = changes.flatMap((change) => {
      if (!pair.includes(change)) return [change];
      const { date: _, ...fields } = change.fields;
      return Object.keys(fields).length === 0 ? [] : [{ ...change, fields }];
    });
  }
  if (rest.length > maxNamed || hasMoney(section)) {
    const count = (action: PlannedChange["action"]) => rest.filter((change) => change.action === action).length;
    const counts = [
      [count("add"), "added"],
      [count("change"), "changed"],
      [count("remove"), "removed"],
    ] as const;
    append(
      parts,
      counts.filter(([many]) => many > 0).map(([many, verb]) => `${many} ${verb}`),
    );
  } else
    for (const change of rest) {
      if (change.action === "change") parts.push(`${keyOfChange(change)}: ${changedText(change)}`);
      else if (change.action === "add" && section === "script_changes") parts.push(keyOfChange(change));
      else parts.push(`${keyOfChange(change)} ${verbs[change.action]}`);
    }
  return `${section === "production" ? "Production" : sections[section].title}: ${parts.join("; ")}`;
}

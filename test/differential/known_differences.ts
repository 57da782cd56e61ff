// The differences that are meant, each with its reason. A difference that none of them allows fails the comparison.
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Difference } from "./compare.ts";
import type { Step } from "./steps.ts";

export interface KnownDifference {
  reason: string;
  /** Whether a step may bring it; without, any step may. */
  comesWith?(step: Step): boolean;
  /** Whether the values say the same but for what is meant. */
  allows(difference: Difference): boolean;
  /**
   * What the programs have stored stays different in what `allows` leaves out, which decides nothing that a later step
   * does: the steps after it are compared, too, and may show it again.
   */
  stays?: true;
}

const sorted = (text: unknown): string => (String(text).match(/\d+(?:-\d+)*|\D+/g) ?? []).sort().join();

/** A value without some fields of its things. */
const without = (fields: readonly string[], value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (name, one) => (fields.includes(name) ? undefined : one)));
/** A value without the times at which its things were changed last. */
const untimed = (value: unknown): unknown => without(["updated_at"], value);

/** Whether scenes differ in the times at which they were changed last. */
const isOfTimes = ({ where, former, present }: Difference): boolean =>
  /^(?:table nodes|export\.scenes)$/.test(where) && isDeepStrictEqual(untimed(former), untimed(present));

/** Rows of scenes of scripts without some fields of their texts. */
const withoutOfTexts = (fields: readonly string[], rows: unknown): unknown =>
  JSON.parse(JSON.stringify(rows ?? null), (name, one) =>
    (name === "scene" || name === "approved") && typeof one === "string" ? without(fields, JSON.parse(one)) : one,
  );

/** Rows of scenes of scripts without the texts of those that a draft omits. */
const withoutOmitted = (rows: unknown): unknown =>
  JSON.parse(JSON.stringify(withoutOfTexts(["last", "isMeasured"], rows)), (_, one) =>
    one?.omitted === true ? { number: one.number } : one,
  );

/** A submission, or things with submissions, without what the former program did not say of them. */
const undecided = (value: unknown): unknown =>
  typeof value === "string" ? null : without(["decided_at", "decided_by", "content_type", "sha256", "size"], value);

/** Rows without their ids, which the paths of media begin with. */
const withoutIds = (rows: unknown): unknown =>
  JSON.parse(JSON.stringify(rows), (name, one) => {
    if (name === "path") return String(one).replace(/^\d+/, "");
    return name === "id" ? undefined : one;
  });

/** A value whose sources are names of files, without their folders. */
const withBasenames = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (name, one) => (name === "source" ? basename(String(one)) : one));

/** Warnings without those that the former program does not have. */
const withoutWarnings = (added: RegExp, warnings: unknown): unknown =>
  Array.isArray(warnings) ? warnings.filter((one) => !added.test(String(one))) : warnings;

const ofMoves = new Set(["updated_at", "script_order", "unchanged", "changed", "order"]);
/** Whether a planned change, or an event of one, says nothing. */
const isEmpty = ({ fields, data }: { fields?: object; data?: { fields?: object } }): boolean =>
  isDeepStrictEqual(fields ?? data?.fields, {});
/** A value without the moves of scenes. */
const unmoved = (value: unknown): unknown =>
  JSON.parse(JSON.stringify([value ?? null]), (name, one) => {
    if (ofMoves.has(name)) return undefined;
    return Array.isArray(one) ? one.filter((item) => !isEmpty(item ?? {})) : one;
  });

const wordsIn = (text: string): string[] => (text.match(/[^\\",.:{}[\] ]+/g) ?? []).sort();
const wordsOf = (text: string): string => wordsIn(text).join();
/** Whether a value has every word of another one, as often. */
function saysMore(former: unknown, present: unknown): boolean {
  const left = Map.groupBy(wordsIn(JSON.stringify(present ?? null)), (word) => word);
  return wordsIn(JSON.stringify(former ?? null)).every((word) => left.get(word)?.pop() !== undefined);
}
/** The words of a value, without the episodes of scenes. */
const withoutEpisodes = (value: unknown): string =>
  wordsOf(JSON.stringify(value ?? null).replaceAll(/\b[A-Z0-9]{1,9}\/(?=[A-Z]{0,3}\d)/g, ""));

const isUndo = (step: Step): boolean =>
  step.do === "command" ? step.argv[0] === "undo" : step.do === "call" && /\/undo(?:\?|$)/.test(step.path);

/** Whether texts of scenes may come, change or go: a script, a decision about one, or an undo of either. */
const isOfScript = (step: Step): boolean =>
  step.do === "import"
    ? step.files.some(({ name }) => name.endsWith(".fountain"))
    : isUndo(step) || (step.do === "call" && step.path.includes("/script-changes"));

const isImport = (step: Step, given: (file: { name: string; text: string }, at: number) => boolean): boolean =>
  step.do === "import" && step.files.some(given);

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: "a sentence about a scene of a script names it with its episode; its fields may have another order",
    allows: ({ where, former, present }) =>
      /^(?:answer|rehearsal|history|export|table)/.test(where) && withoutEpisodes(former) === withoutEpisodes(present),
    stays: true,
  },
  {
    reason: "a grant of a scene is named in fewer letters, of which a cut leaves more",
    comesWith: (step) => JSON.stringify(step).includes("grants"),
    allows: ({ where, former, present }) =>
      JSON.stringify(former ?? null).includes("…") &&
      JSON.stringify(present ?? null).includes("grants added") &&
      (where.endsWith("summary") || isDeepStrictEqual(without(["summary"], former), without(["summary"], present))),
    stays: true,
  },
  {
    reason: "the answer to a decision has the warnings that the command prints",
    comesWith: (step) => step.do === "call" && step.path.startsWith("/script-changes"),
    allows: ({ where, former, present }) =>
      where === "answer.warnings" && former === undefined && Array.isArray(present),
  },
  {
    reason: "a form takes times of day as people type them",
    comesWith: (step) => step.do === "form",
    allows: ({ where, former }) =>
      where === "refusal by the former only" && /must be a time of day such as/.test(String(former)),
    stays: true,
  },
  {
    reason: "episodes whose codes are numbers stand in the order of these",
    comesWith: (step) => JSON.stringify(step).includes("episodes"),
    allows: ({ where, former, present }) =>
      where === "export.episodes" && [former, present].every((one) => /^\d+$/.test((one as { code: string }).code)),
    stays: true,
  },
  {
    reason: "an update warns of a second call of one person",
    allows: ({ where, former, present }) =>
      /warnings$/.test(where) && isDeepStrictEqual(former, withoutWarnings(/^day .* calls .* twice: /, present)),
  },
  {
    reason: "characters in another order are no new clash of a day",
    allows: ({ where, former, present }) =>
      /warnings$/.test(where) && isDeepStrictEqual(withoutWarnings(/; the turnaround is \d+ h$/, former), present),
  },
  {
    reason: "a list of one episode is refused if a row says that its scene is of another one",
    allows: ({ where, present }) =>
      where === "refusal by the present only" &&
      /is of episode \S+, and the row or the file of episode/.test(String(present)),
  },
  {
    reason: "a list of what has no scenes is refused with an episode",
    comesWith: (step) => step.do === "import" && step.query.episode !== undefined,
    allows: ({ where, present }) =>
      where === "refusal by the present only" &&
      /episode is for what has scenes; a list of the kind/.test(String(present)),
  },
  {
    reason: "a scene that is set into another episode takes its text and its place there, too",
    comesWith: (step) => isImport(step, ({ text }) => /"episode":"[^"]{1,40}","was"/.test(text)),
    allows: () => true,
  },
  {
    reason: "a file does not name by its former name what a later file of the same import renames",
    comesWith: (step) => isImport(step, ({ text }, at) => at > 0 && text.includes('"was":')),
    allows: ({ where, present }) =>
      where === "refusal by the present only" && / names no [a-z ]{1,40}: /.test(String(present)),
  },
  {
    reason: "a file may add what an earlier file of the same import renames, with a warning that names both",
    comesWith: (step) => step.do === "import",
    allows: ({ where, former }) =>
      where === "refusal by the former only" && /, which \S+ of the same update renames to "/.test(String(former)),
  },
  {
    reason: "the form of a thing without a name keeps the thing when its key changes",
    comesWith: (step) => step.do === "form" && /^\/edit\/department_notes\/\d/.test(step.page),
    allows: () => true,
  },
  {
    reason: "a scene of a script notes other changes that were made by hand",
    allows: ({ where, former, present }) =>
      where === "table script_scenes" && isDeepStrictEqual(without(["by_hand"], former), without(["by_hand"], present)),
  },
  {
    reason: "a scene that a draft omits keeps the text that was shown last",
    comesWith: isOfScript,
    allows: ({ where, former, present }) =>
      where === "table script_scenes" && isDeepStrictEqual(withoutOmitted(former), withoutOmitted(present)),
  },
  {
    reason: "the text of a scene says whether somebody gave its length, which then stays",
    allows: ({ where, former, present }) =>
      where === "table script_scenes" &&
      isDeepStrictEqual(withoutOfTexts([], former), withoutOfTexts(["isMeasured"], present)),
    stays: true,
  },
  {
    reason: "a form has fields that the former program lacks, such as the four times of a call",
    comesWith: (step) => step.do === "form",
    allows: ({ where, former, present }) =>
      where.startsWith("answer.values.") && former === undefined && typeof present === "string",
  },
  {
    reason: "a warning about days of one date names them in the order of their numbers, and not of their digits",
    allows: ({ where, former, present }) =>
      /warnings$/.test(where) && /^days .* are both on /.test(String(former)) && sorted(former) === sorted(present),
  },
  {
    reason: "a scene that a complete list of scenes omits gets the time of its change",
    comesWith: (step) => step.do === "import" && step.query.exact === "true",
    allows: isOfTimes,
    stays: true,
  },
  {
    reason: "a change set names the file that a command read, and not where it was",
    allows: ({ where, former, present }) =>
      /^(?:table change_sets|history)/.test(where) && isDeepStrictEqual(withBasenames(former), withBasenames(present)),
    stays: true,
  },
  {
    reason: "a medium that is text has the type of text",
    allows: ({ where, former, present }) =>
      where === "table blobs" &&
      JSON.stringify(present).replaceAll('"text/plain"', '"application/octet-stream"') === JSON.stringify(former),
    stays: true,
  },
  {
    reason: "a submission says when and by whom it was decided, and its media say what they are",
    allows: ({ where, former, present }) =>
      /^(?:answer\.(?:decided_at|decided_by|media)|export\.deliveries|table submissions)$/.test(where) &&
      isDeepStrictEqual(undecided(former), undecided(present)),
    stays: true,
  },
  {
    reason: "a scene whose text is shown differently, as it was approved last, gets the time of its change",
    comesWith: isOfScript,
    allows: isOfTimes,
    stays: true,
  },
  {
    reason: "a cast has each name once",
    comesWith: (step) => /"cast":\[[^\]]*("[^"]+")[^\]]*\1/.test(JSON.stringify(step).replaceAll("\\", "")),
    allows: ({ where, former, present }) =>
      /^(?:answer|rehearsal|history|export\.(?:activity|scenes)$|table (?:activity|change_sets|events|scenes)$)/.test(
        where,
      ) && saysMore(present, former),
  },
  {
    reason: "a character whom a cast names is linked to the scene",
    comesWith: (step) => isOfScript(step) || JSON.stringify(step).includes("cast"),
    allows: ({ where, former, present }) =>
      /^(?:answer|rehearsal|history|export\.(?:activity|scenes)|table (?:node_links|activity|events|change_sets|nodes))/.test(
        where,
      ) && saysMore(former, present),
  },
  {
    reason: "an update warns of characters who are in the cast of a scene and lose their link to it",
    allows: ({ where, former, present }) =>
      /warnings$/.test(where) && isDeepStrictEqual(former, withoutWarnings(/^".*" is in the cast of /, present)),
  },
  {
    reason: "an undo gives media their former ids",
    comesWith: isUndo,
    allows: ({ where, former, present }) =>
      where === "table media" && isDeepStrictEqual(withoutIds(former), withoutIds(present)),
  },
  {
    reason: "a line of a cost report keeps its id when it changes, and has it again after an undo",
    allows: ({ where, former, present }) =>
      where === "table last_ids"
        ? !/"part":"(?!cost_report_lines")/.test(JSON.stringify([former, present]))
        : where === "table cost_report_lines" && isDeepStrictEqual(withoutIds(former), withoutIds(present)),
    stays: true,
  },
  {
    reason: "an undo moves back the scenes that its change set moved, and not their neighbours",
    comesWith: isUndo,
    allows: ({ where, former, present }) =>
      /^(?:answer\.|history\.|export\.scenes$|table (?:nodes|scenes|audit|events|change_sets)$)/.test(where) &&
      (/^answer\.counts\./.test(where) ||
        (where === "table events" && JSON.stringify(former).includes('"order":')) ||
        isDeepStrictEqual(unmoved(former), unmoved(present))),
  },
  {
    reason:
      "a scene of a script that goes with the newest id leaves that id behind, also where another one comes with it",
    allows: ({ where, former, present }) =>
      where === "table last_ids" && !/"part":"(?!script_scenes)/.test(JSON.stringify([former, present])),
  },
  {
    reason: "a sentence of activity or of a script change may be another one, so the former export contradicts it",
    allows: ({ where, present }) =>
      where === "refusal by the present only" &&
      /(?:activity|script_changes)\[\d+\].*\.summary contradicts what was recorded/.test(String(present)),
  },
];

/** The known differences of one list of steps. */
export class KnownDifferences {
  readonly #staying = new Set<KnownDifference>();

  /** Which one a difference of a step is; undefined if it is none. */
  of(difference: Difference, step: Step): KnownDifference | undefined {
    const { explained, rest } = this.#explain(difference);
    if (rest === undefined) return explained;
    const found = knownDifferences.find(
      (known) =>
        (this.#staying.has(known) || known.comesWith === undefined || known.comesWith(step)) && known.allows(rest),
    );
    if (found?.stays) this.#staying.add(found);
    return found;
  }

  /** Takes out of a difference the rows that those which stay explain. Returns one of these, and what is left. */
  #explain(difference: Difference): { explained?: KnownDifference | undefined; rest?: Difference } {
    const { where, former, present } = difference;
    if (!Array.isArray(former) || !Array.isArray(present) || former.length !== present.length)
      return { rest: difference };
    const known = former.map((one, at) =>
      [...this.#staying].find(({ allows }) => allows({ where, former: [one], present: [present[at]] })),
    );
    const left = (rows: unknown[]) => rows.filter((_, at) => known[at] === undefined);
    if (left(former).length === 0) return { explained: known[0] };
    return { rest: { where, former: left(former), present: left(present) } };
  }
}
